// Single messages between the ranks of a test, driven by hand.
#pragma once

#include "cmocka_cpp.h"

#include <string>
#include <vector>

#include "transport_ranks.h"

namespace ranks {

inline Envelope envelope(uint64_t operation, size_t count = 1) {
    return {operation, fingerprint(allreduce(nullptr, nullptr, count, Dtype::uint8, Operator::sum))};
}

inline void begin(const Ranks &r, uint64_t operation) {
    for (int p = 0; p < r.size(); ++p) {
        r.transport(p).begin(envelope(operation));
    }
}

inline std::vector<char> pattern(size_t bytes, int seed) {
    std::vector<char> data(bytes);
    for (size_t i = 0; i < bytes; ++i) {
        data[i] = static_cast<char>(i * 7 + i / 251 + static_cast<size_t>(seed));
    }
    return data;
}

inline void settle(const Ranks &r) {
    for (int round = 0; round < 200; ++round) {
        r.progress();
    }
}

inline void finish(const Ranks &r, int rank, const Ticket &ticket) {
    for (int round = 0; round < 100000 && !ticket.until().reached(); ++round) {
        r.progress();
    }
    assert_true(ticket.until().reached());
    r.transport(rank).finish(ticket);
}

inline xcoll_result_t result_of(const Ranks &r, int rank, const Ticket &ticket, std::string *text = nullptr) {
    try {
        finish(r, rank, ticket);
    } catch (const Failure &failure) {
        if (text) {
            *text = failure.message();
        }
        return failure.result();
    }
    return XCOLL_SUCCESS;
}

} // namespace ranks
