#include "core/thread_group.h"

#include <new>
#include <utility>

namespace xcoll {

namespace {

// The second one at a time, as of a function of the user's that the first one calls, needs the heap.
Group *new_group(Inside &mine) {
    static_assert(sizeof(Group) <= Inside::group_bytes && alignof(Group) <= alignof(std::max_align_t));
    if (mine.is_group_room_taken) {
        return new Group;
    }
    mine.is_group_room_taken = true;
    return new (mine.group_room) Group;
}

} // namespace

void GroupEnd::operator()(Group *group) const {
    Inside &mine = inside_of_thread();
    if (static_cast<void *>(group) != mine.group_room) {
        delete group;
        return;
    }
    group->~Group();
    mine.is_group_room_taken = false;
}

void open_group() {
    Inside &mine = inside_of_thread();
    check_outside_operators(mine);
    if (mine.group_depth == 0) {
        mine.group = new_group(mine);
        process().thread_enters();
    }
    ++mine.group_depth;
}

OwnGroup close_group() {
    Inside &mine = inside_of_thread();
    check_outside_operators(mine);
    if (mine.group_depth == 0) {
        fail(XCOLL_ERR_STATE, "no group is open on this thread: expected xcoll_group_start before");
    }
    if (--mine.group_depth > 0) {
        return nullptr;
    }
    process().thread_leaves();
    return OwnGroup(std::exchange(mine.group, nullptr));
}

OutsideGroup::OutsideGroup()
    : kept_(std::exchange(inside_of_thread().group, nullptr)),
      kept_depth_(std::exchange(inside_of_thread().group_depth, 0)) {
}

OutsideGroup::~OutsideGroup() {
    Inside &mine = inside_of_thread();
    const OwnGroup left_open(std::exchange(mine.group, kept_));
    mine.group_depth = kept_depth_;
    if (left_open) {
        process().thread_leaves();
        left_open->cancel({XCOLL_ERR_ABORTED, "the function that opened the group of this call has returned"});
    }
}

} // namespace xcoll
