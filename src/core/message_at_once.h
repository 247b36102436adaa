// One of the messages that begin together (core/messages_at_once.h), from its beginning to its end; then it may begin
// again.
#pragma once

#include <optional>

#include "base/error.h"
#include "coll/user_message.h"
#include "core/recorded.h"

namespace xcoll {

struct MessageAtOnce {
    const Op *op = nullptr;
    Recorded recorded;
    bool is_open = false;             // it is recorded, and not as over
    std::optional<UserMessage> steps; // nothing: it was over at once
    std::optional<Failure> failure;   // of this one alone
};

} // namespace xcoll
