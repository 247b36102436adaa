#include "coll/dynamic.h"

#include <new>

#include "coll/lending.h"
#include "coll/view_cursor.h"
#include "coll/window_algorithms.h"

namespace xcoll {

Arrivals::Arrivals(Team &team, const Op &call)
    : team_(team), of_(*call.dynamic), ranks_(static_cast<size_t>(team.size)),
      outs_(traits(call.kind).is_shared ? 1 : ranks_), room_(of_.most * of_.item_bytes),
      memory_(*team.scratch, (outs_ + ranks_) * (sizeof(Portion) + sizeof(uint64_t))),
      out_(reinterpret_cast<Portion *>(memory_.data())), in_(out_ + outs_),
      told_out_(reinterpret_cast<uint64_t *>(in_ + ranks_)), told_in_(told_out_ + outs_), op_(call) {
    op_.arrivals = this;
    op_.out = out_;
    op_.in = in_;
    read_counts();
    try {
        check_buffers();
    } catch (const Failure &failure) {
        refused_ = failure;
    }
}

Fingerprint Arrivals::shown(const Fingerprint &call) const {
    return refused_ ? fingerprint(Op{.kind = Kind::refused}, FingerprintParts::of(call).stance) : call;
}

// Items from `first` on.
Portion Arrivals::part(const void *buffer, uint64_t first, uint64_t bytes) const {
    auto *base =
        reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(buffer) + first * static_cast<size_t>(of_.extent));
    return of_.shape ? Portion{base, items(bytes), of_.shape} : Portion{base, bytes, nullptr};
}

void Arrivals::read_counts() {
    for (size_t k = 0; k < outs_; ++k) {
        const uint64_t count = of_.sendcounts[k];
        told_out_[k] = count <= ~uint64_t{0} / of_.item_bytes ? count * of_.item_bytes : ~uint64_t{0};
        new (out_ + k) Portion(part(op_.send, k * of_.most, what_fits(told_out_[k])));
    }
    for (size_t p = 0; p < ranks_; ++p) {
        told_in_[p] = 0;
        new (in_ + p) Portion(part(op_.recv, p * of_.most, room_)); // until its sender tells
    }
    told_in_[team_.rank] = told(team_.rank);
}

// Throws ARGUMENT if what the counts say does not go with the buffers.
void Arrivals::check_buffers() const {
    for (size_t k = 0; k < outs_; ++k) {
        const size_t bytes = out_[k].bytes();
        if (bytes > 0 && !op_.send) {
            fail_at(team_.rank, XCOLL_ERR_ARGUMENT,
                    "send is NULL, and sendcounts[%zu] is %llu: expected 0 without a buffer", k,
                    static_cast<unsigned long long>(of_.sendcounts[k]));
        }
        // Of a shape the caller's word is taken.
        const size_t own = outs_ == 1 ? static_cast<size_t>(team_.rank) : k;
        const bool in_place = !of_.packed && out_[k].base == part(op_.recv, own * of_.most, 0).base;
        if (!of_.shape && bytes > 0 && !in_place && !lie_apart(out_[k].base, bytes, op_.recv, ranks_ * room_)) {
            fail_at(team_.rank, XCOLL_ERR_ARGUMENT,
                    "part %zu of send (%p) and recv (%p) overlap: expected buffers apart", k,
                    static_cast<void *>(out_[k].base), op_.recv);
        }
    }
}

size_t Arrivals::note(int from, uint64_t told) {
    const auto f = static_cast<size_t>(from);
    told_in_[f] = told;
    if (!of_.packed) {
        in_[f] = part(op_.recv, f * of_.most, what_fits(told));
    }
    for (; of_.packed && placed_ <= f; ++placed_) {
        in_[placed_] = part(op_.recv, before_, what_fits(told_in_[placed_]));
        before_ += items(what_fits(told_in_[placed_]));
    }
    return what_fits(told);
}

void Arrivals::finish() {
    for (size_t p = 0; p < ranks_; ++p) {
        of_.recvcounts[p] = items(told_in_[p]);
    }
    check_told();
}

void Arrivals::check_told() const {
    for (size_t p = 0; p < ranks_; ++p) {
        if (!fits(told_in_[p])) {
            fail_at(static_cast<int>(p), XCOLL_ERR_TRUNCATE,
                    "rank %zu has %llu elements for rank %d, and max_count is %zu: that part was left where it is. "
                    "recvcounts has all counts: call again with a max_count that is large enough",
                    p, static_cast<unsigned long long>(items(told_in_[p])), team_.rank, of_.most);
        }
    }
    for (size_t k = 0; k < outs_; ++k) {
        if (!fits(told_out_[k])) {
            fail_at(team_.rank, XCOLL_ERR_TRUNCATE,
                    "this rank has %llu elements for rank %zu, and max_count is %zu: that part was left where it is. "
                    "Call again with a max_count that is large enough",
                    static_cast<unsigned long long>(items(told_out_[k])), k, of_.most);
        }
    }
}

Task dynamic_streams(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    Arrivals arrivals(team, op);
    if (arrivals.refused()) {
        const Fingerprint shown = arrivals.shown(call);
        co_await refusal(home, team, op, shown, n);
        throw *arrivals.refused();
    }
    co_await exchange_streams(home, team, arrivals.op(), call, n);
    arrivals.settle();
    ViewCursor::move_own(*team.kernels, Exchange(arrivals.op(), team.rank, team.size));
    arrivals.finish();
}

} // namespace xcoll
