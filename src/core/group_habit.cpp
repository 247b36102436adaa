#include "core/group_habit.h"

namespace xcoll {

// To another known group that begins with the calls so far. False, and nothing changes, if none fits.
template <class Fits> bool GroupHabit::turn(Fits fits) {
    for (const auto &last : last_) {
        KnownGroup *const other = last.known.get();
        if (other && other != followed_ && fits(*other) && other->begins_like(parts())) {
            other->move_to(parts());
            next_ = other->parts().data() + calls();
            parts_ = other->parts();
            followed_ = other;
            return true;
        }
    }
    return false;
}

KnownPart *GroupHabit::turn_to(Kind kind, const Arguments &arguments) {
    const size_t n = calls();
    const bool found =
        turn([&](KnownGroup &known) { return n < known.parts().size() && known.parts()[n].is_like(kind, arguments); });
    return found ? next_ : nullptr;
}

KnownGroup *GroupHabit::ended() {
    const auto ends = [n = calls()](KnownGroup &known) { return n == known.parts().size(); };
    return (followed_ && !has_next()) || turn(ends) ? followed_ : nullptr;
}

} // namespace xcoll
