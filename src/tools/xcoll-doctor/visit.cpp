#include "tools/xcoll-doctor/visit.h"

#include <algorithm>
#include <cstdio>

#include "base/quoted.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/diagnosis.h"

namespace xcoll::doctor {

using tools::format;
using tools::padded;

namespace {

const char *name_of(RankState::Is state) {
    return state_names_of_ranks[static_cast<size_t>(state)];
}

// Where "operation 17" is the last one that it was in.
std::string what_of(const RankState &rank) {
    if (rank.is == RankState::Is::unseen) {
        return rank.reason;
    }
    if (rank.is == RankState::Is::outside) {
        return rank.call.empty() ? "it has called nothing yet" : rank.call + " was its last";
    }
    return rank.algorithm.empty() ? rank.call : rank.call + ", " + rank.algorithm;
}

void print_row(const std::string &rank, const std::string &process, const std::string &state,
               const std::string &operation, const std::string &time, const std::string &what) {
    constexpr size_t number_width = 7, process_width = 10, state_width = 10, operation_width = 11, time_width = 10;
    std::printf("  %s%s%s%s%s%s\n", padded(rank, number_width).c_str(), padded(process, process_width).c_str(),
                padded(state, state_width).c_str(), padded(operation, operation_width).c_str(),
                padded(time, time_width).c_str(), what.c_str());
}

void print_table(const CommunicatorState &comm) {
    std::printf("%s of %s\n", comm.label.c_str(),
                tools::counted(static_cast<long>(comm.ranks.size()), "rank", "ranks").c_str());
    print_row("rank", "process", "state", "operation", "for", "call");
    for (size_t r = 0; r < comm.ranks.size(); ++r) {
        const RankState &rank = comm.ranks[r];
        const bool waits = rank.is == RankState::Is::waiting;
        print_row(std::to_string(r), rank.pid ? std::to_string(rank.pid) : "-", name_of(rank.is),
                  rank.operation.empty() ? "-" : rank.operation, waits ? format("%.1f s", rank.seconds) : "-",
                  what_of(rank));
    }
    for (const std::string &finding : comm.findings) {
        std::printf("%s.\n", finding.c_str());
    }
    std::printf("\n");
}

std::string json_of(size_t number, const RankState &rank) {
    return format(
        "{\"rank\": %zu, \"process\": %d, \"stopped\": %s, \"state\": \"%s\", \"operation\": %s, \"call\": %s, "
        "\"algorithm\": %s, \"seconds\": %.3f, \"awaited\": %d, \"reason\": %s}",
        number, rank.pid, rank.is_stopped() ? "true" : "false", name_of(rank.is), quoted(rank.operation).c_str(),
        quoted(rank.call).c_str(), quoted(rank.algorithm).c_str(), rank.seconds, rank.awaited,
        quoted(rank.reason).c_str());
}

std::string json_list(const std::vector<std::string> &texts) {
    std::string list;
    for (const std::string &text : texts) {
        tools::add_item(list, ", ", quoted(text));
    }
    return '[' + list + ']';
}

void print_json(const std::vector<CommunicatorState> &comms, const std::vector<std::string> &silences) {
    std::string all;
    for (const CommunicatorState &comm : comms) {
        std::string ranks;
        for (size_t r = 0; r < comm.ranks.size(); ++r) {
            tools::add_item(ranks, ",\n  ", json_of(r, comm.ranks[r]));
        }
        tools::add_item(all, ",\n ",
                        format("{\"communicator\": %s, \"ranks\": [\n  %s],\n  \"findings\": %s}",
                               quoted(comm.label).c_str(), ranks.c_str(), json_list(comm.findings).c_str()));
    }
    std::printf("{\"communicators\": [\n %s],\n \"not_seen\": %s}\n", all.c_str(), json_list(silences).c_str());
}

} // namespace

int visit(pid_t pid, bool json) {
    const Testimony testimony = hear(pid);
    const std::vector<CommunicatorState> comms = diagnose(testimony.witnesses);
    const bool is_well = testimony.silences.empty() && std::all_of(comms.begin(), comms.end(), [](const auto &comm) {
                             return comm.findings.empty();
                         });
    if (json) {
        print_json(comms, testimony.silences);
        return is_well ? 0 : 1;
    }
    for (const CommunicatorState &comm : comms) {
        print_table(comm);
    }
    for (const std::string &silence : testimony.silences) {
        std::printf("%s.\n", silence.c_str());
    }
    if (is_well) {
        std::printf("No rank has waited for a second.\n");
    }
    return is_well ? 0 : 1;
}

} // namespace xcoll::doctor
