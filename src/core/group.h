// Calls that are planned together: nothing runs before the group ends, then all of it is under way at once.
//
// The calls of one communicator that only move data become one Exchange, whatever their number: one head, one stream,
// so 64 small all-gathers cost little more than one. Everything else is an operation of its own. All ranks plan alike,
// from the kinds of the calls alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/plan.h"
#include "core/process.h"

namespace xcoll {

class Group {
public:
    // A call of the group, or the failure that kept it from being one: the group will not run then. `request`: the plan
    // of a call that gets a request of its own.
    void add(Comm &comm, Call call, const std::optional<Failure> &failure, Plan *request);
    void then() {
        ++stage_;
    }
    // Everything as one plan. Throws the first failure of the group, the peers being told.
    std::unique_ptr<Plan> plan();
    // Those calls that have requests of their own will not happen.
    void cancel(const Failure &why);
    bool has_requests() const;

private:
    struct Entry {
        Comm *comm;
        Call call;
        Plan *request;
        size_t stage;
    };
    std::unique_ptr<Plan> make_plan();
    void add_operations(Operations &operations, size_t stage, const Operations &before);

    std::vector<Entry> entries_;
    std::vector<Plan::Part> places_; // of each entry
    std::optional<Failure> failure_;
    size_t stage_ = 0;
};

// The group of the calling thread: nullptr outside of groups.
Group *current_group();
// They nest: only the outermost is one.
void open_group();
// The group, if this was the outermost; throws STATE if none is open.
std::unique_ptr<Group> close_group();
inline bool any_group_open() {
    return process().has_groups() && current_group();
}

} // namespace xcoll
