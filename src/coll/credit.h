// Waiting for credit (fabric/window.h has the rule and its proof).
#pragma once

#include "base/task.h"
#include "fabric/window.h"

namespace xcoll {

// Until everyone has completed n - ahead.
inline Task acquire_credit(TaskHome &, Window &window, uint64_t n, uint64_t ahead) {
    for (int p = 0; p < window.size(); ++p) {
        co_await window.credit(p, n, ahead);
    }
    window.got_credit(n);
}

} // namespace xcoll
