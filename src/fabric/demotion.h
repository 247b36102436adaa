// Sends the lines of a short payload on to the cache that all cores share. Some processors have an instruction for that
// (CLDEMOTE, Xeons from the fourth generation on). Else each reader fetches them from the writer's own cache, and who
// writes there next has to wait until they are gone from it:
//
//     kept      writer's cache <--- shared cache <--- reader: 20 ticks a line
//     demoted   writer's cache ---> shared cache <--- reader: 5 ticks
//
// A processor has room for some 16 lines on their way, and an announcement behind so many waits for them. So the first
// lines go ahead of it, and all others follow it while it is on its way: its readers come later. In two slots that two
// ranks of such a Xeon swap, a bare loop takes, in us:
//
//     bytes                       256   512   1 Ki   2 Ki   4 Ki   8 Ki   16 Ki
//     kept                        .25   .29    .36    .58    1.3    1.8     2.6
//     all before                  .18   .20    .30    .44    .73    1.3     2.8
//     all behind                  .17   .20    .23    .42    .63    1.2     2.8
//     12 before, the rest behind  .17   .20    .26    .37    .61    1.1     2.8
//
// Broadcasts of 128 bytes to 1 KiB by two ranks in turn take 0.93 to 0.97 of the time with eight lines ahead instead of
// none, exchanges as long. Where both ranks run on one core, which has but one cache, all this would be a way round.
// Then lines take no time to come (fabric/first_look.h).
//
// Who gives again and again and takes nothing runs ahead of its readers. Then nobody waits for its lines, and it writes
// on while the readers fetch: broadcasts of 1 KiB from one root take 0.11 us without demotion, and 0.47 with it.
//
// A hint, which changes no data: a reader that is early takes the line from where it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fabric/first_look.h"

namespace xcoll {

class Demotion {
public:
    static constexpr size_t longest = 8192;

    explicit Demotion(const FirstLook &look) : look_(look) {
    }
    Demotion(const Demotion &) = delete;
    Demotion &operator=(const Demotion &) = delete;
    // The processor heeds it.
    void allow() {
        is_allowed_ = true;
    }
    bool is_allowed() const {
        return is_allowed_;
    }
    bool pays(size_t bytes) const {
        return is_allowed_ && bytes <= longest && !look_.is_near();
    }
    // A payload in whole lines, which is announced next.
    void before(const char *payload, size_t bytes) const {
        if (pays(bytes)) {
            demote(payload, std::min(bytes, ahead));
        }
    }
    // The same one, which has been.
    void behind(const char *payload, size_t bytes) const {
        if (bytes > ahead && pays(bytes)) {
            demote(payload + ahead, bytes - ahead);
        }
    }

private:
    static constexpr size_t line = 64;
    static constexpr size_t ahead = 8 * line; // the library takes as long with 12

    static void demote(const char *at, size_t bytes) {
#if defined(__x86_64__)
        for (size_t i = 0; i < bytes; i += line) {
            asm volatile("cldemote %0" ::"m"(at[i]));
        }
#else
        (void)at;
        (void)bytes;
#endif
    }

    const FirstLook &look_;
    bool is_allowed_ = false;
};

} // namespace xcoll
