#include "fabric/visit.h"

#include "fabric/window.h"

namespace xcoll {

Visit::Visit(const Window &window) : window_(window) {
    window.mine().visiting.store(1, std::memory_order_seq_cst);
}

Visit::~Visit() {
    window_.mine().visiting.store(0, std::memory_order_release);
}

void Visit::check_kept(const Window &window, int p) {
    std::atomic_thread_fence(std::memory_order_acquire); // no load of a copy comes behind that of the farewell
    if (window.board(p).farewell.result.load(std::memory_order_seq_cst) != 0 && p != window.rank()) [[unlikely]] {
        window.check_farewells();
    }
}

} // namespace xcoll
