#include "coll/point_to_point.h"

namespace xcoll {

bool PointToPoint::advance() {
    while (!is_over()) {
        const bool has_come = is_receiving() && post_->advance(in_);
        const bool has_gone = is_sending() && post_->advance(out_);
        if (!has_come && !has_gone) {
            return is_over();
        }
    }
    return true;
}

void PointToPoint::finish(Post::Status &status) {
    status = in_.item ? Post::status(in_) : received_now_;
    if (out_.item || in_.item) {
        post_->finish(out_, in_);
    }
}

void refuse_message(Post *post, const Op &op) {
    if (op.kind != Kind::recv && op.to != no_rank) {
        post->withhold(op.to, op.tag);
    }
    if (op.kind != Kind::send && op.from != no_rank) {
        post->decline(op.from, op.recv_tag);
    }
}

} // namespace xcoll
