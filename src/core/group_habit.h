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

#include "base/threads.h"
#include "core/known_group.h"
#include "core/last_few.h"

namespace xcoll {

class GroupHabit {
public:
    // Of a known group: more than a model has parameters. A part takes 0.4 KiB beside its pieces, 0.5 if it is a
    // message; a call of a group that is too long to be known takes ten times as long.
    static constexpr size_t most_parts = 2048;

    // ---- while a group is recorded
    void begin() {
        followed_ = nullptr;
        parts_ = {};
        next_ = nullptr;
    }
    // The call that comes next if the group goes on like the known one that it was like so far; nullptr if there is
    // none.
    KnownPart *expected() {
        return has_next() ? next_ : nullptr;
    }
    // If it is another one: in a known group that begins with the calls so far and goes on with that. nullptr if none
    // does.
    KnownPart *turn_to(Kind kind, const Arguments &arguments);
    // That call has been made; whether with other buffers than it had.
    void go_on(bool has_moved) {
        ++next_;
        if (has_moved) {
            followed_->note_move();
        }
    }
    // The known group that has no more calls than that; nullptr if none is so short.
    KnownGroup *ended();
    // The calls that were like those of a known group, with their buffers.
    std::span<const KnownPart> parts() const {
        return {parts_.data(), next_};
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
    bool has_next() const {
        return next_ != parts_.data() + parts_.size();
    }
    size_t calls() const {
        return static_cast<size_t>(next_ - parts_.data());
    }
    template <class Fits> bool turn(Fits fits);

    LastFew<std::optional<Fingerprint>, KnownGroup> last_;
    KnownGroup *followed_ = nullptr;
    std::span<KnownPart> parts_; // of that one
    KnownPart *next_ = nullptr;  // among them
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
        return std::unique_ptr<GroupHabit>(swap(nullptr));
    }
    // Of two groups at once, the last one's stays.
    void put(std::unique_ptr<GroupHabit> habit) {
        delete swap(habit.release());
    }

private:
    GroupHabit *swap(GroupHabit *habit) {
        if (has_threads()) {
            return habit_.exchange(habit, std::memory_order_acq_rel);
        }
        GroupHabit *const before = habit_.load(std::memory_order_relaxed);
        habit_.store(habit, std::memory_order_relaxed);
        return before;
    }
    std::atomic<GroupHabit *> habit_{nullptr};
};

} // namespace xcoll
