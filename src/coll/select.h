// The one place where algorithms are chosen: a readable table per operation, first what is best, each row with the
// reason why it may not serve.
//
// The choice is agreed, not negotiated: it depends on the size of the message, the communicator and the settings, all
// equal on all ranks. It is made once per communicator for every power of two, so a call looks it up.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/config.h"
#include "coll/algorithm.h"

namespace xcoll {

struct Row {
    const char *name;
    // nullptr if it can serve messages of so many bytes, else why not.
    const char *(*refusal)(const Team &team, size_t bytes);
    // Nanoseconds by a simple model; the lowest serves.
    double (*cost)(const Team &team, size_t bytes);
    Algorithm run;
    // What the algorithm needs.
    enum class Needs : uint8_t { window, transport } needs;
    // Serves operators of users, which go strictly by rank.
    bool serves_users = false;
};

// All algorithms of an operation.
std::span<const Row> algorithms(Kind kind);
// The one that serves if nobody asks for another; nullptr if there is none. `user`: among those that serve operators of
// users.
const Row *cheapest(Kind kind, const Team &team, size_t bytes, bool user = false);

class Choices {
public:
    // Settings name algorithms: XCOLL_ALLREDUCE=ring. Throws Failure(XCOLL_ERR_CONFIG) if there is no such algorithm.
    // One that refuses a size is passed over for that size.
    Choices(const Team &team, const Settings &settings);

    const Row &row(const Op &op) const {
        if (op.user && op.kind != Kind::reshard_reduce) {
            return user_row(op);
        }
        const Row &usual = row(op.kind, op.bytes());
        // What does not lie in equal blocks is any Exchange's business, but for those who pass it on.
        const bool passes_on = op.kind == Kind::bcast && usual.needs == Row::Needs::transport;
        return op.in && !passes_on && !traits(op.kind).is_message ? row(Kind::group, 0) : usual;
    }
    const Row &row(Kind kind, size_t bytes) const {
        return *rows_[static_cast<size_t>(kind)][size_class(bytes)];
    }
    // Messages of up to 2^class bytes.
    static size_t size_class(size_t bytes) {
        return bytes <= 1 ? 0 : static_cast<size_t>(std::bit_width(bytes - 1));
    }

private:
    const Row &user_row(const Op &op) const;

    const Team &team_;
    static constexpr size_t classes = 65;
    const Row *rows_[kinds][classes];
};

// True if a setting asks for an algorithm that works by messages even inside a machine.
bool wants_transport(const Settings &settings);

} // namespace xcoll
