// Which group is open on the calling thread: a thread's groups are its own by the rules of the ABI.
#pragma once

#include <memory>

#include "core/group.h"
#include "core/inside.h"

namespace xcoll {

// A group may lie where its thread is (core/inside.h).
struct GroupEnd {
    void operator()(Group *group) const;
};
using OwnGroup = std::unique_ptr<Group, GroupEnd>;

// nullptr outside of groups. Throws STATE in the function of an operator, whatever is open around it.
inline Group *current_group() {
    if (!process().has_threads_inside()) [[likely]] {
        return nullptr;
    }
    const Inside &mine = inside_of_thread();
    check_outside_operators(mine);
    return mine.group;
}
// They nest: only the outermost is one.
void open_group();
// The group, if this was the outermost; throws STATE if none is open.
OwnGroup close_group();

// While a function of the user's runs that the library calls: what it calls in turn is no part of the group that its
// thread has open, of which it may know nothing. A group that it leaves open itself is cancelled.
class OutsideGroup {
public:
    OutsideGroup();
    ~OutsideGroup();
    OutsideGroup(const OutsideGroup &) = delete;
    OutsideGroup &operator=(const OutsideGroup &) = delete;

private:
    Group *const kept_;
    const int kept_depth_;
};

} // namespace xcoll
