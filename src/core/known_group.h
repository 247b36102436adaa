// A group that has run, kept for the next one like it: the same plain calls, as a rule with the same buffers, which
// most programs make again and again. Its calls are valid but for what their buffers are, which operations they become
// is known, and where all bytes of an exchange lie is written down.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "coll/algorithm.h"
#include "coll/itinerary.h"
#include "core/habit.h"
#include "core/message_at_once.h"

namespace xcoll {

class Comm;

// Of what its arguments tell all but the buffers.
constexpr bool may_be_part(Kind kind) {
    return kind_may_be_known(kind) && !traits(kind).own_counts && !traits(kind).same_counts;
}

// A call of a known group, with the buffers that it had last.
class KnownPart : public KnownCall {
public:
    KnownPart(const Call &call, const Arguments &with) : KnownCall{call}, arguments(with) {
        op.extra_numbers = 0; // of the group that it was in: the next one that it is in is not known on all ranks
    }
    bool is_like(Kind kind, const Arguments &with) const {
        return op.kind == kind && arguments == with;
    }
    bool is_like(const KnownPart &other) const {
        return is_like(other.op.kind, other.arguments);
    }
    Arguments arguments;
};

class KnownGroup {
public:
    // Nothing but messages, or none.
    explicit KnownGroup(std::vector<KnownPart> parts);
    KnownGroup(const KnownGroup &) = delete;
    KnownGroup &operator=(const KnownGroup &) = delete;
    bool is_of_messages() const {
        return !messages_.empty();
    }
    // If it is not: its next operation, some of the calls, joined, or one of them.
    void add(const Call &whole, std::span<const size_t> some);

    std::span<KnownPart> parts() {
        return parts_;
    }
    // A part has other buffers than it had.
    void note_move() {
        has_moved_ = true;
    }
    bool begins_like(std::span<const KnownPart> parts) const;
    // The first parts have the buffers of these, which are like them.
    void move_to(std::span<const KnownPart> parts);
    // One operation after the other, as blocking calls, or all messages at once. Throws the first Failure once all have
    // run. False: something is in flight, and nothing was done.
    bool try_run(Comm &comm);

private:
    struct Operation {
        KnownCall whole;
        std::vector<size_t> calls; // by number
        std::vector<Op> ops;       // of these, if they are several: as an Exchange or a JoinedShot wants them
        Itinerary itinerary;
    };
    bool follow_buffers(Operation &operation, const Team &team) const;

    std::vector<KnownPart> parts_;
    std::vector<MessageAtOnce> messages_; // those of the parts
    std::vector<std::unique_ptr<Operation>> operations_;
    bool has_moved_ = true; // a buffer of a part, since these were written
};

} // namespace xcoll
