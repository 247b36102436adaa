// A user's send, receive, or both at once, in plain steps. They take no number among the communicator's operations:
// messages are matched by their tags and by the order in which each rank starts them.
//
//     steps.send(peer, tag, data, bytes);
//     steps.receive(source, tag, buffer, room);
//     while (!steps.advance()) {
//         wait for steps.obstacle();
//     }
//     steps.finish(status);
//
// The obstacle is a line of the peer, so a wait sees its message at once. One that needs_drive() has no such line: it
// is reached only when Post::progress() is called as well, which a wait does at once if it has the patience
// `driving(...)`. Before one that has started and not ended is destroyed, Post::cancel_all() is called.
#pragma once

#include "fabric/post.h"

namespace xcoll {

inline constexpr Post::Status nothing_received{no_rank, any_tag, 0};

class PointToPoint {
public:
    // nullptr: nothing is sent or received with it, as to and from nobody.
    explicit PointToPoint(Post *post) : post_(post) {
    }
    // Both are started before either is waited for, so a ring of these does not lock up.
    void send(int peer, int tag, const void *data, size_t bytes) {
        out_ = post_->send(peer, tag, data, bytes);
    }
    void receive(int source, int tag, void *buffer, size_t room) {
        in_ = post_->recv(source, tag, buffer, room);
    }
    // The same if its message is the next of its source, and there: then that is over at once. False: receive().
    bool receive_now(int source, int tag, void *buffer, size_t room) {
        return post_->recv_now(source, tag, buffer, room, received_now_);
    }
    bool is_over() const {
        return !is_sending() && !is_receiving();
    }
    // It is not over: Post::next_over() will say when it is.
    void watch(PostWatch &watch) const {
        for (const Post::Ticket &ticket : {out_, in_}) {
            if (!Post::is_over(ticket)) {
                Post::watch(ticket, watch);
            }
        }
    }
    // Moves what can be moved. True: it is over, and both buffers are free again.
    bool advance();
    Until obstacle() {
        return is_sending() && is_receiving() ? post_->until(out_, in_) : post_->until(is_receiving() ? in_ : out_);
    }
    bool needs_drive(const Until &obstacle) const {
        return is_receiving() && obstacle.signal == Post::end(in_).signal;
    }
    // Who sent what: nothing was received if no receive was started. Throws TRUNCATE when the message is longer than
    // the room; the status says by how much.
    void finish(Post::Status &status);

private:
    bool is_sending() const {
        return !Post::is_over(out_);
    }
    bool is_receiving() const {
        return !Post::is_over(in_);
    }
    Post *post_;
    Post::Ticket out_, in_;
    Post::Status received_now_ = nothing_received;
};

// In place of one that will not happen: its peers are told. Waits for nobody.
void refuse_message(Post *post, const Op &op);

} // namespace xcoll
