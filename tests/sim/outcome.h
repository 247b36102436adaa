// What a simulated operation ended with.
#pragma once

#include <exception>

#include "base/error.h"

namespace xcoll::sim {

inline xcoll_result_t result_of(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (const Failure &failure) {
        return failure.result();
    }
}

} // namespace xcoll::sim
