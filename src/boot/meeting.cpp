#include "boot/meeting.h"

#include <algorithm>

#include "base/error.h"
#include "boot/interfaces.h"
#include "boot/patience.h"
#include "boot/room.h"

namespace xcoll {

namespace {

// The root's word on who is missing is worth waiting for a little longer.
constexpr int64_t grace_ms = 5000;
// Between two looks whether a relative that should answer is still there.
constexpr int64_t look_ms = 200;
// Of the descriptors, for visitors; the others are for strangers, for relatives in the tree and for the program.
constexpr rlim_t shares = 8, usual_visitors = 512;

std::vector<Listener> listeners_of(Invitation &invitation) {
    if (invitation.listeners.empty()) {
        invitation.listeners.emplace_back(uint16_t{0}, invitation.interface);
    }
    return std::move(invitation.listeners);
}

} // namespace

Meeting::Meeting(Invitation invitation)
    : invitation_(std::move(invitation)), is_host_(!invitation_.listeners.empty()),
      reception_(listeners_of(invitation_), invitation_.key), room_(room_for_connections(shares, usual_visitors)),
      patience_end_ms_(deadline_after(invitation_.timeout_ms)), deadline_ms_(patience_end_ms_) {
    const Invitation &in = invitation_;
    if (in.is_root) {
        roster_.emplace(in.size, static_cast<int>(in.hosts.size()), in.rank);
        const Address own = own_addresses(in.interface).front();
        roster_->join(introduce(own), "the process where the ranks meet");
    } else {
        // A host goes to the root; the others are dealt out among the hosts.
        const size_t host = is_host_ ? 0 : static_cast<size_t>(in.rank) % in.hosts.size();
        host_call_.emplace(in.hosts[host], in.key, in.refused);
    }
}

Tree Meeting::run() {
    try {
        while (!over_) {
            step();
            check_time();
            if (!over_) {
                wait();
            }
        }
        flush_links(visitor_links(), deadline_ms_);
        return take_place();
    } catch (...) {
        const Failure failure = caught();
        const EndedWord word(failure);
        tell_all(word);
        if (roster_ && failure.result() != XCOLL_ERR_TIMEOUT) {
            tell_latecomers(word);
        }
        throw;
    }
}

void Meeting::step() {
    call_host();
    hear_host();
    receive_arrivals();
    hear_visitors();
    assign_seats();
    call_parent();
    say_when_seated();
}

void Meeting::wait() {
    std::vector<pollfd> entries;
    int64_t until_ms = deadline_ms_;
    if (receives()) {
        reception_.add_entries(entries);
        until_ms = std::min(until_ms, reception_.next_ms());
    }
    for (Visitor &visitor : visitors_) {
        entries.push_back(visitor.link.poll_entry());
    }
    if (host_) {
        entries.push_back(host_->poll_entry());
    }
    if (host_call_ && !invitation_.watched.empty()) {
        until_ms = std::min(until_ms, now_ms() + look_ms);
    }
    for (std::optional<Caller> *call : {&host_call_, &parent_call_}) {
        if (*call) {
            (*call)->add_entries(entries);
            until_ms = std::min(until_ms, (*call)->next_ms());
        }
    }
    wait_for(entries, until_ms);
}

void Meeting::assign_seats() {
    if (!roster_ || assigned_ || !roster_->has_all()) {
        return;
    }
    assigned_ = true;
    for (const auto &[rank, link] : way_to_) {
        link->send(FrameKind::seat, roster_->seat_of(rank));
    }
    sit_down(roster_->seat_of(invitation_.rank));
}

// ------------------------------------------------------------------------------------------------- the root and us

void Meeting::call_host() {
    if (!host_call_) {
        return;
    }
    try {
        host_ = host_call_->step();
    } catch (const Failure &failure) {
        fail_unmet(failure);
    }
    if (!host_) {
        for (const Lease &lease : invitation_.watched) {
            if (!lease.is_held()) {
                fail_unmet(Failure(XCOLL_ERR_BOOTSTRAP, "the process that served a unique id has ended or is done"));
            }
        }
        return;
    }
    host_call_.reset();
    host_address_ = remote_address(host_->socket());
    host_->send(FrameKind::join, introduce(local_address(host_->socket())));
    deadline_ms_ = patience_end_ms_ > never_ms - grace_ms ? never_ms : patience_end_ms_ + grace_ms;
}

void Meeting::go_elsewhere(const Contact &contact) {
    if (!contact.is_valid()) {
        fail(XCOLL_ERR_BOOTSTRAP, "rank %d was sent on from %s to nowhere: do all ranks have one version of xcoll?",
             invitation_.rank, text_of(host_address_).c_str());
    }
    host_.reset();
    deadline_ms_ = patience_end_ms_;
    host_call_.emplace(contact, invitation_.key, Caller::Refused::is_final);
}

void Meeting::fail_unmet(const Failure &failure) const {
    fail(failure.result(), "rank %d of %d cannot join the others: %s. %s", invitation_.rank, invitation_.size,
         failure.what(), invitation_.advice.c_str());
}

void Meeting::hear_host() {
    if (!host_) {
        return;
    }
    Frame frame;
    host_->step();
    while (!over_ && host_ && host_->take(frame)) {
        obey(frame);
    }
    if (!over_ && host_ && host_->is_over()) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "rank %d lost its connection to the process at which the ranks meet, %s: it has ended or given up",
             invitation_.rank, text_of(host_address_).c_str());
    }
}

