#include "boot/patience.h"

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace xcoll {

int64_t deadline_after(int64_t timeout_ms) {
    const int64_t now = now_ms();
    return timeout_ms < 0 || timeout_ms > never_ms - now ? never_ms : now + timeout_ms;
}

void wait_for(std::vector<pollfd> &entries, int64_t until_ms) {
    constexpr int64_t longest_ms = 60'000; // of one call; who waits longer calls again
    const int64_t left = std::clamp<int64_t>(until_ms - now_ms(), 0, longest_ms);
    if (poll(entries.data(), entries.size(), static_cast<int>(left)) < 0 && errno != EINTR) {
        fail_system("poll");
    }
}

void flush_links(const std::vector<Link *> &links, int64_t until_ms) {
    for (;;) {
        std::vector<pollfd> entries;
        for (Link *link : links) {
            if (link->has_output()) {
                link->step();
            }
            if (link->has_output() && !link->is_over()) {
                entries.push_back(link->poll_entry());
            }
        }
        if (entries.empty() || now_ms() >= until_ms) {
            return;
        }
        wait_for(entries, until_ms);
    }
}

} // namespace xcoll
