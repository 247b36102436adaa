#include "coll/point_to_point.h"

namespace xcoll {

void PointToPoint::start(const PostExchange &what) {
    if (what.to != no_rank) {
        out_ = post_.send(what.to, what.send_tag, what.send, what.send_bytes);
    }
    if (what.source != no_rank) {
        in_ = post_.recv(what.source, what.recv_tag, what.recv, what.room);
    }
}

bool PointToPoint::advance() {
    while (is_sending() || is_receiving()) {
        const bool has_come = is_receiving() && post_.advance(in_);
        const bool has_gone = is_sending() && post_.advance(out_);
        if (!has_come && !has_gone) {
            return !is_sending() && !is_receiving();
        }
    }
    return true;
}

void PointToPoint::finish(Post::Status &status) {
    constexpr Post::Status nothing{no_rank, any_tag, 0};
    status = in_.item ? Post::status(in_) : nothing;
    post_.finish(out_, in_);
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
