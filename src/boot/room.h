// A process may have few descriptors, and connections of several kinds: each kind gets a share of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sys/resource.h>

namespace xcoll {

inline rlim_t open_files_limit() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

// One of so many shares, at most `usual`.
inline size_t room_for_connections(rlim_t shares, rlim_t usual) {
    return static_cast<size_t>(std::clamp<rlim_t>(open_files_limit() / shares, 1, usual));
}

} // namespace xcoll
