// A reshard as an Exchange: each pair of ranks has the box in which what the one has and what the other wants meet.
// Both take its elements in the order of the tensor's indices, from and to wherever they lie, so nobody packs.
#include <algorithm>

#include "api/describe.h"
#include "api/tensor.h"
#include "base/user_operator.h"
#include "coll/reshard.h"

namespace xcoll::api::describe {

namespace {

// Indices of the dimension along which the tensor is split before, with the ranks that send them, from the lowest on.
struct Section {
    Interval indices;
    std::vector<int> senders;
};

// Cut where any rank's part begins or ends, so that each section has the same holders throughout.
std::vector<Section> sections_of(const std::vector<Interval> &parts) {
    std::vector<int64_t> cuts;
    for (const Interval &part : parts) {
        if (part.count > 0) {
            cuts.push_back(part.first);
            cuts.push_back(part.end());
        }
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<Section> sections;
    for (size_t k = 0; k + 1 < cuts.size(); ++k) {
        Section section{{cuts[k], cuts[k + 1] - cuts[k]}, {}};
        for (size_t p = 0; p < parts.size(); ++p) {
            if ((parts[p] & section.indices).count > 0) {
                section.senders.push_back(static_cast<int>(p));
            }
        }
        sections.push_back(std::move(section));
    }
    return sections;
}

bool overlap(const std::vector<Section> &sections) {
    return std::any_of(sections.begin(), sections.end(), [](const auto &s) { return s.senders.size() > 1; });
}

// The lowest holder's copy counts; sections of one sender become one again.
std::vector<Section> lowest_holders(const std::vector<Section> &sections) {
    std::vector<Section> lowest;
    for (const Section &section : sections) {
        if (section.senders.empty()) {
            continue;
        }
        const int holder = section.senders.front();
        if (!lowest.empty() && lowest.back().senders.front() == holder &&
            lowest.back().indices.end() == section.indices.first) {
            lowest.back().indices.count += section.indices.count;
        } else {
            lowest.push_back({section.indices, {holder}});
        }
    }
    return lowest;
}

// Every element that somebody wants is held by somebody.
void check_held(const Tensor &tensor, const std::vector<Section> &sections) {
    if (tensor.elements == 0) {
        return;
    }
    const Interval all{0, tensor.shape[static_cast<size_t>(tensor.from.dim)]};
    for (size_t p = 0; p < tensor.to.parts.size(); ++p) {
        const Interval &part = tensor.to.parts[p];
        const Interval wanted = tensor.to.dim == tensor.from.dim ? part : all;
        int64_t held = wanted.first;
        for (const Section &section : sections) {
            if (!section.senders.empty() && section.indices.first <= held) {
                held = std::max(held, section.indices.end());
            }
        }
        if (part.count > 0 && held < wanted.end()) {
            fail(XCOLL_ERR_ARGUMENT,
                 "tensor.from: no rank has index %lld of dimension %d, which rank %zu is to receive: expected parts "
                 "without gaps",
                 static_cast<long long>(held), tensor.from.dim, p);
        }
    }
}

// What a call keeps of a reshard.
struct Boxes {
    std::vector<Shape> out, in;     // by peer
    std::vector<Shape> in_sections; // of this rank's part, for reducing
    Shape whole_in, whole_out;
    Reshard reduction;
};

Portion portion(const void *buffer, const Shape &shape) {
    return {static_cast<char *>(const_cast<void *>(buffer)), shape.views.empty() ? size_t{0} : 1, &shape};
}

Shape empty_box(Dtype dtype) {
    Shape shape;
    shape.base = dtype;
    shape.element_bytes = size_of(dtype);
    return shape;
}

// ---- memory

struct Reach {
    uintptr_t begin, end;
    bool dense;
};

Reach reach_of(const void *buffer, const Tensor &tensor, const Split &side, int rank) {
    ptrdiff_t lowest = 0, highest = static_cast<ptrdiff_t>(size_of(tensor.dtype));
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
        const int64_t length =
            static_cast<int>(d) == side.dim ? side.parts[static_cast<size_t>(rank)].count : tensor.shape[d];
        const ptrdiff_t far = (length - 1) * side.strides[d];
        (far < 0 ? lowest : highest) += far;
    }
    const auto address = reinterpret_cast<uintptr_t>(buffer);
    const auto bytes = static_cast<size_t>(tensor.size(side, rank)) * size_of(tensor.dtype);
    return {address + static_cast<uintptr_t>(lowest), address + static_cast<uintptr_t>(highest),
            static_cast<size_t>(highest - lowest) <= bytes};
}

void check_buffers(const Tensor &tensor, const void *send, const void *recv, int rank) {
    const auto sent = static_cast<size_t>(tensor.size(tensor.from, rank));
    const auto received = static_cast<size_t>(tensor.size(tensor.to, rank));
    if (sent > 0 && (!send || send == XCOLL_IN_PLACE)) {
        fail_buffer("send", send, sent);
    }
    if (received > 0 && (!recv || recv == XCOLL_IN_PLACE)) {
        fail_buffer("recv", recv, received);
    }
    if (sent == 0 || received == 0) {
        return;
    }
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
        const bool split = static_cast<int>(d) == tensor.to.dim;
        const int64_t length = split ? tensor.to.parts[static_cast<size_t>(rank)].count : tensor.shape[d];
        if (length > 1 && tensor.to.strides[d] == 0) {
            fail(XCOLL_ERR_ARGUMENT, "tensor.recv_strides[%zu] is 0: %lld elements would be received in one place", d,
                 static_cast<long long>(length));
        }
    }
    // Parts with gaps may be woven into each other, as queries and keys are.
    const Reach in = reach_of(send, tensor, tensor.from, rank), out = reach_of(recv, tensor, tensor.to, rank);
    if ((send == recv || (in.dense && out.dense)) && in.begin < out.end && out.begin < in.end) {
        fail_overlap("send", send, "recv", recv, std::max(sent, received) * size_of(tensor.dtype), "separate buffers");
    }
}

// ---- the two forms

void fill_out(Boxes &boxes, const Tensor &tensor, const std::vector<Section> &sections, int rank) {
    for (const Interval &wanted : tensor.to.parts) {
        Shape box = empty_box(dtype_of(tensor.dtype));
        for (const Section &section : sections) {
            if (std::binary_search(section.senders.begin(), section.senders.end(), rank)) {
                tensor.append_box(box, tensor.from, rank, section.indices, wanted);
            }
        }
        boxes.out.push_back(std::move(box));
    }
}

void fill_moves(Boxes &boxes, const Tensor &tensor, const std::vector<Section> &sections, int rank) {
    const Interval &mine = tensor.to.parts[static_cast<size_t>(rank)];
    boxes.in.assign(tensor.from.parts.size(), empty_box(dtype_of(tensor.dtype)));
    for (const Section &section : sections) {
        Shape &box = boxes.in[static_cast<size_t>(section.senders.front())];
        tensor.append_box(box, tensor.to, rank, section.indices, mine);
    }
}

void fill_reduction(Boxes &boxes, const Tensor &tensor, const std::vector<Section> &sections, int rank) {
    const Interval &mine = tensor.to.parts[static_cast<size_t>(rank)];
    boxes.reduction.incoming.assign(tensor.from.parts.size(), 0);
    boxes.in_sections.reserve(sections.size()); // portions point to them
    for (const Section &section : sections) {
        Shape box = empty_box(dtype_of(tensor.dtype));
        tensor.append_box(box, tensor.to, rank, section.indices, mine);
        if (box.bytes == 0 || section.senders.empty()) {
            continue;
        }
        for (const int p : section.senders) {
            boxes.reduction.incoming[static_cast<size_t>(p)] += box.bytes;
        }
        boxes.in_sections.push_back(std::move(box));
        boxes.reduction.segments.push_back({portion(nullptr, boxes.in_sections.back()), section.senders});
    }
}

bool is_whole(const Split &side, int64_t length) {
    return std::all_of(side.parts.begin(), side.parts.end(),
                       [&](const Interval &part) { return part.count == length; });
}

void fill_whole(Boxes &boxes, const Tensor &tensor, int rank) {
    const auto length = [&](const Split &side) { return tensor.shape[static_cast<size_t>(side.dim)]; };
    if (tensor.elements == 0 || !is_whole(tensor.from, length(tensor.from)) ||
        !is_whole(tensor.to, length(tensor.to))) {
        return;
    }
    const Interval from{0, length(tensor.from)}, to{0, length(tensor.to)};
    boxes.reduction.everything = true;
    boxes.whole_in = boxes.whole_out = empty_box(dtype_of(tensor.dtype));
    tensor.append_box(boxes.whole_in, tensor.from, rank, from, to);
    tensor.append_box(boxes.whole_out, tensor.to, rank, from, to);
    boxes.reduction.whole_in = portion(nullptr, boxes.whole_in);
    boxes.reduction.whole_out = portion(nullptr, boxes.whole_out);
}

void fill_dealt(Boxes &boxes, const Tensor &tensor) {
    if (tensor.elements == 0 || !is_whole(tensor.from, tensor.shape[static_cast<size_t>(tensor.from.dim)])) {
        return;
    }
    for (size_t p = 0; p < tensor.to.parts.size(); ++p) {
        boxes.reduction.dealt.push_back(static_cast<size_t>(tensor.size(tensor.to, static_cast<int>(p))));
    }
}

} // namespace

