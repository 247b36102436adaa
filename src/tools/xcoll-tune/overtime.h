// What is asked for may take longer than it may: a verdict needs some rounds of everybody, however long they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace xcoll::tune {

class Overtime {
public:
    Overtime(double seconds, size_t contests) : seconds_(seconds), contests_(static_cast<double>(contests)) {
    }
    // After so many contests; "" unless it is known now that all of them take much longer, and was not before.
    std::string complaint(size_t done);

private:
    int64_t begin_ = now_ns();
    double seconds_, contests_;
    bool told_ = false;
};

} // namespace xcoll::tune
