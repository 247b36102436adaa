// How the streams of an operation move: who writes or reads next, and what is waited for.
#include "coll/streams.h"

#include <algorithm>

#include "coll/payload.h"

namespace xcoll {

// Everything that this rank wants of p's stream up to there.
bool Streams::has_come(int p, size_t until) {
    const Source &source = sources_[p];
    if (!source.flows || source.end <= position_) {
        return true;
    }
    obstacle_ = {&window_.cell(p, n_).in, source.base + lines(std::min(until, source.end)), p};
    return has_passed(obstacle_);
}

// Up to where streams are read next: a step, or up to where all have got, if nobody waits for this rank.
size_t Streams::end_of_step() const {
    if (is_paced_) {
        return position_ + step_;
    }
    size_t come = ~size_t{0} / 2;
    for (int p = 0; p < ranks_; ++p) {
        const Source &source = sources_[p];
        if (p != rank_ && source.flows && source.end > position_) {
            const uint64_t there = window_.cell(p, n_).in.read() - source.base;
            come = std::min(come, static_cast<size_t>(there) * line_bytes); // its end may yet be told by an index
        }
    }
    return std::max(position_ + step_, come);
}

// False if something has not come yet: then obstacle() tells what.
bool Streams::read_step() {
    const size_t until = end_of_step();
    for (int p = 0; p < ranks_; ++p) {
        if (p != rank_ && !has_come(p, until)) {
            return false;
        }
    }
    for (int turn = 1; turn < ranks_; ++turn) {
        const int p = (rank_ - turn + ranks_) % ranks_;
        Source &source = sources_[p];
        if (source.end <= position_) {
            continue;
        }
        if (source.lent == Lent::no) {
            read(source, p, position_, until);
        } else if (!read_lent(source, p, until)) {
            return false;
        }
    }
    position_ = until;
    if (is_paced_) {
        const uint64_t base = window_.head(rank_, n_).place.base;
        window_.publish(window_.my_cell(n_).used, base + lines(position_));
    }
    return true;
}

bool Streams::advance() {
    try {
        if (is_bereft_ || (!failure_ && !move_all_and_own())) {
            return false;
        }
    } catch (const Failure &failure) {
        leave(failure);
    }
    return is_given_back();
}

// True if this rank has written and read everything.
bool Streams::move_all() {
    for (;;) {
        while (is_longer_than_room() && can_write()) {
            write_chunk();
        }
        bool reading = false;
        for (int p = 0; p < ranks_; ++p) {
            reading |= p != rank_ && sources_[p].end > position_;
        }
        const bool writing = is_longer_than_room() && written_ < total_;
        if (!reading && !writing) {
            return true;
        }
        if (!reading || (writing && need_ <= lines(position_))) {
            const uint64_t base = window_.head(slow_reader_, n_).place.base;
            obstacle_ = {&window_.cell(slow_reader_, n_).used, base + need_, slow_reader_};
            if (!has_passed(obstacle_)) {
                return false;
            }
        } else if (!read_step()) {
            return false;
        }
    }
}

// While others catch up, what is left of the own part.
bool Streams::move_all_and_own() {
    while (!move_all()) {
        if (is_bereft_ || !own_.move_next()) {
            return false;
        }
    }
    own_.move_rest();
    return true;
}

bool Streams::has_passed(const Until &until) const {
    if (!until.reached()) {
        return false;
    }
    if (window_.is_broken(until.owner, n_, *until.signal)) [[unlikely]] {
        window_.fail_broken(until.owner, n_);
    }
    return true;
}

void Streams::finish() {
    if ((is_paced_ || flows_) && !borrows_) {
        give_back(); // so that all counters begin the next operation equal
    }
    if (asked_.bytes > 0) {
        window_.tell(asked_.by, n_, asked_.ticks, asked_.bytes);
    }
    if (!failure_) {
        window_.batons().keep(baton_);
    }
    window_.complete(n_);
    if (failure_) {
        throw Failure(*failure_);
    }
}

} // namespace xcoll
