#include "fabric/copy_way.h"

#include <algorithm>

namespace xcoll {

namespace {

// One message in so many goes another way, to notice when the machine has changed. The dearer that is, the rarer, so
// that all trials together take one part in so many of the time: on a Xeon with two L3s a streamed 16 KiB costs some 8
// us, as its lines go through memory twice, and every 64th message made broadcasts of 256 KiB an eighth slower. Where
// each trial that found nothing new made the next one rarer instead, whoever had come under one L3 long since went on
// as between two. On a Zen 3 whose processors move every few seconds broadcasts from one root, 2 ms at a time, take
// under one L3 2.8, 11 and 55 us for 64 KiB, 256 KiB and 1 MiB like this, and took 4.9, 20 and 84
// (bench/results/zen3-trials).
constexpr uint32_t shortest_trial_interval = 64;
constexpr uint32_t longest_trial_interval = 4096;
constexpr float part_for_trials = 128;
constexpr uint32_t timing_interval = 16;
// A long message counts as many.
constexpr uint32_t counted(size_t bytes) {
    return static_cast<uint32_t>(1 + bytes / (size_t{128} << 10));
}
// Readers are asked of every trial, and one message in so many besides. Each time that they are silent makes that
// rarer: to look for what they tell costs a line transfer.
constexpr uint32_t shortest_asking_interval = 32;
constexpr uint32_t longest_asking_interval = longest_trial_interval;
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
// News that are more than twice as bad as what is known, or as this, were an interrupt as likely as not.
constexpr double bad_ns = 1;
// By how much a way has to be cheaper than a plain copy as long as it is not known what it costs the readers. What
// reading by a string copy costs the peers the reader does not see. Its lines are cheaper to write again: on a Zen 5
// both take a reader equally long, but broadcasts of 256 KiB 4.6 instead of 5.1 us. But its stores are late, and with
// them those of the next message: on a Zen 4 both take a reader equally long, but broadcasts of 8 KiB 0.7 to 1.0
// instead of 0.6 us, which alternate between two roots.
using Weights = std::array<float, ways>;
constexpr Weights writing_weights = {1, 1, 1.5F}, reading_weights = {1, 0.8F, 0}, reading_small_weights = {1, 1.1F, 0};

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

// Bad news may have been an interrupt: they count as no worse than twice what is known.
float change(float known, float news, float bad) {
    return std::min(news - known, std::max(known, bad));
}

} // namespace

// Loads have no non-temporal kind that caches heed.
LearnedWay::LearnedWay(CopyUse use, bool is_large, double ticks_per_ns)
    : trial_interval_(shortest_trial_interval), asking_interval_(shortest_asking_interval),
      allowed_(use == CopyUse::writing ? ways : static_cast<size_t>(Way::stream)), news_(usual_news),
      weights_(use != CopyUse::reading ? writing_weights
               : is_large              ? reading_weights
                                       : reading_small_weights),
      hopeless_(static_cast<float>(hopeless_ns * ticks_per_ns)), bad_(static_cast<float>(bad_ns * ticks_per_ns)) {
    cost(Way::stream).own = static_cast<float>(usual_streamed_ns * ticks_per_ns);
}

void LearnedWay::try_at_length() {
    trial_length_ = swapped_trial_length;
    news_ = swapped_news;
}

CopyOfMessage LearnedWay::begin(size_t bytes) {
    messages_ += counted(bytes);
    if (trial_left_ == 0 && messages_ - last_trial_ >= trial_interval_) {
        begin_trial();
    }
    const bool is_trial = trial_left_ > 0;
    CopyOfMessage message{.way = is_trial ? tried_ : best_, .ends_trial = trial_left_ == 1};
    trial_left_ -= is_trial;
    if (unsettled_ > 0) {
        --unsettled_;
        return message;
    }
    message.is_timed = is_trial || bytes >= CopyWay::smallest_large || messages_ % timing_interval == 0;
    message.asks = is_trial || last_asked_ == 0 || messages_ - last_asked_ >= asking_interval_;
    return message;
}

// A part of the news: one interrupt in a copy does not turn the choice, some slow copies in a row do. But a trial of a
// single message that was cheap is believed: nothing but the way that it went makes a copy faster. So a rank that has
// streamed between two L3s does not go on for many thousand messages when both cores have come under one.
void LearnedWay::learn(const CopyOfMessage &message) {
    const float news = static_cast<float>(message.ticks) * 64 / static_cast<float>(message.bytes);
    float &known = cost(message.way).own;
    if (message.ends_trial && trial_length_ == 1) {
        known = std::min(known, news);
    }
    known += change(known, news, bad_) * news_;
    if (message.ends_trial) {
        unsettled_ = trial_length_ / 2;
        trial_interval_ = interval_behind(message);
    }
    choose();
}

// Of writer and reader the one that loses more sets the pace.
uint32_t LearnedWay::interval_behind(const CopyOfMessage &trial) const {
    const Cost &dear = cost(trial.way), &best = cost(best_);
    const auto times = [](float one, float other) { return other > 0 ? one / other : 0; };
    const float worst = std::max(times(dear.own, best.own), times(dear.readers, best.readers));
    const float lost = (worst - 1) * static_cast<float>(trial_length_ * counted(trial.total));
    constexpr float shortest = shortest_trial_interval, longest = longest_trial_interval;
    return static_cast<uint32_t>(std::clamp(lost * part_for_trials, shortest, longest));
}

// Good news are believed at once, as those of a trial are.
void LearnedWay::hear(Way way, float news) {
    if (news == 0) {
        asking_interval_ = std::min(2 * asking_interval_, longest_asking_interval);
        return;
    }
    asking_interval_ = shortest_asking_interval;
    float &known = cost(way).readers;
    known = known == 0 ? news : std::min(news, known + change(known, news, bad_) * usual_news);
    choose();
}

bool LearnedWay::beats_best(Way way) const {
    const Cost &best = cost(best_);
    const auto [own, readers] = cost(way);
    if (readers > 0 && best.readers > 0) {
        return own + readers < best.own + best.readers;
    }
    return own * weight(way) < best.own * weight(best_);
}

bool LearnedWay::is_worth_trying(Way way) const {
    return way != best_ && (way != Way::stream || cost(best_).own > hopeless_);
}

// The ways take turns.
void LearnedWay::begin_trial() {
    for (size_t turn = 0; turn < allowed_; ++turn) {
        tried_ = static_cast<Way>((static_cast<size_t>(tried_) + 1) % allowed_);
        if (is_worth_trying(tried_)) {
            trial_left_ = trial_length_;
            unsettled_ = trial_length_ / 2;
            last_trial_ = messages_;
            return;
        }
    }
}

void LearnedWay::choose() {
    for (size_t index = 0; index < allowed_; ++index) {
        const Way way = static_cast<Way>(index);
        if (way != best_ && beats_best(way)) {
            best_ = way;
        }
    }
}

CopyWay::CopyWay(Rule rule, CopyUse use, double ticks_per_ns, Clock clock)
    : rule_(rule), use_(use), clock_(clock), small_(use, false, ticks_per_ns), large_(use, true, ticks_per_ns) {
}

void CopyWay::try_at_length() {
    small_.try_at_length();
    large_.try_at_length();
}

Way CopyWay::way_of(size_t bytes) const {
    if (bytes < smallest) {
        return Way::plain;
    }
    switch (rule_) {
    case Rule::string:
        return Way::string;
    case Rule::stream:
        return use_ == CopyUse::reading ? Way::plain : Way::stream;
    case Rule::learn:
        return learns(bytes) ? learned(bytes).best() : Way::plain;
    case Rule::plain:
        break;
    }
    return Way::plain;
}

CopyOfMessage CopyWay::begin_known(size_t bytes) {
    CopyOfMessage message{.way = way_of(bytes)};
    if (learns(bytes)) {
        message = learned(bytes).begin(bytes);
        message.asks &= asked_ == 0;
    }
    message.total = bytes;
    return message;
}

void CopyWay::copy(CopyOfMessage &message, const Kernels &kernels, void *to, const void *from, size_t bytes) const {
    if (bytes < smallest) {
        kernels.copy(to, from, bytes);
        return;
    }
    const CopyKernel move = kernel_of(kernels, message.way);
    if (!message.is_timed) {
        move(to, from, bytes);
        return;
    }
    const uint64_t start = clock_();
    move(to, from, bytes);
    message.ticks += clock_() - start;
    message.bytes += bytes;
}

void CopyWay::copy_known(const Kernels &kernels, void *to, const void *from, size_t bytes) {
    CopyOfMessage message = begin_known(bytes);
    copy(message, kernels, to, from, bytes);
    end(message);
}

void CopyWay::end(const CopyOfMessage &message) {
    if (message.bytes > 0) {
        learned(message.total).learn(message);
    }
}

void CopyWay::ask(const CopyOfMessage &message, uint64_t n) {
    asked_ = n;
    asked_way_ = message.way;
    asked_total_ = message.total;
    learned(message.total).count_asked();
}

void CopyWay::hear(float ticks_per_line) {
    asked_ = 0;
    learned(asked_total_).hear(asked_way_, ticks_per_line);
}

} // namespace xcoll
