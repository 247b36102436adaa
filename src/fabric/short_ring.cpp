#include "fabric/short_ring.h"

#include "fabric/run_ahead.h"
#include "fabric/window.h"

namespace xcoll {

uint64_t ShortRing::take_free(const Window &window, uint64_t n, size_t bytes) {
    const auto place = places_.take(bytes, {n}, [&](Holder holder) { return window.everyone_done() >= holder.n; });
    return place ? first_ + *place : 0;
}

uint64_t ShortRing::take(Window &window, uint64_t n, size_t bytes) {
    uint64_t place = take_free(window, n, bytes);
    if (place == 0 && n >= next_look_ && !places_.is_empty()) {
        let_peers_catch_up(window, n, n - places_.oldest().n, looks_of_start);
        place = take_free(window, n, bytes);
        next_look_ = place == 0 ? n + patience : 0;
    }
    return place;
}

} // namespace xcoll
