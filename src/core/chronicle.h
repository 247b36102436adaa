// What is kept of all that one rank of a communicator calls: in the flight recorder always, in the trace if somebody
// wants one.
#pragma once

#include <memory>
#include <utility>

#include "base/recorder.h"
#include "base/trace_file.h"
#include "coll/select.h"
#include "core/recorded.h"

namespace xcoll {

class Chronicle {
public:
    explicit Chronicle(std::shared_ptr<flight::Record> record) : recorder_(std::move(record)) {
    }
    Recorder &recorder() {
        return recorder_;
    }
    // nullptr: nobody wants one.
    void write_trace(std::unique_ptr<Trace> trace) {
        trace_ = std::move(trace);
    }

    // ---- by the thread that starts operations
    [[gnu::always_inline]] Recorded begin(const Team &team, const Op &op, const Fingerprint &call, uint64_t n,
                                          const Row &row, Recorded::As as = Recorded::As::operation) {
        recorder_.begin(n, beside(as), call, row.name);
        return {n, as, trace_ ? trace(team, op, call, n, row) : 0};
    }
    [[gnu::always_inline]] Recorded begin_message(const Op &op) {
        return {recorder_.begin_message(op), Recorded::As::message, trace_ ? trace_message(op) : 0};
    }
    // One that is over, with success.
    [[gnu::always_inline]] void note_message(const Op &op) {
        if (trace_) [[unlikely]] {
            end(begin_message(op), XCOLL_SUCCESS);
        } else {
            recorder_.note_message(op);
        }
    }
    // ---- by whoever ends it
    [[gnu::always_inline]] void end(const Recorded &recorded, xcoll_result_t result) {
        const auto state = result == XCOLL_SUCCESS ? flight::State::done : flight::State::failed;
        if (recorded.as == Recorded::As::message) {
            recorder_.end_message(recorded.number, state);
        } else {
            recorder_.end(recorded.number, beside(recorded.as), state);
        }
        if (trace_) {
            trace_->end(recorded.event, result);
        }
    }

private:
    static constexpr flight::Beside beside(Recorded::As as) {
        return as == Recorded::As::beside_others ? flight::Beside::others : flight::Beside::nothing;
    }
    uint64_t trace(const Team &team, const Op &op, const Fingerprint &call, uint64_t n, const Row &row);
    uint64_t trace_message(const Op &op);

    Recorder recorder_;
    std::unique_ptr<Trace> trace_;
};

} // namespace xcoll
