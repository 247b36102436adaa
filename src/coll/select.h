// The one place where algorithms are chosen, from a readable table per operation (coll/rows.cpp): what the user prefers
// if it can serve, else what costs least.
//
// The choice is agreed, not negotiated: it depends on the size of the message, the communicator, the settings and the
// tuning file, all equal on all ranks. It is made once per communicator for every power of two, when the first message
// of that size comes, so a call looks it up: most communicators meet few kinds and sizes.
#pragma once

#include <atomic>
#include <bit>
#include <vector>

#include "coll/preference.h"
#include "coll/row.h"

namespace xcoll {

// The one that serves if nobody asks for another; nullptr if there is none. `user`: among those that serve operators of
// users.
const Row *cheapest(Kind kind, const Team &team, size_t bytes, Row::Needs needs, bool user = false);
// Messages inside a machine are for whoever asks for them by name.
inline const Row *cheapest(Kind kind, const Team &team, size_t bytes, bool user = false) {
    return cheapest(kind, team, bytes, team.window ? Row::Needs::window : Row::Needs::transport, user);
}

// Why an algorithm serves.
struct Choice {
    const Row *row;
    const Preference *by; // nullptr: it costs least
    struct PassedOver {
        const Preference *preference;
        const char *reason;
        bool operator==(const PassedOver &) const = default;
    };
    std::vector<PassedOver> passed_over; // what was preferred, and cannot serve
    bool operator==(const Choice &) const = default;
};

class Choices {
public:
    Choices(const Team &team, const std::vector<Preference> &preferences);

    const Row &row(const Op &op) const {
        if (op.user && op.kind != Kind::reshard_reduce) {
            return user_row(op);
        }
        const Row &usual = row(op.kind, op.bytes());
        return op.in && !usual.serves_parts() && !traits(op.kind).is_message ? parts_row(usual.needs) : usual;
    }
    const Row &row(Kind kind, size_t bytes) const {
        const Row *known = rows_[static_cast<size_t>(kind)][size_class(bytes)].load(std::memory_order_relaxed);
        return known ? *known : find_row(kind, bytes);
    }
    // Messages of up to 2^class bytes.
    static size_t size_class(size_t bytes) {
        return bytes <= 1 ? 0 : static_cast<size_t>(std::bit_width(bytes - 1));
    }
    // How it was chosen.
    Choice explain(Kind kind, size_t bytes) const {
        return choose(kind, bytes, false);
    }
    // The largest sizes for which one choice was made, in ascending order. The last one is that of the address space.
    std::vector<size_t> steps(Kind kind) const;

private:
    struct Step {
        size_t up_to;
        const Row *row;
    };
    static constexpr size_t classes = 65;
    // By size class. nullptr: nobody has asked yet, or a preference begins or ends inside this class. Rows are
    // constants, and whoever asks first finds what any other would, so nothing else has to be seen with them.
    using Table = std::atomic<const Row *>[kinds][classes];

    Choice choose(Kind kind, size_t bytes, bool user) const;
    void cut(Kind kind);
    const Row &find_row(Kind kind, size_t bytes) const;
    const Row &user_row(const Op &op) const;
    const Row &know(Table &table, Kind kind, size_t bytes, bool user) const;

    const Team &team_;
    std::vector<Preference> preferences_[kinds]; // those that concern the communicator
    std::vector<Step> cut_classes_[kinds];       // the sizes of the classes that these divide
    mutable Table rows_{};
    mutable Table user_rows_{}; // for operators of users
};

} // namespace xcoll
