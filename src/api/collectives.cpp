// The operations of the ABI: each row of operations.def in its four forms.
#include "api/describe.h"
#include "api/handle.h"
#include "core/thread_group.h"

namespace xcoll::api {

namespace {

// A call that is refused takes its number all the same, so that peers are told and the order is kept. Messages have no
// numbers.
template <Kind kind> void refuse(Comm &comm) {
    if constexpr (!traits(kind).is_message) {
        comm.refuse();
    }
}
// `describe` fills in the call from the checked arguments, or refuses them.
template <Kind kind, class C, class Describe> void describe_or_refuse(Comm &comm, C &call, Describe describe) {
    try {
        describe(call, comm);
    } catch (...) {
        refuse<kind>(comm);
        throw;
    }
}
template <Kind kind, class Describe> Call described(Comm &comm, Describe describe) {
    Call call;
    describe_or_refuse<kind>(comm, call, describe);
    return call;
}

// A call between xcoll_group_start and xcoll_group_end. What is wrong with it is told at once, and again at the end.
// `request`: that of the call, if describe makes it one.
template <Kind kind, class Describe>
void record(Group &group, Comm &comm, Describe describe, const std::unique_ptr<Plan> &request = nullptr,
            const std::optional<Arguments> &arguments = std::nullopt) {
    Call &call = group.add(comm, kind, arguments);
    try {
        describe(call, comm);
    } catch (...) {
        group.fail_with(caught());
        throw;
    }
    group.accept_last(request.get());
}

// The same for a call of a kind that known groups are made of: most groups are like one of the last.
template <Kind kind, class Describe>
void record_by_habit(Group &group, Comm &comm, const Arguments &arguments, Describe describe) {
    if (!group.follow(comm, kind, arguments, describe)) {
        record<kind>(group, comm, describe, nullptr, arguments);
    }
}

// The buffers among the arguments: what is read is const.
void note_buffer(Call &call, const void *send) {
    call.buffers[static_cast<size_t>(Call::Slot::send)] = send;
}
void note_buffer(Call &call, void *recv) {
    call.buffers[static_cast<size_t>(Call::Slot::recv)] = recv;
}
template <class Argument> void note_buffer(Call &, Argument) {
}
template <class... T> void note_buffers(Call &call, T... arguments) {
    (note_buffer(call, arguments), ...);
}
// Nobody asks for those of a call that does not outlive its function.
template <class... T> void note_buffers(KnownCall &, T...) {
}
template <class... T> void note_buffers(KnownPart &call, T... arguments) {
    note_buffers(static_cast<Call &>(call), arguments...);
}

// Where a call takes place: on a communicator, and in the group that its thread has open, if it has one.
struct Site {
    Comm &comm;
    Group *group;
};

// A call on no communicator fails its group as well.
Site site_inside(const Inside &mine, xcoll_comm_t handle) {
    check_outside_operators(mine);
    try {
        Comm &comm = checked(handle);
        check_outside_callback(mine, comm);
        return {comm, mine.group};
    } catch (const Failure &why) {
        if (mine.group) {
            mine.group->fail_with(why);
        }
        throw;
    }
}
[[gnu::always_inline]] inline Site site_of_call(xcoll_comm_t handle) {
    if (process().has_threads_inside()) [[unlikely]] {
        return site_inside(inside_of_thread(), handle);
    }
    return {checked(handle), nullptr};
}

// ---- the forms in which an operation may be called

// A call of a kind that may be known: most are like the one before. In a function that is told of the end of a request
// nothing is known of messages: there may be one that is under way on the same communicator, and known. The same while
// another thread is inside of something, for that is what is cheap to ask.
template <Kind kind, class Describe> void run_by_habit(Comm &comm, const Arguments &arguments, Describe describe) {
    if constexpr (traits(kind).is_message) {
        if (process().has_threads_inside()) [[unlikely]] {
            comm.run(described<kind>(comm, describe));
            return;
        }
    }
    Habit &habit = comm.habit(kind);
    if (Known *known = habit.find(arguments)) [[likely]] {
        describe_or_refuse<kind>(comm, known->call, describe);
        if constexpr (traits(kind).is_message) {
            known->call.op.form = Form::blocking; // the last one may have had a request
        }
        comm.run_again<kind>(*known);
        return;
    }
    const Call call = described<kind>(comm, describe);
    comm.run(call);
    if (habit.repeats(arguments)) {
        comm.learn(habit, call);
    }
}

// A send with a request, of which most are over at once and most are like one of the last; the rule above holds.
// False: nothing has happened.
template <class Describe> bool try_send_by_habit(Comm &comm, const Arguments &arguments, Describe describe) {
    if (process().has_threads_inside()) [[unlikely]] {
        return comm.try_send(described<Kind::send>(comm, describe).op);
    }
    Habit &habit = comm.habit(Kind::send);
    if (Known *known = habit.find(arguments)) [[likely]] {
        describe(known->call, comm);
        return comm.try_send(known->call.op);
    }
    const Call call = described<Kind::send>(comm, describe);
    if (habit.repeats(arguments)) {
        comm.learn(habit, call);
    }
    return comm.try_send(call.op);
}

template <Kind kind, class Describe, class... T>
xcoll_result_t blocking(const char *function, xcoll_comm_t handle, Describe describe, T... arguments) noexcept {
    try {
        const auto [comm, group] = site_of_call(handle);
        if (group) [[unlikely]] {
            if constexpr (may_be_part(kind)) {
                record_by_habit<kind>(*group, comm, Arguments::of<kind>(arguments...), describe);
            } else {
                record<kind>(*group, comm, describe);
            }
        } else if constexpr (kind_may_be_known(kind)) {
            run_by_habit<kind>(comm, Arguments::of<kind>(arguments...), describe);
        } else {
            comm.run(described<kind>(comm, describe));
        }
        return XCOLL_SUCCESS;
    } catch (...) {
        return report_current(function);
    }
}

// Before anything can be refused, so that nobody takes what was there for a request.
void set_to_none(xcoll_request_t *request) {
    if (request) {
        *request = XCOLL_REQUEST_NULL;
    }
}

template <Kind kind, class Describe> std::unique_ptr<Plan> started(Comm &comm, Describe describe) {
    std::unique_ptr<Plan> plan;
    try {
        plan = std::make_unique<Plan>(comm);
        describe(plan->own_call(), comm);
    } catch (...) {
        refuse<kind>(comm);
        throw;
    }
    plan->start();
    return plan;
}

// The same of what may be served by a spare plan, which may have served its like before.
template <Kind kind, class Describe>
std::unique_ptr<Plan> started_receive(Comm &comm, const Arguments &arguments, Describe describe) {
    std::unique_ptr<Plan> plan = comm.take_spare();
    if (plan && plan->serve_again(kind, arguments)) [[likely]] {
        describe(plan->known_call(), comm);
        plan->start_again();
        return plan;
    }
    if (!plan) {
        plan = std::make_unique<Plan>(comm);
    }
    describe(plan->own_call(), comm);
    plan->note(arguments);
    plan->start();
    return plan;
}

template <Kind kind, class Describe, class... T>
xcoll_result_t immediate(const char *function, xcoll_comm_t handle, xcoll_request_t *request, Describe describe,
                         T... arguments) noexcept {
    return guarded(function, [&] {
        set_to_none(request);
        const Site site = site_of_call(handle);
        const auto with_request = [&](auto &call, const Comm &of) {
            describe(call, of); // first, as only a call that is described can be refused as what it is
            out(request, "request");
            call.op.form = Form::immediate;
        };
        std::unique_ptr<Plan> plan;
        if (site.group) {
            const auto with_plan = [&](Call &call, const Comm &of) {
                with_request(call, of);
                plan = std::make_unique<Plan>();
                plan->recorded = true;
            };
            record<kind>(*site.group, site.comm, with_plan, plan);
            *request = handle_of(plan.release());
            return;
        }
        if constexpr (kind == Kind::send) { // most are over at once; what is not is described anew, in its request
            if (try_send_by_habit(site.comm, Arguments::of<kind>(arguments...), with_request)) {
                *request = handle_of(&process().sent());
                return;
            }
        }
        if constexpr (Plan::may_serve_again(kind)) {
            plan = started_receive<kind>(site.comm, Arguments::of<kind>(arguments...), with_request);
        } else {
            plan = started<kind>(site.comm, with_request);
        }
        plan->check_started();
        *request = handle_of(plan.release());
    });
}

template <class Describe>
xcoll_result_t persistent(const char *function, xcoll_comm_t handle, xcoll_request_t *request,
                          Describe describe) noexcept {
    return guarded(function, [&] {
        set_to_none(request);
        if (Group *group = current_group()) {
            const Failure why(XCOLL_ERR_STATE, "a group is open: its calls become persistent together, by "
                                               "xcoll_group_end_init");
            group->fail_with(why);
            throw why;
        }
        Comm &comm = checked(handle);
        out(request, "request");
        auto plan = std::make_unique<Plan>(comm);
        describe(plan->own_call(), comm); // takes no number yet, so nobody is told if it is refused
        plan->make_persistent();
        *request = handle_of(plan.release());
    });
}

// A communicator of processors has one stream, NULL: what is called on it begins when everything before is done.
template <Kind kind, class Describe>
xcoll_result_t enqueued(const char *function, xcoll_comm_t handle, xcoll_stream_t stream, Describe describe) noexcept {
    return guarded(function, [&] {
        const auto [comm, group] = site_of_call(handle);
        if (group) {
            record<kind>(*group, comm, [&](Call &call, const Comm &of) {
                describe(call, of);
                check_stream(stream);
            });
            return;
        }
        const Call call = described<kind>(comm, [&](Call &to, const Comm &of) {
            describe(to, of);
            check_stream(stream);
            to.op.form = Form::stream;
        });
        comm.wait_until_quiet();
        comm.run(call);
    });
}

} // namespace

} // namespace xcoll::api

