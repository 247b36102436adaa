// Calls whose parts are of many sizes, alone or joined in a group: what of a rank's input goes to whom, and where what
// comes belongs. Between the parts lies something that is nobody's.
#pragma once

#include <memory>
#include <vector>

#include "coll/itinerary.h"
#include "sim/call.h"

namespace xcoll::sim {

class Parted {
public:
    Parted(const Call &call, int rank, int ranks) : call_(call), rank_(rank), ranks_(ranks) {
        for (size_t m = 0; m < call.moves.size(); ++m) {
            for (int p = 0; p < ranks; ++p) {
                const bool again = p > 0 && alike(m);
                out_.push_back(again ? out_.back()
                                     : next(send_bytes_, call.part_bytes(m, rank, alike(m) ? anybody : p)));
                in_.push_back(next(recv_bytes_, call.part_bytes(m, p, rank)));
            }
        }
    }
    size_t send_bytes() const {
        return send_bytes_;
    }
    size_t recv_bytes() const {
        return recv_bytes_;
    }
    // As the library is told of it, which keeps pointers to this.
    void describe(Op &op, unsigned char *send, unsigned char *recv, bool written_down) {
        for (size_t i = 0; i < out_.size(); ++i) {
            portions_out_.push_back({reinterpret_cast<char *>(send) + out_[i].at, out_[i].bytes, nullptr});
            portions_in_.push_back({reinterpret_cast<char *>(recv) + in_[i].at, in_[i].bytes, nullptr});
        }
        for (size_t m = 0; m < call_.moves.size(); ++m) {
            Op one = op;
            one.kind = call_.moves[m].kind;
            one.root = call_.moves[m].root;
            one.out = &portions_out_[first(m)];
            // From one rank alone: the only part.
            one.in = &portions_in_[first(m) + (from_root(m) ? static_cast<size_t>(one.root) : 0)];
            ops_.push_back(one);
        }
        if (call_.kind != Kind::group) {
            op = ops_[0];
            return;
        }
        op.parts = ops_;
        if (written_down && itinerary_.write(op, rank_, ranks_)) {
            op.itinerary = &itinerary_;
        }
    }
    // Into what is expected of this rank: what another one has for it in its input.
    void expect(std::vector<unsigned char> &recv, const Parted &theirs, const std::vector<unsigned char> &input) const {
        for (size_t m = 0; m < call_.moves.size(); ++m) {
            const Piece &to = in_[first(m) + static_cast<size_t>(theirs.rank_)];
            const size_t at = theirs.out_[first(m) + static_cast<size_t>(rank_)].at;
            std::copy_n(input.begin() + static_cast<ptrdiff_t>(at), to.bytes,
                        recv.begin() + static_cast<ptrdiff_t>(to.at));
        }
    }

private:
    struct Piece {
        size_t at, bytes;
    };
    static constexpr int anybody = -1;
    Piece next(size_t &end, size_t bytes) const {
        const Piece piece{end + out_.size() % 3 * size_of(call_.dtype), bytes};
        end = piece.at + bytes;
        return piece;
    }
    size_t first(size_t move) const {
        return move * static_cast<size_t>(ranks_);
    }
    bool alike(size_t move) const {
        return call_.gives_alike(call_.moves[move].kind);
    }
    bool from_root(size_t move) const {
        const Kind kind = call_.moves[move].kind;
        return kind == Kind::bcast || kind == Kind::scatterv;
    }

    const Call &call_;
    int rank_, ranks_;
    std::vector<Piece> out_, in_; // by call and peer
    size_t send_bytes_ = 0, recv_bytes_ = 0;
    std::vector<Portion> portions_out_, portions_in_;
    std::vector<Op> ops_;
    Itinerary itinerary_;
};

} // namespace xcoll::sim
