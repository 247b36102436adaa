// Deeds that only move data: from one rank, to one rank, or between all, of any types on either side.
#pragma once

#include "deed.h"
#include "parts.h"

namespace deeds {

// What is true of a function that moves data.
struct Movement {
    enum Function : uint8_t {
        bcast,
        allgather,
        allgatherv,
        allgather_typed,
        allgatherw,
        allgather_dyn,
        alltoall,
        alltoallv,
        alltoall_typed,
        alltoallw,
        alltoall_dyn,
        gather,
        gatherv,
        gather_typed,
        scatter,
        scatterv,
        scatter_typed
    } function;
    const char *name;
    enum { from_root, to_root, to_all } way;
    bool alike;                           // what a rank gives is the same for all
    enum { even, uneven, told } counts;   // told: when it runs
    enum { one, by_side, by_part } types; // in one call
    bool is_displaced = counts == uneven; // parts of different sizes have places
};
constexpr Movement movements[] = {
    {Movement::bcast, "bcast", Movement::from_root, true, Movement::even, Movement::one},
    {Movement::allgather, "allgather", Movement::to_all, true, Movement::even, Movement::one},
    {Movement::allgatherv, "allgatherv", Movement::to_all, true, Movement::uneven, Movement::one},
    {Movement::allgather_typed, "allgather_typed", Movement::to_all, true, Movement::even, Movement::by_side},
    {Movement::allgatherw, "allgatherw", Movement::to_all, true, Movement::uneven, Movement::by_part},
    {Movement::allgather_dyn, "allgather_dyn", Movement::to_all, true, Movement::told, Movement::one},
    {Movement::alltoall, "alltoall", Movement::to_all, false, Movement::even, Movement::one},
    {Movement::alltoallv, "alltoallv", Movement::to_all, false, Movement::uneven, Movement::one},
    {Movement::alltoall_typed, "alltoall_typed", Movement::to_all, false, Movement::even, Movement::by_side},
    {Movement::alltoallw, "alltoallw", Movement::to_all, false, Movement::uneven, Movement::by_part},
    {Movement::alltoall_dyn, "alltoall_dyn", Movement::to_all, false, Movement::told, Movement::one},
    {Movement::gather, "gather", Movement::to_root, true, Movement::even, Movement::one},
    {Movement::gatherv, "gatherv", Movement::to_root, true, Movement::uneven, Movement::one},
    {Movement::gather_typed, "gather_typed", Movement::to_root, true, Movement::even, Movement::by_side},
    {Movement::scatter, "scatter", Movement::from_root, false, Movement::even, Movement::one},
    {Movement::scatterv, "scatterv", Movement::from_root, false, Movement::uneven, Movement::one},
    {Movement::scatter_typed, "scatter_typed", Movement::from_root, false, Movement::even, Movement::by_side},
};

class MovingDeed : public BufferDeed {
public:
    MovingDeed(uint64_t number, const Place &place)
        : BufferDeed(number, place), movement_(movements[roll(shared_, std::size(movements))]) {
        constexpr size_t units[] = {1, 1, 2, 3, 4, 6};
        unit_ = units[roll(shared_, std::size(units))];
        element_ = some_element();
        const size_t unit_bytes = unit_ * static_cast<size_t>(element_.element_bytes);
        count_ = random_count(unit_bytes);
        in_place_ = roll(shared_, 4) == 0;
        counts_ = random_counts(unit_bytes);
        packed_ = roll(own_, 2) == 0;
        in_place_by_address_ = roll(own_, 2) == 0;
        lay_out();
    }
    void prepare(uint64_t turn) override {
        send_.clear();
        recv_.clear();
        std::fill(found_.begin(), found_.end(), ~uint64_t{0});
        const Memory &input = input_lies_in_recv() ? recv_ : send_;
        for (size_t to = 0; to < out_.size(); ++to) {
            put(input.data(), out_[to], period(place_.rank, static_cast<int>(to), turn));
        }
        wanted_send_ = send_.copy();
        wanted_recv_ = recv_.copy();
        for (size_t k = 0; k < in_.size(); ++k) {
            const int from = movement_.way == Movement::from_root ? root_ : static_cast<int>(k);
            put(recv_.in(wanted_recv_), in_[k], period(from, place_.rank, turn));
        }
    }
    void move(xcoll_request_t plan, size_t part) override {
        if (by_address_) {
            return; // displacements that are addresses do not move
        }
        send_.move();
        recv_.move();
        const bool in_recv = in_place() && !scatters();
        if (movement_.function != Movement::bcast && (!in_recv || in_place_by_address_)) {
            void *send = in_recv ? input_in_recv() : send_.data();
            ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_SEND, send));
        }
        if (!(in_place() && scatters())) {
            ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_RECV, recv_.data()));
        }
    }
    void check() const override {
        const std::string what = name(movement_.name) + (in_place() ? ", in place" : "");
        send_.expect(wanted_send_, what + ", send");
        recv_.expect(wanted_recv_, what + ", recv");
        for (size_t from = 0; movement_.counts == Movement::told && from < in_.size(); ++from) {
            ranks::check(found_[from] == in_[from].count, "a count that was told");
        }
    }
    xcoll_result_t call(Form form, xcoll_request_t *request) override; // moving_call.h

