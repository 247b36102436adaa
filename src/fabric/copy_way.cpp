#include "fabric/copy_way.h"

#include <algorithm>

namespace xcoll {

namespace {

// One message in so many goes another way, to notice when the machine has changed. Each trial that finds nothing new
// makes the next one rarer: on a Xeon with two L3s a streamed 16 KiB costs some 8 us, as its lines go through memory
// twice, and every 64th message made broadcasts of 256 KiB an eighth slower.
constexpr uint32_t shortest_trial_interval = 64;
constexpr uint32_t longest_trial_interval = 4096;
constexpr uint32_t timing_interval = 16;
// Two slots of four blocks on either side, three times.
constexpr uint32_t swapped_trial_length = 48;
constexpr float usual_news = 1.F / 4;
constexpr float swapped_news = 1.F / 32; // eight such places do not make up for a streamed store
// Of a line in the payload ring: plain stores 0.4 to 1.5 ns under one L3, 5 to 9 ns across two (measured on Zen 4 and
// 5), 2.2 to 2.6 and 12 ns on Zen 3, 3.3 to 4.5 ns on a Xeon; streamed ones 1 to 2.3 ns on Zen 4 and 5, 3.4 ns on Zen
// 3, where a single trial takes up to 6.8 as its lines are in caches, and 5 to 6.5 ns on the Xeon, whose readers lose
// as much once more. What plain and string copies cost is found out at once.
constexpr double usual_streamed_ns = 2;
// Nothing is streamed faster than plain stores below that.
constexpr double hopeless_ns = 3;
// News that are more than twice as bad as what is known, or as this, were an interrupt as likely as not, and count as
// no worse.
constexpr double bad_ns = 1;
// By how much a way has to be cheaper than a plain copy. Who reads by a string copy leaves lines that are cheaper to
// write again, which it does not see: on a Zen 5 both take a reader equally long, but broadcasts of 4 KiB 0.31 instead
// of 0.35 us and of 256 KiB 4.6 instead of 5.1.
using Weights = std::array<float, ways>;
constexpr Weights writing_weights = {1, 1, 1.5F}, reading_weights = {1, 0.8F, 0};
// And by how much in a trial, for it to be news.
constexpr float clearly = 0.9F;

CopyKernel kernel_of(const Kernels &kernels, Way way) {
    switch (way) {
    case Way::stream:
        return kernels.copy_stream;
    case Way::string:
        return kernels.copy_string;
    case Way::plain:
        break;
    }
    return kernels.copy;
}

} // namespace

// Loads have no non-temporal kind that caches heed.
LearnedWay::LearnedWay(CopyUse use, double ticks_per_ns)
    : trial_interval_(shortest_trial_interval),
      allowed_(use == CopyUse::writing ? ways : static_cast<size_t>(Way::stream)), news_(usual_news),
      weights_(use == CopyUse::writing ? writing_weights : reading_weights),
      hopeless_(static_cast<float>(hopeless_ns * ticks_per_ns)),
      bad_(static_cast<float>(bad_ns * ticks_per_ns)), costs_{} {
    cost(Way::stream) = static_cast<float>(usual_streamed_ns * ticks_per_ns);
}

void LearnedWay::try_at_length() {
    trial_length_ = swapped_trial_length;
    news_ = swapped_news;
}

Way LearnedWay::next() {
    ++messages_;
    if (trial_left_ == 0 && messages_ - last_trial_ >= trial_interval_) {
        begin_trial();
    }
    return trial_left_ > 0 ? tried_ : best_;
}

bool LearnedWay::wants_cost(bool is_rare) {
    if (unsettled_ > 0) {
        --unsettled_;
        trial_left_ -= trial_left_ > 0;
        return false;
    }
    return trial_left_ > 0 || !is_rare || messages_ % timing_interval == 0;
}

// A part of the news: one interrupt in a copy does not turn the choice, some slow copies in a row do.
void LearnedWay::learn(Way way, float ticks_per_line) {
    if (trial_left_ == 1) {
        end_trial(ticks_per_line);
    }
    trial_left_ -= trial_left_ > 0;
    float &known = cost(way);
    known += std::min(ticks_per_line - known, std::max(known, bad_)) * news_;
    choose();
}

float LearnedWay::weighed(Way way) const {
    return cost(way) * weight(way);
}

bool LearnedWay::is_worth_trying(Way way) const {
    return way != best_ && (way != Way::stream || cost(best_) > hopeless_);
}

// The ways take turns.
void LearnedWay::begin_trial() {
    for (size_t turn = 0; turn < allowed_; ++turn) {
        tried_ = static_cast<Way>((static_cast<size_t>(tried_) + 1) % allowed_);
        if (is_worth_trying(tried_)) {
            trial_left_ = trial_length_;
            unsettled_ = trial_length_ / 2;
            return;
        }
    }
}

// A single message that was cheap is believed: nothing but the way that it went makes a copy faster. So a rank that has
// streamed between two L3s does not go on for many thousand messages when both cores have come under one.
void LearnedWay::end_trial(float ticks_per_line) {
    unsettled_ = trial_length_ / 2;
    const bool has_won = ticks_per_line * weight(tried_) < clearly * weighed(best_);
    last_trial_ = messages_;
    trial_interval_ = has_won ? shortest_trial_interval : std::min(2 * trial_interval_, longest_trial_interval);
    if (trial_length_ == 1) {
        cost(tried_) = std::min(cost(tried_), ticks_per_line);
    }
}

void LearnedWay::choose() {
    for (size_t way = 0; way < allowed_; ++way) {
        if (weighed(static_cast<Way>(way)) < weighed(best_)) {
            best_ = static_cast<Way>(way);
        }
    }
}

CopyWay::CopyWay(Rule rule, CopyUse use, double ticks_per_ns, Clock clock)
    : rule_(rule), use_(use), clock_(clock), small_(use, ticks_per_ns), large_(small_) {
}

void CopyWay::try_at_length() {
    small_.try_at_length();
    large_.try_at_length();
}

bool CopyWay::finds_plain_dear() const {
    return rule_ == Rule::stream || (rule_ == Rule::learn && small_.finds_plain_dear());
}

Way CopyWay::way_of(size_t bytes) const {
    switch (rule_) {
    case Rule::string:
        return bytes < smallest ? Way::plain : Way::string;
    case Rule::stream:
        return bytes < smallest || use_ == CopyUse::reading ? Way::plain : Way::stream;
    case Rule::learn:
        return bytes < smallest ? Way::plain : bytes < smallest_large ? small_.best() : large_.best();
    case Rule::plain:
        break;
    }
    return Way::plain;
}

void CopyWay::copy_known(const Kernels &kernels, void *to, const void *from, size_t bytes) {
    if (rule_ != Rule::learn) {
        kernel_of(kernels, way_of(bytes))(to, from, bytes);
        return;
    }
    LearnedWay &learned = bytes < smallest_large ? small_ : large_;
    const Way way = learned.next();
    const CopyKernel move = kernel_of(kernels, way);
    if (!learned.wants_cost(bytes < always_timed)) {
        move(to, from, bytes);
        return;
    }
    const uint64_t start = clock_();
    move(to, from, bytes);
    learned.learn(way, static_cast<float>(clock_() - start) * 64 / static_cast<float>(bytes));
}

} // namespace xcoll
