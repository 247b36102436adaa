#include "fabric/visit.h"

#include <thread>

#include "base/task.h"
#include "fabric/window.h"

namespace xcoll {

Visit::Visit(const Window &window) : window_(window) {
    window.mine().visiting.store(1, std::memory_order_seq_cst);
}

Visit::~Visit() {
    window_.mine().visiting.store(0, std::memory_order_release);
}

void Visit::check_kept(const Window &window, int p) {
    if (window.board(p).farewell.result.load(std::memory_order_seq_cst) != 0 && p != window.rank()) [[unlikely]] {
        window.check_farewells();
    }
}

void Visit::await_end(const std::atomic<uint32_t> &visiting) {
    // For as long as a piece takes, unless the visitor has lost its processor.
    constexpr int patient_polls = 100;
    for (int polls = 0; visiting.load(std::memory_order_seq_cst) != 0; ++polls) {
        polls < patient_polls ? cpu_relax() : std::this_thread::yield();
    }
}

} // namespace xcoll