private:
    bool scatters() const {
        return movement_.way == Movement::from_root && !movement_.alike;
    }
    bool in_place() const {
        return in_place_ && movement_.function != Movement::bcast && (movement_.way == Movement::to_all || is_root());
    }
    // What the address of an input in place is: of this rank's part, or of all.
    void *input_in_recv() const {
        unsigned char *all = recv_.data();
        return movement_.alike ? all + out_[0].at : all;
    }
    bool input_lies_in_recv() const {
        return movement_.function == Movement::bcast || (in_place() && !scatters());
    }
    // Some bytes of any kind: to move them is all that happens to them.
    made::Type some_element() {
        constexpr size_t largest_opaque = 40;
        const uint64_t which = roll(shared_, std::size(values::types) + 4);
        return which < std::size(values::types) ? made::predefined(values::types[which].handle)
                                                : made::opaque(1 + roll(shared_, largest_opaque));
    }
    // Has the elements of one unit, or is the element itself. What is told is counted in items, alike on all ranks.
    made::Type some_type() {
        const bool made = roll(own_, 2) == 0 || movement_.counts == Movement::told;
        return made ? made::any_of(own_, element_, unit_) : element_;
    }
    // In units.
    size_t given(int from, int to) const {
        const auto count_of = [this](int a, int b) { return counts_[static_cast<size_t>(a * place_.size + b)]; };
        if (movement_.counts == Movement::even) {
            return count_;
        }
        if (movement_.alike) {
            return count_of(from, 0);
        }
        // In place both directions of a pair are alike, unless they are told.
        const bool symmetric = in_place_ && movement_.function != Movement::alltoall_dyn && !scatters();
        return symmetric ? count_of(std::min(from, to), std::max(from, to)) : count_of(from, to);
    }
    size_t most() const {
        return *std::max_element(counts_.begin(), counts_.end());
    }
    Part part_of(const made::Type &type, size_t units) const {
        return {type, units * unit_ / type.elements()};
    }
    std::vector<unsigned char> period(int from, int to, uint64_t turn) const {
        std::vector<unsigned char> all(values::period * static_cast<size_t>(element_.element_bytes));
        Dice bytes(values::mix(seed_of(turn, movement_.alike ? 0 : to) * 64 + static_cast<uint64_t>(from)));
        std::generate(all.begin(), all.end(), [&] { return static_cast<unsigned char>(bytes() >> 32); });
        return all;
    }
    void lay_out();
    void lay_out_told();
    Parts out_parts(const made::Type &type);
    Parts in_parts(const made::Type &type);
    void *address(const Memory &memory, const Parts &parts) const;
    xcoll_result_t call_with_types(const Way &way, const void *send, void *recv);

    const Movement &movement_;
    size_t unit_ = 1, count_ = 0; // elements of a unit, units of each part
    made::Type element_;
    bool in_place_ = false, packed_ = false, by_address_ = false;
    bool in_place_by_address_ = false; // and not by XCOLL_IN_PLACE
    std::vector<size_t> counts_;
    Parts out_, in_;                      // by rank; of what is the same for all, and of what has one source, one
    std::vector<uint64_t> given_, found_; // where counts are read and written
    Memory send_, recv_;
    Bytes wanted_send_, wanted_recv_;
};

inline Parts MovingDeed::out_parts(const made::Type &type) {
    Parts parts;
    if (movement_.way == Movement::from_root && !is_root()) {
        return parts;
    }
    for (int to = 0; to < (movement_.alike ? 1 : place_.size); ++to) {
        parts.push_back(part_of(movement_.types == Movement::by_part ? some_type() : type, given(place_.rank, to)));
    }
    return parts;
}

inline Parts MovingDeed::in_parts(const made::Type &type) {
    Parts parts;
    if ((movement_.way == Movement::to_root && !is_root()) || (scatters() && in_place())) {
        return parts;
    }
    const bool one_source = movement_.way == Movement::from_root;
    for (int from = one_source ? root_ : 0; from < (one_source ? root_ + 1 : place_.size); ++from) {
        parts.push_back(part_of(movement_.types == Movement::by_part ? some_type() : type, given(from, place_.rank)));
    }
    return parts;
}

inline void MovingDeed::lay_out() {
    const bool one_type = movement_.types != Movement::by_part;
    const made::Type sent = some_type(), received = movement_.types == Movement::one || in_place_ ? sent : some_type();
    const Order order = movement_.is_displaced && !packed_ ? Order::with_gaps : Order::packed;
    out_ = out_parts(sent);
    in_ = in_parts(received);
    place(out_, order, one_type);
    place(in_, order, one_type);
    if (movement_.counts == Movement::told) {
        lay_out_told();
    } else if (movement_.function == Movement::bcast) {
        in_ = is_root() ? out_ : in_; // there is one buffer
    } else if (in_place() && !scatters()) {
        out_ = movement_.alike ? Parts{in_[static_cast<size_t>(place_.rank)]} : in_;
    }
    by_address_ = !one_type && roll(own_, 3) == 0;
    // The ranks' heaps are not alike.
    const size_t beyond = static_cast<size_t>(place_.rank) * 4096;
    const size_t told_room = movement_.counts == Movement::told ? part_of(sent, most()).count * in_.size() : 0;
    const size_t all = std::max(room(in_), sent.reach(told_room));
    send_ = memory(std::max(room(out_), sent.reach(told_room)) + beyond);
    recv_ = memory(std::max(all, room(out_)));
}

// A part's place follows from the most that one may have. Only what is gathered may be packed.
inline void MovingDeed::lay_out_told() {
    packed_ = packed_ && movement_.alike && !in_place_;
    for (Parts *parts : {&out_, &in_}) {
        for (size_t p = 0; p < parts->size() && !(parts == &in_ && packed_); ++p) {
            Part &part = (*parts)[p];
            part.at = p * part_of(part.type, most()).count * static_cast<size_t>(part.type.extent);
        }
    }
    given_.clear();
    for (const Part &part : out_) {
        given_.push_back(part.count);
    }
    if (in_place_ && movement_.alike) {
        out_[0].at = in_[static_cast<size_t>(place_.rank)].at;
    }
    found_.resize(in_.size());
}

} // namespace deeds
