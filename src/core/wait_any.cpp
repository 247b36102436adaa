#include "core/wait_any.h"

#include <algorithm>

#include "base/clock.h"
#include "core/comm.h"

namespace xcoll {

namespace {

// Its tests of the plans move them and look after the peers; the word that is waited for is their verdict.
class AnyWatch final : public Watch {
public:
    AnyWatch(std::span<Plan *const> plans, int64_t timeout_ms) : plans_(plans), found_(plans.size()) {
        const int64_t now = now_ms();
        end_ms_ = timeout_ms < 0 || timeout_ms > never_ms - now ? never_ms : now + timeout_ms;
    }
    size_t wait() {
        const bool waits = std::any_of(plans_.begin(), plans_.end(), [](const Plan *plan) { return plan != nullptr; });
        drive();
        // Another thread may end all of them between two looks, so that nothing is open and the verdict is still to
        // come.
        for (; waits && !over_.reached(1); drive()) {
            if (const Request *open = first_open()) {
                xcoll::wait({&over_, 1, -1}, *this, driving(open->comm->patience()));
            }
        }
        return found_;
    }

    bool drive() override {
        for (size_t i = 0; i < plans_.size() && !over_.reached(1); ++i) {
            if (plans_[i] && plans_[i]->test()) {
                found_ = i;
                over_.store(1);
            }
        }
        if (left_ms() <= 0) {
            over_.store(1);
        }
        return false;
    }
    void check(const Until &, int64_t) override {
    }
    void sleep(const Until &, int64_t nanoseconds) override {
        const int64_t left = left_ms();
        const Request *open = first_open();
        if (open && left > 0) {
            const bool is_near = left < nanoseconds / millisecond;
            open->comm->sleep(open->until_done(), is_near ? left * millisecond : nanoseconds);
        }
    }

private:
    int64_t left_ms() const {
        return end_ms_ == never_ms ? never_ms : end_ms_ - now_ms();
    }
    const Request *first_open() const {
        for (const Plan *plan : plans_) {
            for (size_t i = 0; plan && i < plan->operations().size(); ++i) {
                if (!plan->operations()[i]->done()) {
                    return plan->operations()[i].get();
                }
            }
        }
        return nullptr;
    }

    std::span<Plan *const> plans_;
    size_t found_;
    int64_t end_ms_;
    Signal over_;
};

} // namespace

size_t wait_any(std::span<Plan *const> plans, int64_t timeout_ms) {
    return AnyWatch(plans, timeout_ms).wait();
}

} // namespace xcoll
