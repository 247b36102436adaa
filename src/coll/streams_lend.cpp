// Streams that are not copied. The readers need not know: a head tells where a stream lies, and here it lies in the
// writer's own buffer. What they do for it is to tell that they have finished.
#include "coll/attached.h"
#include "coll/lending.h"
#include "coll/select.h"
#include "coll/shown.h"
#include "coll/streams.h"
#include "coll/window_algorithms.h"
#include "fabric/attach.h"

#include <algorithm>

namespace xcoll {

bool Streams::reads_mine(int p) const {
    if (lends_) {
        return exchange_.shared_out() > 0 || exchange_.pair_out(p) > 0;
    }
    return is_longer_than_room() && (shared_end_ > 0 || out_[p].bytes > 0);
}

// Whether the kernel copies private memory for the readers: where that was chosen for equal parts as large as these are
// on average.
bool Streams::is_attached() const {
    const Op &op = exchange_.ops()[0];
    const size_t given = total_ - index_bytes_;
    if (!team_.choices || given < window_.least_lent()) {
        return false;
    }
    if (exchange_.ops().size() > 1 || op.kind == Kind::reshard) {
        return attaches_parts(team_, given);
    }
    const Kind kind = with_equal_parts(op.kind);
    const auto parts = static_cast<size_t>(traits(kind).is_dealt ? ranks_ - 1 : 1);
    return team_.choices->row(kind, given / parts).run == exchange_attached;
}

// Who has set XCOLL_CMA=on gets an error where the kernel does not copy, all others get the ring.
bool Streams::is_attachable(const void *buffer, size_t bytes) const {
    return team_.attach == Attach::on || kernel_copies(buffer, bytes);
}

bool Streams::can_lend_out(const void *buffer, size_t bytes) const {
    return can_lend(window_, buffer, bytes) || (is_attached() && is_attachable(buffer, bytes));
}

// Whether what this rank gives lies in one piece that can be lent and that nothing replaces meanwhile.
bool Streams::find_lendable() {
    const Op &op = exchange_.ops()[0];
    if (exchange_.ops().size() > 1 || index_bytes_ > 0 || exchange_.overwrites_its_input()) {
        return false;
    }
    if (exchange_.differs_by_reader() && ranks_ > 2) {
        lent_ = op.send;
        lends_ = lends_blocks_ = !op.out && can_lend_out(op.send, given_bytes(op.kind, op, rank_, ranks_));
        return lends_;
    }
    const int reader = shared_end_ > 0 ? -1 : (op.root >= 0 && rank_ != op.root ? op.root : 1 - rank_);
    const Portion part = exchange_.out(op, reader);
    lent_ = part.base;
    lends_ = !part.shape && part.bytes() == total_ && can_lend_out(lent_, total_);
    return lends_;
}

void Streams::enter_lent(Head &head) {
    head.has_room = lends_blocks_ ? 1 : 0;
    head.inlined = 0;
    head.flows = 0;
    head.listed = listed_ != Lent::no ? 1 : 0;
    head.place = {Window::counter_base(window_.my_cell(n_)), offset_, {total_}, {total_}};
    if (head.listed) {
        window_.count_lent();
        head.lent = listed_;
    } else {
        lend(window_, head, lent_);
    }
    window_.announce(n_);
}

// This rank reads nothing of the others any more. Counters that were not needed catch up.
void Streams::give_back() {
    Cell &cell = window_.my_cell(n_);
    const uint64_t least = window_.head(rank_, n_).place.base + 1;
    const uint64_t end = std::max({cell.in.read(), cell.used.read(), cell.out.read(), least});
    if (cell.in.read() != end) { // else a reader of what it says already would lose the line
        window_.publish(cell.in, end);
    }
    window_.publish(cell.out, end);
    window_.publish(cell.used, end);
}

// And the others read nothing of what this rank lends. Who has called something else never did.
bool Streams::is_given_back() {
    if (returned_ == 0 && (borrows_ || lends_) && !failure_) {
        give_back();
    }
    for (; lends_ && returned_ < ranks_; ++returned_) {
        const int p = returned_;
        if (p == rank_ || !reads_mine(p) || window_.head(p, n_).call != call_) {
            continue;
        }
        obstacle_ = {&window_.cell(p, n_).out, window_.head(p, n_).place.base + 1, p};
        if (!obstacle_.reached()) {
            return false;
        }
        if (!failure_ && window_.is_broken(p, n_, *obstacle_.signal)) {
            window_.check_farewells();
            failure_ = left_early(n_, p);
        }
    }
    return true;
}

} // namespace xcoll
