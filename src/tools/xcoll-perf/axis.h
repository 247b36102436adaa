// From values to places in a picture, logarithmically.
#pragma once

#include <string>
#include <vector>

namespace xcoll::perf {

class Axis {
public:
    struct Tick {
        double value;
        std::string label;
    };

    // Of the values that are drawn; 0 has a place of its own below the least that is more. start, end: in pixels.
    Axis(const std::vector<double> &values, double start, double end);
    double operator()(double value) const;
    std::vector<Tick> ticks_of_bytes() const;
    std::vector<Tick> ticks_of_microseconds() const;

    const double start, end;

private:
    double least_ = 0, most_ = 0;
    bool has_zero_ = false;
};

} // namespace xcoll::perf
