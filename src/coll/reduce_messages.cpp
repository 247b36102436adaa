// Any reduction as an exchange: each rank gets from every other one all the elements that it combines, and combines
// them itself.
//
//     allreduce, reduce to every root: everything from everybody       reduce_scatter: its part of everybody's
//     scan, exscan: everything from the lower ranks
//
// Cost: (P - 1) alpha + P S beta and P S bytes of memory on a rank that gets a result of S. Nothing is combined on the
// way, so it wins for few ranks and short messages only; but it serves every operator and every element, in the same
// order as within a node (coll/reduction.h).
#include "coll/exchange.h"
#include "coll/message_algorithms.h"
#include "coll/reduction.h"
#include "coll/window_algorithms.h"

#include <cstring>
#include <new>

namespace xcoll {

namespace {

class Gathering {
public:
    Gathering(const Team &team, const Op &op)
        : team_(team), op_(op), mine_(result_of(op, team.rank)),
          memory_(*team.scratch, ranks() * (2 * sizeof(Portion) + sizeof(void *))),
          inputs_(*team.scratch, input_bytes()), out_(reinterpret_cast<Portion *>(memory_.data())), in_(out_ + ranks()),
          data_(reinterpret_cast<const void **>(in_ + ranks())) {
        for (int p = 0; p < team.size; ++p) {
            const auto i = static_cast<size_t>(p);
            new (out_ + i) Portion{};
            new (in_ + i) Portion{};
            if (p != team.rank && needs_input(op, p, team.rank)) {
                const Stretch theirs = result_of(op, p);
                out_[i] = {const_cast<char *>(send_at(theirs.first)), bytes(theirs.count), nullptr};
            }
            if (p != team.rank && needs_input(op, team.rank, p)) {
                in_[i] = {inputs_.data() + i * bytes(mine_.count), bytes(mine_.count), nullptr};
            }
        }
        moves_.kind = Kind::alltoallv;
        moves_.dtype = op.dtype;
        moves_.send = op.send;
        moves_.recv = inputs_.data();
        moves_.out = out_;
        moves_.in = in_;
    }
    const Op &moves() const {
        return moves_;
    }
    void combine() const {
        const bool gets_result = op_.kind != Kind::reduce || op_.root == team_.rank;
        if (!gets_result || mine_.count == 0) {
            return;
        }
        const xcoll_result_t result =
            combine_all(team_, op_, op_.recv, data_, mine_.count,
                        [this](int p) -> const void * { return p == team_.rank ? send_at(mine_.first) : in_[p].base; });
        if (result != XCOLL_SUCCESS) {
            fail_operator(team_, op_, result);
        }
    }

private:
    size_t ranks() const {
        return static_cast<size_t>(team_.size);
    }
    size_t bytes(size_t elements) const {
        return elements * element_bytes(op_);
    }
    size_t input_bytes() const {
        return op_.kind != Kind::reduce || op_.root == team_.rank ? ranks() * bytes(mine_.count) : 0;
    }
    const char *send_at(size_t element) const {
        return static_cast<const char *>(op_.send) + bytes(element);
    }

    const Team &team_;
    const Op &op_;
    Stretch mine_;
    Scratch memory_, inputs_;
    Portion *out_, *in_;
    const void **data_;
    Op moves_;
};

} // namespace

Task reduce_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Gathering gathering(team, op);
    co_await exchange_messages(home, team, gathering.moves(), call, n);
    gathering.combine();
}

Task reduce_gathered(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Gathering gathering(team, op);
    co_await exchange_streams(home, team, gathering.moves(), call, n);
    gathering.combine();
}

} // namespace xcoll
