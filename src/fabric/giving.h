// Whether a rank gives again and again and takes nothing, as the root of broadcasts that are repeated: then it waits
// for nobody, and nobody who waits for it keeps anybody else waiting. What it gives next may come a little later, if
// giving costs it less.
#pragma once

#include <cstdint>
#include <utility>

namespace xcoll {

class Giving {
public:
    // This rank only gives in operation n. True if that was so in the last one.
    bool goes_on(uint64_t n) {
        return std::exchange(last_, n) + 1 == n;
    }

private:
    uint64_t last_ = ~uint64_t{0} / 2; // no operation's number
};

} // namespace xcoll
