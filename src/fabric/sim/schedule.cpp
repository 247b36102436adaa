#include "fabric/sim/schedule.h"

#include <algorithm>
#include <numeric>

namespace xcoll::sim {

namespace {
// With this chance the running one loses its turn all the same.
constexpr unsigned burst_ends_percent = 1;
} // namespace

const char *name_of(Policy policy) {
    static constexpr const char *names[policies] = {"uniform", "starve", "burst", "round robin", "by time"};
    return names[static_cast<int>(policy)];
}

Chooser::Chooser(const Schedule &schedule, size_t ranks)
    : policy_(schedule.policy), random_(schedule.seed), ranks_(ranks), starved_(ranks) {
    find_strides();
}

void Chooser::add_source() {
    starved_.push_back(policy_ == Policy::by_time);
    find_strides();
}

// Walking in steps that have no common divisor with the count visits everybody. With one stride for all, the
// neighbour of somebody who often cannot move would be picked more often than others.
void Chooser::find_strides() {
    strides_.clear();
    for (size_t stride = 1; stride <= count() && strides_.size() < 16; ++stride) {
        if (std::gcd(stride, count()) == 1) {
            strides_.push_back(stride);
        }
    }
}

void Chooser::starve_others() {
    stretch_ = random_.any_magnitude(14);
    // One alone is slow, or one alone is fast, or each by its own luck.
    const uint64_t form = random_.below(3);
    const unsigned chance = static_cast<unsigned>(random_.between(10, 90));
    const size_t chosen = random_.below(ranks_);
    for (size_t i = 0; i < count(); ++i) {
        const bool is_chosen = i == chosen;
        starved_[i] = form == 0 ? is_chosen : form == 1 ? !is_chosen : random_.percent(chance);
    }
}

Chooser::Pass Chooser::next_pass(bool with_starved) {
    switch (policy_) {
    case Policy::by_time:
    case Policy::round_robin:
        return {(last_ + 1) % count(), 1, with_starved};
    case Policy::burst:
        if (!random_.percent(burst_ends_percent)) {
            return {last_, strides_[random_.below(strides_.size())], with_starved};
        }
        break;
    case Policy::starve:
        if (stretch_-- == 0) {
            starve_others();
        }
        break;
    case Policy::uniform:
        break;
    }
    return {random_.below(count()), strides_[random_.below(strides_.size())], with_starved};
}

} // namespace xcoll::sim
