#include "coll/point_to_point.h"

namespace xcoll {

namespace {

constexpr Post::Status nothing{no_rank, any_tag, 0};

Task end_of(TaskHome &, Post &post, Post::Ticket ticket) {
    while (!Post::is_over(ticket)) {
        co_await post.until(ticket);
        post.advance(ticket);
    }
}

} // namespace

Task post_send(TaskHome &, Post &post, int peer, int tag, const void *data, size_t bytes) {
    if (peer == no_rank) {
        co_return;
    }
    const Post::Ticket ticket = post.send(peer, tag, data, bytes);
    while (!Post::is_over(ticket)) {
        co_await post.until(ticket);
        post.advance(ticket);
    }
    post.finish(ticket);
}

Task post_recv(TaskHome &, Post &post, int source, int tag, void *buffer, size_t room, Post::Status *status) {
    if (source == no_rank) {
        *status = nothing;
        co_return;
    }
    const Post::Ticket ticket = post.recv(source, tag, buffer, room);
    while (!Post::is_over(ticket)) {
        co_await post.until(ticket);
        post.advance(ticket);
    }
    *status = Post::status(ticket);
    post.finish(ticket);
}

Task post_sendrecv(TaskHome &home, Post &post, PostExchange what, Post::Status *status) {
    Post::Ticket out, in;
    if (what.to != no_rank) {
        out = post.send(what.to, what.send_tag, what.send, what.send_bytes);
    }
    if (what.source != no_rank) {
        in = post.recv(what.source, what.recv_tag, what.recv, what.room);
    }
    // Both buffers are free again before anything is thrown.
    if (!Post::is_over(out) && !Post::is_over(in)) {
        co_await Post::end(in); // there is more than one peer to watch: progress() does
    }
    co_await end_of(home, post, in);
    co_await end_of(home, post, out);
    *status = what.source != no_rank ? Post::status(in) : nothing;
    post.finish(out, in);
}

void refuse_message(Post &post, const Op &op) {
    if (op.kind != Kind::recv && op.to != no_rank) {
        post.withhold(op.to, op.tag);
    }
    if (op.kind != Kind::send && op.from != no_rank) {
        post.decline(op.from, op.recv_tag);
    }
}

} // namespace xcoll
