#include "tools/xcoll-tune/finding.h"

namespace xcoll::tune {

std::optional<size_t> Finding::winner() const {
    std::optional<size_t> best;
    for (size_t rival = 0; rival < times.size(); ++rival) {
        const bool faster = verdict(rival).kind == Verdict::Kind::faster;
        if (faster && (!best || verdict(rival).median > verdict(*best).median)) {
            best = rival;
        }
    }
    return best;
}

} // namespace xcoll::tune
