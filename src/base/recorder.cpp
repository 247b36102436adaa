#include "base/recorder.h"

#include <algorithm>
#include <span>

#include "base/clock.h"

namespace xcoll {

namespace {

// The oldest one that has begun and not ended: its stamp, or 0, and its place.
struct Oldest {
    uint64_t stamp = 0;
    size_t place = 0;
};
Oldest oldest_begun(std::span<const flight::Entry> entries) {
    Oldest oldest;
    for (size_t i = 0; i < entries.size(); ++i) {
        const uint64_t stamp = look_at(entries[i].stamp);
        if (flight::is_begun(stamp) && (oldest.stamp == 0 || stamp < oldest.stamp)) {
            oldest = {stamp, i};
        }
    }
    return oldest;
}

} // namespace

Fingerprint fingerprint_of_message(const Op &op) {
    const bool is_receive = op.kind == Kind::recv;
    const auto peer = static_cast<uint32_t>(is_receive ? op.from : op.to);
    return {static_cast<uint64_t>(op.kind) | static_cast<uint64_t>(peer) << fingerprint_place::root,
            is_receive ? op.room : op.sent};
}

void Recorder::introduce(const Identity &identity) {
    show(record_->rank, int64_t{identity.rank});
    show(record_->size, int64_t{identity.size});
    show(record_->created, now_ns());
    show(record_->internal, int64_t{identity.is_internal});
    show_text(record_->name, identity.name);
    for (size_t p = 0; p < std::min(identity.pids.size(), flight::most_pids); ++p) {
        show(record_->pids[p], identity.pids[p]);
    }
    show(record_->id, identity.id);
}

uint64_t Recorder::write_message(const Op &op, flight::State state) {
    const uint64_t m = ++messages_;
    const Fingerprint call = fingerprint_of_message(op);
    message(m).rewrite(flight::stamp(m, state), {call.what, call.count});
    return m;
}

void Recorder::wait(int64_t waited_ns, int awaited) {
    if (is_telling_wait_.test_and_set(std::memory_order_acquire)) {
        return; // another thread tells of its own, and there is room for one
    }
    const auto [operation, place] = oldest_begun(record_->entries);
    const char *algorithm = algorithms_[place].load(std::memory_order_relaxed);
    const auto name = flight::AlgorithmText::of(operation != 0 && algorithm ? algorithm : "");
    record_->wait.rewrite(++waits_, {static_cast<uint64_t>(now_ns() - waited_ns), static_cast<uint64_t>(awaited),
                                     operation, oldest_begun(record_->messages).stamp, name.words[0], name.words[1]});
    is_telling_wait_.clear(std::memory_order_release);
}

void Recorder::trouble(int result, const char *reason) {
    show_text(record_->reason, reason);
    show(record_->trouble, int64_t{result});
}

} // namespace xcoll
