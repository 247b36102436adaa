// How payloads are copied into shared memory and out of it: learned by timing, never by asking the hypervisor. There
// are three ways.
//
//   plain    vector loads and stores. Rewriting a line that the other core has read costs 6 ns under one L3 of a Zen
//            and 27 across two, as its old content is fetched before it is overwritten.
//   string   the processor's own string copy, which knows that whole lines will be overwritten: nothing is fetched, and
//            the lines stay in its caches. On a Zen 5 a broadcast of 256 KiB, written and read like this, takes 4.4 us
//            under one L3 and 9.8 across two, where plain copies take 5.5 and 35, and streamed ones, read plainly, 16.5
//            and 15. At some alignments it is a plain copy (kernels/copy.h).
//   stream   non-temporal stores: 2.3 ns always on a Zen 4; on a Xeon of the fourth generation 5.5, where plain ones
//            take 3.5. Their lines are read back from memory, which the writer does not see.
//
// What counts is what a line costs its writer and its slowest reader together. Under one L3 of a Zen 4 the writer of 16
// KiB spends 5 ticks a line on plain stores and 2 on streamed ones, but the reader 4 and 12. So writers ask for that at
// times, in the head, and readers tell, beside `done` (Board::told). Readers that add instead of copying do not: then
// the writer goes by its own cost.
//
// A local choice: it may change at any message, and peers need not know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "kernels/kernels.h"

namespace xcoll {

enum class Way : uint8_t { plain, string, stream };
inline constexpr size_t ways = 3;

// What is rewritten has been read by this rank last; what is read has been stored by somebody else.
enum class CopyUse : uint8_t { writing, rewriting, reading };

// How one message goes, and what that has cost.
struct CopyOfMessage {
    Way way = Way::plain;
    bool is_timed = false, ends_trial = false;
    bool asks = false; // its readers, what it costs them
    size_t total = 0;
    uint64_t ticks = 0;
    size_t bytes = 0; // of pieces that took these ticks
};

// The way of messages of one class: what a line costs in each, and which is tried next.
class LearnedWay {
public:
    LearnedWay(CopyUse use, bool is_large, double ticks_per_ns);

    // For each message.
    CopyOfMessage begin(size_t bytes);
    // Afterwards, what it cost, if it was timed; and at some time what its slowest reader tells, 0 if none does.
    void learn(const CopyOfMessage &message);
    void count_asked() {
        last_asked_ = messages_;
    }
    void hear(Way way, float ticks_per_line);

    Way best() const {
        return best_;
    }
    void try_at_length();

private:
    struct Cost { // in ticks per line; 0: not known
        float own = 0, readers = 0;
    };
    Cost &cost(Way way) {
        return costs_[static_cast<size_t>(way)];
    }
    const Cost &cost(Way way) const {
        return costs_[static_cast<size_t>(way)];
    }
    float weight(Way way) const {
        return weights_[static_cast<size_t>(way)];
    }
    bool beats_best(Way way) const;
    bool is_worth_trying(Way way) const;
    void begin_trial();
    uint32_t interval_behind(const CopyOfMessage &trial) const;
    void choose();

    uint32_t messages_ = 0, last_trial_ = 0, last_asked_ = 0, trial_interval_, asking_interval_;
    uint32_t trial_length_ = 1, trial_left_ = 0;
    uint32_t unsettled_ = 0; // messages that are written where some lines are still as a trial wants them, or wanted
    size_t allowed_;         // the first so many ways
    Way best_ = Way::plain, tried_ = Way::plain;
    float news_;
    std::array<float, ways> weights_;
    float hopeless_, bad_; // in ticks per line
    std::array<Cost, ways> costs_;
};

class CopyWay {
public:
    enum class Rule : uint8_t { learn, plain, string, stream };

    using Clock = uint64_t (*)();

    CopyWay(Rule rule, CopyUse use, double ticks_per_ns, Clock clock = ticks);

    // A smaller payload is copied plainly: it is gone before anything else pays.
    static constexpr size_t smallest = 2048;
    // From here on neither beginning a string copy nor looking at the clock costs anything beside the copy: they are
    // learned apart from smaller ones, of which one in so many is timed.
    static constexpr size_t smallest_large = 16384;

    // A message of one piece, of which nothing is asked.
    void copy(const Kernels &kernels, void *to, const void *from, size_t bytes) {
        if (bytes < smallest) {
            kernels.copy(to, from, bytes);
        } else {
            copy_known(kernels, to, from, bytes);
        }
    }
    // Any other: begin, copy its pieces, end.
    CopyOfMessage begin(size_t bytes) {
        return bytes < smallest ? CopyOfMessage{} : begin_known(bytes);
    }
    void copy(CopyOfMessage &message, const Kernels &kernels, void *to, const void *from, size_t bytes) const;
    void end(const CopyOfMessage &message);
    // The readers of operation n are asked what the message costs them. One is asked about at a time.
    void ask(const CopyOfMessage &message, uint64_t n);
    uint64_t asked() const {
        return asked_;
    }
    // What the slowest tells; 0: none has.
    void hear(float ticks_per_line);
    // For places that two ranks swap: what a line costs depends on how both have written it before. On a Zen 4 with two
    // L3s a single block that is stored plainly, where this rank streams, takes 27 ns a line, but 1.4 if all are stored
    // like that. So a trial goes through all places some times, and neither its first half nor as many messages behind
    // it tell anything; and some places stay as they are until a later operation, for the cost of which no news change
    // much.
    void try_at_length();
    // One for lines that are near their writer: nothing is fetched, so nothing is learned to be streamed, and short
    // messages are copied plainly. Longer ones go faster by a string copy where that is fast: on a Zen 5, there and
    // back, 64 KiB take 2.7 us like this and 2.95 plainly, 1 MiB 42 and 47; but 16 KiB .97 and .89.
    static constexpr size_t smallest_rewritten = 32768;
    CopyWay for_near_lines(double ticks_per_ns) const {
        return {rule_, CopyUse::rewriting, ticks_per_ns, clock_};
    }
    Way way_of(size_t bytes) const;

private:
    bool learns(size_t bytes) const {
        return rule_ == Rule::learn && (use_ != CopyUse::rewriting || bytes >= smallest_rewritten);
    }
    void copy_known(const Kernels &kernels, void *to, const void *from, size_t bytes);
    CopyOfMessage begin_known(size_t bytes);
    LearnedWay &learned(size_t bytes) {
        return bytes < smallest_large ? small_ : large_;
    }
    const LearnedWay &learned(size_t bytes) const {
        return bytes < smallest_large ? small_ : large_;
    }

    Rule rule_;
    CopyUse use_;
    Clock clock_;
    LearnedWay small_, large_;
    uint64_t asked_ = 0; // an operation's number; 0: none
    Way asked_way_ = Way::plain;
    size_t asked_total_ = 0;
};

} // namespace xcoll
