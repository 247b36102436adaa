// A reshard as an Exchange of boxes, or as one whose parts are added up.
#include <algorithm>

#include "api/describe.h"
#include "api/tensor.h"
#include "base/user_operator.h"
#include "coll/reshard_plan.h"

namespace xcoll::api::describe {

namespace {

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

void check_held(const Tensor &tensor, const std::vector<Section> &sections) {
    if (const auto gap = find_gap(tensor, sections)) {
        fail(XCOLL_ERR_ARGUMENT,
             "tensor.from: no rank has index %lld of dimension %d, which rank %d is to receive: expected parts without "
             "gaps",
             static_cast<long long>(gap->index), tensor.from.dim, gap->wanted_by);
    }
}

// The operator that parts are added up with, or none.
void set_addition(Call &call, const GivenTensor &given, int from_dim) {
    if (given.op != 0 || from_dim == XCOLL_PARTIAL) {
        set_operator(call, given.dtype, given.op != 0 ? given.op : xcoll_op_t{XCOLL_SUM});
    }
    if (call.op.user && call.op.user->is_premultiplied()) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "tensor.op is a premultiplied sum: expected XCOLL_SUM of what was multiplied before, "
             "or another operator");
    }
}

void set_boxes(Portion *portions, const void *buffer, const std::vector<Shape> &boxes) {
    for (size_t p = 0; p < boxes.size(); ++p) {
        portions[p] = portion(buffer, boxes[p]);
    }
}

} // namespace

void reshard(Call &call, const Comm &comm, const void *send, void *recv, const xcoll_tensor_t *user_tensor,
             int from_dim, int to_dim) {
    Op &op = call.op;
    op.kind = Kind::reshard;
    const int rank = comm.team().rank, ranks = comm.team().size;
    const GivenTensor given = read_tensor(user_tensor, from_dim, to_dim, rank, ranks);
    const Tensor &tensor = given.tensor;
    set_type(call, given.dtype, "tensor.shape", tensor.elements);
    set_addition(call, given, from_dim);
    op.send = send;
    op.recv = recv;
    op.signature = ReshardSignature{from_dim, to_dim, given.hash}.word();
    check_buffers(tensor, send, recv, rank);
    std::vector<Section> sections = sections_of(tensor.from);
    check_held(tensor, sections);
    // A truth value that is reduced is 0 or 1 afterwards, however few ranks have it.
    const bool changes = overlap(sections) || from_dim == XCOLL_PARTIAL || op.dtype == Dtype::boolean;
    const bool reduces = (op.op != Operator::none || op.user) && changes;
    const auto copies = reduces ? ReshardPlan::Copies::added : ReshardPlan::Copies::lowest;
    const ReshardPlan *plan = call.hold(std::make_shared<const ReshardPlan>(tensor, std::move(sections), copies, rank));
    const auto n = static_cast<size_t>(ranks);
    Portion *out = call.make_parts(n, n), *in = out + ranks;
    set_boxes(out, send, plan->out());
    if (reduces) {
        op.kind = Kind::reshard_reduce;
        op.reshard = &plan->reduction();
        op.in = nullptr; // scratch memory
    } else {
        op.op = Operator::none;
        op.user = nullptr;
        op.user_name = 0;
        set_boxes(in, recv, plan->in());
    }
}

} // namespace xcoll::api::describe
