#include "coll/select.h"

#include <string>

#include "base/error.h"
#include "coll/block_stream.h"
#include "coll/message_algorithms.h"
#include "coll/payload.h"
#include "coll/reshard.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

// The model's constants, in nanoseconds; rounded from measurements on two cores (bench/).
constexpr double round_near = 60;    // a head from a rank under the same L3
constexpr double round_far = 250;    // from another one
constexpr double byte_read = 0.03;   // of a payload in another core's cache
constexpr double byte_copied = 0.05; // written once and read once
constexpr double block_sync = 100;   // a wait that is mostly hidden
constexpr double message = 5000;     // between machines, over TCP
constexpr double byte_message = 0.4;

double ranks(const Team &team) {
    return team.size;
}
double far_round(const Team &team) {
    return team.grouping.groups() > 1 ? round_far : round_near;
}
double log2_up(const Team &team) {
    return std::bit_width(static_cast<unsigned>(team.size - 1));
}

// ---- refusals

const char *no_window(const Team &team, size_t) {
    return team.window ? nullptr : "not all ranks share memory";
}
const char *always(const Team &, size_t) {
    return nullptr;
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
const char *too_large_to_wait(const Team &team, size_t bytes) {
    // Above this, reading one chunk while the next is written saves more than the waits between chunks cost.
    constexpr size_t worth_chunks = size_t{16} << 10;
    return bytes <= worth_chunks ? too_large_for_one_piece(team, bytes) : "reading would wait for all of the writing";
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
    return bytes <= inline_bytes ? no_window(team, bytes) : "larger than a head's inline part";
}

// ---- costs

// Heads and payloads of several ranks are read side by side, some four at a time.
double many_heads(const Team &team) {
    return (ranks(team) - 1) / 4 * far_round(team);
}
double cost_one_shot(const Team &team, size_t bytes) {
    return far_round(team) + many_heads(team) +
           static_cast<double>(bytes) * (byte_copied + (ranks(team) - 1) * byte_read);
}
double cost_two_shot(const Team &team, size_t bytes) {
    return 2 * far_round(team) + many_heads(team) + 2 * block_sync +
           static_cast<double>(bytes) * (byte_copied + 2 * byte_read);
}
double cost_streamed(const Team &team, size_t bytes) {
    return far_round(team) + many_heads(team) + block_sync +
           static_cast<double>(bytes) * (byte_copied + (ranks(team) - 1) * byte_read);
}
// Chunks overlap writing and reading, at the price of some setting up.
double cost_streams(const Team &team, size_t bytes) {
    return far_round(team) + many_heads(team) + 2 * block_sync +
           static_cast<double>(bytes) * (byte_copied + (ranks(team) - 1) * byte_read) * 0.9;
}
// Of `bytes` for each rank.
double cost_scatter_one_shot(const Team &team, size_t bytes) {
    return far_round(team) + many_heads(team) + ranks(team) * static_cast<double>(bytes) * (byte_copied + byte_read);
}
double cost_scatter_streamed(const Team &team, size_t bytes) {
    return 2 * block_sync + 0.9 * cost_scatter_one_shot(team, bytes);
}
double cost_scatterv_one_shot(const Team &team, size_t bytes) {
    return far_round(team) + many_heads(team) + static_cast<double>(bytes) * (byte_copied + byte_read);
}
double cost_scatterv_streamed(const Team &team, size_t bytes) {
    return 2 * block_sync + 0.9 * cost_scatterv_one_shot(team, bytes);
}
// A message to every rank, and no help by others.
double cost_gathered(const Team &team, size_t bytes) {
    return 4 * far_round(team) + many_heads(team) +
           static_cast<double>(bytes) * ranks(team) * (2 * byte_copied + byte_read);
}
double cost_messages(const Team &team, size_t bytes) {
    return ranks(team) * (message + static_cast<double>(bytes) * byte_message);
}
double cost_hierarchical(const Team &team, size_t bytes) {
    const double per_group = ranks(team) / team.grouping.groups();
    return 3 * round_near + round_far +
           static_cast<double>(bytes) * (byte_copied + (per_group + team.grouping.groups()) * byte_read);
}
double cost_flat(const Team &team, size_t bytes) {
    return far_round(team) + static_cast<double>(bytes) * byte_copied;
}
double cost_ring(const Team &team, size_t bytes) {
    return 2 * (ranks(team) - 1) * message + 2 * static_cast<double>(bytes) * byte_message;
}
double cost_doubling(const Team &team, size_t bytes) {
    return log2_up(team) * (message + static_cast<double>(bytes) * byte_message);
}
double cost_tree(const Team &team, size_t bytes) {
    return log2_up(team) * (message + static_cast<double>(bytes) * byte_message);
}

using Needs = Row::Needs;
constexpr Row allreduce_rows[] = {
    {"one_shot", too_large_for_one_piece, cost_one_shot, one_shot, Needs::window, true},
    {"hierarchical", no_hierarchy, cost_hierarchical, allreduce_hierarchical, Needs::window},
    {"streamed", no_window, cost_streamed, reduce_streamed, Needs::window, true},
    {"two_shot", no_window, cost_two_shot, reduce_two_shot, Needs::window, true},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, true},
    {"doubling", no_transport, cost_doubling, allreduce_doubling, Needs::transport},
    {"ring", no_transport, cost_ring, allreduce_ring, Needs::transport},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, true},
};
constexpr Row reduce_rows[] = {
    {"one_shot", too_large_to_wait, cost_one_shot, one_shot, Needs::window, true},
    {"streamed", no_window, cost_streamed, reduce_streamed, Needs::window, true},
    {"two_shot", no_window, cost_two_shot, reduce_two_shot, Needs::window, true},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, true},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, true},
};
constexpr Row scan_rows[] = {
    {"one_shot", too_large_to_wait, cost_one_shot, one_shot, Needs::window, true},
    {"streamed", no_window, cost_streamed, reduce_streamed, Needs::window, true},
    {"two_shot", too_many_for_scans, cost_two_shot, reduce_two_shot, Needs::window},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, true},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, true},
};
constexpr Row reduce_scatter_rows[] = {
    {"one_shot", too_large_for_blocks, cost_scatter_one_shot, one_shot, Needs::window, true},
    {"streamed", no_window, cost_scatter_streamed, reduce_streamed, Needs::window, true},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, true},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, true},
};
constexpr Row reduce_scatterv_rows[] = {
    {"one_shot", too_large_for_one_piece, cost_scatterv_one_shot, one_shot, Needs::window, true},
    {"streamed", no_window, cost_scatterv_streamed, reduce_streamed, Needs::window, true},
    {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, true},
    {"messages", no_transport, cost_messages, reduce_messages, Needs::transport, true},
};
// Chosen by what the operator is, not by what it costs.
constexpr Row scaled_rows[] = {
    {"scaled", no_window, cost_flat, reduce_scaled, Needs::window, true},
    {"scaled", no_transport, cost_flat, reduce_scaled, Needs::transport, true},
};
constexpr Row large_element_row = {"gathered", no_window, cost_gathered, reduce_gathered, Needs::window, true};
constexpr Row bcast_rows[] = {
    {"one_shot", too_large_to_wait, cost_flat, one_shot, Needs::window},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window},
    {"tree", no_transport, cost_tree, bcast_tree, Needs::transport},
};
constexpr Row barrier_rows[] = {
    {"flat", no_window, cost_flat, one_shot, Needs::window},
    {"dissemination", no_transport, cost_tree, barrier_dissemination, Needs::transport},
};
constexpr Row words_rows[] = {
    {"flat", too_large_for_head, cost_flat, one_shot, Needs::window},
    {"exchange", no_transport, cost_ring, words_exchange, Needs::transport},
};

