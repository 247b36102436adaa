// A tensor whose parts are added up while its distribution changes: who holds what of it, where that lies in memory,
// and what each rank must get.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "coll/reshard_plan.h"
#include "sim/call.h"
#include "sim/reference.h"

namespace xcoll::sim {

class Resharded {
public:
    Resharded(const Call &call, int rank, int ranks) : call_(call), rank_(rank) {
        Random random(call.dice);
        const auto columns = static_cast<int64_t>(random.between(1, most_columns));
        const auto rows = static_cast<int64_t>(call.count) / columns;
        tensor_.dtype = call.dtype;
        tensor_.shape = {rows, columns};
        tensor_.elements = static_cast<size_t>(rows * columns);
        // Where all hold everything, algorithms of other calls add it up, in orders of their own.
        const bool may_be_whole = call.user != User::none || !depends_on_order(call.dtype, call.op);
        fill(tensor_.from, may_be_whole, ranks, random, overlapping);
        fill(tensor_.to, true, ranks, random, anything);
    }
    size_t send_bytes() const {
        return bytes(tensor_.from);
    }
    size_t recv_bytes() const {
        return bytes(tensor_.to);
    }
    // As the library is told of it, which keeps pointers to this.
    void describe(Op &op, const void *send, const void *recv) {
        plan_ = std::make_unique<ReshardPlan>(tensor_, sections_of(tensor_.from), ReshardPlan::Copies::added, rank_);
        for (const Shape &box : plan_->out()) {
            out_.push_back(portion(send, box));
        }
        op.count = tensor_.elements;
        op.send = send;
        op.recv = const_cast<void *>(recv);
        op.out = out_.data();
        op.in = nullptr;
        op.reshard = &plan_->reduction();
    }
    // Into what is expected of this rank, index after index of the dimension along which it was split.
    void expect(Bytes &recv, const std::vector<Resharded> &all, const std::vector<Bytes> &inputs,
                const SumOrder &in) const {
        const auto dim = static_cast<size_t>(tensor_.from.dim);
        for (int64_t index = 0, next = 0; index < tensor_.shape[dim]; index = next) {
            const std::vector<int> holders = holders_of(index);
            while (next < tensor_.shape[dim] && holders_of(next) == holders) {
                ++next;
            }
            const std::vector<Place> places = places_of({index, next - index});
            std::vector<Bytes> copies;
            for (const int p : holders) {
                const auto q = static_cast<size_t>(p);
                copies.push_back(all[q].copy(places, inputs[q]));
            }
            Bytes sums;
            const Grouping grouping = among(holders, in.grouping);
            expected_reduction(sums, copies, {in.order, grouping}, call_.dtype, call_.op, call_.user);
            for (size_t i = 0; i < places.size(); ++i) {
                std::copy_n(sums.begin() + static_cast<ptrdiff_t>(i * item()), item(),
                            recv.begin() + at(tensor_.to, places[i]));
            }
        }
    }

private:
    static constexpr uint64_t most_columns = 7, most_gap = 2;
    using Place = std::array<int64_t, 2>;
    size_t item() const {
        return size_of(tensor_.dtype);
    }
    // Everything, or parts that hold everything between them, and some of it several times.
    static Interval overlapping(int64_t length, int p, int ranks, Random &random) {
        const int64_t begin = length * p / ranks, end = length * (p + 1) / ranks;
        const auto beyond = static_cast<uint64_t>(length / ranks) + 2;
        const auto before = std::min<int64_t>(begin, static_cast<int64_t>(random.below(beyond)));
        const auto behind = std::min<int64_t>(length - end, static_cast<int64_t>(random.below(beyond)));
        return {begin - before, end - begin + before + behind};
    }
    static Interval anything(int64_t length, int, int, Random &random) {
        const auto first = static_cast<int64_t>(random.below(static_cast<uint64_t>(length) + 1));
        return {first, static_cast<int64_t>(random.below(static_cast<uint64_t>(length - first) + 1))};
    }
    template <class Part> void fill(Split &side, bool may_be_whole, int ranks, Random &random, Part part) {
        const bool whole = may_be_whole && random.percent(40);
        side.dim = whole ? 0 : static_cast<int>(random.below(2));
        for (int p = 0; p < ranks; ++p) {
            const int64_t length = tensor_.length(side);
            side.parts.push_back(whole ? Interval{0, length} : part(length, p, ranks, random));
        }
        const auto columns = static_cast<uint64_t>(extent(side, 1).count) + random.below(most_gap + 1);
        side.strides = {static_cast<ptrdiff_t>(columns * item()), static_cast<ptrdiff_t>(item())};
    }
    // Of this rank's part.
    Interval extent(const Split &side, int dim) const {
        return side.dim == dim ? side.parts[static_cast<size_t>(rank_)]
                               : Interval{0, tensor_.shape[static_cast<size_t>(dim)]};
    }
    size_t bytes(const Split &side) const {
        return static_cast<size_t>(extent(side, 0).count * side.strides[0]);
    }
    ptrdiff_t at(const Split &side, const Place &place) const {
        return (place[0] - extent(side, 0).first) * side.strides[0] +
               (place[1] - extent(side, 1).first) * side.strides[1];
    }
    std::vector<int> holders_of(int64_t index) const {
        std::vector<int> holders;
        for (size_t p = 0; p < tensor_.from.parts.size(); ++p) {
            if ((tensor_.from.parts[p] & Interval{index, 1}).count > 0) {
                holders.push_back(static_cast<int>(p));
            }
        }
        return holders;
    }
    // What this rank wants of these indices.
    std::vector<Place> places_of(const Interval &indices) const {
        std::vector<Place> places;
        const Interval all{0, tensor_.elements > 0 ? std::max(tensor_.shape[0], tensor_.shape[1]) : 0};
        const Interval rows = extent(tensor_.to, 0) & (tensor_.from.dim == 0 ? indices : all);
        const Interval columns = extent(tensor_.to, 1) & (tensor_.from.dim == 1 ? indices : all);
        for (int64_t row = rows.first; row < rows.end(); ++row) {
            for (int64_t column = columns.first; column < columns.end(); ++column) {
                places.push_back({row, column});
            }
        }
        return places;
    }
    Bytes copy(const std::vector<Place> &places, const Bytes &input) const {
        Bytes bytes;
        for (const Place &place : places) {
            const auto from = input.begin() + at(tensor_.from, place);
            bytes.insert(bytes.end(), from, from + static_cast<ptrdiff_t>(item()));
        }
        return bytes;
    }
    // The order of additions without those who hold nothing: by their places among the holders.
    static Grouping among(const std::vector<int> &holders, const Grouping &everybody) {
        Grouping grouping;
        for (uint32_t group = 0; group < everybody.groups(); ++group) {
            const size_t first = grouping.order.size();
            for (uint32_t i = 0; i < everybody.sizes[group]; ++i) {
                const int p = everybody.order[everybody.first[group] + i];
                const auto place = std::lower_bound(holders.begin(), holders.end(), p);
                if (place != holders.end() && *place == p) {
                    grouping.order.push_back(static_cast<int>(place - holders.begin()));
                }
            }
            if (grouping.order.size() > first) {
                grouping.first.push_back(static_cast<uint32_t>(first));
                grouping.sizes.push_back(static_cast<uint32_t>(grouping.order.size() - first));
            }
        }
        return grouping;
    }

    const Call &call_;
    int rank_;
    Tensor tensor_;
    std::unique_ptr<ReshardPlan> plan_;
    std::vector<Portion> out_;
};

} // namespace xcoll::sim
