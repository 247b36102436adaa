// Everybody sends everybody the elements that it wants, then adds up what has come.
//
// Cost per rank: the exchange of what it wants from each holder, the same bytes of scratch memory, and one pass over
// them: for a reduce-scatter along any dimension alpha + S beta and S bytes of scratch, as good as any direct one.
// Where everybody wants everything that would be P S, so then the tensor is an allreduce, packed if it does not lie
// together. And where everybody holds everything it is a reduce-scatter of uneven parts, of which what comes needs no
// memory: along the first dimension, where nothing is packed, that takes half of the time. Order of additions: the
// communicator's; ranks that do not hold an element are left out of it.
#include "coll/reshard.h"

#include <numeric>
#include <optional>

#include "coll/reduction.h"
#include "coll/select.h"
#include "coll/view_cursor.h"

namespace xcoll {

namespace {

Exchange to_myself(const Op &op) {
    return {op, 0, 1};
}

// Through one portion, as if it were the only one of an all-to-all.
class OnePortion {
public:
    OnePortion(const Portion &portion, bool out) : portion_(portion), out_(out) {
        op_.kind = Kind::alltoallv;
        op_.out = op_.in = &portion_;
    }
    OnePortion(const OnePortion &) = delete;
    OnePortion &operator=(const OnePortion &) = delete;
    ViewCursor begin() const {
        return {exchange_, out_ ? ViewCursor::Side::pair_out : ViewCursor::Side::pair_in, 0};
    }

private:
    Portion portion_;
    bool out_;
    Op op_;
    Exchange exchange_ = to_myself(op_);
};

// A portion whose base counts from a buffer.
Portion in_buffer(const void *buffer, Portion portion) {
    const auto base = reinterpret_cast<uintptr_t>(buffer) + reinterpret_cast<uintptr_t>(portion.base);
    portion.base = reinterpret_cast<char *>(base);
    return portion;
}

// Bytes that lie together, or nullptr.
char *one_run(const Portion &portion) {
    if (portion.views() != 1) {
        return nullptr;
    }
    const View view = portion.view(0);
    return view.runs() == 1 ? view.base : nullptr;
}

class Reduction {
public:
    Reduction(Team &team, const Op &op) : team_(team), op_(op), plan_(*op.reshard), incoming_(plan_.incoming.size()) {
        size_t total = 0;
        for (const size_t bytes : plan_.incoming) {
            total += bytes;
        }
        scratch_.emplace(*team.scratch, total);
        char *next = scratch_->data();
        for (size_t p = 0; p < incoming_.size(); ++p) {
            incoming_[p] = {next, plan_.incoming[p], nullptr};
            next += plan_.incoming[p];
        }
        moves_ = op;
        moves_.kind = Kind::reshard;
        moves_.in = incoming_.data();
    }
    const Op &moves() const {
        return moves_;
    }
    void reduce() {
        for (const Reshard::Segment &segment : plan_.segments) {
            const Portion to = in_buffer(op_.recv, segment.place);
            const size_t bytes = to.bytes();
            gather_copies(segment);
            if (char *place = one_run(to)) {
                add_up(place, bytes);
            } else {
                char *first = const_cast<char *>(static_cast<const char *>(copies_[0]));
                add_up(first, bytes);
                OnePortion(to, false).begin().copy_from(*team_.kernels, first, bytes);
            }
            for (const int p : segment.holders) {
                incoming_[static_cast<size_t>(p)].base += bytes;
            }
        }
    }

private:
    // In the order of additions.
    void gather_copies(const Reshard::Segment &segment) {
        std::vector<bool> holds(static_cast<size_t>(team_.size));
        for (const int p : segment.holders) {
            holds[static_cast<size_t>(p)] = true;
        }
        copies_.clear();
        groups_.clear();
        if (op_.user) {
            for (const int p : segment.holders) {
                copies_.push_back(incoming_[static_cast<size_t>(p)].base);
            }
            return;
        }
        const Grouping &grouping = team_.grouping;
        for (uint32_t g = 0; g < grouping.groups(); ++g) {
            uint32_t members = 0;
            for (uint32_t i = 0; i < grouping.sizes[g]; ++i) {
                const auto p = static_cast<size_t>(grouping.order[grouping.first[g] + i]);
                if (holds[p]) {
                    copies_.push_back(incoming_[p].base);
                    ++members;
                }
            }
            if (members > 0) {
                groups_.push_back(members);
            }
        }
    }
    void add_up(void *to, size_t bytes) const {
        const size_t count = bytes / size_of(op_.dtype);
        if (op_.user) {
            const xcoll_result_t result = combine_by_rank(team_, op_, to, copies_.data(), copies_.size(), count);
            if (result != XCOLL_SUCCESS) {
                fail_operator(team_, op_, result);
            }
            return;
        }
        const Inputs inputs{copies_.data(), groups_.data(), static_cast<uint32_t>(groups_.size()),
                            static_cast<uint32_t>(copies_.size())};
        reduce_inputs(team_, op_, to, inputs, count);
    }