constexpr Row allgather_rows[] = {
    {"one_shot", too_large_for_one_piece, cost_one_shot, one_shot, Needs::window},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport},
};
constexpr Row alltoall_rows[] = {
    {"one_shot", too_large_for_blocks, cost_one_shot, one_shot, Needs::window},
    {"streams", no_window, cost_streams, exchange_streams, Needs::window},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport},
};
// Parts of any size and shape, and groups.
constexpr Row exchange_rows[] = {
    {"streams", no_window, cost_streams, exchange_streams, Needs::window},
    {"messages", no_transport, cost_messages, exchange_messages, Needs::transport},
};

constexpr Row message_rows[] = {
    {"post", no_window, cost_flat, user_message, Needs::window},
};

constexpr Row reshard_reduce_rows[] = {
    {"exchange", no_window, cost_streams, reshard_reduce, Needs::window},
    {"messages", no_transport, cost_messages, reshard_reduce, Needs::transport},
};

constexpr Row refused_rows[] = {
    {"refusal", always, cost_flat, refusal, Needs::window},
};

std::string named(Kind kind, const Settings &settings) {
    switch (kind) {
    case Kind::allreduce:
        return settings.allreduce;
    case Kind::bcast:
        return settings.bcast;
    case Kind::barrier:
        return settings.barrier;
    default:
        return "";
    }
}