void reshard(Call &call, const Comm &comm, const void *send, void *recv, const xcoll_tensor_t *given, int from_dim,
             int to_dim) {
    Op &op = call.op;
    op.kind = Kind::reshard;
    const int rank = comm.team().rank, ranks = comm.team().size;
    const Tensor tensor = read_tensor(given, from_dim, to_dim, rank, ranks);
    set_type(call, tensor.dtype, "tensor.shape", tensor.elements);
    if (tensor.op != 0 || from_dim == XCOLL_PARTIAL) {
        set_operator(call, tensor.dtype, tensor.op != 0 ? tensor.op : xcoll_op_t{XCOLL_SUM});
    }
    if (op.user && op.user->is_premultiplied()) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "tensor.op is a premultiplied sum: expected XCOLL_SUM of what was multiplied before, "
             "or another operator");
    }
    op.send = send;
    op.recv = recv;
    op.signature = ReshardSignature{from_dim, to_dim, tensor.hash}.word();
    check_buffers(tensor, send, recv, rank);
    std::vector<Section> sections = sections_of(tensor.from.parts);
    check_held(tensor, sections);
    // A truth value that is reduced is 0 or 1 afterwards, however few ranks have it.
    const bool changes = overlap(sections) || from_dim == XCOLL_PARTIAL || op.dtype == Dtype::boolean;
    const bool reduces = (op.op != Operator::none || op.user) && changes;
    auto boxes = std::make_shared<Boxes>();
    if (!reduces) {
        sections = lowest_holders(sections);
    }
    fill_out(*boxes, tensor, sections, rank);
    const auto n = static_cast<size_t>(ranks);
    Portion *out = call.make_parts(n, n), *in = out + ranks;
    for (size_t p = 0; p < n; ++p) {
        out[p] = portion(send, boxes->out[p]);
    }
    if (reduces) {
        op.kind = Kind::reshard_reduce;
        fill_reduction(*boxes, tensor, sections, rank);
        fill_whole(*boxes, tensor, rank);
        fill_dealt(*boxes, tensor);
        op.reshard = &boxes->reduction;
        op.in = nullptr; // scratch memory
    } else {
        op.op = Operator::none;
        op.user = nullptr;
        op.user_name = 0;
        fill_moves(*boxes, tensor, sections, rank);
        for (size_t p = 0; p < n; ++p) {
            in[p] = portion(recv, boxes->in[p]);
        }
    }
    call.hold(std::shared_ptr<const Boxes>(std::move(boxes)));
}

} // namespace xcoll::api::describe
