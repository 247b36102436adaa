// Which group is open on the calling thread.
#pragma once

#include <memory>

#include "core/group.h"
#include "core/process.h"

namespace xcoll {

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

} // namespace xcoll
