// Errors inside the library: thrown as Failure on cold paths, turned into a code in one place (src/api), and kept as
// the thread's last error.
#pragma once

#include <cstdarg>
#include <exception>
#include <string>

#include "xcoll.h"

namespace xcoll {

// What went wrong, where, whose fault it is, and what to do about it. `fatal` results stick to the communicator they
// happen on.
class Failure : public std::exception {
public:
    static constexpr int nobody = XCOLL_UNDEFINED;
    Failure(xcoll_result_t result, std::string message, int rank = nobody)
        : result_(result), rank_(rank), message_(std::move(message)) {
    }
    xcoll_result_t result() const {
        return result_;
    }
    // Of the communicator that it happened on: who is at fault.
    int rank() const {
        return rank_;
    }
    const std::string &message() const {
        return message_;
    }
    const char *what() const noexcept override {
        return message_.c_str();
    }

private:
    xcoll_result_t result_;
    int rank_;
    std::string message_;
};

// printf into a std::string.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

// Throws a Failure with a formatted message.
[[noreturn, gnu::format(printf, 2, 3)]] void fail(xcoll_result_t result, const char *pattern, ...);
// The same where a rank of the communicator is at fault.
[[noreturn, gnu::format(printf, 3, 4)]] void fail_at(int rank, xcoll_result_t result, const char *pattern, ...);
// The first with XCOLL_ERR_SYSTEM, the failed call's name and the meaning of errno.
[[noreturn]] void fail_system(const char *call);

constexpr bool is_fatal(xcoll_result_t result) {
    return result == XCOLL_ERR_SYSTEM || (result >= XCOLL_ERR_TRANSPORT && result <= XCOLL_ERR_INTERNAL);
}

const char *result_name(xcoll_result_t result);
const char *result_string(xcoll_result_t result);

} // namespace xcoll
