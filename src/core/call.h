// A call with everything that must outlive it: the descriptor, and what its pointers point to. Arrays and types of the
// caller are copied or held here; only data buffers stay the caller's.
#pragma once

#include <memory>
#include <vector>

#include "base/op.h"

namespace xcoll {

class Itinerary;

class Call {
public:
    Op op;
    // The caller's buffers. As given: nullptr where a call has none, XCOLL_IN_PLACE instead of one.
    enum class Slot : uint8_t { send, recv };
    const void *buffers[2] = {};
    const void *buffer(Slot slot) const {
        return buffers[static_cast<size_t>(slot)];
    }

    // Room for the parts that go out and come in; the first of those that go out.
    Portion *make_parts(size_t out, size_t in);
    const size_t *keep(const size_t *counts, size_t ranks);
    // A type or an operator of the user's lives as long as a call that uses it.
    template <class T> const T *hold(std::shared_ptr<const T> object) {
        const T *pointer = object.get();
        kept().held.push_back(std::move(object));
        return pointer;
    }

    // It needs nothing but the caller's buffers.
    bool keeps_nothing() const {
        return !kept_;
    }

    // ---- groups
    void keep(std::vector<Call> calls);
    // Where all bytes of the group lie now (coll/itinerary.h).
    void write_itinerary(int rank, int ranks);
    // A call of the group, or this one.
    const Call &part(size_t index) const {
        return joins_calls(op.kind) ? kept_->calls[index] : *this;
    }

    // Whether one buffer lies in the other. What was made with two has two, also if they come to meet for a moment, as
    // when a program swaps them. Found when the first one moves.
    enum class Binding : uint8_t { unknown, apart, one };
    Binding binding() const {
        return binding_;
    }
    // The buffer of a part is elsewhere from now on, and the other one as far from where it was, if they are one. The
    // itinerary does not follow by itself.
    void move_buffer(size_t part, Slot slot, const void *to, bool as_a_whole);
    void bind(size_t index, Binding binding);

private:
    struct Kept {
        std::unique_ptr<Portion[]> parts;
        size_t parts_out = 0, parts_in = 0;
        std::vector<size_t> counts;
        std::vector<std::shared_ptr<const void>> held;
        std::vector<Call> calls;
        std::vector<Op> ops;
        std::shared_ptr<Itinerary> itinerary;
    };
    Kept &kept() {
        if (!kept_) {
            kept_ = std::make_shared<Kept>();
        }
        return *kept_;
    }
    void move_own_buffer(Slot slot, const void *to, bool as_a_whole);
    void shift(Slot slot, ptrdiff_t distance);
    std::shared_ptr<Kept> kept_; // most calls keep nothing
    Binding binding_ = Binding::unknown;
};

} // namespace xcoll
