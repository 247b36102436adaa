// Whether payloads are written with ordinary or with non-temporal stores: learned by timing, never by asking the
// hypervisor. Rewriting a line that the other core has read costs 6 ns under one L3 of a Zen, 27 ns across two, and a
// non-temporal store 2.3 ns always; on a Xeon of the fourth generation it is the other way round, 3.5 against 5.5. And
// a line stored past the cache is read back from memory, which the writer does not see. So both are timed, and
// streaming has to be clearly cheaper.
//
// A local choice: it may change at any message, and peers need not know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "kernels/kernels.h"

namespace xcoll {

class StoreKind {
public:
    enum class Rule : uint8_t { learn, cached, stream };

    using Clock = uint64_t (*)();

    StoreKind(Rule rule, double ticks_per_ns, Clock clock = ticks)
        : rule_(rule), clock_(clock), hopeless_(static_cast<float>(hopeless_ns * ticks_per_ns)),
          worst_news_(static_cast<float>(worst_news_ns * ticks_per_ns)),
          streamed_(static_cast<float>(usual_streamed_ns * ticks_per_ns)) {
    }

    // A smaller payload is written with ordinary stores: it is gone before streaming pays.
    static constexpr size_t smallest_streamed = 2048;
    // From here on a measurement costs little beside the copy; below, one message in so many is timed.
    static constexpr size_t always_timed = 8192;

    void copy(const Kernels &kernels, void *to, const void *from, size_t bytes) {
        if (bytes < smallest_streamed || rule_ == Rule::cached) {
            kernels.copy(to, from, bytes);
            return;
        }
        ++messages_;
        if (rule_ == Rule::learn && trial_left_ == 0 && messages_ - last_trial_ >= trial_interval_ && may_other_win()) {
            begin_trial();
        }
        const bool is_trial = trial_left_ > 0, ends_trial = trial_left_ == 1;
        const bool streams = is_trial ? tried_ : streaming();
        trial_left_ -= is_trial;
        const auto move = streams ? kernels.copy_stream : kernels.copy;
        if (!is_timed(bytes, is_trial)) {
            move(to, from, bytes);
            return;
        }
        const uint64_t start = clock_();
        move(to, from, bytes);
        const float cost = cost_of_line(clock_() - start, bytes);
        if (ends_trial) {
            unsettled_ = trial_length_ / 2;
            plan_trial(streams ? pays(ordinary_, cost) : !pays(cost, streamed_));
        }
        learn(streams ? streamed_ : ordinary_, cost);
    }
    // For places that two ranks swap: what a line costs depends on how both have written it before. On a Zen 4 with two
    // L3s a single block that is stored in the ordinary way, where this rank streams, takes 27 ns a line, but 1.4 if
    // all are stored like that. So a trial goes through all places some times, and neither its first half nor as many
    // messages behind it tell anything; and some places stay as they are until a later operation, for the cost of which
    // no news change much.
    void try_at_length() {
        trial_length_ = swapped_trial_length;
        news_ = swapped_news;
    }
    bool streaming() const {
        return rule_ == Rule::stream || (rule_ == Rule::learn && pays(ordinary_, streamed_));
    }

private:
    // One message in so many is written in the other way, to notice when the machine has changed. Each trial that finds
    // nothing new makes the next one rarer: on a Xeon with two L3s a trial of 16 KiB costs some 8 us, as its lines go
    // through memory twice, and every 64th message made broadcasts of 256 KiB an eighth slower.
    static constexpr uint32_t shortest_trial_interval = 64;
    static constexpr uint32_t longest_trial_interval = 4096;
    static constexpr uint32_t timing_interval = 16;
    // Two slots of four blocks on either side, three times.
    static constexpr uint32_t swapped_trial_length = 48;
    static constexpr float usual_news = 1.F / 4;
    static constexpr float swapped_news = 1.F / 32; // eight such places do not make up for a streamed store
    // Of a line in the payload ring: ordinary stores 0.4 to 1.5 ns under one L3, 5 to 9 ns across two (measured on Zen
    // 4 and 5), 2.2 to 2.6 and 12 ns on Zen 3, 3.3 to 4.5 ns on a Xeon; streamed ones 1 to 2.3 ns on Zen 4 and 5, 3.4
    // ns on Zen 3, where a single trial takes up to 6.8 as its lines are in caches, and 5 to 6.5 ns on the Xeon, whose
    // readers lose as much once more.
    static constexpr double usual_streamed_ns = 2;
    static constexpr float worth_streaming = 1.5;
    // Nothing is streamed faster than ordinary stores below that.
    static constexpr double hopeless_ns = 3;
    // News that are worse by more than this than what is known were an interrupt as likely as not, and count as no
    // worse.
    static constexpr double worst_news_ns = 6;

    bool may_other_win() const {
        return streaming() || ordinary_ > hopeless_;
    }
    static bool pays(float ordinary, float streamed) {
        return ordinary > worth_streaming * streamed;
    }
    static float cost_of_line(uint64_t spent, size_t bytes) {
        return static_cast<float>(spent) * 64 / static_cast<float>(bytes);
    }
    // A part of the news: one interrupt in a copy does not turn the choice, some slow copies in a row do.
    void learn(float &ticks_per_line, float cost) const {
        ticks_per_line += std::min(cost - ticks_per_line, worst_news_) * news_;
    }
    bool is_timed(size_t bytes, bool is_trial) {
        if (unsettled_ > 0) {
            --unsettled_;
            return false;
        }
        return rule_ == Rule::learn && (is_trial || bytes >= always_timed || messages_ % timing_interval == 0);
    }
    void begin_trial() {
        trial_left_ = trial_length_;
        tried_ = !streaming();
        unsettled_ = trial_length_ / 2;
    }
    void plan_trial(bool other_won) {
        last_trial_ = messages_;
        trial_interval_ = other_won ? shortest_trial_interval : std::min(2 * trial_interval_, longest_trial_interval);
    }

    Rule rule_;
    uint32_t messages_ = 0, last_trial_ = 0, trial_interval_ = shortest_trial_interval;
    uint32_t trial_length_ = 1, trial_left_ = 0;
    float news_ = usual_news;
    uint32_t unsettled_ = 0; // messages that are written where some lines are still as a trial wants them, or wanted
    bool tried_ = false;     // in the trial: whether it streams
    Clock clock_;
    // In ticks per line.
    float hopeless_, worst_news_, ordinary_ = 0, streamed_;
};

} // namespace xcoll