using namespace xcoll::api;
using xcoll::Call;
using xcoll::Comm;
using xcoll::kind_named;

#define UNPAREN(...) __VA_ARGS__
#define DESCRIBED(name, arguments)                                                                                     \
    [=](auto &call_, const Comm &of_) {                                                                                \
        describe::name(call_, of_ UNPAREN arguments);                                                                  \
        note_buffers(call_ UNPAREN arguments);                                                                         \
    }
#define OPERATION(name, parameters, arguments)                                                                         \
    xcoll_result_t xcoll_##name(UNPAREN parameters xcoll_comm_t comm) {                                                \
        return blocking<kind_named(#name)>(__func__, comm, DESCRIBED(name, arguments) UNPAREN arguments);              \
    }                                                                                                                  \
    xcoll_result_t xcoll_i##name(UNPAREN parameters xcoll_comm_t comm, xcoll_request_t *request) {                     \
        return immediate<kind_named(#name)>(__func__, comm, request, DESCRIBED(name, arguments) UNPAREN arguments);    \
    }                                                                                                                  \
    xcoll_result_t xcoll_##name##_init(UNPAREN parameters xcoll_comm_t comm, xcoll_request_t *request) {               \
        return persistent(__func__, comm, request, DESCRIBED(name, arguments));                                        \
    }                                                                                                                  \
    xcoll_result_t xcoll_##name##_enqueue(UNPAREN parameters xcoll_comm_t comm, xcoll_stream_t stream) {               \
        return enqueued<kind_named(#name)>(__func__, comm, stream, DESCRIBED(name, arguments));                        \
    }

extern "C" {
#include "api/operations.def"
}
