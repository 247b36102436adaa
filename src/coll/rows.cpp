#include "coll/row.h"

#include <array>
#include <initializer_list>

#include "coll/attached.h"
#include "coll/block_stream.h"
#include "coll/costs.h"
#include "coll/dynamic.h"
#include "coll/message_algorithms.h"
#include "coll/payload.h"
#include "coll/reshard.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

using namespace costs;

// ---- refusals

const char *no_window(const Team &team, size_t) {
    return team.window ? nullptr : "not all ranks share memory";
}
const char *no_transport(const Team &team, size_t) {
    return team.transport ? nullptr : "all ranks share memory, so there are no messages";
}
const char *too_large_for_one_piece(const Team &team, size_t bytes) {
    if (!team.window) {
        return no_window(team, bytes);
    }
    return bytes <= largest_message(*team.window)
               ? nullptr
               : "larger than the part of the payload ring that one message may take";
}
const char *no_hierarchy(const Team &team, size_t bytes) {
    // Low precision grows in the accumulator; one line for the preface.
    constexpr size_t accumulator_factor = largest_accumulator_growth;
    if (!team.window) {
        return no_window(team, bytes);
    }
    if (team.grouping.groups() < 2) {
        return "all ranks are in one group";
    }
    return (accumulator_factor + 1) * bytes + 3 * line_bytes <= slot_bytes ? nullptr : "larger than the leaders' slot";
}
// From here on, reading one chunk while the next is written saves more than the waits between chunks cost; in a crowd,
// where waits are turns on a processor, the caches set the limit: whoever runs ahead fills them. Of two ranks one often
// gives again and again, and is ahead of the other, who waits for no writing then: from 9 to 64 KiB rooted operations
// take 0.35 to 0.95 of the time in one piece on a Zen 3, and with roots in turn 0.8 at 12 KiB to 1.1 at 64 KiB.
enum class OfTwo : size_t { rooted = size_t{128} << 10, scan = size_t{256} << 10 };
template <OfTwo of_two> const char *too_large_to_wait(const Team &team, size_t bytes) {
    constexpr size_t worth_chunks = size_t{16} << 10, worth_chunks_in_crowd = size_t{64} << 10;
    const size_t at_ease = team.size == 2 ? static_cast<size_t>(of_two) : worth_chunks;
    return bytes < (is_crowded(team) ? worth_chunks_in_crowd : at_ease) ? too_large_for_one_piece(team, bytes)
                                                                        : "reading would wait for all of the writing";
}
// For operations in which a rank shows a block for every rank.
const char *too_large_for_blocks(const Team &team, size_t bytes) {
    const size_t ranks = static_cast<size_t>(team.size);
    return bytes > ~size_t{0} / ranks ? "larger than any memory" : too_large_for_one_piece(team, bytes * ranks);
}
const char *too_many_for_scans(const Team &team, size_t bytes) {
    if (!team.window) {
        return no_window(team, bytes);
    }
    return few_enough_for_scans(*team.window) ? nullptr : "a block of the payload ring has no room for all results";
}
const char *too_large_for_head(const Team &team, size_t bytes) {
    return bytes <= first_line_bytes ? no_window(team, bytes) : "larger than what a head's first line has room for";
}

// Why the bits that an algorithm gives are not those that the communicator promises.
const char *indeterminate(const Row &row, const Team &team) {
    const bool as_promised =
        row.order == Order::none || row.order == Order::team || row.order == Order::ranks || row.order == team.order;
    if (as_promised || team.determinism < Determinism::size) {
        return nullptr;
    }
    switch (row.order) {
    case Order::around:
        return "where it begins to add up depends on the number of elements, which the level of determinism forbids";
    case Order::groups:
        return "it adds up ranks that are near each other first, which the level of determinism forbids";
    default:
        return "it adds up in another order than algorithms for other sizes, which the level of determinism forbids";
    }
}

