// Which group is open on the calling thread.
#pragma once

#include <memory>

#include "core/group.h"
#include "core/process.h"

namespace xcoll {

// A thread's groups are its own by the rules of the ABI, and no argument of a call names them.
struct ThreadGroup {
    // Not its owner: where an end of the thread is to be noted, the system wants memory or aborts.
    Group *group = nullptr;
    int depth = 0;
};

// The group of the calling thread: nullptr outside of groups. Throws STATE in the function of an operator, whatever is
// open around it.
Group *group_of_thread();
inline Group *current_group() {
    return process().has_threads_inside() ? group_of_thread() : nullptr;
}
// They nest: only the outermost is one.
void open_group();
// The group, if this was the outermost; throws STATE if none is open.
std::unique_ptr<Group> close_group();

// While a function of the user's runs that the library calls: what it calls in turn is no part of the group that its
// thread has open, of which it may know nothing. A group that it leaves open itself is cancelled.
class OutsideGroup {
public:
    OutsideGroup();
    ~OutsideGroup();
    OutsideGroup(const OutsideGroup &) = delete;
    OutsideGroup &operator=(const OutsideGroup &) = delete;

private:
    ThreadGroup kept_;
};

} // namespace xcoll
