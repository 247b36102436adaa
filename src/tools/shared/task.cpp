#include "tools/shared/task.h"

#include <algorithm>
#include <cstring>

#include "tools/shared/library.h"
#include "tools/shared/sizes.h"
#include "tools/shared/touch.h"

namespace xcoll::perf {

using tools::must;

namespace {

// Whose counts differ between all pairs of ranks, and not only between ranks.
bool is_pairwise(enum op shape) {
    return shape == OP_ALLTOALLV;
}

constexpr size_t page = 4096, line = 64; // bytes; buffers share no cache line

size_t round_up(size_t number, size_t unit) {
    return (number + unit - 1) / unit * unit;
}

// Cold places are visited block by block, from the first one on, so that each was touched a whole range ago, and within
// a block of so many places in an order that no prefetcher guesses: by steps that have no divisor in common with it.
constexpr size_t block = 4096, step = 2531;

std::vector<size_t> in_bytes(const std::vector<size_t> &counts, size_t element) {
    std::vector<size_t> at;
    size_t sum = 0;
    for (const size_t count : counts) {
        at.push_back(sum);
        sum += count * element;
    }
    return at;
}

// A send's peer receives. Both are named by the direction of the data: in OP_SEND even ranks send, in OP_RECV odd ones.
const Operation *role(const Task &task, const Member &member) {
    const enum op shape = task.operation->shape;
    if (shape != OP_SEND && shape != OP_RECV) {
        return task.operation;
    }
    const bool sends = member.rank % 2 == (shape == OP_SEND ? 0 : 1);
    return find_operation(sends ? "send" : "recv");
}

} // namespace

bool Task::can_be_in_place() const {
    const struct shape shape = {operation->shape, count, 0, 1, 0};
    size_t at;
    return shape_in_place(&shape, &at) != NEVER_IN_PLACE && !operation->takes("tensor");
}

Work::Work(const Task &task, const Member &member)
    : task_(task), member_(member), mine_(role(task, member)),
      turns_(task.has_root() ? static_cast<size_t>(member.size) : 1) {
    const size_t ranks = static_cast<size_t>(member.size);
    for (int p = 0; p < member.size; ++p) {
        const int part = is_pairwise(task.operation->shape) ? member.rank + p : p;
        const bool even = task.operation->takes("max_count");
        sent_counts_.push_back(even ? task.count : uneven(task.count, part));
        received_counts_.push_back(sent_counts_.back());
    }
    sent_at_ = in_bytes(sent_counts_, task.type->bytes);
    received_at_ = in_bytes(received_counts_, task.type->bytes);
    types_.assign(ranks, task.type->dtype);
    must(xcoll_tensor_defaults(&tensor_, sizeof tensor_));
    tensor_shape_ = {member.size, static_cast<int64_t>(ranks * task.count)};
    tensor_.dtype = task.type->dtype;
    tensor_.ndim = 2;
    tensor_.shape = tensor_shape_.data();
    for (int root = 0; root < roots(); ++root) {
        plan(turns_[static_cast<size_t>(root)], root);
    }
    lay_out();
    for (int root = 0; root < roots(); ++root) {
        Turn &turn = turns_[static_cast<size_t>(root)];
        turn.calls.assign(calls(), arguments(root));
        point(turn);
        if (task_.form == Form::persistent) {
            must(mine_->init(turn.calls[0], member_.comm, &turn.request));
        }
    }
}

Work::~Work() {
    for (Turn &turn : turns_) {
        xcoll_request_free(&turn.request);
    }
}

void Work::plan(Turn &turn, int root) {
    const struct shape shape = {task_.operation->shape, task_.count, member_.rank, member_.size, root};
    turn.sent = shape_sent(&shape);
    turn.spans.resize(static_cast<size_t>(shape_most_spans(&shape)));
    turn.spans.resize(static_cast<size_t>(shape_spans(&shape, turn.spans.data())));
    if (task_.in_place) {
        turn.in_place = shape_in_place(&shape, &turn.input_at);
        turn.input_at *= task_.type->bytes;
    }
    const size_t sent = turn.sent * task_.type->bytes;
    if (turn.in_place == INPUT_IN_RESULT) {
        recv_bytes_ = std::max(recv_bytes_, turn.input_at + sent);
    } else {
        send_bytes_ = std::max(send_bytes_, sent);
    }
    if (turn.in_place == RESULT_IN_INPUT) {
        turn.spans.clear(); // this rank's own part stays where it is
    }
    for (const struct span &span : turn.spans) {
        recv_bytes_ = std::max(recv_bytes_, (span.at + span.count) * task_.type->bytes);
    }
    // A bcast has one buffer for both, and a rank that receives nothing may have to name a buffer all the same.
    recv_bytes_ = std::max({recv_bytes_, task_.operation->shape == OP_BCAST ? send_bytes_ : 0, task_.bytes()});
}

void Work::lay_out() {
    send_stride_ = round_up(send_bytes_ * calls(), line);
    recv_stride_ = round_up(recv_bytes_ * calls(), line);
    const size_t bytes = send_stride_ + recv_stride_;
    if (bytes > 0 && task_.range > bytes) {
        places_ = round_up(task_.range, bytes) / bytes;
        places_ = places_ > block ? round_up(places_, block) : places_;
    }
    const size_t whole = round_up(bytes * places_ + 1, page);
    room_.reset(static_cast<unsigned char *>(std::aligned_alloc(page, whole)));
    if (!room_) {
        throw std::runtime_error("no memory for buffers of " + tools::show_bytes(whole) +
                                 ": expected smaller --sizes, or with cold buffers a smaller --range");
    }
    std::memset(room_.get(), 0, whole); // so that the pages are there when the time runs
}

void Work::go_on() {
    moves_ = moves_ + 1 == places_ ? 0 : moves_ + 1;
    place_ = places_ < block ? moves_ : moves_ / block * block + moves_ % block * step % block;
}

unsigned char *Work::input(const Turn &turn, size_t call) const {
    if (task_.operation->shape == OP_BCAST || turn.in_place == INPUT_IN_RESULT) {
        return output(call) + turn.input_at;
    }
    return input_of_place() + call * send_bytes_;
}

// Lets the calls use the buffers of this place.
void Work::point(Turn &turn) {
    for (size_t call = 0; call < turn.calls.size(); ++call) {
        Arguments &a = turn.calls[call];
        a.send = turn.in_place == INPUT_IN_RESULT ? XCOLL_IN_PLACE : input(turn, call);
        a.recv = turn.in_place == RESULT_IN_INPUT ? XCOLL_IN_PLACE : output(call);
        a.buf = mine_->shape == OP_SEND ? input(turn, call) : output(call);
    }
    if (!turn.request) {
        return;
    }
    const Arguments &a = turn.calls[0];
    if (mine_->takes("buf")) {
        must(xcoll_request_rebind(turn.request, 0, XCOLL_SLOT_RECV, a.buf));
        return;
    }
    if (turn.in_place != INPUT_IN_RESULT) {
        must(xcoll_request_rebind(turn.request, 0, XCOLL_SLOT_SEND, input(turn, 0)));
    }
    if (turn.in_place != RESULT_IN_INPUT) {
        must(xcoll_request_rebind(turn.request, 0, XCOLL_SLOT_RECV, output(0)));
    }
}

Arguments Work::arguments(int root) {
    const struct shape shape = {task_.operation->shape, task_.count, member_.rank, member_.size, root};
    const int partner = shape_partner(&shape);
    const size_t own_part = uneven(task_.count, member_.rank);
    const bool is_scatterv = task_.operation->shape == OP_SCATTERV;
    // Of gatherv and allgatherv a rank gives its own part.
    const bool gives_part = task_.operation->shape == OP_GATHERV || task_.operation->shape == OP_ALLGATHERV;
    Arguments a{};
    a.count = task_.count;
    a.sendcount = {gives_part ? own_part : task_.count};
    a.max_count = task_.count;
    a.recvcount = is_scatterv ? own_part : task_.count;
    a.sendcounts = sent_counts_.data();
    a.recvcounts = {received_counts_.data()};
    a.sdispls_bytes = sent_at_.data();
    a.rdispls_bytes = received_at_.data();
    a.dtype = a.sendtype = a.recvtype = task_.type->dtype;
    a.sendtypes = a.recvtypes = types_.data();
    a.op = task_.reduction->op;
    a.root = root;
    a.peer = partner >= 0 ? partner : XCOLL_NO_RANK;
    a.dest = (member_.rank + 1) % member_.size;
    a.source = (member_.rank + member_.size - 1) % member_.size;
    a.tensor = &tensor_;
    a.from_dim = 0;
    a.to_dim = 1;
    return a;
}

void Work::call_group(const Turn &turn) {
    must(xcoll_group_start());
    for (const Arguments &call : turn.calls) {
        must(mine_->call(call, member_.comm));
    }
    must(xcoll_group_end());
}

void Work::run(int root) {
    Turn &turn = turns_[static_cast<size_t>(root)];
    if (places_ > 1) {
        point(turn);
    }
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    switch (task_.form) {
    case Form::blocking:
        must(mine_->call(turn.calls[0], member_.comm));
        break;
    case Form::immediate:
        must(mine_->start(turn.calls[0], member_.comm, &request));
        must(xcoll_wait(&request));
        break;
    case Form::persistent:
        must(xcoll_start(&turn.request));
        must(xcoll_wait(&turn.request));
        break;
    case Form::enqueued:
        must(mine_->enqueue(turn.calls[0], member_.comm, nullptr));
        break;
    case Form::group:
        call_group(turn);
    }
}

void Work::produce(int root, unsigned iteration) {
    const Turn &turn = turns_[static_cast<size_t>(root)];
    for (size_t call = 0; call < calls(); ++call) {
        write_all(input(turn, call), turn.sent * task_.type->bytes, iteration);
    }
}

uint64_t Work::consume(int root) const {
    uint64_t seen = 0;
    for (size_t call = 0; call < calls(); ++call) {
        for (const struct span &span : turns_[static_cast<size_t>(root)].spans) {
            seen ^= read_all(output(call) + span.at * task_.type->bytes, span.count * task_.type->bytes);
        }
    }
    return seen;
}

size_t Work::check() {
    const Values values(*task_.type, task_.reduces() ? task_.reduction->op : 0, member_.size);
    constexpr int spoilt = 0x5a;
    size_t wrong = 0;
    for (int root = 0; root < roots(); ++root) {
        const Turn &turn = turns_[static_cast<size_t>(root)];
        move();
        std::memset(output(0), spoilt, recv_bytes_ * calls());
        for (size_t call = 0; call < calls(); ++call) {
            values.fill(input(turn, call), turn.sent, member_.rank);
        }
        run(root);
        for (size_t call = 0; call < calls(); ++call) {
            for (const struct span &span : turn.spans) {
                wrong += values.wrong(output(call), span);
            }
        }
    }
    return wrong;
}

} // namespace xcoll::perf
