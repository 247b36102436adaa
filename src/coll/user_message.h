// A user's send, receive, or both at once, as the steps of a call. Bytes that do not lie together are packed on the
// way.
#pragma once

#include <optional>

#include "coll/algorithm.h"
#include "coll/point_to_point.h"
#include "coll/row_copy.h"
#include "coll/scratch.h"

namespace xcoll {

// Where the bytes of a part are while they travel.
class Parcel {
public:
    Parcel(Team &team, const Portion *part, const void *buffer)
        : team_(team), part_(part), data_(static_cast<char *>(const_cast<void *>(buffer))) {
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
    void pack() const {
        each_row(~size_t{0}, [this](const RunRow &row, char *at) { gather_row(*team_.kernels, at, row); });
    }
    // As much as has come.
    void unpack(size_t arrived) const {
        each_row(arrived, [this](const RunRow &row, char *at) { scatter_row(*team_.kernels, row, at); });
    }

private:
    // Of the first so many bytes.
    template <class Move> void each_row(size_t left, Move move) const {
        if (!packed_) {
            return;
        }
        char *at = data_;
        RunCursor runs;
        part_->each_view([&](const View &view) {
            runs.begin(view);
            while (left > 0 && !runs.is_at_end()) {
                const RunRow row = runs.next_row(left);
                move(row, at);
                at += row.bytes();
                left -= row.bytes();
            }
            return left > 0;
        });
    }
    Team &team_;
    const Portion *part_;
    char *data_;
    std::optional<Scratch> packed_;
};

inline void report_received(const Op &op, const Post::Status &status) {
    if (op.received && op.kind != Kind::send) {
        *op.received = {status.source, status.tag, status.bytes};
    }
}

// To be used as PointToPoint is.
class UserMessage {
public:
    UserMessage(Team &team, const Op &op)
        : op_(op), out_(team, sends() ? op.out : nullptr, op.send), in_(team, receives() ? op.in : nullptr, op.recv),
          steps_(team.post) {
        out_.pack();
    }
    // Its start, in this order.
    void send() {
        if (sends() && op_.to != no_rank) {
            steps_.send(op_.to, op_.tag, out_.data(), op_.sent);
        }
    }
    void receive() {
        if (awaits_message()) {
            steps_.receive(op_.from, op_.recv_tag, in_.data(), op_.room);
        }
    }
    bool awaits_message() const {
        return receives() && op_.from != no_rank;
    }
    // In place of receive(), when the line to wait for is there, of which there may be none.
    bool receive_now() {
        return steps_.receive_now(op_.from, op_.recv_tag, in_.data(), op_.room);
    }
    bool is_over() const {
        return steps_.is_over();
    }
    void watch(PostWatch &watch) const {
        steps_.watch(watch);
    }
    bool advance() {
        return steps_.advance();
    }
    Until obstacle() {
        return steps_.obstacle();
    }
    bool needs_drive(const Until &obstacle) const {
        return steps_.needs_drive(obstacle);
    }
    // Throws what kept the message from coming.
    void finish() {
        Post::Status status{};
        try {
            steps_.finish(status);
        } catch (...) {
            report_received(op_, status); // a message that was too long says whose it was
            throw;
        }
        in_.unpack(status.bytes);
        report_received(op_, status);
    }

private:
    bool sends() const {
        return op_.kind != Kind::recv;
    }
    bool receives() const {
        return op_.kind != Kind::send;
    }
    const Op &op_;
    const Parcel out_, in_;
    PointToPoint steps_;
};

} // namespace xcoll
