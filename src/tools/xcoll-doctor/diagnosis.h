// From what the ranks of a job show: what each does, and who keeps whom waiting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/xcoll-doctor/witness.h"

namespace xcoll::doctor {

struct RankState {
    enum class Is {
        outside, // in no operation of this communicator
        inside,  // in one, or one is in flight, and nobody has waited for it for long
        waiting,
        failed, // the communicator is in a fatal error here
        unseen, // no process shows it
    } is = Is::unseen;
    pid_t pid = 0;         // 0: unknown
    char process = 0;      // state in /proc
    uint64_t last = 0;     // the newest operation that it has entered
    uint64_t oldest = 0;   // the oldest one that it has not finished; 0: there is none
    std::string operation; // "17", "send" or ""
    std::string call;      // what that is, or was last
    std::string algorithm; // of what it waits in
    double seconds = 0;    // so long it has waited
    int awaited = -1;      // for a rank, if that is known
    std::string reason;    // why it failed, or why it is not seen

    bool is_stopped() const {
        return process == 'T' || process == 't';
    }
};
inline constexpr const char *state_names_of_ranks[] = {"outside", "inside", "waits", "failed", "unseen"};

struct CommunicatorState {
    std::string label; // "communicator 1", with the user's name if it has one
    int64_t created;
    std::vector<RankState> ranks; // by rank
    std::vector<std::string> findings;
};

// Those of users, and one of the library's own if something is wrong with it; in the order in which they were made.
std::vector<CommunicatorState> diagnose(const std::vector<Witness> &witnesses);

} // namespace xcoll::doctor
