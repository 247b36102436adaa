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

void Ring::drop_finished() {
    while (oldest_ != newest_) {
        const Holder &holder = holders_[oldest_ % holder_count];
        if (holder.window && !holder.window->everyone_completed(holder.n)) {
            return;
        }
        ++oldest_;
    }
}

// What is held lies between the oldest holder's begin and next_, possibly around the end of the ring.
bool Ring::find_place(size_t bytes, size_t &begin) const {
    if (oldest_ == newest_) {
        begin = next_ + bytes <= bytes_ ? next_ : 0;
        return bytes <= bytes_;
    }
    const size_t tail = holders_[oldest_ % holder_count].begin;
    if (next_ > tail) {
        if (next_ + bytes <= bytes_) {
            begin = next_;
            return true;
        }
        begin = 0;
        return bytes <= tail;
    }
    begin = next_;
    return next_ != tail && next_ + bytes <= tail;
}

uint64_t Ring::take(size_t bytes, const Window &window, uint64_t n) {
    bytes = (bytes + line_bytes - 1) / line_bytes * line_bytes;
    const Guard guard(busy_);
    size_t begin = 0;
    if (newest_ - oldest_ == holder_count || !find_place(bytes, begin)) {
        drop_finished();
        if (newest_ - oldest_ == holder_count || !find_place(bytes, begin)) {
            return 0;
        }
    }
    holders_[newest_++ % holder_count] = {begin, &window, n};
    next_ = begin + bytes;
    return first_ + begin;
}

void Ring::forget(const Window &window) {
    const Guard guard(busy_);
    for (size_t i = oldest_; i != newest_; ++i) {
        if (holders_[i % holder_count].window == &window) {
            holders_[i % holder_count].window = nullptr;
        }
    }
}

} // namespace xcoll