void Meeting::obey(const Frame &frame) {
    if (frame.kind == FrameKind::ended) {
        fail_as(read_word<EndedWord>(frame));
    }
    if (frame.kind == FrameKind::go) {
        for (Visitor &visitor : visitors_) {
            visitor.link.send(FrameKind::go, nullptr, 0);
        }
        over_ = true;
    } else if (frame.kind == FrameKind::elsewhere) {
        go_elsewhere(read_word<PlaceWord>(frame).contact);
    } else if (frame.kind == FrameKind::seat) {
        const auto seat = read_word<SeatWord>(frame);
        const auto way = way_to_.find(seat.rank);
        if (seat.rank == invitation_.rank) {
            sit_down(seat);
        } else if (way != way_to_.end()) {
            way->second->send(FrameKind::seat, seat);
        }
    }
}

// ------------------------------------------------------------------------------------------------ our own place

JoinWord Meeting::introduce(const Address &own) {
    const std::string &interface = invitation_.interface;
    std::vector<Address> addresses = own_addresses(interface);
    // Over loopback the root is reached from its own machine alone; the others may be on other ones.
    if (!own.is_loopback()) {
        addresses.insert(addresses.begin(), own);
    }
    route_ = format("%s (%s)", text_of(addresses.front()).c_str(), interface_with(addresses.front()).c_str());
    const int64_t left = patience_end_ms_ == never_ms ? -1 : std::max<int64_t>(patience_end_ms_ - now_ms(), 0);
    return {left,
            invitation_.rank,
            invitation_.size,
            static_cast<int32_t>(invitation_.hosts.size()),
            {},
            Contact::at(reception_.port(), addresses)};
}

void Meeting::sit_down(const SeatWord &seat) {
    const int size = invitation_.size;
    seat_ = seat;
    place_ = TreePlace::of((invitation_.rank - seat.root + size) % size, size);
    if (place_.parent < 0) {
        return;
    }
    // The parent's listener has been there since before it joined. The root is called where it was met.
    parent_call_.emplace(place_.parent == 0 ? invitation_.hosts.front() : seat.parent, invitation_.key,
                         Caller::Refused::is_final);
}

void Meeting::call_parent() {
    if (!parent_call_) {
        return;
    }
    try {
        parent_ = parent_call_->step();
    } catch (const Failure &failure) {
        fail(failure.result(), "rank %d cannot reach rank %d: %s", invitation_.rank,
             (place_.parent + seat_->root) % invitation_.size, failure.what());
    }
    if (!parent_) {
        return;
    }
    parent_call_.reset();
    parent_->send(FrameKind::child, RankWord{invitation_.rank});
}

bool Meeting::has_all_children() const {
    return std::all_of(place_.children.begin(), place_.children.end(), [&](const TreePlace::Range &range) {
        const int rank = (range.first + seat_->root) % invitation_.size;
        return std::any_of(children_.begin(), children_.end(), [&](const Child &child) { return child.rank == rank; });
    });
}

void Meeting::say_when_seated() {
    if (seat_ && !said_seated_ && (parent_ || place_.parent < 0) && has_all_children()) {
        said_seated_ = true;
        if (roster_) {
            roster_->take_seat(invitation_.rank);
        } else {
            host_->send(FrameKind::seated, RankWord{invitation_.rank});
        }
    }
    if (roster_ && roster_->all_sit()) {
        for (Visitor &visitor : visitors_) {
            visitor.link.send(FrameKind::go, nullptr, 0);
        }
        over_ = true;
    }
}

void Meeting::check_time() const {
    if (over_ || now_ms() < deadline_ms_) {
        return;
    }
    if (roster_) {
        fail(XCOLL_ERR_TIMEOUT, "the ranks did not all meet in time: %s%s. %s", roster_->who_is_late().c_str(),
             reception_.turned_away().c_str(), invitation_.advice.c_str());
    }
    if (host_call_) {
        fail_unmet(Failure(XCOLL_ERR_TIMEOUT, "the time is up; called: " + host_call_->state()));
    }
    fail(XCOLL_ERR_TIMEOUT, "rank %d waited in vain for the root of the start, which it has met at %s",
         invitation_.rank, text_of(remote_address(host_->socket())).c_str());
}

Tree Meeting::take_place() {
    std::vector<Link> children;
    for (const TreePlace::Range &range : place_.children) {
        const int rank = (range.first + seat_->root) % invitation_.size;
        const auto child =
            std::find_if(children_.begin(), children_.end(), [&](const Child &one) { return one.rank == rank; });
        children.push_back(std::move(child->link));
    }
    return Tree(invitation_.rank, invitation_.size, seat_->root, std::move(parent_), std::move(children));
}

} // namespace xcoll
