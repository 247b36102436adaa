// Who goes next. Uniform picks alone miss much: some errors need a rank that falls behind by many operations, others
// one that runs far ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/sim/random.h"

namespace xcoll::sim {

enum class Policy : uint8_t {
    uniform,     // any, every time anew
    starve,      // some do not run for a long stretch, unless nobody else can; then others
    burst,       // one runs for as long as it can
    round_robin, // everybody in turn
    by_time,     // everybody in turn, and messages arrive only when nobody can run: for virtual time
};
inline constexpr int policies = 5;
const char *name_of(Policy policy);

struct Schedule {
    Policy policy = Policy::uniform;
    uint64_t seed = 1;
};

// Actors 0 .. count - 1 are whatever the simulator picks from: ranks, and sources of outside events. The chooser says
// in which order to ask them whether they can move.
class Chooser {
public:
    Chooser(const Schedule &schedule, size_t ranks);
    void add_source();

    // The first pass over everybody; with_starved: a second one, after the first found nobody.
    struct Pass {
        size_t first, stride; // first, first + stride, ...: all of them, modulo the count
        bool with_starved;
    };
    Pass next_pass(bool with_starved);
    bool may_move(size_t actor, const Pass &pass) const {
        return pass.with_starved || !starved_[actor];
    }
    void moved(size_t actor) {
        last_ = actor;
    }
    Random &random() {
        return random_;
    }

private:
    void find_strides();
    void starve_others();
    size_t count() const {
        return starved_.size();
    }

    Policy policy_;
    Random random_;
    size_t ranks_;
    size_t last_ = 0;
    std::vector<size_t> strides_;        // without a common divisor with the count
    std::vector<unsigned char> starved_; // by actor
    uint64_t stretch_ = 0;               // events until others are starved
};

} // namespace xcoll::sim
