#include "tools/xcoll-doctor/diagnosis.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "base/clock.h"
#include "tools/shared/printable.h"
#include "tools/shared/processes.h"
#include "tools/shared/text.h"
#include "xcoll.h"

namespace xcoll::doctor {

using tools::format;
using tools::printable;
using Is = RankState::Is;

namespace {

// Ranks that come so late are a finding; less is everyday life.
constexpr double worth_telling_s = 1;

double seconds_since(int64_t then_ns) {
    return static_cast<double>(now_ns() - then_ns) / second;
}

// One rank of a communicator, and the process that shows it.
struct Seen {
    const Witness *witness;
    const flight::Record *record;
};
using Members = std::vector<Seen>;

// ------------------------------------------------------------------------------------------------ one rank

using Entries = std::span<const flight::Entry>;

// nullptr if all that have begun have ended.
const flight::Entry *oldest_begun(Entries entries) {
    const flight::Entry *oldest = nullptr;
    for (const flight::Entry &entry : entries) {
        if (flight::is_begun(entry.stamp) && (!oldest || entry.stamp < oldest->stamp)) {
            oldest = &entry;
        }
    }
    return oldest;
}

const flight::Entry &newest(Entries entries) {
    return *std::max_element(entries.begin(), entries.end(),
                             [](const auto &a, const auto &b) { return a.stamp < b.stamp; });
}

Kind kind_of(const Fingerprint &call) {
    return FingerprintParts::of(call).kind;
}

// The root of a message is its peer, its count the bytes.
std::string describe_message(const Fingerprint &call) {
    const int32_t peer = FingerprintParts::of(call).place;
    const std::string whom = peer == XCOLL_ANY_SOURCE ? "any rank" : format("rank %d", peer);
    return format("%s %s %s, %llu bytes", name_of(kind_of(call)), kind_of(call) == Kind::recv ? "from" : "to",
                  whom.c_str(), static_cast<unsigned long long>(call.count));
}

// What was told of a wait is about the oldest operation of that time, or the oldest message if there was none.
bool is_waiting(const flight::Wait &wait, const flight::Entry *operation, const flight::Entry *message) {
    return wait.stamp != 0 && (operation ? wait.words[flight::wait_operation] == operation->stamp
                                         : message && wait.words[flight::wait_message] == message->stamp);
}

RankState state_of(const Seen &seen) {
    const flight::Record &record = *seen.record;
    RankState state;
    state.pid = seen.witness->pid;
    state.process = seen.witness->state;
    const flight::Entry &last = newest(record.entries);
    const flight::Entry *operation = oldest_begun(record.entries);
    const flight::Entry *message = oldest_begun(record.messages);
    state.last = flight::number_of(last.stamp);
    state.oldest = operation ? flight::number_of(operation->stamp) : 0;
    const flight::Entry &shown = operation ? *operation : last;
    if (!operation && message) {
        state.operation = name_of(kind_of(flight::call_of(*message)));
        state.call = describe_message(flight::call_of(*message));
    } else if (shown.stamp != 0) {
        state.operation = std::to_string(flight::number_of(shown.stamp));
        state.call = describe(flight::call_of(shown));
    }
    state.is = operation || message ? Is::inside : Is::outside;
    if (record.trouble != 0) {
        state.is = Is::failed;
        state.reason = format("%s: %s", xcoll_error_name(static_cast<xcoll_result_t>(record.trouble)),
                              printable(record.reason.text()).c_str());
    } else if (is_waiting(record.wait, operation, message)) {
        const auto &words = record.wait.words;
        const flight::AlgorithmText algorithm{{words[flight::wait_algorithm], words[flight::wait_algorithm + 1]}};
        state.is = Is::waiting;
        state.seconds = seconds_since(static_cast<int64_t>(words[flight::wait_since]));
        state.awaited = static_cast<int>(words[flight::wait_awaited]);
        state.algorithm = operation ? printable(algorithm.text()) : "";
    }
    return state;
}

// Why nobody shows a rank, from what its peers know of its process.
RankState unseen(size_t rank, const flight::Record &peer, const std::vector<Witness> &witnesses) {
    RankState state;
    if (rank >= flight::most_pids) {
        state.reason = "no process shows it";
        return state;
    }
    const auto own = static_cast<pid_t>(peer.pids[rank]);
    const auto there = std::find_if(witnesses.begin(), witnesses.end(),
                                    [&](const Witness &witness) { return witness.own_pid == own; });
    if (own == 0) {
        state.reason = "is on another machine";
        return state;
    }
    const auto process = tools::read_process(there != witnesses.end() ? there->pid : own);
    state.pid = process ? process->pid : own;
    state.process = process ? process->state : '\0';
    if (there != witnesses.end()) {
        state.reason = "has freed this communicator";
    } else if (process && process->state != 'Z') {
        state.reason = "cannot be looked into, or has freed all its communicators";
    } else {
        state.reason = "has ended";
    }
    return state;
}

// ------------------------------------------------------------------------------------------------ sentences

std::string list_of_ranks(const std::vector<int> &ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    // Of a thousand ranks that wait the first tell as much.
    constexpr size_t most = 8;
    for (size_t i = 0; i < ranks.size() && i < most; ++i) {
        text += format("%s%d", i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
    }
    return ranks.size() > most ? text + format(" and %zu more", ranks.size() - most) : text;
}

std::vector<int> ranks_that(const CommunicatorState &comm, const std::function<bool(const RankState &)> &are) {
    std::vector<int> ranks;
    for (size_t r = 0; r < comm.ranks.size(); ++r) {
        if (are(comm.ranks[r])) {
            ranks.push_back(static_cast<int>(r));
        }
    }
    return ranks;
}

bool is_in_message(const RankState &rank) {
    return rank.is == Is::waiting && rank.oldest == 0;
}

// Records name their process, not their thread: where ranks are threads, those of two communicators cannot be told to
// be one.
bool has_several_ranks(pid_t pid, const std::vector<CommunicatorState> &all) {
    return std::any_of(all.begin(), all.end(), [&](const CommunicatorState &comm) {
        return ranks_that(comm, [&](const RankState &rank) { return rank.pid == pid; }).size() > 1;
    });
}

// Where a process waits, but for what it does in one communicator; "" if nowhere.
std::string wait_elsewhere(pid_t pid, const CommunicatorState &here, const std::vector<CommunicatorState> &all) {
    for (const CommunicatorState &other : all) {
        for (size_t p = 0; p < other.ranks.size(); ++p) {
            const RankState &there = other.ranks[p];
            if (&other != &here && there.pid == pid && there.is == Is::waiting) {
                return format("%s, as rank %zu in operation %s, %s", other.label.c_str(), p, there.operation.c_str(),
                              there.call.c_str());
            }
        }
    }
    return "";
}

// What a rank does that others wait for, and that is neither stopped nor in a message of this communicator.
std::string occupation(int r, const CommunicatorState &here, const std::vector<CommunicatorState> &all) {
    const pid_t pid = here.ranks[static_cast<size_t>(r)].pid;
    const std::string who = format("rank %d (process %d)", r, pid), elsewhere = wait_elsewhere(pid, here, all);
    if (elsewhere.empty()) {
        return who + " is in the program's own code";
    }
    if (has_several_ranks(pid, all)) {
        return who + " is in the program's own code or in another communicator: it shares its process with other ranks";
    }
    return who + " waits in " + elsewhere;
}

// The first operation that somebody has not finished, and who is missing there.
void find_missing(CommunicatorState &comm, const std::vector<CommunicatorState> &all) {
    const auto in_operation = [](const RankState &rank) { return rank.oldest > 0; };
    const std::vector<int> inside = ranks_that(comm, in_operation);
    if (inside.empty()) {
        return;
    }
    const auto at = [&](int r) -> const RankState & { return comm.ranks[static_cast<size_t>(r)]; };
    const int first =
        *std::min_element(inside.begin(), inside.end(), [&](int a, int b) { return at(a).oldest < at(b).oldest; });
    const uint64_t n = at(first).oldest;
    const std::vector<int> waiting =
        ranks_that(comm, [&](const RankState &rank) { return rank.is == Is::waiting && rank.oldest > 0; });
    double longest = 0;
    for (const int r : waiting) {
        longest = std::max(longest, at(r).seconds);
    }
    if (longest < worth_telling_s) {
        return;
    }
    const std::string operation =
        format("operation %llu, %s", static_cast<unsigned long long>(n), at(first).call.c_str());
    const std::string who_waits = format("%s %s for %.0f s", list_of_ranks(waiting).c_str(),
                                         waiting.size() == 1 ? "has waited" : "have waited", longest);
    const std::vector<int> missing =
        ranks_that(comm, [&](const RankState &rank) { return rank.is != Is::unseen && rank.last < n; });
    if (!missing.empty()) {
        comm.findings.push_back(format("%s %s not entered %s; %s", list_of_ranks(missing).c_str(),
                                       missing.size() == 1 ? "has" : "have", operation.c_str(), who_waits.c_str()));
        for (const int r : missing) {
            if (!at(r).is_stopped() && !is_in_message(at(r))) { // find_losses() and find_messages() tell
                comm.findings.push_back(occupation(r, comm, all));
            }
        }
        return;
    }
    comm.findings.push_back(
        format("all ranks that are seen have entered %s; %s", operation.c_str(), who_waits.c_str()));
    for (const int r : waiting) {
        const int awaited = at(r).awaited;
        if (awaited >= 0 && awaited < static_cast<int>(comm.ranks.size()) && at(awaited).is != Is::waiting) {
            comm.findings.push_back(format("rank %d waits for rank %d", r, awaited));
        }
    }
}

void find_messages(CommunicatorState &comm) {
    for (size_t r = 0; r < comm.ranks.size(); ++r) {
        const RankState &rank = comm.ranks[r];
        if (is_in_message(rank) && rank.seconds >= worth_telling_s) {
            comm.findings.push_back(format("rank %zu (process %d) has waited for %.0f s in %s", r, rank.pid,
                                           rank.seconds, rank.call.c_str()));
        }
    }
}

void find_losses(CommunicatorState &comm) {
    for (size_t r = 0; r < comm.ranks.size(); ++r) {
        const RankState &rank = comm.ranks[r];
        if (rank.is == Is::failed) {
            comm.findings.push_back(format("on rank %zu it has failed: %s", r, rank.reason.c_str()));
        } else if (rank.is == Is::unseen && rank.pid != 0) {
            comm.findings.push_back(format("rank %zu (process %d) %s", r, rank.pid, rank.reason.c_str()));
        } else if (rank.is_stopped()) {
            comm.findings.push_back(format("rank %zu (process %d) is stopped, by SIGSTOP or a debugger", r, rank.pid));
        }
    }
}

CommunicatorState assemble(const Members &members, const std::vector<Witness> &witnesses) {
    CommunicatorState comm;
    const flight::Record &any = *members.front().record;
    comm.label = printable(any.name.text());
    comm.created = any.created;
    comm.ranks.resize(static_cast<size_t>(any.size));
    std::vector<bool> is_seen(comm.ranks.size());
    for (const Seen &seen : members) {
        const auto r = static_cast<size_t>(seen.record->rank);
        if (r < comm.ranks.size()) {
            comm.ranks[r] = state_of(seen);
            is_seen[r] = true;
            comm.created = std::min(comm.created, seen.record->created);
        }
    }
    for (size_t r = 0; r < comm.ranks.size(); ++r) {
        if (!is_seen[r]) {
            comm.ranks[r] = unseen(r, any, witnesses);
        }
    }
    return comm;
}

bool is_worth_showing(const Members &members) {
    return std::any_of(members.begin(), members.end(), [](const Seen &seen) {
        return seen.record->internal == 0 || seen.record->trouble != 0 || seen.record->wait.stamp != 0;
    });
}

} // namespace

std::vector<CommunicatorState> diagnose(const std::vector<Witness> &witnesses) {
    std::map<uint64_t, Members> by_id;
    for (const Witness &witness : witnesses) {
        for (const flight::Record &record : witness.records) {
            by_id[record.id].push_back({&witness, &record});
        }
    }
    std::vector<CommunicatorState> comms;
    for (const auto &[id, members] : by_id) {
        if (is_worth_showing(members)) {
            comms.push_back(assemble(members, witnesses));
        }
    }
    std::sort(comms.begin(), comms.end(), [](const auto &a, const auto &b) { return a.created < b.created; });
    for (size_t i = 0; i < comms.size(); ++i) {
        const std::string name = comms[i].label;
        comms[i].label = format("communicator %zu%s", i + 1, name.empty() ? "" : (" \"" + name + '"').c_str());
    }
    for (CommunicatorState &comm : comms) {
        find_losses(comm);
        find_missing(comm, comms);
        find_messages(comm);
    }
    return comms;
}

} // namespace xcoll::doctor