using Needs = Row::Needs;
using Serves = Row::Serves;
constexpr Row allreduce_rows[] = {
    {"one_shot", too_large_for_one_piece, cost_one_shot<reads_of_all>, one_shot, Needs::window, Order::team,
     Serves::users},
    {"hierarchical", no_hierarchy, cost_hierarchical, allreduce_hierarchical, Needs::window, Order::groups},
    {"streamed", no_window, cost_streamed<reads_of_all>, reduce_streamed, Needs::window, Order::team, Serves::users},
    {"two_shot", no_window, cost_two_shot, reduce_two_shot, Needs::window, Order::team, Serves::users},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, Order::team, Serves::users},
    {"doubling", no_transport, cost_doubling, allreduce_doubling, Needs::transport, Order::tree},
    {"ring", no_transport, cost_ring, allreduce_ring, Needs::transport, Order::around},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, Order::team, Serves::users},
};
constexpr Row reduce_rows[] = {
    {"one_shot", too_large_to_wait<OfTwo::rooted>, cost_one_shot<reads_of_root<short_alone>>, one_shot, Needs::window,
     Order::team, Serves::users},
    {"streamed", no_window, cost_streamed<reads_of_root<block_alone>>, reduce_streamed, Needs::window, Order::team,
     Serves::users},
    {"two_shot", no_window, cost_two_shot, reduce_two_shot, Needs::window, Order::team, Serves::users},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, Order::team, Serves::users},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, Order::team, Serves::users},
};
constexpr Row scan_rows[] = {
    {"one_shot", too_large_to_wait<OfTwo::scan>, cost_one_shot<reads_of_scan<short_alone>>, one_shot, Needs::window,
     Order::ranks, Serves::users},
    {"streamed", no_window, cost_streamed<reads_of_scan<block_alone>>, reduce_streamed, Needs::window, Order::ranks,
     Serves::users},
    {"two_shot", too_many_for_scans, cost_scan_two_shot, reduce_two_shot, Needs::window, Order::ranks},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, Order::ranks, Serves::users},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, Order::ranks, Serves::users},
};
constexpr Row reduce_scatter_rows[] = {
    {"one_shot", too_large_for_blocks, cost_scatter_one_shot, one_shot, Needs::window, Order::team, Serves::users},
    {"streamed", no_window, cost_scatter_streamed, reduce_streamed, Needs::window, Order::team, Serves::users},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, Order::team, Serves::users},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, Order::team, Serves::users},
};
constexpr Row reduce_scatterv_rows[] = {
    {"one_shot", too_large_for_one_piece, of_mean_part<cost_scatter_one_shot>, one_shot, Needs::window, Order::team,
     Serves::users},
    {"streamed", no_window, of_mean_part<cost_scatter_streamed>, reduce_streamed, Needs::window, Order::team,
     Serves::users},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, Order::team, Serves::users},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, Order::team, Serves::users},
};
constexpr Row scaled_rows[] = {
    {"scaled", no_window, cost_flat, reduce_scaled, Needs::window, Order::team, Serves::users},
    {"scaled", no_transport, cost_flat, reduce_scaled, Needs::transport, Order::team, Serves::users},
};
constexpr Row bcast_rows[] = {
    {"one_shot", too_large_to_wait<OfTwo::rooted>, cost_flat, one_shot, Needs::window, Order::none},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window, Order::none, Serves::parts},
    {"attached", not_attachable, cost_attached, exchange_attached, Needs::window, Order::none, Serves::parts},
    {"tree", no_transport, cost_tree, bcast_tree, Needs::transport, Order::none, Serves::parts},
};
constexpr Row barrier_rows[] = {
    {"flat", no_window, cost_flat, one_shot, Needs::window, Order::none},
    {"dissemination", no_transport, cost_tree, barrier_dissemination, Needs::transport, Order::none},
};
constexpr Row words_rows[] = {
    {"flat", too_large_for_head, cost_flat, one_shot, Needs::window, Order::none},
    {"exchange", no_transport, cost_ring, words_exchange, Needs::transport, Order::none},
};

constexpr Row allgather_rows[] = {
    {"one_shot", too_large_for_one_piece, cost_one_shot<reads_of_all>, one_shot, Needs::window, Order::none},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window, Order::none, Serves::parts},
    {"attached", not_attachable, cost_attached_gathered, exchange_attached, Needs::window, Order::none, Serves::parts},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport, Order::none, Serves::parts},
};
constexpr Row gather_rows[] = {
    {"one_shot", too_large_to_wait<OfTwo::rooted>, cost_one_shot<reads_of_all>, one_shot, Needs::window, Order::none},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window, Order::none, Serves::parts},
    {"attached", not_attachable, cost_attached, exchange_attached, Needs::window, Order::none, Serves::parts},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport, Order::none, Serves::parts},
};
constexpr Row alltoall_rows[] = {
    {"one_shot", too_large_for_blocks, cost_one_shot<reads_of_all>, one_shot, Needs::window, Order::none},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window, Order::none, Serves::parts},
    {"attached", not_attachable, cost_attached_all_to_all, exchange_attached, Needs::window, Order::none,
     Serves::parts},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport, Order::none, Serves::parts},
};
constexpr Row scatter_rows[] = {
    {"one_shot", too_large_for_blocks, cost_one_shot<reads_of_all>, one_shot, Needs::window, Order::none},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window, Order::none, Serves::parts},
    {"attached", not_attachable, cost_attached_scattered, exchange_attached, Needs::window, Order::none, Serves::parts},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport, Order::none, Serves::parts},
};
// Parts of any size and shape, and groups.
constexpr Row exchange_rows[] = {
    {"streams", no_window, cost_streams, exchange_streams, Needs::window, Order::none, Serves::parts},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport, Order::none, Serves::parts},
};

