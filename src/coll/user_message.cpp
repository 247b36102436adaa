// A user's send, receive, or both at once, as an algorithm like the others: it has a descriptor, but no number. Bytes
// that do not lie together are packed on the way.
#include <optional>

#include "base/error.h"
#include "coll/point_to_point.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

// Where the bytes of a part are while they travel.
class Parcel {
public:
    Parcel(Team &team, const Portion *part, void *buffer)
        : team_(team), part_(part), data_(static_cast<char *>(buffer)) {
        if (part && (part->views() != 1 || part->view(0).runs() != 1)) {
            packed_.emplace(*team.scratch, part->bytes());
            data_ = packed_->data();
        } else if (part) {
            data_ = part->view(0).base;
        }
    }
    char *data() const {
        return data_;
    }
    void pack() {
        each_run([this](char *run, char *at, size_t bytes) { team_.kernels->copy(at, run, bytes); });
    }
    // As much as has come.
    void unpack(size_t arrived) {
        each_run([&, this](char *run, char *at, size_t bytes) {
            const auto before = static_cast<size_t>(at - data_);
            team_.kernels->copy(run, at, before < arrived ? std::min(bytes, arrived - before) : 0);
        });
    }

private:
    template <class Move> void each_run(Move move) {
        char *at = data_;
        for (size_t v = 0; packed_ && v < part_->views(); ++v) {
            const View view = part_->view(v);
            for (size_t r = 0; r < view.runs(); ++r, at += view.run) {
                move(view.run_at(r), at, view.run);
            }
        }
    }
    Team &team_;
    const Portion *part_;
    char *data_;
    std::optional<Scratch> packed_;
};

void report(const Op &op, const Post::Status &status) {
    if (op.received) {
        *op.received = {status.source, status.tag, status.bytes};
    }
}

} // namespace

Task user_message(TaskHome &home, Team &team, const Op &op, const Fingerprint &, uint64_t) {
    Parcel out(team, op.kind == Kind::recv ? nullptr : op.out, const_cast<void *>(op.send));
    Parcel in(team, op.kind == Kind::send ? nullptr : op.in, op.recv);
    Post::Status status{XCOLL_UNDEFINED, XCOLL_UNDEFINED, 0};
    out.pack();
    try {
        if (op.kind == Kind::send) {
            co_await post_send(home, *team.post, op.to, op.tag, out.data(), op.sent);
        } else if (op.kind == Kind::recv) {
            co_await post_recv(home, *team.post, op.from, op.recv_tag, in.data(), op.room, &status);
        } else {
            const PostExchange both{op.to, op.tag, out.data(), op.sent, op.from, op.recv_tag, in.data(), op.room};
            co_await post_sendrecv(home, *team.post, both, &status);
        }
    } catch (const Failure &) {
        report(op, status); // a message that was too long says whose it was
        throw;
    }
    in.unpack(status.bytes);
    report(op, status);
}

} // namespace xcoll