    Team &team_;
    const Op &op_;
    const Reshard &plan_;
    std::optional<Scratch> scratch_;
    std::vector<Portion> incoming_;
    Op moves_;
    std::vector<const void *> copies_;
    std::vector<uint32_t> groups_;
};

// The whole tensor as one array.
class Whole {
public:
    Whole(Team &team, const Op &op)
        : team_(team), in_(in_buffer(op.send, op.reshard->whole_in)), out_(in_buffer(op.recv, op.reshard->whole_out)),
          together_(op) {
        const size_t bytes = out_.bytes();
        char *from = one_run(in_), *to = one_run(out_);
        if (!from || !to) {
            packed_.emplace(*team.scratch, bytes);
            OnePortion(in_, true).begin().copy_to(*team.kernels, packed_->data(), bytes);
            from = to = packed_->data();
        }
        together_.kind = Kind::allreduce;
        together_.in = together_.out = nullptr;
        together_.send = from;
        together_.recv = to;
    }
    const Op &reduction() const {
        return together_;
    }
    void unpack() const {
        if (packed_) {
            OnePortion(out_, false).begin().copy_from(*team_.kernels, packed_->data(), out_.bytes());
        }
    }

private:
    Team &team_;
    const Portion in_, out_;
    Op together_;
    std::optional<Scratch> packed_;
};

// The ranks' parts behind each other.
class Dealt {
public:
    Dealt(Team &team, const Op &op) : team_(team), scattered_(op) {
        const Reshard &plan = *op.reshard;
        scattered_.kind = Kind::reduce_scatterv;
        scattered_.out = scattered_.in = nullptr;
        scattered_.set_counts(plan.dealt.data(), plan.dealt.size());
        scattered_.count = std::accumulate(plan.dealt.begin(), plan.dealt.end(), size_t{0}); // parts may overlap
        scattered_.send = in_a_row({op.out, plan.dealt.size()});
        if (!plan.segments.empty()) {
            place_ = in_buffer(op.recv, plan.segments[0].place);
            scattered_.recv = one_run(place_);
        }
        if (!scattered_.recv) {
            result_.emplace(*team.scratch, place_.bytes());
            scattered_.recv = result_->data();
        }
    }
    const Op &reduction() const {
        return scattered_;
    }
    void unpack() const {
        if (result_ && place_.bytes() > 0) {
            OnePortion(place_, false).begin().copy_from(*team_.kernels, result_->data(), place_.bytes());
        }
    }

private:
    const char *in_a_row(std::span<const Portion> parts) {
        const char *begin = nullptr, *next = nullptr;
        for (const Portion &part : parts) {
            if (part.bytes() == 0) {
                continue;
            }
            const char *run = one_run(part);
            if (!run || (next && run != next)) {
                return packed(parts);
            }
            begin = begin ? begin : run;
            next = run + part.bytes();
        }
        return begin;
    }
    const char *packed(std::span<const Portion> parts) {
        packed_.emplace(*team_.scratch, scattered_.bytes());
        char *next = packed_->data();
        for (const Portion &part : parts) {
            OnePortion(part, true).begin().copy_to(*team_.kernels, next, part.bytes());
            next += part.bytes();
        }
        return packed_->data();
    }

    Team &team_;
    Op scattered_;
    Portion place_{};
    std::optional<Scratch> packed_, result_;
};

// As what it amounts to where all ranks hold everything: the Whole of it or what is Dealt.
template <class Form>
Task reduce_as(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n, Row::Needs needs) {
    const Form form(team, op);
    const Op &reduction = form.reduction();
    co_await cheapest(reduction.kind, team, reduction.bytes(), needs)->run(home, team, reduction, call, n);
    form.unpack();
}

Task reduce(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n, Row::Needs needs) {
    if (op.reshard->everything && !op.user) {
        co_await reduce_as<Whole>(home, team, op, call, n, needs);
        co_return;
    }
    if (!op.reshard->dealt.empty() && !op.user) {
        co_await reduce_as<Dealt>(home, team, op, call, n, needs);
        co_return;
    }
    Reduction steps(team, op);
    co_await parts_row(needs).run(home, team, steps.moves(), call, n);
    steps.reduce();
}

} // namespace

Task reshard_reduce(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    return reduce(home, team, op, call, n, Row::Needs::window);
}

Task reshard_reduce_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    return reduce(home, team, op, call, n, Row::Needs::transport);
}

} // namespace xcoll
