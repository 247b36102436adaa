// What the programs of this folder say of what they find, and end with.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "xcoll.h"

inline int rank_;

inline void demand(bool condition, const std::string &what) {
    if (!condition) {
        std::fprintf(stderr, "rank %d: %s; last error: %s\n", rank_, what.c_str(), xcoll_last_error());
        std::exit(1);
    }
}
inline void succeed(xcoll_result_t result, const std::string &what) {
    demand(result == XCOLL_SUCCESS, what + " returned " + xcoll_error_name(result));
}
