#include "fabric/ring.h"

#include <thread>

#include "base/task.h"
#include "fabric/window.h"

namespace xcoll {

class Ring::Guard {
public:
    explicit Guard(std::atomic_flag &busy) : busy_(busy) {
        for (int polls = 0; busy_.test_and_set(std::memory_order_acquire); ++polls) {
            constexpr int patient_polls = 100;
            polls < patient_polls ? cpu_relax() : std::this_thread::yield();
        }
    }
    ~Guard() {
        busy_.clear(std::memory_order_release);
    }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

private:
    std::atomic_flag &busy_;
};

uint64_t Ring::take(size_t bytes, const Window &window, uint64_t n) {
    const Guard guard(busy_);
    const auto place = places_.take(bytes, {&window, n}, [](const Holder &holder) {
        return !holder.window || holder.window->everyone_completed(holder.n);
    });
    return place ? first_ + *place : 0;
}

void Ring::forget(const Window &window) {
    const Guard guard(busy_);
    places_.for_each([&](Holder &holder) {
        if (holder.window == &window) {
            holder.window = nullptr;
        }
    });
}

} // namespace xcoll
