// What the members of a simulated communicator call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/group_signature.h"
#include "coll/message_algorithms.h"
#include "coll/select.h"
#include "coll/window_algorithms.h"
#include "fabric/sim/random.h"
#include "sim/user_operators.h"

namespace xcoll::sim {

// One call of those that have parts of many sizes.
struct Move {
    Kind kind;
    int root;
};

// What a member calls.
struct Call {
    Kind kind = Kind::barrier;
    Dtype dtype = Dtype::none;
    Operator op = Operator::none;
    int root = -1;
    size_t count = 0;
    std::vector<size_t> counts{}; // reduce_scatterv; of the allreduces that are joined
    uint64_t dice = 0;            // for the counts that only the senders know, and those of parts
    std::vector<Move> moves{};    // with parts: the call, or those of a group
    User user = User::none;
    const Row *algorithm = nullptr;

    // As the descriptor of a rank has it, but for the buffers.
    Op descriptor(int rank) const {
        Op call;
        call.kind = kind;
        call.dtype = dtype;
        call.op = op;
        call.root = root;
        call.count = count;
        if (kind == Kind::reduce_scatterv) {
            call.set_counts(counts.data(), counts.size());
        }
        if (kind == Kind::group_reduce) {
            GroupSignature signature(counts.size());
            signature.add({dice, count});
            signature.write(call);
            call.dtype = Dtype::none;
            call.room = bytes();
        }
        call.user = user_operator(user, rank);
        call.signature = is_dynamic() ? static_cast<uint32_t>(size_of(dtype)) : call.signature;
        if (kind == Kind::reshard_reduce) {
            constexpr uint64_t hash = (uint64_t{1} << ReshardSignature::hash_bits) - 1;
            call.signature = ReshardSignature{0, 1, static_cast<uint32_t>(dice & hash)}.word();
        }
        if (has_parts()) {
            // Nobody knows all counts; a group is known by a number that stands for its calls.
            call.count = kind == Kind::group ? dice : kind == Kind::reshard ? count : 0;
            call.dtype = kind == Kind::group ? Dtype::none : dtype;
            call.signature = kind == Kind::reshard ? ReshardSignature{0, 1, 0}.word() : 0;
        }
        return call;
    }
    size_t bytes() const {
        return count * size_of(dtype);
    }
    std::string text() const {
        return describe(fingerprint(descriptor(0))) + (user != User::none ? " with a user's operator by " : " by ") +
               algorithm->name;
    }
    bool has(std::span<const Kind> some) const {
        return std::find(some.begin(), some.end(), kind) != some.end();
    }
    bool has(std::initializer_list<Kind> some) const {
        return std::find(some.begin(), some.end(), kind) != some.end();
    }
    bool reduces() const {
        return traits(kind).reduces || kind == Kind::group_reduce || kind == Kind::reshard_reduce;
    }
    bool is_dynamic() const {
        return has({Kind::allgather_dyn, Kind::alltoall_dyn});
    }
    // What rank `from` has for rank `to`, in elements; of some calls more than there is room for.
    size_t given(int from, int to) const {
        const auto pair = static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(is_shared() ? 0 : to);
        Random random(dice ^ pair);
        const size_t some = random.below(count + 1), beyond = dice % 4 == 0 ? random.below(100) : 0;
        const size_t counts_of_interest[] = {0, count, count + beyond, some, some};
        return counts_of_interest[random.below(std::size(counts_of_interest))];
    }
    bool is_shared() const {
        return traits(kind).is_shared;
    }
    bool has_parts() const {
        return !moves.empty();
    }
    // What a rank gives is the same for all that it is for.
    static bool gives_alike(Kind kind) {
        return traits(kind).is_shared || kind == Kind::gatherv;
    }
    // Of one of its moves, from one rank to another or to anybody: often nothing, often all that there may be.
    size_t part_bytes(size_t move, int from, int to) const {
        const auto [move_kind, move_root] = moves[move];
        const bool from_root = move_kind == Kind::bcast || move_kind == Kind::scatterv;
        const bool passes_by = move_kind == Kind::gatherv && to >= 0 && to != move_root;
        const bool has_it = move_kind == Kind::bcast && to == move_root;
        if ((from_root && from != move_root) || passes_by || has_it) {
            return 0;
        }
        const auto peer = static_cast<uint64_t>(gives_alike(move_kind) ? 0 : to);
        Random random(dice ^ (static_cast<uint64_t>(from) << 32 | peer << 8 | move));
        const size_t some[] = {0, count, random.below(count + 1), random.below(count / 2 + 1)};
        return some[random.below(std::size(some))] * size_of(dtype);
    }
    bool gives_nothing(int from, int to) const {
        for (size_t move = 0; move < moves.size(); ++move) {
            if (part_bytes(move, from, to) > 0) {
                return false;
            }
        }
        return true;
    }
    // Whether rank p cannot be done without having heard of q. An exchange by messages has none of no bytes.
    bool waits(int p, int q) const {
        const bool by_messages = algorithm->needs == Row::Needs::transport;
        if (by_messages && ((has_parts() && gives_nothing(q, p)) || kind == Kind::reshard_reduce)) {
            return false;
        }
        const bool exchanges =
            algorithm->run == exchange_messages || algorithm->run == reduce_messages || algorithm->run == reduce_scaled;
        const bool silent = exchanges && by_messages &&
                            (count == 0 || (kind == Kind::reduce_scatterv && counts[static_cast<size_t>(p)] == 0));
        return !silent && needs(p, q);
    }

private:
    // Whether rank p needs something that q calls.
    bool needs(int p, int q) const {
        switch (kind) {
        case Kind::refused:
            return false;
        case Kind::bcast:
        case Kind::scatter:
        case Kind::scatterv:
            return q == root;
        case Kind::gather:
        case Kind::gatherv:
        case Kind::reduce:
            return p == root;
        case Kind::scan:
        case Kind::exscan:
            return q < p;
        default:
            return true;
        }
    }
};

// Where a rank's data lie in its memory, in bytes from its begin.
struct Layout {
    size_t send_bytes = 0, recv_bytes = 0;
    size_t room = 0;
    bool in_place = false; // the input lies in the memory as well
    size_t send_at = 0, recv_at = 0;
};

inline constexpr Kind kinds_with_parts[] = {Kind::allgatherv, Kind::alltoallv, Kind::gatherv,
                                            Kind::scatterv,   Kind::reshard,   Kind::group};

// The moves of a call of one of these kinds: itself, or some of the others.
inline std::vector<Move> some_moves(Kind kind, int root, int ranks, Random &random) {
    static constexpr Kind in_groups[] = {Kind::allgatherv, Kind::alltoallv, Kind::gatherv,
                                         Kind::scatterv,   Kind::reshard,   Kind::bcast};
    if (kind != Kind::group) {
        return {{kind, root}};
    }
    std::vector<Move> moves;
    for (uint64_t left = random.between(2, 6); left > 0; --left) {
        const Kind one = in_groups[random.below(std::size(in_groups))];
        moves.push_back({one, static_cast<int>(random.below(static_cast<uint64_t>(ranks)))});
    }
    return moves;
}

inline Layout layout_of(const Call &call, int rank, int ranks, bool in_place, bool at_my_part) {
    const auto p = static_cast<size_t>(rank), all = static_cast<size_t>(ranks);
    const size_t bytes = call.bytes();
    Layout l{bytes, bytes, 0, in_place, 0, 0};
    switch (call.kind) {
    case Kind::bcast:
        l.in_place = true;
        break;
    case Kind::reduce:
        l.recv_bytes = rank == call.root ? bytes : 0;
        l.in_place &= rank == call.root;
        break;
    case Kind::reduce_scatter:
        l.send_bytes = all * bytes;
        l.recv_at = in_place && at_my_part ? p * bytes : 0;
        break;
    case Kind::reduce_scatterv: {
        const size_t begin = std::accumulate(call.counts.begin(), call.counts.begin() + rank, size_t{0});
        l.recv_bytes = call.counts[p] * size_of(call.dtype);
        l.recv_at = in_place && at_my_part ? begin * size_of(call.dtype) : 0;
        break;
    }
    case Kind::alltoall:
    case Kind::alltoall_dyn:
        l.send_bytes = l.recv_bytes = all * bytes;
        break;
    case Kind::words:
        l.in_place = false;
        l.recv_bytes = all * bytes;
        break;
    case Kind::allgather:
    case Kind::allgather_dyn:
        l.recv_bytes = all * bytes;
        l.send_at = in_place ? p * bytes : 0;
        break;
    case Kind::gather:
        l.recv_bytes = rank == call.root ? all * bytes : 0;
        l.in_place &= rank == call.root;
        l.send_at = l.in_place ? p * bytes : 0;
        break;
    case Kind::scatter:
        l.send_bytes = rank == call.root ? all * bytes : 0;
        l.in_place &= rank == call.root;
        l.recv_at = l.in_place ? p * bytes : 0;
        break;
    default:
        break;
    }
    l.room = std::max(l.recv_bytes + l.recv_at, l.in_place ? l.send_bytes + l.send_at : 0);
    return l;
}

} // namespace xcoll::sim
