#include "fabric/post.h"

#include <algorithm>

namespace xcoll {

Post::Post(Window &window, const Kernels &kernels)
    : window_(window), supplies_{window, kernels, window.ring_writing(),
                                 window.ring_writing().for_near_lines(window.node().ticks_per_ns()),
                                 PostBlocks(window)},
      box_(window.size()), links_(static_cast<size_t>(window.size())) {
}

Post::~Post() {
    cancel_all();
}

void Post::check_open(const char *what) const {
    if (cancelled_) {
        fail(XCOLL_ERR_ABORTED, "rank %d %s on a communicator that has failed", window_.rank(), what);
    }
}

void Post::finish(const Ticket &ticket) {
    if (!ticket.item) {
        return;
    }
    PostItem &item = *ticket.item;
    if (item.total <= item.bytes && item.lost == PostItem::Lost::no) [[likely]] {
        box_.release(item);
        return;
    }
    const Failure why = failure_of(item);
    box_.release(item);
    throw why;
}

void Post::finish(const Ticket &one, const Ticket &other) {
    try {
        finish(one);
    } catch (const Failure &) {
        if (other.item) {
            box_.release(*other.item);
        }
        throw;
    }
    finish(other);
}

Failure Post::failure_of(const PostItem &item) const {
    const int me = window_.rank(), peer = item.peer;
    switch (item.lost) {
    case PostItem::Lost::withheld:
        return failure_at(peer, XCOLL_ERR_MISMATCH,
                          "rank %d waited for a message of rank %d (tag %d), which did not send it: the group of that "
                          "call was refused there or failed in an earlier stage. See the error on rank %d",
                          me, peer, item.tag, peer);
    case PostItem::Lost::declined:
        return failure_at(
            peer, XCOLL_ERR_MISMATCH,
            "rank %d sent a message of %zu bytes to rank %d (tag %d), which did not receive it: the "
            "group of that call was refused there or failed in an earlier stage. See the error on rank %d",
            me, item.total, peer, item.tag, peer);
    case PostItem::Lost::no:
        break;
    }
    return failure_at(peer, XCOLL_ERR_TRUNCATE,
                      "rank %d received a message of %zu bytes from rank %d (tag %d) with room for %zu bytes only: the "
                      "message is lost. Receive it with more room, or send less",
                      me, item.total, peer, item.tag, item.bytes);
}

// --------------------------------------------------------------------------------------------------- progress

void Post::activate(int peer) {
    if (!link(peer).is_active) {
        link(peer).is_active = true;
        active_.push_back(peer);
    }
}

bool Post::is_busy_with(int peer) const {
    return box_.names(peer) || links_[static_cast<size_t>(peer)].is_moving();
}

// By somebody who waits, which nobody does for what was refused.
bool Post::is_awaited(int peer) const {
    return box_.awaits(peer) || links_[static_cast<size_t>(peer)].is_moving();
}

// Whatever one step changes, the one that follows from it has been reached: a receive goes from one line of its peer to
// a later one, a send from the line with its answer to the next time that the peer takes a line.
Until Post::until(const Ticket &ticket) {
    using State = PostItem::State;
    const PostItem &item = *ticket.item;
    if (item.peer == any_source || is_self(item.peer)) {
        return end(ticket);
    }
    Link &l = link(item.peer);
    if (item.state == State::waiting || item.state == State::flowing || item.state == State::answering) {
        return l.out.is_stuck() ? l.out.room(item.peer) : Until{&item.signal, 0, item.peer};
    }
    return line_of(item.peer);
}

// Or, as long as there is no lane, what tells of it.
Until Post::line_of(int peer) {
    if (find_in(peer)) {
        const Link &l = link(peer);
        return {&l.in->lines[l.read % post_lines].number, l.read + 1, peer};
    }
    const Board &board = window_.board(peer);
    const uint64_t directory = post_directory(board);
    if (!directory) {
        return {&board.post, post_directory_none(board) + 1, peer};
    }
    return {&LaneDirectory::lane(window_.at(peer, directory), window_.rank()), 1, peer};
}

// An answer to the offer comes by the lane that the message comes by.
Until Post::until(const Ticket &send, const Ticket &receive) {
    const PostItem &out = *send.item, &in = *receive.item;
    return out.peer == in.peer && out.state == PostItem::State::offered ? until(receive) : end(receive);
}

bool Post::listens_only_to(int peer) const {
    const auto is_other = [=, this](int other) { return other != peer && is_busy_with(other); };
    return !box_.expects_any() && peer >= 0 && !links_[static_cast<size_t>(peer)].is_sending() &&
           std::none_of(active_.begin(), active_.end(), is_other);
}

bool Post::advance(const Ticket &ticket) {
    if (cancelled_ || is_over(ticket)) {
        return false;
    }
    const int peer = ticket.item->peer;
    if (peer == any_source) {
        return progress();
    }
    bool moved = false;
    while (!is_over(ticket) && visit(peer)) {
        moved = true;
    }
    return moved;
}

bool Post::visit(int peer) {
    if (is_self(peer)) {
        return false;
    }
    const bool pulled = pull(peer); // first: a receive waits for nothing else, and an answer lets a send go on
    return push(peer) || pulled;
}

bool Post::progress() {
    if (cancelled_) {
        return false;
    }
    bool moved = false;
    if (box_.expects_any()) {
        // Everybody is the first in turn, so nobody's messages wait for ever behind another's.
        turn_ = (turn_ + 1) % window_.size();
        for (int i = 0; i < window_.size(); ++i) {
            moved |= visit((turn_ + i) % window_.size());
        }
    } else {
        for (size_t i = 0; i < active_.size(); ++i) {
            moved |= visit(active_[i]);
        }
    }
    std::erase_if(active_, [this](int peer) {
        link(peer).is_active = is_busy_with(peer);
        return !link(peer).is_active;
    });
    if (!moved) {
        relief_turn_ = (relief_turn_ + 1) % window_.size();
        moved = relieve(relief_turn_);
    }
    return moved;
}

bool Post::has_news() {
    const auto news_of = [this](int peer) {
        return !is_self(peer) && ((wants(peer) && has_line(peer)) || can_push(link(peer)));
    };
    if (!box_.expects_any()) {
        return std::any_of(active_.begin(), active_.end(), news_of);
    }
    for (int peer = 0; peer < window_.size(); ++peer) {
        if (news_of(peer)) {
            return true;
        }
    }
    return false;
}

bool Post::sleep(const Until &until, int64_t nanoseconds) {
    if (in_flight() == 0 || cancelled_) {
        return false;
    }
    bool moved = false;
    for (int peer = 0; peer < window_.size(); ++peer) {
        moved |= relieve(peer);
    }
    if (moved) {
        return true;
    }
    const bool one = active_.size() == 1 && !box_.expects_any() && !is_self(active_.front());
    const auto ready = [&] { return until.reached() || has_news(); };
    window_.node().doorbell().sleep(ready, one ? window_.node_rank(active_.front()) : -1, nanoseconds);
    return true;
}

// ---------------------------------------------------------------------------------------------------- trouble

bool Post::awaits(int peer) {
    if (is_self(peer) || has_line(peer)) {
        return false;
    }
    // One that has freed the communicator in good order may end: anybody else can send what anybody may send.
    return is_awaited(peer) || (box_.awaits_any() && !window_.board(peer).done.reached(all_done));
}

// Whoever has freed the communicator has written its last line before, and takes no more lines.
void Post::check_present(int peer) {
    const bool gone = !is_self(peer) && window_.board(peer).done.reached(all_done);
    if (!gone || !(is_awaited(peer) || box_.awaits_any()) || has_line(peer)) {
        return;
    }
    fail_at(peer, XCOLL_ERR_ABORTED, "rank %d freed this communicator, on which rank %d still waits to %s", peer,
            window_.rank(), link(peer).is_sending() ? "send it a message" : "receive a message from it");
}

void Post::check_present() {
    if (!box_.awaits_any()) {
        for (const int peer : active_) {
            check_present(peer);
        }
        return;
    }
    // What anybody may send is lost when everybody is gone.
    for (int peer = 0; peer < window_.size(); ++peer) {
        if (!is_self(peer) && (!window_.board(peer).done.reached(all_done) || has_line(peer))) {
            return;
        }
    }
    if (window_.size() > 1) {
        fail_at(is_self(0) ? 1 : 0, XCOLL_ERR_ABORTED,
                "all other ranks freed this communicator, on which rank %d still waits to receive a message from any "
                "source",
                window_.rank());
    }
}

void Post::cancel_all() noexcept {
    if (cancelled_) {
        return;
    }
    cancelled_ = true;
    for (int peer = 0; peer < window_.size(); ++peer) {
        Link &l = link(peer);
        if (l.out.is_open()) {
            l.out.revoke(window_.shares_process(peer));
        }
        l.waiting = l.offered = l.flowing = l.answers = l.arriving = {};
    }
    active_.clear();
    box_.forget_all();
}

} // namespace xcoll
