// What a test remembers of several calls where it must not ask for memory.
#pragma once

#include <cstdio>
#include <string>

#include "xcoll.h"

// The first error of several calls and its message, noted without memory.
class FirstError {
public:
    bool note(xcoll_result_t result) {
        if (result != XCOLL_SUCCESS && result_ == XCOLL_SUCCESS) {
            result_ = result;
            std::snprintf(message_, sizeof message_, "%s", xcoll_last_error());
        }
        return result == XCOLL_SUCCESS;
    }
    xcoll_result_t result() const {
        return result_;
    }
    std::string text() const {
        return std::string(xcoll_error_name(result_)) + ": " + message_;
    }

private:
    xcoll_result_t result_ = XCOLL_SUCCESS;
    char message_[1000] = {};
};
