// Calls whose counts only the senders know, and only when they run (allgather_dyn, alltoall_dyn).
//
// A count travels as the length of what it counts, which a receiver is told anyway: in the head of a stream, in its
// index, or in front of a message. So it costs no round of its own. Of a part that is longer than the receiver's room
// only the length travels: both ends fail, and everything else arrives.
#pragma once

#include <optional>

#include "base/error.h"
#include "coll/algorithm.h"
#include "coll/exchange.h"

namespace xcoll {

// What such a call says. Its buffers, as those of every call, are in its Op.
struct Dynamic {
    const uint64_t *sendcounts; // one for all, or one for each rank; read when the operation begins
    uint64_t *recvcounts;       // by rank; written when it ends
    size_t most;                // items of one part
    size_t item_bytes = 0;
    ptrdiff_t extent = 0;
    const Shape *shape = nullptr;
    bool packed = false; // what comes lies together, instead of each part where the longest would
};

// One run of it on one rank: what it sends, and what turns out to come.
class Arrivals {
public:
    Arrivals(Team &team, const Op &call);

    // The call, with its parts; those that come in are known when their senders have told.
    const Op &op() const {
        return op_;
    }
    // What the others are shown: the call, or that it was refused because its counts do not go with its buffers.
    Fingerprint shown(const Fingerprint &call) const;
    // Why it was refused, if it was.
    const std::optional<Failure> &refused() const {
        return refused_;
    }
    // How long the part is that this rank has for `to`, in bytes; only this is told of one that is too long.
    uint64_t told(int to) const {
        return told_out_[out_number(to)];
    }
    // Rank `from` has told. Returns how many bytes come of it. In the order of ranks.
    size_t note(int from, uint64_t told);
    size_t room() const {
        return room_;
    }
    // All others have told, so the place of this rank's own part is known as well.
    void settle() {
        note(team_.rank, told(team_.rank));
    }
    // Everything lies in its place. Writes the counts; throws TRUNCATE if a part was too long.
    void finish();

private:
    size_t out_number(int to) const {
        return traits(op_.kind).is_shared ? 0 : static_cast<size_t>(to);
    }
    uint64_t items(uint64_t bytes) const {
        return bytes / of_.item_bytes;
    }
    bool fits(uint64_t bytes) const {
        return bytes <= room_;
    }
    uint64_t what_fits(uint64_t bytes) const {
        return fits(bytes) ? bytes : 0;
    }
    Portion part(const void *buffer, uint64_t first, uint64_t bytes) const;
    void read_counts();
    void check_buffers() const;
    void check_told() const;

    Team &team_;
    const Dynamic &of_;
    size_t ranks_, outs_, room_;
    Scratch memory_;
    Portion *out_, *in_;
    uint64_t *told_out_, *told_in_;
    Op op_;
    std::optional<Failure> refused_;
    size_t placed_ = 0;   // when packed: ranks whose places are known
    uint64_t before_ = 0; // and their items together
};

// Over shared memory, and by messages.
Task dynamic_streams(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task dynamic_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);

} // namespace xcoll
