// Two threads that work in turns, by a number that orders nothing: if what they share does not order itself,
// ThreadSanitizer sees a race.
#pragma once

#include <atomic>
#include <thread>

namespace turns {

// work(0), work(1), work(0), ...
template <class Work> void take(int turns, Work work) {
    std::atomic<int> turn{0};
    const auto run = [&](int me) {
        for (int mine = me; mine < turns; mine += 2) {
            while (turn.load(std::memory_order_relaxed) != mine) {
                std::this_thread::yield();
            }
            work(me);
            turn.store(mine + 1, std::memory_order_relaxed);
        }
    };
    std::thread other(run, 1);
    run(0);
    other.join();
}

} // namespace turns
