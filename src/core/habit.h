// What a call has in common with one of the last of its kind on the communicator: everything but its buffers, as a
// rule, for programs call the same few small operations again and again. What was found out about it is kept: that its
// arguments are valid and what they mean, its fingerprint, and that it takes plain steps. Of the 540 instructions of an
// allreduce of 8 bytes on one rank that saves 160.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "core/call.h"
#include "core/last_few.h"

namespace xcoll {

struct Row;

// All but the buffers, as the caller gave them: counts, types, operators and roots in the order of the function.
class Arguments {
public:
    // Counts of its own, one for each rank, are read anew as buffers are.
    template <Kind kind, class... T> static Arguments of(T... arguments) {
        Arguments words;
        [[maybe_unused]] size_t place = 0; // among halves of words
        (words.add<traits(kind).own_counts>(place, arguments), ...);
        return words;
    }
    // Word by word: the function that compares memory, which was called for this in groups, takes 1.5 ns longer.
    bool operator==(const Arguments &other) const {
        for (size_t place = 0; place < most; ++place) {
            if (words_[place] != other.words_[place]) {
                return false;
            }
        }
        return true;
    }

private:
    static constexpr size_t most = 5; // of a message that is sent and one that is received
    template <bool own_counts, class T> void add(size_t &place, T argument) {
        if constexpr (std::is_same_v<T, size_t> && !own_counts) {
            place += place % 2;
            words_[place / 2] = argument;
            place += 2;
        } else if constexpr (!std::is_pointer_v<T> && !std::is_same_v<T, size_t>) {
            static_assert(sizeof(T) == sizeof(uint32_t));
            words_[place / 2] |= uint64_t{static_cast<uint32_t>(argument)} << place % 2 * 32;
            ++place;
        }
    }
    std::array<uint64_t, most> words_{};
};

// A call of which only the buffers have to be looked at; the checks of everything else do nothing to it.
class KnownCall : public Call {};

// Whether calls of a kind may be known, as operations or as messages.
constexpr bool kind_may_be_known(Kind kind) {
    return traits(kind).has_habit || traits(kind).is_message;
}
template <size_t number> using HabitOf = KindAsType<traits(Kind{number}).has_habit ? Kind{number} : Kind::none>;

// By kind: what `make` gives for those that have habits, and for all others what it gives for Kind::none.
template <class Make> constexpr auto by_habit(Make make) {
    return [&]<size_t... number>(std::index_sequence<number...>) {
        return std::array{make(HabitOf<number>())...};
    }
    (std::make_index_sequence<kinds>());
}

struct Known {
    KnownCall call;
    Fingerprint fingerprint;
    Stance stance;  // in the fingerprint
    const Row *row; // nullptr: it is a message
};

// The last few calls of one kind that differ.
class Habit {
public:
    // nullptr: this is none of the calls that are known.
    Known *find(const Arguments &arguments) const {
        for (const auto &last : last_) {
            if (arguments == last.key) {
                return last.known.get();
            }
        }
        return nullptr;
    }
    // True if it is one of the last: then it is worth knowing.
    bool repeats(const Arguments &arguments) {
        return last_.repeats(arguments);
    }
    // What repeats(). Without memory for it, nothing is known.
    void know(const Call &call, const Fingerprint &fingerprint, Stance stance, const Row *row) noexcept {
        last_.know(std::unique_ptr<Known>(new (std::nothrow) Known{{call}, fingerprint, stance, row}));
    }

private:
    LastFew<Arguments, Known> last_;
};

} // namespace xcoll
