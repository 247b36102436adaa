// A meeting's host: those who come, and what they are told. See meeting.h.
#include "boot/meeting.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "boot/patience.h"

namespace xcoll {

namespace {
// After a conflict, those who come so much later hear of it too.
constexpr int64_t linger_ms = 2000;
} // namespace

// ------------------------------------------------------------------------------------------- those who come to us

// Nobody is sent to us before we have joined; and a host that has not would not know where to hand on what it hears.
bool Meeting::receives() const {
    return roster_ || host_;
}

void Meeting::receive_arrivals() {
    if (!receives()) {
        return;
    }
    while (auto arrival = reception_.step()) {
        const Frame &first = arrival->first;
        if (first.kind == FrameKind::child) {
            children_.push_back({read_word<RankWord>(first).rank, std::move(arrival->link)});
        } else if (first.kind == FrameKind::join) {
            receive_join(std::move(arrival->link), first);
        }
    }
}

void Meeting::receive_join(Link link, const Frame &join) {
    if (visitors_.size() >= room_) {
        const auto other = std::next(visitors_.begin(), static_cast<std::ptrdiff_t>(sent_on_++ % visitors_.size()));
        link.send(FrameKind::elsewhere, PlaceWord{other->contact});
        return;
    }
    visitors_.push_back({std::move(link), read_word<JoinWord>(join).contact, {}});
    hear(visitors_.back(), join);
}

void Meeting::hear_visitors() {
    for (Visitor &visitor : visitors_) {
        Frame frame;
        visitor.link.step();
        while (visitor.link.take(frame)) {
            hear(visitor, frame);
        }
        if (visitor.link.is_over() && !over_) {
            fail(XCOLL_ERR_BOOTSTRAP,
                 "rank %d lost its connection to rank %d (at %s) while the ranks were starting: it has ended or given "
                 "up",
                 invitation_.rank, visitor.ranks.empty() ? -1 : visitor.ranks.front(),
                 text_of(remote_address(visitor.link.socket())).c_str());
        }
    }
}

// A host that is not the root keeps in mind the way back, and hands it on.
void Meeting::hear(Visitor &visitor, const Frame &frame) {
    if (frame.kind == FrameKind::ended) {
        fail_as(read_word<EndedWord>(frame));
    }
    if (frame.kind == FrameKind::join) {
        admit(visitor, read_word<JoinWord>(frame));
    }
    if (!roster_) {
        host_->send(frame.kind, frame.body.data(), frame.body.size());
    } else if (frame.kind == FrameKind::seated) {
        roster_->take_seat(read_word<RankWord>(frame).rank);
    }
}

void Meeting::admit(Visitor &visitor, const JoinWord &word) {
    visitor.ranks.push_back(word.rank);
    way_to_[word.rank] = &visitor.link;
    if (!roster_) {
        return;
    }
    roster_->join(word, text_of(remote_address(visitor.link.socket())));
    // Whoever is the first to lose patience hears from us who is missing.
    deadline_ms_ = std::min(deadline_ms_, deadline_after(word.patience_ms));
}

// ----------------------------------------------------------------------------------------------------- bad news

std::vector<Link *> Meeting::visitor_links() {
    std::vector<Link *> links;
    for (Visitor &visitor : visitors_) {
        links.push_back(&visitor.link);
    }
    return links;
}

void Meeting::tell_all(const EndedWord &word) {
    std::vector<Link *> links = visitor_links();
    if (host_) {
        links.push_back(&*host_);
    }
    for (Link *link : links) {
        if (link->is_open()) {
            link->send(FrameKind::ended, word);
        }
    }
    flush_links(links, now_ms() + last_words_ms);
}

void Meeting::tell_latecomers(const EndedWord &word) {
    const int64_t until_ms = now_ms() + linger_ms;
    while (way_to_.size() + 1 < static_cast<size_t>(invitation_.size) && now_ms() < until_ms) {
        while (auto arrival = reception_.step()) {
            if (arrival->first.kind != FrameKind::join) {
                continue;
            }
            way_to_[read_word<JoinWord>(arrival->first).rank] = nullptr;
            arrival->link.send(FrameKind::ended, word);
        }
        std::vector<pollfd> entries;
        reception_.add_entries(entries);
        wait_for(entries, std::min(until_ms, reception_.next_ms()));
    }
}

} // namespace xcoll
