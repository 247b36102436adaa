// Using memory that a peer lends and that is no part of its segment. A peer that gives up on the communicator takes its
// buffers back, and its user may free them as soon as its call returns. So nobody uses them but on a visit, a short
// one:
//
//     visitor   visiting = 1; unless the owner has said farewell, use a piece; visiting = 0
//     owner     farewell; wait until visiting == 0 on every peer's board; return
//
// In the one order of these stores and loads, all sequentially consistent, either the visitor sees the farewell or the
// owner sees the visit. The model tests/model/visit.pml says the same. What is read only, in another process, needs no
// visit: the owner cannot unmap it, and who has read it looks for a farewell then (check_kept):
//
//     reader    read a piece; unless the owner has said farewell, keep it
//     owner     farewell; return; its user writes there
//
// Who has read anything of what the user wrote sees the farewell: the owner's looks for visitors keep those stores
// behind it, and a fence keeps the reader's look behind its loads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "base/task.h"

namespace xcoll {

class Window;

class Visit {
public:
    // What is used on one visit: an owner that takes its buffer back waits for so much at most, and a visit costs
    // nothing beside it.
    static constexpr size_t piece = size_t{256} << 10;

    explicit Visit(const Window &window);
    ~Visit();
    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;
    // Before this rank uses anything of p's. Throws what p said, if it has given up.
    void check(int p) const {
        check_kept(window_, p);
    }
    // The same behind what has been copied without a visit, from another process: it may not be what p lent.
    static void check_kept(const Window &window, int p);

    // The owner's side: returns when the visitor has gone, or is not to be waited for any more.
    template <class GoesOn> static void await_end(const std::atomic<uint32_t> &visiting, GoesOn goes_on);

private:
    const Window &window_;
};

template <class GoesOn> void Visit::await_end(const std::atomic<uint32_t> &visiting, GoesOn goes_on) {
    const auto over = [&] { return visiting.load(std::memory_order_seq_cst) == 0; };
    // For as long as a piece takes, unless the visitor has lost its processor.
    constexpr int patient_polls = 100;
    for (int polls = 0; polls < patient_polls; ++polls) {
        if (over()) {
            return;
        }
        cpu_relax();
    }
    while (!over() && goes_on()) {
        std::this_thread::yield();
    }
}

} // namespace xcoll
