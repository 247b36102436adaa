// Operators as users make them, for simulated programs.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "base/user_operator.h"

namespace xcoll::sim {

enum class User : uint8_t { none, affine, scaled };

// Of int64: an element is a map x -> a x + b of 32-bit numbers, and two are combined into one after the other. Any
// wrong order shows, another grouping does not.
inline uint64_t compose(uint64_t left, uint64_t right) {
    const auto a = static_cast<uint32_t>(left), b = static_cast<uint32_t>(left >> 32);
    const auto c = static_cast<uint32_t>(right), d = static_cast<uint32_t>(right >> 32);
    return uint64_t{a * c} | uint64_t{a * d + b} << 32;
}
inline xcoll_result_t compose_all(const void *in, void *inout, size_t count, xcoll_dtype_t, void *) {
    for (size_t i = 0; i < count; ++i) {
        uint64_t left, right;
        std::memcpy(&left, static_cast<const char *>(in) + i * 8, 8);
        std::memcpy(&right, static_cast<char *>(inout) + i * 8, 8);
        right = compose(left, right);
        std::memcpy(static_cast<char *>(inout) + i * 8, &right, 8);
    }
    return XCOLL_SUCCESS;
}

// What rank p multiplies by in a premultiplied sum of int64.
inline int64_t factor_of(int rank) {
    return 3 + 2 * (rank % 4);
}

struct UserOperators {
    UserOperators() {
        affine.fn = compose_all;
        affine.name = "affine";
        for (int rank = 0; rank < 4; ++rank) {
            const int64_t factor = factor_of(rank);
            scaled[rank].set_scalar(&factor, Dtype::int64);
        }
    }
    UserOperator affine, scaled[4];
};

inline const UserOperator *user_operator(User user, int rank) {
    static const UserOperators operators;
    return user == User::none ? nullptr : user == User::affine ? &operators.affine : &operators.scaled[rank % 4];
}

} // namespace xcoll::sim
