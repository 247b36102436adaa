#include "core/group_habit.h"

namespace xcoll {

// To another known group that begins with the calls so far. False, and nothing changes, if none fits.
template <class Fits> bool GroupHabit::turn(Fits fits) {
    for (const auto &last : last_) {
        KnownGroup *const other = last.known.get();
        if (other && other != followed_ && fits(*other) && other->begins_like(parts())) {
            other->move_to(parts());
            followed_ = other;
            return true;
        }
    }
    return false;
}

KnownPart *GroupHabit::turn_to(Kind kind, const Arguments &arguments) {
    const bool found =
        turn([&](KnownGroup &known) { return calls_ < known.size() && known.part(calls_).is_like(kind, arguments); });
    return found ? expected() : nullptr;
}

KnownGroup *GroupHabit::ended() {
    const auto ends = [&](const KnownGroup &known) { return calls_ == known.size(); };
    return (followed_ && ends(*followed_)) || turn(ends) ? followed_ : nullptr;
}

} // namespace xcoll
