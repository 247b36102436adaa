#include "core/thread_group.h"

#include <utility>

namespace xcoll {

void open_group() {
    Inside &mine = inside_of_thread();
    check_outside_operators(mine);
    if (mine.group_depth == 0) {
        mine.group = new Group;
        process().thread_enters();
    }
    ++mine.group_depth;
}

std::unique_ptr<Group> close_group() {
    Inside &mine = inside_of_thread();
    check_outside_operators(mine);
    if (mine.group_depth == 0) {
        fail(XCOLL_ERR_STATE, "no group is open on this thread: expected xcoll_group_start before");
    }
    if (--mine.group_depth > 0) {
        return nullptr;
    }
    process().thread_leaves();
    return std::unique_ptr<Group>(std::exchange(mine.group, nullptr));
}

OutsideGroup::OutsideGroup()
    : kept_(std::exchange(inside_of_thread().group, nullptr)),
      kept_depth_(std::exchange(inside_of_thread().group_depth, 0)) {
}

OutsideGroup::~OutsideGroup() {
    Inside &mine = inside_of_thread();
    const std::unique_ptr<Group> left_open(std::exchange(mine.group, kept_));
    mine.group_depth = kept_depth_;
    if (left_open) {
        process().thread_leaves();
        left_open->cancel({XCOLL_ERR_ABORTED, "the function that opened the group of this call has returned"});
    }
}

} // namespace xcoll
