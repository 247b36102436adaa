#include "core/thread_group.h"

#include <utility>

#include "core/process.h"
#include "core/user_function.h"

namespace xcoll {

namespace {

thread_local ThreadGroup thread_group;

} // namespace

Group *group_of_thread() {
    fail_inside_operator();
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

OutsideGroup::OutsideGroup() : kept_(std::exchange(thread_group, {})) {
}

OutsideGroup::~OutsideGroup() {
    const std::unique_ptr<Group> left_open(std::exchange(thread_group, kept_).group);
    if (left_open) {
        process().thread_leaves();
        left_open->cancel({XCOLL_ERR_ABORTED, "the function that opened the group of this call has returned"});
    }
}

} // namespace xcoll
