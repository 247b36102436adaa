// What a request of the ABI stands for: an operation, or the operations of a group; once, or as often as it is started.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "core/comm.h"
#include "core/request.h"

namespace xcoll {

using Operations = GroupStage;
// They take their places in the order of their communicators, and whoever waits for them is told that they do not run.
void refuse(std::span<const std::shared_ptr<Request>> operations) noexcept;

class Plan {
public:
    static constexpr uint32_t alive = 0x78637271;
    // The k-th call of a group: which operation serves it, and which of that operation's calls it is.
    struct Part {
        size_t operation, index;
    };

    Plan() = default;
    // Of a call that is described in place: moved just after it was written, it would come late, as with Recorded.
    explicit Plan(Comm &comm) : own_(std::in_place, &comm), first_(std::shared_ptr<void>(), &*own_) {
    }
    // Of sends that were over when their calls returned: one for all of them, and of all threads. Nothing changes it.
    enum class Shared : uint8_t { by_all_sends };
    explicit Plan(Shared)
        : active(true), own_(std::in_place, nullptr), first_(std::shared_ptr<void>(), &*own_), is_shared_(true) {
    }
    bool is_shared() const {
        return is_shared_;
    }
    Call &own_call() {
        return own_->what;
    }
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;
    // The calls of a group, or some of them.
    void set(Operations operations, std::vector<Part> parts) {
        several_ = std::move(operations);
        parts_ = std::move(parts);
    }
    std::span<const std::shared_ptr<Request>> operations() const {
        return first_ ? std::span(&first_, 1) : std::span(several_);
    }
    template <class Do> [[gnu::always_inline]] void for_each_operation(Do what) const {
        if (first_) [[likely]] {
            what(*first_);
            return;
        }
        for (const auto &operation : several_) {
            what(*operation);
        }
    }
    size_t parts() const {
        return first_ ? 1 : parts_.size();
    }
    Part part(size_t index) const {
        return first_ ? Part{0, 0} : parts_[index];
    }
    bool is_alive() const {
        return magic_ == alive;
    }
    void make_persistent();
    bool is_persistent() const {
        return persistent_;
    }
    // False: a communicator was freed meanwhile.
    bool can_start() const {
        bool can = true;
        for_each_operation([&](const Request &operation) { can &= !operation.comm_life.expired(); });
        return can;
    }

    // Starts all operations; one that cannot be started fails the plan once the others are done. Throws nothing else.
    void start() {
        active = true;
        failure.reset();
        if (observer_) {
            arm_observer();
        }
        for_each_operation([this](Request &operation) {
            try {
                operation.comm->start(operation);
            } catch (const Failure &trouble) {
                operation.failure = trouble; // it is done, for later stages and requests of its own as well
                fail_to_start(trouble);
            }
        });
    }
    bool done() const;
    // Moves what can be moved; true if it is done.
    bool test();
    void wait(Timing timing = Timing::yes) {
        for_each_operation([timing, this](Request &operation) {
            if (persistent_) {
                operation.is_timed = timing == Timing::yes;
            }
            if (!operation.done()) {
                operation.comm->wait_for(operation, timing);
            }
        });
    }
    // Of a receive, which may send as well.
    static constexpr bool may_serve_again(Kind kind) {
        return traits(kind).is_message && kind != Kind::send;
    }
    // In place of wait(), for who asks no status and gives the plan up afterwards, if it may serve again and nothing
    // else is in flight before it: then its communicator has the plan, for the next one. False: nothing has happened.
    bool receive_and_go() {
        const bool is_for_once = own_ && may_serve_again(own_->what.op.kind) && !persistent_ && !observer_;
        return is_for_once && !own_->done() && own_->comm->try_receive(*own_, Timing::no, this);
    }
    // Described from these arguments, and so known to who gives the same again.
    void note(const Arguments &arguments) {
        arguments_ = arguments;
    }
    // Nobody has it any more: what it has done leaves nothing behind but what may be known.
    void be_spare() {
        is_known_ = own_->what.keeps_nothing();
        if (!is_known_) {
            forget_call();
        }
        active = false;
        magic_ = 0;
    }
    // Its call is the one of before, but for the buffers, if this is true, and otherwise an empty one.
    bool serve_again(Kind kind, const Arguments &arguments) {
        magic_ = alive;
        if (is_known_ && own_->what.op.kind == kind && arguments_ == arguments) [[likely]] {
            return true;
        }
        forget_call();
        return false;
    }
    KnownCall &known_call() {
        return own_->what;
    }
    // As start(), of a call that is known.
    void start_again() {
        if (own_->what.op.kind == Kind::recv && own_->comm->try_start_again(*own_)) [[likely]] {
            active = true;
        } else {
            start();
        }
    }
    // True if it was done before the time was over; < 0: no limit.
    bool wait_for(int64_t timeout_ms);
    bool test_part(const Part &part);
    void wait_for_part(const Part &part);
    // Throws what went wrong since the last start; what kept it from starting.
    void check() const {
        check_started();
        for_each_operation([](const Request &operation) {
            if (operation.failure) [[unlikely]] {
                throw *operation.failure;
            }
        });
    }
    void check_part(const Part &part) const {
        const Request &operation = *operations()[part.operation];
        if (operation.failure) {
            throw *operation.failure;
        }
    }
    void check_started() const {
        if (failure) {
            throw *failure;
        }
    }
    const Call &call(const Part &part) const {
        return operations()[part.operation]->what.part(part.index);
    }
    // From the next start on.
    void move_buffer(const Part &part, Call::Slot slot, const void *to, bool as_a_whole);
    void bind(const Part &part, Call::Binding binding) {
        operations()[part.operation]->what.bind(part.index, binding);
    }
    // Told once, when this is done, or was already; if it is persistent, once for each start from now on.
    void observe(Observer::Function function, void *context);
    bool is_observed() const {
        return observer_ != nullptr;
    }
    // The user does not want it any more: what is in flight ends.
    void give_up();

    bool active = false;            // started, and its end not yet seen by the user
    bool recorded = false;          // in a group that has not ended
    std::optional<Failure> failure; // what kept it from starting

private:
    void forget_call() {
        std::destroy_at(&own_->what); // in place: to move another one there takes 30 instructions more
        std::construct_at(&own_->what);
    }
    void arm_observer();
    void fail_to_start(const Failure &trouble);

    // Of a single call here, so that it takes one piece of memory.
    std::optional<Request> own_;
    std::shared_ptr<Request> first_; // `own_`, or nothing: then there are
    Operations several_;
    std::vector<Part> parts_;
    std::shared_ptr<Observer> observer_;
    bool persistent_ = false;
    const bool is_shared_ = false;
    bool is_known_ = false; // while it is a spare one
    uint32_t magic_ = alive;
    Arguments arguments_;
};

} // namespace xcoll
