// What a request of the ABI stands for: an operation, or the operations of a group; once, or as often as it is started.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "core/request.h"

namespace xcoll {

class Plan {
public:
    static constexpr uint32_t alive = 0x78637271;
    // The k-th call of a group: which operation serves it, and which of that operation's calls it is.
    struct Part {
        size_t operation, index;
    };

    Plan() = default;
    Plan(Comm &comm, Call call) {
        operations.push_back(std::make_shared<Request>(&comm, std::move(call)));
        parts.push_back({0, 0});
    }
    bool is_alive() const {
        return magic_ == alive;
    }
    void make_persistent();
    bool is_persistent() const {
        return persistent_;
    }
    // False: a communicator was freed meanwhile.
    bool can_start() const;

    // Starts all operations; one that cannot be started fails the plan once the others are done. Throws nothing else.
    void start();
    bool done() const;
    // Moves what can be moved; true if it is done.
    bool test();
    // True if it was done before the time was over; < 0: no limit.
    bool wait(int64_t timeout_ms = -1);
    bool test_part(const Part &part);
    void wait_for_part(const Part &part);
    // Throws what went wrong since the last start; what kept it from starting.
    void check() const;
    void check_part(const Part &part) const {
        const Request &operation = *operations[part.operation];
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
        return operations[part.operation]->what.part(part.index);
    }
    // From the next start on.
    void move_buffer(const Part &part, Call::Slot slot, const void *to);
    // Told once, when this is done, or was already; if it is persistent, once for each start from now on.
    void observe(Observer::Function function, void *context);
    bool is_observed() const {
        return observer_ != nullptr;
    }
    // The user does not want it any more: what is in flight ends.
    void give_up();

    std::vector<std::shared_ptr<Request>> operations;
    std::vector<Part> parts;
    bool active = false;            // started, and its end not yet seen by the user
    bool recorded = false;          // in a group that has not ended
    std::optional<Failure> failure; // what kept it from starting

private:
    std::shared_ptr<Observer> observer_;
    bool persistent_ = false;
    uint32_t magic_ = alive;
};

} // namespace xcoll
