// A user's send, receive, or both at once, in plain steps. They take no number among the communicator's operations:
// messages are matched by their tags and by the order in which each rank starts them.
//
//     steps.start(what);
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

// A peer or source that is no_rank makes it nothing: received 0 bytes from no_rank with any_tag.
struct PostExchange {
    int to = no_rank, send_tag = any_tag;
    const void *send = nullptr;
    size_t send_bytes = 0;
    int source = no_rank, recv_tag = any_tag;
    void *recv = nullptr;
    size_t room = 0;
};

class PointToPoint {
public:
    explicit PointToPoint(Post &post) : post_(post) {
    }
    // Both are started before either is waited for, so a ring of these does not lock up.
    void start(const PostExchange &what);
    // Moves what can be moved. True: it is over, and both buffers are free again.
    bool advance();
    Until obstacle() {
        return is_sending() && is_receiving() ? post_.until(out_, in_) : post_.until(is_receiving() ? in_ : out_);
    }
    bool needs_drive(const Until &obstacle) const {
        return is_receiving() && obstacle.signal == Post::end(in_).signal;
    }
    // Who sent what. Throws TRUNCATE when the message is longer than the room; the status says by how much.
    void finish(Post::Status &status);

private:
    bool is_sending() const {
        return !Post::is_over(out_);
    }
    bool is_receiving() const {
        return !Post::is_over(in_);
    }
    Post &post_;
    Post::Ticket out_, in_;
};

// In place of one that will not happen: its peers are told. Waits for nobody.
void refuse_message(Post &post, const Op &op);

} // namespace xcoll
