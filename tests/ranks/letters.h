// Random messages between the ranks of a communicator, and who may have got which of them: by the one rule that a
// message goes to the first receive that takes it.
#pragma once

#include <deque>
#include <map>

#include "deed.h"
#include "parts.h"

namespace letters {

using deeds::Bytes;
using deeds::Dice;
using deeds::Memory;
using deeds::Part;
using deeds::Place;
using deeds::roll;

// A message as all ranks know it. In the order in which their senders start them.
struct Letter {
    int from, to, tag;
    size_t units;
    uint64_t seed;
};

// What all ranks know of a round: its messages, of one base type. A unit has several elements.
struct Round {
    Round(uint64_t number, int size) {
        Dice dice(values::mix(number));
        constexpr size_t units[] = {1, 2, 3, 6};
        unit = units[roll(dice, std::size(units))];
        const uint64_t which = roll(dice, std::size(values::types) + 2);
        element = which < std::size(values::types) ? made::predefined(values::types[which].handle)
                                                   : made::opaque(1 + roll(dice, 40));
        const uint64_t count = roll(dice, 6 * static_cast<uint64_t>(size));
        for (uint64_t k = 0; k < count; ++k) {
            letters.push_back(some_letter(dice, static_cast<uint64_t>(size)));
        }
    }
    // Empty ones cannot be told from each other, so they have a tag of their own.
    static constexpr int tags = 3, tag_of_empty = 7;

    size_t unit;
    made::Type element;
    std::vector<Letter> letters;

private:
    Letter some_letter(Dice &dice, uint64_t size) const {
        constexpr size_t most_bytes[] = {60, 60, 60, 1000, 9000, 70'000, 300'000};
        const auto from = static_cast<int>(roll(dice, size)), to = static_cast<int>(roll(dice, size));
        const size_t unit_bytes = unit * static_cast<size_t>(element.element_bytes);
        const size_t least = 8 / unit_bytes + 1; // as many bytes as make it one of its kind
        const size_t units = least + roll(dice, 1 + most_bytes[roll(dice, std::size(most_bytes))] / unit_bytes);
        const auto tag = static_cast<int>(roll(dice, tags));
        return roll(dice, 8) == 0 ? Letter{from, to, tag_of_empty, 0, dice()} : Letter{from, to, tag, units, dice()};
    }
};

// A message at one of its ends: so many units in items of a type of this end's own.
inline Part part_of(const Round &round, const made::Type &type, size_t units) {
    return {type, units * round.unit / type.elements(), 0};
}
inline Bytes content(const Round &round, const Letter &letter) {
    Bytes bytes(values::period * static_cast<size_t>(round.element.element_bytes));
    Dice dice(values::mix(letter.seed));
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<unsigned char>(dice() >> 32); });
    return bytes;
}

struct Receive {
    int source, tag; // or any
    Part part;       // all that there is room for
    Memory memory;
    Bytes before;
    xcoll_status_t status; // of source XCOLL_UNDEFINED: not told
    bool is_explained = false;

    bool takes(const Letter &letter) const {
        return (source == XCOLL_ANY_SOURCE || source == letter.from) && (tag == XCOLL_ANY_TAG || tag == letter.tag);
    }
    // It has this message, and nothing else was written.
    bool has(const Round &round, const Letter &letter) const {
        const Part came = part_of(round, part.type, letter.units);
        const size_t bytes = came.elements() * static_cast<size_t>(part.type.element_bytes);
        const bool told = status.source != XCOLL_UNDEFINED;
        if (told && (status.source != letter.from || status.tag != letter.tag || status.bytes != bytes)) {
            return false;
        }
        Bytes wanted = before;
        deeds::put(memory.in(wanted), came, content(round, letter));
        return wanted == memory.copy();
    }
};

// The messages of each sender arrive in their order. If those of different senders can have arrived in an order in
// which each goes to the first receive that takes it, and that is what it has, then all is well. To let one arrive as
// soon as it fits hinders no other one.
inline void explain(const Round &round, int rank, std::vector<Receive> &receives, const std::string &name) {
    std::map<int, std::deque<const Letter *>> underway;
    for (const Letter &letter : round.letters) {
        if (letter.to == rank) {
            underway[letter.from].push_back(&letter);
        }
    }
    size_t left = receives.size();
    for (bool moves = true; moves;) {
        moves = false;
        for (auto &[from, letters] : underway) {
            while (!letters.empty()) {
                const Letter &letter = *letters.front();
                const auto first = std::find_if(receives.begin(), receives.end(), [&](const Receive &receive) {
                    return !receive.is_explained && receive.takes(letter);
                });
                if (first == receives.end() || !first->has(round, letter)) {
                    break;
                }
                first->is_explained = moves = true;
                letters.pop_front();
                --left;
            }
        }
    }
    if (left > 0) {
        ranks::wrong(name + ": no order of arrivals explains what " + std::to_string(left) + " of " +
                     std::to_string(receives.size()) + " receives have got");
    }
}

} // namespace letters
