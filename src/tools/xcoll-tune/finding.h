// What the passes have shown for one bout.
#pragma once

#include <optional>
#include <vector>

#include "tools/xcoll-tune/field.h"
#include "tools/xcoll-tune/verdict.h"

namespace xcoll::tune {

struct Finding {
    const Bout *bout;
    std::vector<Times> times; // for each rival

    // Of a rival.
    Verdict verdict(size_t rival) const {
        return judge(times[rival]);
    }
    // The fastest of those that are clearly faster than the library's own choice.
    std::optional<size_t> winner() const;
};

} // namespace xcoll::tune
