// Errors inside the library: thrown as Failure on cold paths, turned into a code in one place (src/api), and kept as
// the thread's last error.
#pragma once

#include <cstdarg>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "xcoll.h"

namespace xcoll {

// What went wrong, where, whose fault it is, and what to do about it. `fatal` results stick to the communicator they
// happen on. It is made and copied where there is no memory, too: then with fewer words.
class Failure : public std::exception {
public:
    static constexpr int nobody = XCOLL_UNDEFINED;
    // A message that is there as long as the program.
    struct Lasting {
        const char *text;
    };
    Failure(xcoll_result_t result, std::string_view message, int rank = nobody) noexcept;
    Failure(xcoll_result_t result, Lasting message, int rank = nobody) noexcept
        : result_(result), rank_(rank), message_(std::shared_ptr<void>(), message.text) {
    }
    xcoll_result_t result() const {
        return result_;
    }
    // Of the communicator that it happened on: who is at fault.
    int rank() const {
        return rank_;
    }
    // How many operations this rank passes over to be in step again with the one at fault (base/stance.h).
    int behind() const {
        return behind_;
    }
    Failure with_behind(int operations) const {
        Failure failure = *this;
        failure.behind_ = operations;
        return failure;
    }
    std::string message() const {
        return what();
    }
    const char *what() const noexcept override {
        return message_.get();
    }

private:
    xcoll_result_t result_;
    int rank_;
    int behind_ = 0;
    std::shared_ptr<const char> message_;
};

// printf into a std::string.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

// As much of it as there is room for, with a mark and at the end of a character where that is not all.
void copy_shortened(const char *text, char *to, size_t room) noexcept;

// A Failure with a formatted message, where a rank of the communicator is at fault.
[[gnu::format(printf, 3, 4)]] Failure failure_at(int rank, xcoll_result_t result, const char *pattern, ...) noexcept;
// Throws one.
[[noreturn, gnu::format(printf, 2, 3)]] void fail(xcoll_result_t result, const char *pattern, ...);
// The same where a rank of the communicator is at fault.
[[noreturn, gnu::format(printf, 3, 4)]] void fail_at(int rank, xcoll_result_t result, const char *pattern, ...);
// The first with XCOLL_ERR_SYSTEM, the failed call's name and the meaning of errno.
[[noreturn]] void fail_system(const char *call);

// The exception that is being handled, whatever it is.
Failure caught() noexcept;
// Of a rank that ran out of memory where peers wait for it: not the call error that this usually is.
Failure out_of_memory(int rank) noexcept;

constexpr bool is_fatal(xcoll_result_t result) {
    return result == XCOLL_ERR_SYSTEM || (result >= XCOLL_ERR_TRANSPORT && result <= XCOLL_ERR_INTERNAL);
}

const char *result_name(xcoll_result_t result);
const char *result_string(xcoll_result_t result);

} // namespace xcoll
