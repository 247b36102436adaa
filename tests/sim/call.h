// What the members of a simulated communicator call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "coll/select.h"
#include "fabric/sim/random.h"
#include "sim/user_operators.h"

namespace xcoll::sim {

// What a member calls.
struct Call {
    Kind kind = Kind::barrier;
    Dtype dtype = Dtype::none;
    Operator op = Operator::none;
    int root = -1;
    size_t count = 0;
    std::vector<size_t> counts{}; // reduce_scatterv
    uint64_t dice = 0;            // for the counts that only the senders know
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
        call.counts = kind == Kind::reduce_scatterv ? counts.data() : nullptr;
        call.user = user_operator(user, rank);
        call.signature = is_dynamic() ? static_cast<uint32_t>(size_of(dtype)) : 0;
        return call;
    }
    size_t bytes() const {
        return count * size_of(dtype);
    }
    std::string text() const {
        return describe(fingerprint(descriptor(0))) + (user != User::none ? " with a user's operator by " : " by ") +
               algorithm->name;
    }
    bool has(std::initializer_list<Kind> some) const {
        return std::find(some.begin(), some.end(), kind) != some.end();
    }
    bool reduces() const {
        return has(
            {Kind::allreduce, Kind::reduce, Kind::reduce_scatter, Kind::reduce_scatterv, Kind::scan, Kind::exscan});
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
    // Whether rank p needs something that q calls.
    bool waits(int p, int q) const {
        switch (kind) {
        case Kind::refused:
            return false;
        case Kind::bcast:
        case Kind::scatter:
            return q == root;
        case Kind::gather:
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

// How often the ways were taken that are there for bad days. A test that never took them has shown nothing.
struct Coverage {
    uint64_t operations = 0, without_room = 0, mismatches = 0, most_in_flight = 0, remade = 0, lent = 0, cut = 0,
             in_turns = 0;
};

// A premultiplied sum.

} // namespace xcoll::sim
