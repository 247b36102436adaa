// What the tables of algorithms (coll/rows.cpp) expect an algorithm to take, in nanoseconds: how often it waits for a
// line of another rank, and how many bytes the busiest rank moves.
#pragma once

#include <bit>

#include "coll/algorithm.h"

namespace xcoll::costs {

// Rounded from measurements on two cores (bench/).
inline constexpr double round_near = 60;     // a head from a rank under the same L3
inline constexpr double round_far = 250;     // from another one
inline constexpr double byte_read = 0.03;    // of a payload in another core's cache
inline constexpr double short_alone = 0.012; // of several short payloads that no other rank reads at the same time
inline constexpr double block_alone = 0.02;  // of several blocks of such
inline constexpr double byte_copied = 0.05;  // written once and read once
inline constexpr double block_sync = 100;    // a wait that is mostly hidden
inline constexpr double scan_result = 100;   // lines of sums for one reader, whose caches have to give them up first
inline constexpr double turn_awaited = 1100; // of each rank that shares a processor, until the awaited one has it
inline constexpr double message = 5000;      // between machines, over TCP
inline constexpr double byte_message = 0.4;

inline double ranks(const Team &team) {
    return team.size;
}
// How many ranks take turns on a processor: what one of them does, others wait for.
inline double turns(const Team &team) {
    return team.window ? team.window->node().ranks_per_processor() : 1;
}
inline bool is_crowded(const Team &team) {
    return team.window && team.window->node().crowded();
}
// A wait that takes so long if all have a processor.
inline double wait(const Team &team, double at_ease) {
    return is_crowded(team) ? turns(team) * turn_awaited : at_ease;
}
inline double near_round(const Team &team) {
    return wait(team, round_near);
}
inline double far_round(const Team &team) {
    return wait(team, team.grouping.groups() > 1 ? round_far : round_near);
}
inline double block_wait(const Team &team) {
    return wait(team, block_sync);
}
inline double log2_up(const Team &team) {
    return std::bit_width(static_cast<unsigned>(team.size - 1));
}

// Heads and payloads of several ranks are read side by side, some at a time; in a crowd the waiting counts. Who waits
// for a counter of every rank looks at as many lines again: on 16 processors of a Xeon, five times as slow as this,
// two-shots of 1 and 4 KiB take 6.7 and 10.9 us, one shots 4.7 and 13.0; among 8 ranks 4.0 and 6.2, 2.1 and 6.5.
inline double many_heads(const Team &team) {
    constexpr double read_at_once = 4;
    return is_crowded(team) ? 0 : (ranks(team) - 1) / read_at_once * far_round(team);
}
// Where one chunk is read while the next is written: so much of the time of both is left.
inline constexpr double left_by_overlap = 0.9;
inline double moved(const Team &team, size_t bytes, double per_byte) {
    return turns(team) * static_cast<double>(bytes) * per_byte;
}
// Two ranks rewrite lines of their own slots; from the ring they have to come back first.
inline double byte_shown(const Team &team, size_t bytes) {
    const bool leaves_slots = team.window && team.window->has_wide_slots() && bytes > team.window->slot_room();
    return leaves_slots ? 2 * byte_copied : byte_copied;
}
// Payloads that the busiest rank reads; in a crowd, what all read, by rank.
inline double reads_of_all(const Team &team) {
    return ranks(team) - 1;
}
// In terms of byte_read: of several payloads, what comes to one rank alone.
template <const double &byte> double reads_alone(const Team &team) {
    const double others = ranks(team) - 1;
    return others > 1 ? others * (byte / byte_read) : others;
}
template <const double &byte> double reads_of_root(const Team &team) {
    return is_crowded(team) ? 1 : reads_alone<byte>(team);
}
template <const double &byte> double reads_of_scan(const Team &team) {
    return is_crowded(team) ? (ranks(team) - 1) / 2 : reads_alone<byte>(team);
}
using Reads = double(const Team &);
template <Reads reads> double cost_one_shot(const Team &team, size_t bytes) {
    return far_round(team) + many_heads(team) + moved(team, bytes, byte_shown(team, bytes) + reads(team) * byte_read);
}
inline double cost_two_shot(const Team &team, size_t bytes) {
    return 2 * far_round(team) + 3 * many_heads(team) + 2 * block_wait(team) +
           moved(team, bytes, byte_copied + 2 * byte_read);
}
// With a result for every rank, all of which are written.
inline double cost_scan_two_shot(const Team &team, size_t bytes) {
    return cost_two_shot(team, bytes) + ranks(team) * scan_result + moved(team, bytes, byte_copied);
}
template <Reads reads> double cost_streamed(const Team &team, size_t bytes) {
    return far_round(team) + 2 * many_heads(team) + block_wait(team) +
           moved(team, bytes, byte_copied + reads(team) * byte_read);
}
// Chunks overlap writing and reading, at the price of some setting up.
inline double cost_streams(const Team &team, size_t bytes) {
    return far_round(team) + many_heads(team) + 2 * block_wait(team) +
           left_by_overlap * moved(team, bytes, byte_copied + reads_of_all(team) * byte_read);
}
// Of `bytes` for each rank, of which a rank keeps its own.
inline double cost_scatter_one_shot(const Team &team, size_t bytes) {
    const double others = ranks(team) - 1;
    return far_round(team) + many_heads(team) + others * moved(team, bytes, byte_shown(team, bytes) + byte_read);
}
inline double cost_scatter_streamed(const Team &team, size_t bytes) {
    // Copies in wide slots gain nothing by coming in blocks, up to the room of these.
    const double overlap = team.window && team.window->has_wide_slots() ? 1 : left_by_overlap;
    const double others = ranks(team) - 1;
    return far_round(team) + many_heads(team) + 2 * block_wait(team) +
           overlap * others * moved(team, bytes, byte_copied + byte_read);
}
// Of `bytes` for all ranks together.
using Cost = double(const Team &, size_t);
template <Cost cost> double of_mean_part(const Team &team, size_t bytes) {
    return cost(team, bytes / static_cast<size_t>(team.size));
}
// A message to every rank, and no help by others.
inline double cost_gathered(const Team &team, size_t bytes) {
    return 4 * far_round(team) + many_heads(team) + ranks(team) * moved(team, bytes, 2 * byte_copied + byte_read);
}
inline double cost_messages(const Team &team, size_t bytes) {
    return ranks(team) * (message + static_cast<double>(bytes) * byte_message);
}
inline double cost_hierarchical(const Team &team, size_t bytes) {
    const double per_group = ranks(team) / team.grouping.groups();
    return 3 * near_round(team) + far_round(team) +
           moved(team, bytes, byte_copied + (per_group + team.grouping.groups()) * byte_read);
}
inline double cost_flat(const Team &team, size_t bytes) {
    return far_round(team) + moved(team, bytes, byte_copied);
}
inline double cost_ring(const Team &team, size_t bytes) {
    return 2 * (ranks(team) - 1) * message + 2 * static_cast<double>(bytes) * byte_message;
}
inline double cost_doubling(const Team &team, size_t bytes) {
    return log2_up(team) * (message + static_cast<double>(bytes) * byte_message);
}
inline double cost_tree(const Team &team, size_t bytes) {
    return log2_up(team) * (message + static_cast<double>(bytes) * byte_message);
}

} // namespace xcoll::costs
