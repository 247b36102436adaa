// An Exchange whose large private buffers are not copied into shared memory: the kernel copies them for each reader
// (fabric/attach.h). Heads, readers and errors are those of exchange_streams.cpp, where what is lent need not be
// private.
//
//     through the ring    sender's buffer --copy--> ring --copy--> reader's buffer
//     attached            sender's buffer ------------copy-------> reader's buffer
//
// Cost per rank: alpha for the heads and again until all readers have finished, then S_in bytes moved once. That says
// nothing of what it leaves behind: the buffer's lines are shared then, and the program's next stores into it are dear,
// unless its caches had to drop them anyway. Where data are rewritten and read, with two ranks,
//
//     us, attached / ring                      64 KiB      256 KiB     1 MiB       4 MiB
//     all-gather, all-to-all, Zen 4, one L3    16 / 4.8                140 / 83
//     the same across two L3s                  50 / 9                  700 / 117
//     all-gather, Xeon with L2s of 2 MiB                   50 / 35     171 / 186   775 / 981
//     all-to-all, the same                                 35 / 37     177 / 219   739 / 997
//
// So it wins for what is large beside the second-level caches, if these are large, and for what is dealt out where
// there are more ranks than processors, unless the caches are middling. xcoll-tune finds the other places.
#include <limits>

#include "coll/attached.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

// Less than of any other, or more.
double cost_if(bool pays) {
    return pays ? 0 : std::numeric_limits<double>::max();
}

// With more ranks than processors the work of all ranks counts, not how much of it goes on at once, and one copy by the
// kernel is less of it than two of what only one rank reads. On a Zen 1 with 4, 8 and 16 ranks on two cores all-to-alls
// and scatters of this size and more, by a rank for all others, take 0.4 to 0.9 of the time of those through the ring
// (uneven ones of the least size up to 1.2), smaller ones 0.9 to 1.3. All-gathers take 0.9 to 1.2 and broadcasts 1.2
// to 1.7, as their readers find in the cache what is written once; gathers 0.4 to 1.7. But on a Zen 5, whose caches of
// 1 MiB hold both copies, the kernel's way takes 1.0 to 2.6 times as long as the ring for 64 to 256 KiB from rank to
// rank, with 4 and with 8 ranks, and 0.9 to 2.0 times beyond (uneven ones of 512 KiB among 4 ranks 0.75).
constexpr double least_dealt = 256 << 10;
constexpr double least_part_dealt = 16 << 10; // on average, the least that was seen to gain

bool spares_work(const Node &node, double given, double part) {
    return node.crowded() && !node.has_middling_l2() && given >= least_dealt && part >= least_part_dealt;
}

// What a rank's buffers take does not stay in its second-level cache from call to call. As measured with two ranks of a
// Xeon, all-gathers of 2 MiB and more take 0.95 of the time that they take in turns (streams_turns.cpp), all-to-alls of
// 1 MiB 0.87, uneven all-gathers of that size and scatters of 2 MiB, which go through the ring, 0.75; shorter ones up
// to 1.4. With caches of 1 MiB (Zen 4) no size up to that was seen to gain; broadcasts and gathers gain nowhere. Groups
// of 200 ragged all-gathers take 0.8 of the time of the ring with 5 MiB in all, and as long with 1.3. Of all-gathers
// and groups among more ranks nothing is known, and their readers find in their cache what is written once.
bool outgrow_cache(const Team &team, double buffers) {
    const Node &node = team.window->node();
    return !node.crowded() && node.has_large_l2() && buffers >= static_cast<double>(node.sizes().l2_bytes);
}

// A choice holds for messages down to half the size (Choices::size_class).
double least_like(double bytes) {
    return bytes / 2;
}

// Whether it was asked for by XCOLL_CMA=on, which holds from XCOLL_LEND on.
bool is_wanted(const Team &team, double given) {
    return team.attach == Attach::on && given >= static_cast<double>(team.window->least_lent());
}

double cost_dealt(const Team &team, double part, int parts_received) {
    const double given = part * (team.size - 1);
    const bool pays = spares_work(team.window->node(), given, part) ||
                      outgrow_cache(team, least_like(part) * (team.size + parts_received));
    return cost_if(pays || is_wanted(team, given));
}

} // namespace

const char *not_attachable(const Team &team, size_t) {
    if (!team.window) {
        return "not all ranks share memory";
    }
    if (team.attach == Attach::off) {
        return "XCOLL_CMA=off";
    }
    const std::string &refusal = team.window->node().attach_refusal();
    return refusal.empty() ? nullptr : refusal.c_str();
}

bool attaches_parts(const Team &team, size_t bytes) {
    const auto given = static_cast<double>(bytes), taken = given;
    const bool pays = team.size == 2 && outgrow_cache(team, given + taken);
    return !not_attachable(team, bytes) && (pays || is_wanted(team, given));
}

double cost_attached(const Team &team, size_t bytes) {
    return cost_if(is_wanted(team, static_cast<double>(bytes)));
}

double cost_attached_gathered(const Team &team, size_t bytes) {
    const auto given = static_cast<double>(bytes);
    const bool pays = team.size == 2 && outgrow_cache(team, least_like(given) * (1 + team.size));
    return cost_if(pays || is_wanted(team, given));
}

double cost_attached_all_to_all(const Team &team, size_t bytes) {
    return cost_dealt(team, static_cast<double>(bytes), team.size);
}

double cost_attached_scattered(const Team &team, size_t bytes) {
    return cost_dealt(team, static_cast<double>(bytes), 1);
}

Task exchange_attached(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    return exchange_streams(home, team, op, call, n);
}

} // namespace xcoll
