// A random collective operation whose result every rank can compute by itself: what it is follows from its number,
// which all ranks use alike. For property tests; deeds.h has all of them.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "buffer.h"
#include "values.h"

namespace deeds {

using Dice = std::mt19937_64;
using Bytes = std::vector<unsigned char>;

inline uint64_t roll(Dice &dice, uint64_t sides) {
    return dice() % sides;
}

// A communicator as one of its ranks sees it.
struct Place {
    xcoll_comm_t comm;
    int rank, size;
};

enum class Form : int { blocking, immediate, persistent, enqueued };
constexpr int forms = 4;

// How an operation is called: `request` is for those forms that have one.
struct Way {
    Form form;
    xcoll_comm_t comm;
    xcoll_request_t *request;
};
template <class B, class I, class P, class E, class... Arguments>
xcoll_result_t call_by(const Way &way, B blocking, I immediate, P persistent, E enqueued, Arguments... arguments) {
    switch (way.form) {
    case Form::blocking:
        return blocking(arguments..., way.comm);
    case Form::immediate:
        return immediate(arguments..., way.comm, way.request);
    case Form::persistent:
        return persistent(arguments..., way.comm, way.request);
    default:
        return enqueued(arguments..., way.comm, nullptr);
    }
}
#define FORMS_OF(name) xcoll_##name, xcoll_i##name, xcoll_##name##_init, xcoll_##name##_enqueue

class Deed {
public:
    virtual ~Deed() = default;
    // Fresh input, and garbage where the result will be.
    virtual void prepare(uint64_t turn) = 0;
    // Starts it in that form, or does it. Once; what it needs besides buffers may be gone when this returns.
    virtual xcoll_result_t call(Form form, xcoll_request_t *request) = 0;
    // Other buffers, of which the plan is told.
    virtual void move(xcoll_request_t plan, size_t part) = 0;
    virtual void check() const = 0;
};

// A buffer of a deed: in memory of the rank's own or in its heap, at any address.
class Memory {
public:
    Memory() = default;
    Memory(size_t bytes, size_t shift, xcoll_comm_t heap) : shift_(shift), buffer_(bytes + shift + edge, heap) {
    }
    unsigned char *data() const {
        return buffer_.data() + shift_;
    }
    void clear() {
        std::fill(buffer_.begin(), buffer_.end(), garbage);
    }
    // All of it, with what lies around it.
    Bytes copy() const {
        return {buffer_.begin(), buffer_.end()};
    }
    // The same place in such a copy.
    unsigned char *in(Bytes &copy) const {
        return copy.data() + shift_;
    }
    void move() {
        buffer_ = buffer_.elsewhere();
    }
    // Byte by byte what it should be; `what` names it.
    void expect(const Bytes &wanted, const std::string &what) const {
        const auto wrong = std::mismatch(wanted.begin(), wanted.end(), buffer_.begin());
        if (wrong.first != wanted.end()) {
            ranks::wrong(what + ": byte " +
                         std::to_string(wrong.first - wanted.begin() - static_cast<ptrdiff_t>(shift_)) + " is " +
                         std::to_string(*wrong.second) + " instead of " + std::to_string(*wrong.first));
        }
    }

private:
    static constexpr unsigned char garbage = 0xee;
    static constexpr size_t edge = 40; // behind the last byte, to be left alone
    size_t shift_ = 0;
    ranks::Buffer<unsigned char> buffer_;
};

// What deeds with buffers share.
class BufferDeed : public Deed {
protected:
    BufferDeed(uint64_t number, const Place &place)
        : number_(number), place_(place), shared_(values::mix(number)),
          own_(values::mix(number * 64 + static_cast<uint64_t>(place.rank))) {
        root_ = static_cast<int>(roll(shared_, static_cast<uint64_t>(place.size)));
        heap_ = roll(shared_, 4);
    }
    bool is_root() const {
        return place_.rank == root_;
    }
    // Many small ones, a few large ones, and none.
    size_t random_count(size_t bytes) {
        constexpr size_t most[] = {4, 4, 10, 10, 40, 300, 1100, 3000, 20'000, 30'000};
        constexpr size_t usual_bytes = 4;
        const size_t sides = most[roll(shared_, std::size(most))];
        return roll(shared_, bytes <= usual_bytes ? sides : 1 + sides * usual_bytes / bytes);
    }
    // From every rank to every rank, some of them zero.
    std::vector<size_t> random_counts(size_t bytes) {
        std::vector<size_t> counts;
        for (int pair = 0; pair < place_.size * place_.size; ++pair) {
            counts.push_back(roll(shared_, 5) == 0 ? 0 : random_count(2 * bytes));
        }
        return counts;
    }
    // In heaps of all ranks, of none, or as each likes; and at an address of this rank's own choice.
    Memory memory(size_t bytes) {
        const bool likes = roll(own_, 2) == 0;
        const bool in_heap = heap_ < 2 || (heap_ == 2 && likes);
        return {bytes, roll(own_, 2) * roll(own_, 70), in_heap ? place_.comm : XCOLL_COMM_NULL};
    }
    uint64_t seed_of(uint64_t turn, int to) const {
        return (number_ * 64 + turn) * 64 + static_cast<uint64_t>(to);
    }
    std::string name(const char *what) const {
        return "deed " + std::to_string(number_) + ", " + what + " of " + std::to_string(place_.size) +
               " ranks, root " + std::to_string(root_);
    }

    uint64_t number_;
    Place place_;
    Dice shared_, own_; // what all ranks draw alike, and what is this rank's own affair
    int root_;

private:
    uint64_t heap_;
};

} // namespace deeds