// Parts of which only the senders know how many there are.
constexpr Row dynamic_rows[] = {
    {"streams", no_window, cost_streams, dynamic_streams, Needs::window, Order::none, Serves::parts},
    {"messages", no_transport, cost_messages, dynamic_messages, Needs::transport, Order::none, Serves::parts},
};

// Several small reductions.
constexpr Row joined_rows[] = {
    {"one_shot", no_window, cost_flat, joined_shot, Needs::window, Order::team},
};

constexpr Row large_elements = {"gathered",    no_window,   cost_gathered, reduce_gathered,
                                Needs::window, Order::team, Serves::users};

// No algorithm, but steps of their own (user_message.h). Where no memory is shared all messages are to nobody.
constexpr Row message_rows[] = {
    {"post", no_window, cost_flat, nullptr, Needs::window, Order::none},
    {"nobody", no_transport, cost_flat, nullptr, Needs::transport, Order::none},
};

constexpr Row reshard_reduce_rows[] = {
    {"streams", no_window, cost_streams, reshard_reduce, Needs::window, Order::team},
    {"messages", no_transport, cost_messages, reshard_reduce_messages, Needs::transport, Order::team},
};

constexpr Row refused_rows[] = {
    {"refusal", no_window, cost_flat, refusal, Needs::window, Order::none},
    {"refusal", no_transport, cost_flat, refusal, Needs::transport, Order::none},
};

} // namespace

const char *Row::refusal(const Team &team, size_t bytes) const {
    const char *unfit = condition(team, bytes);
    return unfit ? unfit : indeterminate(*this, team);
}

namespace {
constexpr auto rows_by_kind = [] {
    std::array<std::span<const Row>, kinds> rows;
    const auto serve = [&](std::span<const Row> with, std::initializer_list<Kind> of) {
        for (const Kind kind : of) {
            rows[static_cast<size_t>(kind)] = with;
        }
    };
    serve(allreduce_rows, {Kind::allreduce});
    serve(reduce_rows, {Kind::reduce});
    serve(reduce_scatter_rows, {Kind::reduce_scatter});
    serve(reduce_scatterv_rows, {Kind::reduce_scatterv});
    serve(scan_rows, {Kind::scan, Kind::exscan});
    serve(bcast_rows, {Kind::bcast});
    serve(barrier_rows, {Kind::barrier});
    serve(words_rows, {Kind::words});
    serve(refused_rows, {Kind::refused});
    serve(allgather_rows, {Kind::allgather});
    serve(gather_rows, {Kind::gather});
    serve(alltoall_rows, {Kind::alltoall});
    serve(scatter_rows, {Kind::scatter});
    serve(exchange_rows,
          {Kind::allgatherv, Kind::alltoallv, Kind::gatherv, Kind::scatterv, Kind::group, Kind::reshard});
    serve(dynamic_rows, {Kind::allgather_dyn, Kind::alltoall_dyn});
    serve(joined_rows, {Kind::group_reduce});
    serve(reshard_reduce_rows, {Kind::reshard_reduce});
    serve(message_rows, {Kind::send, Kind::recv, Kind::sendrecv});
    return rows;
}();
} // namespace

std::span<const Row> algorithms(Kind kind) {
    return rows_by_kind[static_cast<size_t>(kind)];
}

const Row &parts_row(Row::Needs needs) {
    return exchange_rows[needs == Needs::window ? 0 : 1];
}
const Row &scaled_row(Row::Needs needs) {
    return scaled_rows[needs == Needs::window ? 0 : 1];
}
const Row &large_element_row() {
    return large_elements;
}

} // namespace xcoll
