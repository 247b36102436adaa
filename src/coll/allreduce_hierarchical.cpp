// One sum per group of ranks that share a cache, and only those sums cross.
//
//     group 0: ranks 0 1 2        group 1: ranks 3 4 5
//       1, 2 show their input       4, 5 show theirs
//       0 adds up 0 1 2    <---->   3 adds up 3 4 5       partial sums, in the accumulator's type
//       0 adds both sums            3 adds both sums
//       1, 2 copy the result        4, 5 copy it
//
// Cost: 3 alpha near + 1 alpha far, and each group reads G - 1 far payloads instead of P - (P/G) for each of its ranks.
// Wins for small messages where the groups are far apart (two L3s: 27 ns against 6 for a line) and several ranks wide.
// Order of additions: the node's, which is made of these very partial sums, so the bits are those of one-shot.
//
// Members learn from the result how far everybody is, so nobody reads all done counters for its credit.
#include <algorithm>

#include "coll/credit.h"
#include "coll/payload.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

// What the leader's slot holds.
struct Preface {
    uint64_t group_done;    // every rank of the group had completed operations up to this
    uint64_t everyone_done; // every rank of the communicator had
};

constexpr size_t lines(size_t bytes) {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}
size_t partial_bytes(const Op &op) {
    return lines(op.count * size_of(accumulator_of(op.dtype)));
}

class Hierarchy {
public:
    Hierarchy(Team &team, const Op &op, const Fingerprint &call, uint64_t n)
        : team_(team), window_(*team.window), op_(op), call_(call), n_(n),
          group_(team.grouping.group_of[static_cast<size_t>(team.rank)]), leader_(team.grouping.leader(group_)) {
    }
    bool leads() const {
        return leader_ == window_.rank();
    }
    uint32_t groups() const {
        return team_.grouping.groups();
    }
    int leader_of(uint32_t group) const {
        return team_.grouping.leader(group);
    }
    uint32_t members() const {
        return team_.grouping.sizes[group_];
    }
    int member(uint32_t i) const {
        return team_.grouping.order[team_.grouping.first[group_] + i];
    }
    Until announced(int p) const {
        return window_.entered(p, n_);
    }
    // A leader's partial sum (1) or result (2).
    Until written(int leader, uint64_t what) const {
        return {&window_.cell(leader, n_).out, window_.head(leader, n_).place.base + what, leader};
    }
    void check_unbroken(int leader) const {
        if (window_.is_broken(leader, n_, window_.cell(leader, n_).out)) [[unlikely]] {
            window_.leave(n_);
            window_.fail_broken(leader, n_);
        }
    }

    void enter() const {
        if (leads()) {
            Head &head = window_.begin_head(n_, call_);
            head.has_room = 1;
            head.place.base = Window::counter_base(window_.my_cell(n_));
        } else if (fits_head(op_.bytes())) { // before the rest of its first line (small_copy.h)
            copy_small(window_.my_cell(n_).head.bytes, op_.send, op_.bytes());
            window_.begin_head(n_, call_).has_room = 1;
        } else {
            const HeadBehindPayload head(window_, n_, call_, op_.bytes(), false);
            const Payload payload = put_payload(window_, *team_.kernels, n_, op_.kind, op_.send, op_.bytes());
            payload.tell(window_, head.open(), n_);
        }
        window_.announce(n_);
    }
    void check(int p) const {
        window_.check_or_leave(p, n_, call_);
    }

    // Leader: all members' heads are there.
    void add_up_group() const {
        const void **data = window_.scratch();
        uint64_t done = ~uint64_t{0};
        for (uint32_t i = 0; i < members(); ++i) {
            const int p = member(i);
            data[i] = p == leader_
                          ? op_.send
                          : payload_of(window_, p, n_, op_.kind, op_.bytes(), slot_room_for(window_, op_.kind));
            done = std::min(done, Window::done_by(window_.head(p, n_), n_));
        }
        const uint32_t size = members();
        reduce(Stage::lift, partial(leader_), {data, &size, 1, 0});
        preface(leader_).group_done = done;
        window_.publish(window_.my_cell(n_).out, base() + 1);
    }
    // Leader: all leaders' partial sums are there.
    void add_up_groups() const {
        const void **data = window_.scratch();
        uint64_t done = ~uint64_t{0};
        for (uint32_t g = 0; g < groups(); ++g) {
            data[g] = partial(leader_of(g));
            done = std::min(done, preface(leader_of(g)).group_done);
        }
        const uint32_t size = groups();
        reduce(Stage::lower, op_.recv, {data, &size, 1, static_cast<uint32_t>(team_.size)});
        team_.kernels->copy(result(leader_), op_.recv, op_.bytes());
        preface(leader_).everyone_done = done;
        Cell &cell = window_.my_cell(n_);
        window_.publish(cell.out, base() + 2);
        window_.publish(cell.in, base() + 2);
        window_.publish(cell.used, base() + 2);
        leave(done);
    }
    // Member: the leader's result is there.
    void take_result() const {
        window_.reading().copy(*team_.kernels, op_.recv, result(leader_), op_.bytes());
        leave(preface(leader_).everyone_done);
    }
    int leader() const {
        return leader_;
    }

private:
    void reduce(Stage stage, void *out, const Inputs &inputs) const {
        team_.kernels->reduction(stage, op_.op, op_.dtype)(out, inputs, op_.count);
    }
    void leave(uint64_t everyone_done) const {
        window_.saw_everyone(everyone_done);
        window_.complete(n_);
    }
    uint64_t base() const {
        return window_.head(window_.rank(), n_).place.base;
    }
    char *slot(int p) const {
        return window_.slot(p, n_);
    }
    Preface &preface(int p) const {
        return *reinterpret_cast<Preface *>(slot(p));
    }
    char *partial(int p) const {
        return slot(p) + line_bytes;
    }
    char *result(int p) const {
        return partial(p) + partial_bytes(op_);
    }

    Team &team_;
    Window &window_;
    const Op &op_;
    const Fingerprint &call_;
    uint64_t n_;
    uint32_t group_;
    int leader_;
};

} // namespace

Task allreduce_hierarchical(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Hierarchy h(team, op, call, n);
    if (!team.window->has_credit(n, slot_count)) {
        co_await acquire_credit(home, *team.window, n, slot_count);
    }
    h.enter();
    if (!h.leads()) {
        co_await h.announced(h.leader());
        h.check(h.leader());
        co_await h.written(h.leader(), 2);
        h.check_unbroken(h.leader());
        h.take_result();
        co_return;
    }
    for (uint32_t i = 0; i < h.members(); ++i) {
        co_await h.announced(h.member(i));
        h.check(h.member(i));
    }
    h.add_up_group();
    for (uint32_t g = 0; g < h.groups(); ++g) {
        const int other = h.leader_of(g);
        co_await h.announced(other);
        h.check(other);
        co_await h.written(other, 1);
        h.check_unbroken(other);
    }
    h.add_up_groups();
}

} // namespace xcoll
