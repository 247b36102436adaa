// Calls that are planned together: nothing runs before the group ends, then all of it is under way at once. But where
// nobody asks for a part of it, the ranks share memory and there is one communicator, its operations run one after the
// other, as blocking calls: there is nothing to hide. Four allreduces of 8 bytes took 0.93 us like that on two cores of
// a Xeon, and 1.46 as requests that are under way at once.
//
// The calls of one communicator that only move data become one Exchange, whatever their number: one head, one stream,
// so 64 small all-gathers cost little more than one. Small reductions are joined in one shot (coll/joined_shot.h).
// Everything else is an operation of its own. All ranks plan alike, from the calls without their buffers. Those whose
// calls do not match may plan different numbers of operations, and get in step again (base/stance.h).
//
// A stage begins when the one before it is complete on this rank, not chunk by chunk behind it: where all share memory
// there is nothing to hide. On two cores of a Xeon a reduce-scatter of 1.5 MiB and the all-gather of its results take
// 205 us, and 226 if both are under way at once and the second waits for nothing.
//
// Most groups on a communicator are like one of the last (core/group_habit.h). As long as a group goes on like that,
// only its buffers are looked at; from the first call that differs on it is recorded, with all that came before.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/group_habit.h"
#include "core/plan.h"

namespace xcoll {

class Group {
public:
    Group() = default;
    Group(const Group &) = delete;
    Group &operator=(const Group &) = delete;
    ~Group() {
        if (habit_) {
            comm_->group_habit().put(std::move(habit_));
        }
    }
    // The next call, if a known group goes on with it; describe(part, comm) looks at its buffers. False if none does,
    // or they are refused: then it is to be described as any other, and added.
    template <class Describe> bool follow(Comm &comm, Kind kind, const Arguments &arguments, Describe describe) {
        KnownPart *const part = follows_ ? next_known(comm, kind, arguments) : nullptr;
        if (!part) {
            return false;
        }
        const void *const send = part->op.send;
        void *const recv = part->op.recv;
        try {
            describe(*part, comm);
        } catch (const Failure &) {
            part->op.send = send; // it is as it was, or the next call would seem to have the buffers of this one
            part->op.recv = recv;
            return false;
        }
        habit_->go_on(part->op.send != send || part->op.recv != recv);
        return true;
    }
    // Any other call, to be described where it is until the next one. `arguments`: if they tell all about the call but
    // its buffers.
    Call &add(Comm &comm, Kind kind, const std::optional<Arguments> &arguments);
    // It is described. It gets a request of its own, if that is one.
    void accept_last(Plan *request) {
        entries_.back().is_refused = false;
        entries_.back().request = request;
    }
    // The last that was added is refused, and perhaps half described: so it stays. Or a call tells not even its
    // communicator, or may not be here. The group will not run.
    void fail_with(const Failure &why);
    bool uses(const Comm &comm) const;
    void then() {
        ++stage_;
    }
    // Everything, to its end. Throws the first failure of the group, the peers being told.
    void run();
    // Everything as one plan, which begins at once, or takes part in the order of operations when it is started. Throws
    // as well; of what would not have begun yet, nobody is told.
    enum class Use : uint8_t { now, later };
    std::unique_ptr<Plan> plan(Use use);
    // Nothing of it happens, and communicators may be gone.
    void cancel(const Failure &why);
    bool has_requests() const;

private:
    struct Entry {
        Comm *comm;
        size_t stage;
        std::optional<Arguments> arguments;
        Call call{};
        Plan *request = nullptr;
        bool is_refused = true; // as long as it is not described to the end

        Entry(Comm &of, size_t in, const std::optional<Arguments> &with) : comm(&of), stage(in), arguments(with) {
        }
    };
    // Inline, so that the arguments stay in registers: from memory that was just written in parts they would come late.
    [[gnu::always_inline]] KnownPart *next_known(Comm &comm, Kind kind, const Arguments &arguments) {
        if (stage_ != 0) [[unlikely]] { // known groups have one stage
            return nullptr;
        }
        if (habit_ && comm_ == &comm) [[likely]] {
            KnownPart *const part = habit_->expected();
            return part && part->is_like(kind, arguments) ? part : habit_->turn_to(kind, arguments);
        }
        return comm_ ? nullptr : first_known(comm, kind, arguments);
    }
    KnownPart *first_known(Comm &comm, Kind kind, const Arguments &arguments);
    void stop_following();
    Entry &add_entry(Comm &comm, size_t stage, const std::optional<Arguments> &arguments);
    std::unique_ptr<Plan> make_plan(Use use);
    Call join(const Comm &comm, std::span<const size_t> some) const;
    // The operations of a stage on a communicator in the order of their numbers, by the entries that each is made of.
    using Joins = std::vector<std::vector<size_t>>;
    Joins joins(size_t stage, const Comm &comm);
    template <class Take> void for_each_operation(const Comm &comm, const Joins &operations, Take take);
    void add_operations(Operations &operations, size_t stage, const std::shared_ptr<const GroupStage> &before);
    void fail_requests(const Failure &why);
    bool try_run_without_plan();
    bool try_run_messages(Comm &comm);
    void run_in_turn(Comm &comm);
    bool may_be_known() const;
    void learn();
    std::unique_ptr<KnownGroup> known();

    bool follows_ = true;  // a known group, with all calls so far
    Comm *comm_ = nullptr; // of the first call, if a known group could begin with it
    std::unique_ptr<GroupHabit> habit_;
    std::vector<Entry> entries_;     // all calls, once it follows none
    std::vector<Plan::Part> places_; // of each entry
    std::optional<Failure> failure_;
    size_t stage_ = 0;
};

} // namespace xcoll
