#include "core/thread_group.h"

#include <utility>

#include "core/process.h"
#include "core/user_function.h"

namespace xcoll {

namespace {

// A thread's groups are its own by the rules of the ABI, and no argument of a call names them.
struct ThreadGroup {
    // Not its owner: where an end of the thread is to be noted, the system wants memory or aborts.
    Group *group = nullptr;
    int depth = 0;
};
thread_local ThreadGroup thread_group;

} // namespace

Group *group_of_thread() {
    look_outside_operators();
    return thread_group.group;
}

void open_group() {
    check_outside_operators();
    ThreadGroup &mine = thread_group;
    if (mine.depth == 0) {
        mine.group = new Group;
        process().thread_enters();
    }
    ++mine.depth;
}

std::unique_ptr<Group> close_group() {
    check_outside_operators();
    ThreadGroup &mine = thread_group;
    if (mine.depth == 0) {
        fail(XCOLL_ERR_STATE, "no group is open on this thread: expected xcoll_group_start before");
    }
    if (--mine.depth > 0) {
        return nullptr;
    }
    process().thread_leaves();
    return std::unique_ptr<Group>(std::exchange(mine.group, nullptr));
}

} // namespace xcoll
