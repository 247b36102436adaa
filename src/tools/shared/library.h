// Asking the library.
#pragma once

#include <stdexcept>
#include <string>

#include "xcoll.h"

namespace xcoll::tools {

// A call of the library failed; the text has the name of the error and its details.
struct CallFailed : std::runtime_error {
    CallFailed(xcoll_result_t failed, const std::string &text) : std::runtime_error(text), result(failed) {
    }
    xcoll_result_t result;
};

void must(xcoll_result_t result);
// What xcoll_comm_describe says, whole.
std::string description(xcoll_comm_t comm);
// Takes all XCOLL_ variables out of the environment, one of which is wrong.
void forget_settings();

} // namespace xcoll::tools
