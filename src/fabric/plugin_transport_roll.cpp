// Who has not begun an operation that others wait in, or is cut off: a window shows it, over a network it is asked.
//
//     rank 0, waits in 17      where, 17 >      rank 1, begins 17 soon    < here, 16      and then    < here, 17
//                              where, 17 >      rank 2, in its own code   (says nothing until it calls something)
//
// Only a rank that waits for long asks, so that other operations are without these messages.
#include "base/clock.h"
#include "fabric/plugin_transport.h"

namespace xcoll {

namespace {

// Long beside the way there and back, and beside the naps of a rank that waits.
constexpr int64_t time_for_answers = 100 * millisecond;

} // namespace

void PluginTransport::ask_where(uint64_t operation) {
    const auto held = net_->lock();
    if (operation <= roll_ || cancelled_ || said_farewell_) {
        return;
    }
    roll_ = operation;
    roll_at_ = now_ns(CLOCK_MONOTONIC_COARSE);
    for (int p = 0; p < size(); ++p) {
        stream(p).answers = false;
        tell(p, NetLabel::Kind::where, {operation, {}}, {XCOLL_SUCCESS, ""});
    }
}

Transport::Whereabouts PluginTransport::whereabouts(int peer) {
    using Asked = Whereabouts::Asked;
    const auto held = net_->lock();
    if (peer == rank()) {
        return {newest_, Asked::answers};
    }
    const bool had_time = roll_ > 0 && now_ns(CLOCK_MONOTONIC_COARSE) - roll_at_ > time_for_answers;
    const Stream &s = stream(peer);
    return {s.newest, s.answers ? Asked::answers : had_time ? Asked::silent : Asked::unsettled};
}

void PluginTransport::hear_where(const Mailbox::Question &question) {
    tell(question.peer, NetLabel::Kind::here, newest_, {XCOLL_SUCCESS, ""});
    if (newest_.operation < question.envelope.operation) {
        want_to_know_.push_back(question);
    }
}

void PluginTransport::answer_those_who_asked() {
    std::erase_if(want_to_know_, [this](const Mailbox::Question &question) {
        const bool has_begun = newest_.operation >= question.envelope.operation;
        if (has_begun) {
            tell(question.peer, NetLabel::Kind::here, newest_, {XCOLL_SUCCESS, ""});
        }
        return has_begun;
    });
}

void PluginTransport::hear_here(int peer, const Envelope &newest) {
    stream(peer).answers = true;
    stream(peer).note(newest);
}

} // namespace xcoll
