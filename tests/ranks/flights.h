// Operations in flight whose results can be checked later: for the tests of requests.
#pragma once

#include <algorithm>
#include <random>
#include <utility>

#include "ranks.h"
#include "values.h"

namespace flights {

// One operation: what it is follows from `number`, which all ranks use alike.
class Flight {
public:
    Flight(const ranks::Rank &rank, uint64_t number, size_t bytes) : rank_(rank), number_(number), count_(bytes / 4) {
        memory_.resize(2 * count_ * 4 + 1);
        recv_ = memory_.data() + number % 2;
        values::fill(send(), values::input<int32_t>(values::Flavour::any, XCOLL_SUM, number, rank.rank()), count_ * 4);
    }
    void start(xcoll_comm_t comm) {
        switch (kind()) {
        case 0:
            ranks::succeed(xcoll_ibarrier(comm, &request_));
            break;
        case 1:
            ranks::succeed(xcoll_ibcast(send(), count_, XCOLL_INT32, root(), comm, &request_));
            break;
        default:
            ranks::succeed(xcoll_iallreduce(send(), recv_, count_, XCOLL_INT32, op(), comm, &request_));
        }
        ranks::check(request_ != XCOLL_REQUEST_NULL, "no request came back");
    }
    void run(xcoll_comm_t comm) {
        switch (kind()) {
        case 0:
            ranks::succeed(xcoll_barrier(comm));
            break;
        case 1:
            ranks::succeed(xcoll_bcast(send(), count_, XCOLL_INT32, root(), comm));
            break;
        default:
            ranks::succeed(xcoll_allreduce(send(), recv_, count_, XCOLL_INT32, op(), comm));
        }
        check();
    }
    xcoll_request_t &request() {
        return request_;
    }
    void wait() {
        ranks::succeed(xcoll_wait(&request_));
        finished();
    }
    bool test() {
        int done = -1;
        ranks::succeed(xcoll_test(&request_, &done));
        ranks::check(done == 0 || done == 1, "done is neither 0 nor 1");
        ranks::check((request_ == XCOLL_REQUEST_NULL) == (done == 1),
                     "a request is NULL when and only when it is done");
        if (done == 1) {
            check();
        }
        return done == 1;
    }
    // After somebody else has waited for it.
    void finished() const {
        ranks::check(request_ == XCOLL_REQUEST_NULL, "a finished request is not NULL");
        check();
    }

private:
    int kind() const {
        return static_cast<int>(values::mix(number_) % 6); // mostly reductions
    }
    int root() const {
        return static_cast<int>(number_ % static_cast<uint64_t>(rank_.size()));
    }
    xcoll_op_t op() const {
        return number_ % 2 ? XCOLL_SUM : XCOLL_BXOR;
    }
    unsigned char *send() {
        return recv_ + count_ * 4;
    }
    void check() const {
        using namespace values;
        const Type &t = values::type(XCOLL_INT32);
        const bool bcast = kind() == 1;
        if (kind() == 0) {
            return;
        }
        const Tile wanted = bcast ? input<int32_t>(Flavour::any, XCOLL_SUM, number_, root())
                                  : t.result(Flavour::any, op(), number_, {rank_.size()});
        if (first_difference(t, bcast ? recv_ + count_ * 4 : recv_, wanted, count_) != all_equal) {
            ranks::wrong("operation " + std::to_string(number_) + (bcast ? " (bcast)" : " (allreduce)") + " of " +
                         std::to_string(count_) + " elements has a wrong result");
        }
    }

    const ranks::Rank &rank_;
    uint64_t number_;
    size_t count_;
    std::vector<unsigned char> memory_;
    unsigned char *recv_ = nullptr;
    xcoll_request_t request_ = XCOLL_REQUEST_NULL;
};

// The same numbers on every rank; `salt` makes them differ.
inline std::mt19937_64 dice(uint64_t seed, int salt = 0) {
    return std::mt19937_64(values::mix(seed * 100 + static_cast<uint64_t>(salt) + 1));
}

} // namespace flights
