// What a wait that lasts too long is about: a message of the user's, if it is one.
#include <algorithm>

#include "core/comm.h"
#include "core/owner.h"

namespace xcoll {

namespace {

// Of a stage that has not begun: what it waits for.
const Request &first_open(const Request &request) {
    if (request.begun || !request.after) {
        return request;
    }
    const GroupStage &after = *request.after;
    const auto open = std::find_if(after.begin(), after.end(), [](const auto &earlier) { return !earlier->done(); });
    return open == after.end() ? request : first_open(**open);
}

} // namespace

// A blocking call has no request, and no message but its own is on its way then. Whoever waits for no request of his
// own waits for all.
std::optional<Post::Delay> Comm::delayed_message(const Until &until) {
    const Owner owner(*this);
    if (!in_flight_.first()) {
        return messages_.delay(nullptr);
    }
    const Request *awaited = in_flight_.find([&](const Request &each) { return &each.finished == until.signal; });
    const Request &request = first_open(awaited ? *awaited : *in_flight_.first());
    const bool is_message = request.comm == this && traits(request.what.op.kind).is_message;
    return is_message ? messages_.delay(&request.what.op) : std::nullopt;
}

} // namespace xcoll
