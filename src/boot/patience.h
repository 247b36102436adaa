// Waiting for sockets, never longer than until a deadline.
#pragma once

#include <cstdint>
#include <poll.h>
#include <vector>

#include "base/clock.h"
#include "boot/link.h"

namespace xcoll {

constexpr int64_t last_words_ms = 1000; // for telling others what went wrong, before giving up

// timeout_ms < 0: never.
int64_t deadline_after(int64_t timeout_ms);
void wait_for(std::vector<pollfd> &entries, int64_t until_ms);
// Until all that was sent has left this process. Those that hang up are not waited for.
void flush_links(const std::vector<Link *> &links, int64_t until_ms);

} // namespace xcoll
