// What keeps a message, in words for whoever has waited too long.
#include <algorithm>

#include "fabric/post.h"

namespace xcoll {

namespace {

using State = PostItem::State;

bool is_receive(const PostItem &item) {
    return item.state == State::posted || item.state == State::answering || item.state == State::arriving;
}

// A receive of any source or tag that has got a message has the message's.
bool belongs_to(const PostItem &item, const Op &op) {
    const auto fits = [](int asked, int any, int is) { return asked == is || asked == any; };
    return is_receive(item)
               ? op.kind != Kind::send && fits(op.from, any_source, item.peer) && fits(op.recv_tag, any_tag, item.tag)
               : op.kind != Kind::recv && op.to == item.peer && op.tag == item.tag;
}

std::string call_of(const PostItem &item) {
    const std::string tag = item.tag == any_tag ? "any tag" : format("tag %d", item.tag);
    if (!is_receive(item)) {
        return format("send(to rank %d, %s, %zu bytes)", item.peer, tag.c_str(), item.bytes);
    }
    const std::string source = item.peer == any_source ? "any source" : format("rank %d", item.peer);
    return format("recv(from %s, %s, up to %zu bytes)", source.c_str(), tag.c_str(), item.bytes);
}

} // namespace

std::optional<Post::Delay> Post::delay(const Op *op) const {
    const PostItem *item =
        box_.find_open([op](const PostItem &one) { return !one.is_refused && (!op || belongs_to(one, *op)); });
    if (!item) {
        return std::nullopt;
    }
    const std::string why = item->state == State::posted ? why_nothing_comes(*item) : why_it_stops(*item);
    return Delay{call_of(*item) + ": " + why, item->peer == any_source ? Failure::nobody : item->peer};
}

std::string Post::why_nothing_comes(const PostItem &receive) const {
    std::string text = receive.peer == any_source
                           ? format("nobody has sent such a message, and %d of %d ranks have freed this "
                                    "communicator",
                                    ranks_gone(), window_.size())
                       : is_self(receive.peer) ? "this rank itself has sent no such message"
                                               : format("rank %d is alive and has sent no such message", receive.peer);
    if (const PostParcel *other = box_.unasked(receive.peer)) {
        text += format(", but rank %d has sent one of %zu bytes with tag %d, which no receive has asked for",
                       other->source, other->total, other->tag);
    }
    return text + ". Is its send missing, or for another rank, tag or communicator?";
}

std::string Post::why_it_stops(const PostItem &item) const {
    const int peer = item.peer;
    switch (item.state) {
    case State::waiting:
        return format("rank %d is alive and has yet to take what was sent to it before. Is a receive missing there?",
                      peer);
    case State::offered:
        return format("rank %d is alive and has not called a receive for it, which a message of this length waits for. "
                      "Is the receive missing, or for another rank, tag or communicator?",
                      peer);
    default:
        return format("rank %d is alive and has stopped after %zu of %zu bytes. Messages move inside calls of this "
                      "library only: does it wait for the message or test it?",
                      peer, item.moved, item.total);
    }
}

int Post::ranks_gone() const {
    int gone = 0;
    for (int p = 0; p < window_.size(); ++p) {
        gone += p != window_.rank() && window_.board(p).done.reached(all_done);
    }
    return gone;
}

} // namespace xcoll
