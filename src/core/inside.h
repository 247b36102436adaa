// What the calling thread is inside of that changes what its calls mean: a group that it has open, the function of an
// operator, or one that is told of the end of a request. No argument of a call names these, so they hang on the thread.
#pragma once

#include <cstddef>

#include "core/process.h"

namespace xcoll {

class Comm;
class Group;
class Observer;

struct Inside {
    // Not its owner: where an end of the thread is to be noted, the system wants memory or aborts.
    Group *group = nullptr;
    int group_depth = 0;
    // Where that group lies, as most programs have many short ones, one after the other (core/thread_group.cpp).
    static constexpr size_t group_bytes = 160;
    alignas(std::max_align_t) std::byte group_room[group_bytes] = {};
    bool is_group_room_taken = false;
    // Functions of users' operators: more than one if an operator reduces with another one.
    int operators = 0;
    const Observer *telling = nullptr;
};

// Of the calling thread.
Inside &inside_of_thread();

[[noreturn]] void fail_inside_operator();
void check_outside(const Observer &telling, const Comm &comm);

// Throw STATE where the thread may not do this: start or wait for anything, as it runs the function of an operator, or
// use the communicator, as it is told of a request on it.
inline void check_outside_operators(const Inside &mine) {
    if (mine.operators > 0) [[unlikely]] {
        fail_inside_operator();
    }
}
inline void check_outside_callback(const Inside &mine, const Comm &comm) {
    if (mine.telling) [[unlikely]] {
        check_outside(*mine.telling, comm);
    }
}

// The same, for whoever asks nothing else. Most threads are inside of nothing, and most calls find that out here.
inline void check_outside_operators() {
    if (process().has_threads_inside()) [[unlikely]] {
        check_outside_operators(inside_of_thread());
    }
}
inline void check_outside_callback(const Comm &comm) {
    if (process().has_threads_inside()) [[unlikely]] {
        check_outside_callback(inside_of_thread(), comm);
    }
}

} // namespace xcoll
