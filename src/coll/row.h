// One algorithm of one operation, as the selection sees it: when it can serve, what it costs, and how it adds up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "coll/algorithm.h"

namespace xcoll {

struct Row {
    const char *name;
    // nullptr if it can serve messages of so many bytes, else why not. An algorithm that cannot serve some size serves
    // none above it.
    const char *(*condition)(const Team &team, size_t bytes);
    // Nanoseconds by a simple model; the lowest serves.
    double (*cost)(const Team &team, size_t bytes);
    Algorithm run;
    // What the algorithm needs.
    enum class Needs : uint8_t { window, transport } needs;
    Order order;
    // What it serves besides equal blocks and the library's operators: operators of users, which go strictly by rank;
    // or parts of any size and shape.
    enum class Serves : uint8_t { blocks, users, parts } serves = Serves::blocks;

    // nullptr if it can serve and the communicator's level of determinism allows it, else why not.
    const char *refusal(const Team &team, size_t bytes) const;
    bool serves_users() const {
        return serves == Serves::users;
    }
    bool serves_parts() const {
        return serves == Serves::parts;
    }
};

// All algorithms of an operation, in a readable order.
std::span<const Row> algorithms(Kind kind);
// For parts of any size and shape, by whichever way the ranks reach each other.
const Row &parts_row(Row::Needs needs);
// For premultiplied sums, and for elements that are too large for the others: chosen by what the operator is.
const Row &scaled_row(Row::Needs needs);
const Row &large_element_row();

} // namespace xcoll
