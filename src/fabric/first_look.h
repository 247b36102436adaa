// When to look at a line that a peer is about to publish, and how to have one's own line ready for that.
//
// A line that was read lies in its readers' caches, and the next store to it waits until it is gone from there: one
// trip. Then the readers fetch it: another. So whoever has published a head claims the line of its next one, which
// comes to be its own while it waits for its peers. But a peer that looks before the store takes the line back, and the
// store waits after all:
//
//     writer   claim      store
//     reader                |  look -----> has it        one trip
//     reader            look -----> nothing <----- store waits ----> has it: three
//
// Ranks that exchange something publish at the same time, give or take as much as trips differ. So the first look waits
// until all that was loaded before is there, which keeps the processor from looking ahead of its program, and where
// lines come from afar for a part of a trip. That is measured, one look in so many, for virtual processors move.
// Whoever waits for a request does the same, for the 20 ns since its start are nothing to a processor that looks ahead.
// Allreduces of 8 bytes on a Zen 4 take 0.093 instead of 0.110 us under one L3, 0.25 instead of 0.31 across two. With
// claims alone they take as long as without, as nearly every first look comes too early then.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/signal.h"

namespace xcoll {

// The processor is about to write there.
inline void claim_line(const void *line) {
#if defined(__x86_64__)
    asm volatile(
        "prefetchw %0" ::"m"(*static_cast<const char *>(line))); // the built-in one only reads without -mprfchw
#else
    __builtin_prefetch(line, 1);
#endif
}

// Nothing after this begins before all loads before it are there.
inline void finish_loads() {
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    asm volatile("dsb ishld" ::: "memory");
#endif
}

// By any thread that waits: what several measure at once is as good as what one of them does.
class FirstLook {
public:
    explicit FirstLook(double ticks_per_ns)
        : far_(static_cast<int64_t>(far_ns * ticks_per_ns)), absurd_(static_cast<int64_t>(absurd_ns * ticks_per_ns)) {
    }
    // Before the first look at what a peer publishes in operation n.
    void pause(const Until &published, uint64_t n) {
        if (const uint64_t pause = pause_length(); pause != 0) {
            for (const uint64_t start = ticks(); ticks() - start < pause;) {
            }
        }
        finish_loads();
        if (n % turns == 0) [[unlikely]] {
            measure(published);
        }
    }
    // For who looks at no heads: at what a peer has completed, which that has just written. Its next store waits then.
    void measure_rarely(const Until &completed, uint64_t n) {
        if (n % rare_turns == 0) [[unlikely]] {
            measure(completed);
        }
    }

    // A look that found what it looked for took so many ticks.
    void learn(int64_t took) {
        if (took < absurd_) {
            const int64_t trip = trip_.load(std::memory_order_relaxed);
            const int64_t now = trip + (took - trip) / smoothing;
            trip_.store(now, std::memory_order_relaxed);
            pause_.store(now > far_ ? static_cast<uint64_t>(now / part_of_trip) : 0, std::memory_order_relaxed);
        }
    }
    // In ticks.
    uint64_t pause_length() const {
        return pause_.load(std::memory_order_relaxed);
    }
    // From another L3.
    bool is_far() const {
        return pause_length() != 0;
    }
    // Lines were seen to come at once, as from the same core.
    bool is_near() const {
        return trip_.load(std::memory_order_relaxed) != 0 && pause_length() == 0;
    }
    uint64_t absurd() const {
        return static_cast<uint64_t>(absurd_);
    }

private:
    void measure(const Until &published) {
        finish_loads();
        const uint64_t start = ticks();
        const bool is_there = published.reached();
        finish_loads();
        const auto took = static_cast<int64_t>(ticks() - start);
        if (is_there) {
            learn(took);
        }
    }

    // Of operations; a measurement takes some 25 ns.
    static constexpr uint64_t turns = 64, rare_turns = 256;
    static constexpr int64_t smoothing = 4;
    // With what measuring costs, a line of the same L3 takes 20 to 60 ns, and trips differ by less than what lies
    // between a store and a look anyway; from another L3 it takes 80 to 250.
    static constexpr double far_ns = 75;
    static constexpr double absurd_ns = 2000; // somebody else had the processor
    // A tenth to a third do.
    static constexpr int64_t part_of_trip = 4;

    const int64_t far_, absurd_;
    std::atomic<int64_t> trip_{0};
    std::atomic<uint64_t> pause_{0};
};

} // namespace xcoll
