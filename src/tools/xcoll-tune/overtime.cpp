#include "tools/xcoll-tune/overtime.h"

#include "tools/shared/text.h"

namespace xcoll::tune {

std::string Overtime::complaint(size_t done) {
    constexpr double much = 1.5;
    const double passed = static_cast<double>(now_ns() - begin_) / second;
    const double whole = passed / static_cast<double>(done) * contests_;
    if (told_ || passed < seconds_ || whole < much * seconds_) {
        return "";
    }
    told_ = true;
    return tools::format(
        "--time %.0f is not enough to tell what is faster: these collectives and sizes will take about "
        "%.0f s. Fewer --ops or smaller --sizes take less",
        seconds_, whole);
}

} // namespace xcoll::tune
