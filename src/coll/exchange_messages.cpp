// Any Exchange by messages, pair by pair:
//
//     round 1   rank r sends to r+1 and receives from r-1
//     round 2   rank r sends to r+2 and receives from r-2        ... modulo the number of ranks
//
// One message for each pair and direction, which carries all the pair's calls. Bytes that lie together travel from and
// to where they lie; others are packed on the way. Cost: (P - 1) alpha + (S_out + S_in) beta, every link used in turn,
// so no receiver is run over. Pairs that have nothing for each other skip their round.
#include "coll/dynamic.h"
#include "coll/exchange.h"
#include "coll/message_algorithms.h"
#include "coll/message_operation.h"
#include "coll/view_cursor.h"

#include <deque>
#include <optional>

namespace xcoll {

namespace {

using Side = ViewCursor::Side;

// One message of one pair: in place, or packed.
class Parcel {
public:
    Parcel(Team &team, const Exchange &exchange, bool outgoing, int peer)
        : team_(team), exchange_(exchange), outgoing_(outgoing), peer_(peer),
          shared_(outgoing ? exchange.shared_out() : exchange.shared_in(peer)),
          pair_(outgoing ? exchange.pair_out(peer) : exchange.pair_in(peer)) {
    }
    size_t bytes() const {
        return shared_ + pair_;
    }
    // Where the message lies; packed if it must be, or if its place will be overwritten before it is sent.
    char *data(bool always_pack = false) {
        if (packed_) {
            return packed_->data();
        }
        ViewCursor cursor = walk(shared_ > 0);
        const std::span<char> first = cursor.next(bytes());
        if (first.size() == bytes() && !always_pack) {
            return first.data();
        }
        packed_.emplace(*team_.scratch, bytes());
        if (outgoing_) {
            walk(true).copy_to(*team_.kernels, packed_->data(), shared_);
            walk(false).copy_to(*team_.kernels, packed_->data() + shared_, pair_);
        }
        return packed_->data();
    }
    // It has come.
    void unpack() {
        if (packed_) {
            walk(true).copy_from(*team_.kernels, packed_->data(), shared_);
            walk(false).copy_from(*team_.kernels, packed_->data() + shared_, pair_);
        }
    }

private:
    ViewCursor walk(bool shared) const {
        const Side out = shared ? Side::shared_out : Side::pair_out;
        return {exchange_, outgoing_ ? out : shared ? Side::shared_in : Side::pair_in, peer_};
    }
    Team &team_;
    const Exchange &exchange_;
    bool outgoing_;
    int peer_;
    size_t shared_, pair_;
    std::optional<Scratch> packed_;
};

// What messages point into, so they are there before the operation that sends them.
struct Parcels {
    std::deque<Parcel> leaving;
    std::optional<Parcel> in;
};

// Told before a part, which may be none then.
struct Length {
    int peer;
    uint64_t mine, theirs;
    Ticket leaves, arrives;
};

Task rounds(TaskHome &home, Team &team, const Exchange &exchange, Parcels &parcels, MessageOperation &operation) {
    auto &[leaving, in] = parcels;
    const bool early = exchange.overwrites_its_input();
    for (int turn = 1; turn < team.size; ++turn) {
        leaving.emplace_back(team, exchange, true, (team.rank + turn) % team.size);
        if (early) {
            leaving.back().data(true);
        }
    }
    ViewCursor::move_own(*team.kernels, exchange);
    for (int turn = 1; turn < team.size; ++turn) {
        const int to = (team.rank + turn) % team.size;
        const int from = (team.rank - turn + team.size) % team.size;
        Parcel &out = leaving[static_cast<size_t>(turn) - 1];
        in.emplace(team, exchange, false, from);
        std::optional<Ticket> arrives, leaves;
        if (in->bytes() > 0) {
            arrives = operation.recv(from, in->data(), in->bytes());
        }
        if (out.bytes() > 0) {
            leaves = operation.send(to, out.data(), out.bytes());
        }
        if (arrives) {
            co_await settle(home, operation, from, *arrives);
            in->unpack();
        }
        if (leaves) {
            co_await settle(home, operation, to, *leaves);
        }
    }
}

} // namespace

Task exchange_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Exchange exchange(op, team.rank, team.size);
    Parcels parcels;
    MessageOperation operation(team, call, n);
    co_await enter(home, operation);
    co_await rounds(home, team, exchange, parcels, operation);
    operation.end();
}

// In front of everything else each rank tells each other one how long its part is.
Task dynamic_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    Arrivals arrivals(team, op);
    const Exchange exchange(arrivals.op(), team.rank, team.size);
    std::deque<Length> lengths;
    Parcels parcels;
    MessageOperation operation(team, arrivals.shown(call), n);
    co_await enter(home, operation);
    if (arrivals.refused()) {
        throw *arrivals.refused();
    }
    for (int p = 0; p < team.size; ++p) {
        if (p != team.rank) {
            Length &of = lengths.emplace_back(Length{p, arrivals.told(p), 0, {}, {}});
            of.arrives = operation.recv(p, &of.theirs, sizeof of.theirs);
            of.leaves = operation.send(p, &of.mine, sizeof of.mine);
        }
    }
    // Of all before the first length: who leaves for another one's call would be named instead of that one.
    for (const Length &of : lengths) {
        co_await operation.entered(of.peer);
        operation.check(of.peer);
    }
    for (const Length &of : lengths) {
        co_await of.arrives.until();
        operation.finish(of.arrives);
        arrivals.note(of.peer, of.theirs);
        co_await of.leaves.until();
        operation.finish(of.leaves);
    }
    arrivals.settle();
    co_await rounds(home, team, exchange, parcels, operation);
    operation.end();
    arrivals.finish();
}

} // namespace xcoll
