// The last few groups on a communicator, for the next one that is like one of them: it is compared call by call while
// it is recorded. What habit.h is to single calls.
//
// A group takes it away from the communicator when it begins, and brings it back when it has ended: groups that two
// threads have open at once do not share it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/known_group.h"
#include "core/last_few.h"

namespace xcoll {

class GroupHabit {
public:
    // Of a known group: more than a model has parameters. A part takes 0.4 KiB beside its pieces; a call of a group
    // that is too long to be known takes ten times as long.
    static constexpr size_t most_parts = 2048;

    // ---- while a group is recorded
    void begin() {
        followed_ = nullptr;
        calls_ = 0;
    }
    // The call that comes next if the group goes on like the known one that it was like so far; nullptr if there is
    // none.
    KnownPart *expected() {
        return followed_ && calls_ < followed_->size() ? &followed_->part(calls_) : nullptr;
    }
    // If it is another one: in a known group that begins with the calls so far and goes on with that. nullptr if none
    // does.
    KnownPart *turn_to(Kind kind, const Arguments &arguments);
    // That call has been made; whether with other buffers than it had.
    void go_on(bool has_moved) {
        ++calls_;
        if (has_moved) {
            followed_->note_move();
        }
    }
    // The known group that has no more calls than that; nullptr if none is so short.
    KnownGroup *ended();
    // The calls that were like those of a known group, with their buffers.
    std::span<const KnownPart> parts() const {
        return followed_ ? followed_->first_parts(calls_) : std::span<const KnownPart>();
    }

    // ---- afterwards
    // True if the group was one of the last: then it is worth knowing. Told by the fingerprint alone: it is compared
    // with the others when it comes again.
    bool repeats(const Fingerprint &group) {
        return last_.repeats(group);
    }
    // What repeats().
    void know(std::unique_ptr<KnownGroup> group) {
        last_.know(std::move(group));
    }

private:
    template <class Fits> bool turn(Fits fits);

    LastFew<std::optional<Fingerprint>, KnownGroup> last_;
    KnownGroup *followed_ = nullptr;
    size_t calls_ = 0;
};

// Where it lies while no group has it.
class GroupHabitPlace {
public:
    GroupHabitPlace() = default;
    GroupHabitPlace(const GroupHabitPlace &) = delete;
    GroupHabitPlace &operator=(const GroupHabitPlace &) = delete;
    ~GroupHabitPlace() {
        take();
    }
    // nullptr: no group was worth it so far, or one has it.
    std::unique_ptr<GroupHabit> take() {
        return std::unique_ptr<GroupHabit>(habit_.exchange(nullptr, std::memory_order_acquire));
    }
    // Of two groups at once, the last one's stays.
    void put(std::unique_ptr<GroupHabit> habit) {
        delete habit_.exchange(habit.release(), std::memory_order_acq_rel);
    }

private:
    std::atomic<GroupHabit *> habit_{nullptr};
};

} // namespace xcoll
