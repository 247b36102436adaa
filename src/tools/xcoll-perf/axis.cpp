#include "tools/xcoll-perf/axis.h"

#include <algorithm>
#include <cmath>

#include "tools/shared/sizes.h"
#include "tools/shared/text.h"

namespace xcoll::perf {

namespace {

constexpr double room = 1.3; // of the range, beyond its ends
constexpr int most_ticks = 8;

std::string time_label(double microseconds) {
    if (microseconds < 1) {
        return tools::format("%g ns", microseconds * 1e3);
    }
    return microseconds < 1e3 ? tools::format("%g µs", microseconds) : tools::format("%g ms", microseconds / 1e3);
}

} // namespace

Axis::Axis(const std::vector<double> &values, double from, double to) : start(from), end(to) {
    for (const double value : values) {
        has_zero_ = has_zero_ || value == 0;
        if (value > 0) {
            least_ = least_ > 0 ? std::min(least_, value) : value;
            most_ = std::max(most_, value);
        }
    }
    least_ = (least_ > 0 ? least_ : 1) / room / (has_zero_ ? 2 : 1);
    most_ = std::max(most_ * room, least_ * room * room);
}

double Axis::operator()(double value) const {
    return value > 0 ? start + (end - start) * std::log(value / least_) / std::log(most_ / least_) : start;
}

std::vector<Axis::Tick> Axis::ticks_of_bytes() const {
    std::vector<Tick> ticks;
    if (has_zero_) {
        ticks.push_back({0, "0"});
    }
    const int first = static_cast<int>(std::ceil(std::log2(least_))), last = static_cast<int>(std::log2(most_));
    const int step = (last - first) / most_ticks + 1;
    for (int power = std::max(first, 0); power <= last && !(has_zero_ && last == 0); power += step) {
        const auto bytes = uint64_t{1} << power;
        ticks.push_back({static_cast<double>(bytes), tools::short_bytes(bytes)});
    }
    return ticks;
}

// The powers of ten; where there are few of them, 2 and 5 times as much as well.
std::vector<Axis::Tick> Axis::ticks_of_microseconds() const {
    std::vector<Tick> ticks;
    const bool is_short = most_ / least_ < 100;
    for (int power = static_cast<int>(std::floor(std::log10(least_))); std::pow(10, power) <= most_; ++power) {
        for (const int times : {1, 2, 5}) {
            const double value = times * std::pow(10, power);
            if (value >= least_ && value <= most_ && (times == 1 || is_short)) {
                ticks.push_back({value, time_label(value)});
            }
        }
    }
    return ticks;
}

} // namespace xcoll::perf
