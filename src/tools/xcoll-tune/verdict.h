// Whether one way is faster than another, or only looks like it: judged by several passes, in each of which both were
// measured in turn, and beside them a control that is the same as the first one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace xcoll::tune {

// Nanoseconds of a call, one entry for each pass.
struct Times {
    std::vector<double> usual, control, rival;
};

struct Verdict {
    enum class Kind { same, faster, slower } kind; // the rival
    double median, least, most;                    // how many times as fast as the usual one, over the passes
};

// Less than this is not worth a line in a file, nor safe from the next change of the machine's mood.
inline constexpr double least_gain = 1.05;
// Of so many passes one may say the contrary.
inline constexpr size_t passes_for_an_exception = 5;

inline double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// How many times as fast the rival was in each pass: 1 where the surroundings of a call took longer than the call, so
// that nothing can be told.
inline std::vector<double> gains_of(const Times &times) {
    std::vector<double> gains;
    for (size_t i = 0; i < times.rival.size(); ++i) {
        const bool told = times.usual[i] > 0 && times.control[i] > 0 && times.rival[i] > 0;
        gains.push_back(told ? (times.usual[i] + times.control[i]) / 2 / times.rival[i] : 1);
    }
    return gains;
}

// How far two measurements of the same thing are apart in the median pass: 1 if they agree.
inline double noise_of(const Times &times) {
    std::vector<double> apart;
    for (size_t i = 0; i < times.usual.size(); ++i) {
        const bool told = times.usual[i] > 0 && times.control[i] > 0;
        apart.push_back(told ? std::max(times.usual[i] / times.control[i], times.control[i] / times.usual[i]) : 1);
    }
    return median_of(apart);
}

// Needs at least one pass.
inline Verdict judge(const Times &times) {
    const std::vector<double> gains = gains_of(times);
    const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
    Verdict verdict{Verdict::Kind::same, median_of(gains), *least, *most};
    const double clear = std::max(least_gain, noise_of(times));
    const auto exceptions = static_cast<std::ptrdiff_t>(gains.size() / passes_for_an_exception);
    const auto against = [&](auto says) { return std::count_if(gains.begin(), gains.end(), says) <= exceptions; };
    if (verdict.median > clear && against([](double gain) { return gain <= 1; })) {
        verdict.kind = Verdict::Kind::faster;
    } else if (verdict.median < 1 / clear && against([](double gain) { return gain >= 1; })) {
        verdict.kind = Verdict::Kind::slower;
    }
    return verdict;
}

} // namespace xcoll::tune
