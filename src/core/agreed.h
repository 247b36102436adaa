// What chooses algorithms and orders of addition changes the message pattern, so it must be equal on all ranks.
#pragma once

#include <cstdint>

#include "base/config.h"

namespace xcoll {

struct Agreed {
    uint32_t settings, tuning;
    bool operator==(const Agreed &) const = default;
};

Agreed agreed_of(const Settings &settings);

// Throws Failure(XCOLL_ERR_CONFIG) if those of two ranks differ. It tells the user what `mine`, this rank's, are.
void check_agreed(int one, const Agreed &its, int other, const Agreed &others, const Settings &mine);

} // namespace xcoll
