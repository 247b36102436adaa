// Deeds that cut a tensor anew: of any type and shape, along any dimensions, with any parts and strides; what several
// ranks have is reduced with any operator, or the lowest one's counts.
#pragma once

#include <map>
#include <optional>

#include "operators_of_all_kinds.h"
#include "tensors.h"

namespace deeds {

class ReshardDeed : public BufferDeed {
public:
    ReshardDeed(uint64_t number, const Place &place)
        : BufferDeed(number, place), case_(tensors::random_case(shared_, place.size)),
          operator_(shared_, number, place.rank, true, false), reduces_(roll(shared_, 2) == 0) {
        case_.op = reduces_ ? operator_.handle() : 0;
        is_sum_ = !reduces_ && case_.from_dim == XCOLL_PARTIAL; // of which XCOLL_SUM is meant
        if (is_sum_ && !type().has(XCOLL_SUM)) {
            case_.from_dim = XCOLL_REPLICATED;
            is_sum_ = false;
        }
        for (int rank = 0; rank < place.size; ++rank) {
            before_.push_back(tensors::part_of(case_, true, rank, place.size, true));
        }
        after_ = tensors::part_of(case_, false, place.rank, place.size, true);
        send_ = memory(mine().reach() * type().bytes);
        recv_ = memory(after_.reach() * type().bytes);
    }
    void prepare(uint64_t turn) override {
        send_.clear();
        recv_.clear();
        inputs_.clear();
        results_.clear();
        // What one rank alone has is moved, or reduced.
        for (int rank = 0; rank < place_.size; ++rank) {
            inputs_.push_back(is_sum_ ? type().input(values::Flavour::exact, XCOLL_SUM, seed_of(turn, 0), rank)
                                      : operator_.operand(seed_of(turn, 0), rank));
        }
        tensors::for_each(mine(), [&](const tensors::Indices &at, size_t place) {
            copy(send_.data(), place, inputs_[static_cast<size_t>(place_.rank)], at);
        });
        wanted_send_ = send_.copy();
        wanted_recv_ = recv_.copy();
        tensors::for_each(after_, [&](const tensors::Indices &at, size_t place) {
            copy(recv_.in(wanted_recv_), place, result_of(tensors::holders(before_, at)), at);
        });
    }
    void move(xcoll_request_t plan, size_t part) override {
        send_.move();
        recv_.move();
        ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_SEND, send_.data()));
        ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_RECV, recv_.data()));
    }
    void check() const override {
        const std::string what = name("reshard") + ", " + (reduces_ ? operator_.name() : type().name) + ", dimension " +
                                 std::to_string(case_.from_dim) + " to " + std::to_string(case_.to_dim);
        send_.expect(wanted_send_, what + ", send");
        recv_.expect(with_equal_results(), what + ", recv");
    }
    xcoll_result_t call(Form form, xcoll_request_t *request) override {
        const tensors::Tensor tensor(case_, type().handle, mine(), after_);
        const xcoll_result_t result =
            call_by({form, place_.comm, request}, FORMS_OF(reshard), send_.data(), static_cast<void *>(recv_.data()),
                    tensor.get(), case_.from_dim, case_.to_dim);
        operator_.free();
        return result;
    }

private:
    const values::Type &type() const {
        return operator_.type();
    }
    const tensors::Part &mine() const {
        return before_[static_cast<size_t>(place_.rank)];
    }
    // Which element of a tile stands at these indices of the tensor.
    size_t element(const tensors::Indices &at) const {
        size_t number = 0;
        for (size_t d = 0; d < at.size(); ++d) {
            number = number * static_cast<size_t>(case_.shape[d]) + static_cast<size_t>(at[d]);
        }
        return number % values::period;
    }
    void copy(unsigned char *buffer, size_t place, const values::Tile &tile, const tensors::Indices &at) const {
        std::memcpy(buffer + place * type().bytes, &tile[element(at) * type().bytes], type().bytes);
    }
    const values::Tile &result_of(const std::vector<int> &holders) {
        auto found = results_.find(holders);
        if (found == results_.end()) {
            found = results_.emplace(holders, reduced(holders)).first;
        }
        return found->second;
    }
    values::Tile reduced(const std::vector<int> &holders) const {
        std::vector<values::Tile> inputs;
        for (const int rank : holders) {
            inputs.push_back(inputs_[static_cast<size_t>(rank)]);
        }
        return is_sum_    ? type().reduced(XCOLL_SUM, inputs, {static_cast<int>(inputs.size())})
               : reduces_ ? operator_.result(inputs, holders)
                          : inputs[0];
    }
    // What is wanted, with the bits of results that are equal to it: pairs may have gaps.
    Bytes with_equal_results() const {
        Bytes all = wanted_recv_;
        tensors::for_each(after_, [&](const tensors::Indices &, size_t place) {
            unsigned char *wanted = recv_.in(all) + place * type().bytes;
            const unsigned char *found = recv_.data() + place * type().bytes;
            if (type().equal(found, wanted)) {
                std::memcpy(wanted, found, type().bytes);
            }
        });
        return all;
    }

    tensors::Case case_;
    Operator operator_;
    bool reduces_, is_sum_ = false;
    std::vector<tensors::Part> before_; // by rank
    tensors::Part after_;
    Memory send_, recv_;
    std::vector<values::Tile> inputs_;
    std::map<std::vector<int>, values::Tile> results_; // by who has the elements
    Bytes wanted_send_, wanted_recv_;
};

} // namespace deeds