const Row *find(Kind kind, const std::string &name) {
    std::string known;
    for (const Row &row : algorithms(kind)) {
        if (name == row.name) {
            return &row;
        }
        known += std::string(known.empty() ? "" : ", ") + row.name;
    }
    fail(XCOLL_ERR_CONFIG, "\"%s\" is not an algorithm of %s: expected one of %s", name.c_str(), name_of(kind),
         known.c_str());
}

} // namespace

const Row *cheapest(Kind kind, const Team &team, size_t bytes, bool user) {
    const Row *best = nullptr;
    for (const Row &row : algorithms(kind)) {
        // Messages inside a machine are for whoever asks for them by name.
        const bool detour = row.needs == Needs::transport && team.window;
        const bool serves = !detour && (!user || row.serves_users) && !row.refusal(team, bytes);
        if (serves && (!best || row.cost(team, bytes) < best->cost(team, bytes))) {
            best = &row;
        }
    }
    return best;
}

std::span<const Row> algorithms(Kind kind) {
    switch (kind) {
    case Kind::allreduce:
        return allreduce_rows;
    case Kind::reduce:
        return reduce_rows;
    case Kind::reduce_scatter:
        return reduce_scatter_rows;
    case Kind::reduce_scatterv:
        return reduce_scatterv_rows;
    case Kind::scan:
    case Kind::exscan:
        return scan_rows;
    case Kind::bcast:
        return bcast_rows;
    case Kind::barrier:
        return barrier_rows;
    case Kind::words:
        return words_rows;
    case Kind::refused:
        return refused_rows;
    case Kind::allgather:
    case Kind::gather:
        return allgather_rows;
    case Kind::alltoall:
    case Kind::scatter:
        return alltoall_rows;
    case Kind::allgatherv:
    case Kind::alltoallv:
    case Kind::gatherv:
    case Kind::scatterv:
    case Kind::group:
    case Kind::reshard:
        return exchange_rows;
    case Kind::reshard_reduce:
        return reshard_reduce_rows;
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
        return message_rows;
    default:
        break;
    }
    return {};
}

Choices::Choices(const Team &team, const Settings &settings) : team_(team) {
    for (int k = 1; k < kinds; ++k) {
        const auto kind = static_cast<Kind>(k);
        const std::string name = named(kind, settings);
        const Row *wanted = name.empty() ? nullptr : find(kind, name);
        for (size_t c = 0; c < classes; ++c) {
            const size_t bytes = c < classes - 1 ? size_t{1} << c : ~size_t{0};
            const bool serves = wanted && !wanted->refusal(team, bytes);
            rows_[k][c] = serves ? wanted : cheapest(kind, team, bytes);
        }
    }
}

// A call of a user's function costs more than this look.
const Row &Choices::user_row(const Op &op) const {
    if (op.user->is_premultiplied()) {
        return scaled_rows[team_.window ? 0 : 1];
    }
    if (team_.window && element_bytes(op) > BlockStream::slot_block_bytes) {
        return large_element_row;
    }
    return *cheapest(op.kind, team_, op.bytes(), true);
}

bool wants_transport(const Settings &settings) {
    for (const Kind kind : {Kind::allreduce, Kind::bcast, Kind::barrier}) {
        const std::string name = named(kind, settings);
        if (!name.empty() && find(kind, name)->needs == Needs::transport) {
            return true;
        }
    }
    return false;
}

} // namespace xcoll
