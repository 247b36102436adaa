// Deeds that combine what the ranks have, with any operator of any type.
#pragma once

#include "operators_of_all_kinds.h"

namespace deeds {

struct Combination {
    enum Function : uint8_t { reduce, allreduce, reduce_scatter, reduce_scatterv, scan, exscan } function;
    const char *name;
    bool scatters, scans;
};
constexpr Combination combinations[] = {
    {Combination::reduce, "reduce", false, false},
    {Combination::allreduce, "allreduce", false, false},
    {Combination::reduce_scatter, "reduce_scatter", true, false},
    {Combination::reduce_scatterv, "reduce_scatterv", true, false},
    {Combination::scan, "scan", false, true},
    {Combination::exscan, "exscan", false, true},
};

class ReducingDeed : public BufferDeed {
public:
    ReducingDeed(uint64_t number, const Place &place)
        : BufferDeed(number, place), combination_(combinations[roll(shared_, std::size(combinations))]),
          operator_(shared_, number, place.rank, !combination_.scans, true) {
        in_place_ = roll(shared_, 4) == 0;
        const bool uneven = combination_.function == Combination::reduce_scatterv;
        const size_t count = random_count(type().bytes);
        for (int part = 0; part < (combination_.scatters ? place.size : 1); ++part) {
            counts_.push_back(uneven ? random_count(2 * type().bytes) : count);
        }
        const size_t sent = bytes_before(counts_.size());
        send_ = memory(sent + static_cast<size_t>(place.rank) * 4096);
        recv_ = memory(in_place() ? sent : received() * type().bytes);
    }
    void prepare(uint64_t turn) override {
        send_.clear();
        recv_.clear();
        const Memory &given = in_place() ? recv_ : send_;
        for (size_t part = 0; part < counts_.size(); ++part) {
            values::fill(given.data() + bytes_before(part),
                         operator_.input(seed_of(turn, static_cast<int>(part)), place_.rank),
                         counts_[part] * type().bytes);
        }
        wanted_send_ = send_.copy();
        before_ = recv_.copy();
        std::vector<values::Tile> inputs;
        std::vector<int> ranks;
        for (int rank = 0; rank < combined(); ++rank) {
            inputs.push_back(operator_.input(seed_of(turn, combination_.scatters ? place_.rank : 0), rank));
            ranks.push_back(rank);
        }
        wanted_ = inputs.empty() ? values::Tile() : operator_.result(inputs, ranks);
    }
    void move(xcoll_request_t plan, size_t part) override {
        send_.move();
        recv_.move();
        if (!in_place()) {
            ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_SEND, send_.data()));
        }
        ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_RECV, recv_.data()));
    }
    void check() const override {
        const std::string what = name(combination_.name) + ", " + operator_.name() + (in_place() ? ", in place" : "");
        send_.expect(wanted_send_, what + ", send");
        const size_t count = combined() > 0 ? received() : 0;
        const size_t wrong = values::first_difference(type(), recv_.data(), wanted_, count);
        if (wrong != values::all_equal) {
            ranks::wrong(what + ": element " + std::to_string(wrong) + " of " + std::to_string(count) + " is wrong");
        }
        if (!in_place() || count == 0) { // beside the result nothing was touched; in place there is input left
            Bytes all = before_;
            std::copy_n(recv_.data(), count * type().bytes, recv_.in(all));
            recv_.expect(all, what + ", recv");
        }
    }
    xcoll_result_t call(Form form, xcoll_request_t *request) override {
        const Way way{form, place_.comm, request};
        const void *send = in_place() ? XCOLL_IN_PLACE : send_.data();
        void *recv = recv_.data();
        const size_t count = counts_[0];
        const xcoll_dtype_t dtype = type().handle;
        const xcoll_op_t op = operator_.handle();
        const xcoll_result_t result = [&] {
            switch (combination_.function) {
            case Combination::reduce:
                return call_by(way, FORMS_OF(reduce), send, recv, count, dtype, op, root_);
            case Combination::allreduce:
                return call_by(way, FORMS_OF(allreduce), send, recv, count, dtype, op);
            case Combination::reduce_scatter:
                return call_by(way, FORMS_OF(reduce_scatter), send, recv, count, dtype, op);
            case Combination::reduce_scatterv:
                return call_by(way, FORMS_OF(reduce_scatterv), send, recv, counts_.data(), dtype, op);
            case Combination::scan:
                return call_by(way, FORMS_OF(scan), send, recv, count, dtype, op);
            default:
                return call_by(way, FORMS_OF(exscan), send, recv, count, dtype, op);
            }
        }();
        operator_.free();
        return result;
    }

private:
    const values::Type &type() const {
        return operator_.type();
    }
    bool in_place() const {
        return in_place_ && (combination_.function != Combination::reduce || is_root());
    }
    size_t bytes_before(size_t part) const {
        const auto first = counts_.begin();
        return std::accumulate(first, first + static_cast<ptrdiff_t>(part), size_t{0}) * type().bytes;
    }
    size_t received() const {
        return counts_[combination_.scatters ? static_cast<size_t>(place_.rank) : 0];
    }
    // The ranks from 0 on whose inputs make this rank's result.
    int combined() const {
        switch (combination_.function) {
        case Combination::reduce:
            return is_root() ? place_.size : 0;
        case Combination::scan:
            return place_.rank + 1;
        case Combination::exscan:
            return place_.rank;
        default:
            return place_.size;
        }
    }

    const Combination &combination_;
    Operator operator_;
    bool in_place_ = false;
    std::vector<size_t> counts_; // of elements; scattered: by rank
    Memory send_, recv_;
    Bytes wanted_send_, before_;
    values::Tile wanted_;
};

} // namespace deeds
