// A random operator with a type that it is for: one of the library's, one of the user's, or a premultiplied sum. With
// inputs of ranks and what must become of them, in code of its own. No result depends on the order of additions.
#pragma once

#include <memory>

#include "deed.h"

namespace deeds {

// User operators of any type, byte by byte. An odd number a and a number b below 16 are the map x -> a x + b modulo 16:
// to make one after the other is associative, and not commutative.
inline unsigned char compose(unsigned char first, unsigned char second) {
    const unsigned a = first | 1u, b = first >> 4, c = second | 1u, d = second >> 4;
    return static_cast<unsigned char>((a * c & 15) | (c * b + d) << 4);
}
inline unsigned char add(unsigned char first, unsigned char second) {
    return static_cast<unsigned char>(first + second);
}
using OfBytes = unsigned char (*)(unsigned char first, unsigned char second);
template <OfBytes combine>
xcoll_result_t combine_all(const void *in, void *inout, size_t count, xcoll_dtype_t dtype, void *) {
    const auto *lower = static_cast<const unsigned char *>(in);
    auto *upper = static_cast<unsigned char *>(inout);
    for (size_t i = 0; i < count * (dtype >> 8 & 0xff); ++i) {
        upper[i] = combine(lower[i], upper[i]);
    }
    return XCOLL_SUCCESS;
}
struct UserOperator {
    const char *name;
    OfBytes combine;
    xcoll_reduce_fn function;
    uint32_t flags;
};
constexpr UserOperator user_operators[] = {{"add bytes", add, combine_all<add>, 0},
                                           {"compose bytes", compose, combine_all<compose>, XCOLL_OP_NONCOMMUTATIVE}};

class Operator {
public:
    // `dice` are those of all ranks. Scans have no averages, and a reshard multiplies nothing.
    Operator(Dice &dice, uint64_t seed, int rank, bool averages, bool scales)
        : type_(values::types[roll(dice, std::size(values::types))]), seed_(seed),
          handle_(some_handle(dice, averages)) {
        const uint64_t kind = roll(dice, 10);
        if (kind == 0 && scales && type_.has(XCOLL_SUM)) {
            make_premultiplied(rank);
        } else if (kind < 4) {
            user_ = &user_operators[kind % std::size(user_operators)];
            ranks::succeed(xcoll_op_create(user_->function, nullptr, nullptr, user_->name, user_->flags, &handle_));
            own();
        }
    }
    const values::Type &type() const {
        return type_;
    }
    xcoll_op_t handle() const {
        return handle_;
    }
    // Calls that use it keep it.
    void free() {
        owner_.reset();
    }
    std::string name() const {
        return std::string(type_.name) + (user_        ? std::string(" with ") + user_->name
                                          : is_scaled_ ? std::string(" with a premultiplied sum")
                                                       : " with operator " + std::to_string(handle_ & 0xff));
    }
    values::Tile input(uint64_t seed, int rank) const {
        return type_.input(flavour(), predefined(), seed, rank);
    }
    // One that stays what it is when there is no other: truth is 1, say.
    values::Tile operand(uint64_t seed, int rank) const {
        return is_scaled_ ? input(seed, rank) : result({input(seed, rank)}, {rank});
    }
    // Of inputs of these ranks, from the lowest on.
    values::Tile result(std::vector<values::Tile> inputs, const std::vector<int> &ranks) const {
        if (user_) {
            return folded(inputs);
        }
        for (size_t k = 0; is_scaled_ && k < inputs.size(); ++k) {
            inputs[k] = type_.reduced(XCOLL_PROD, {factor(ranks[k]), inputs[k]}, {2});
        }
        return type_.reduced(predefined(), inputs, {static_cast<int>(inputs.size())});
    }

private:
    xcoll_op_t some_handle(Dice &dice, bool averages) const {
        std::vector<xcoll_op_t> allowed;
        for (const xcoll_op_t op : values::operators) {
            if (type_.has(op) && (averages || op != XCOLL_AVG)) {
                allowed.push_back(op);
            }
        }
        return allowed[roll(dice, allowed.size())];
    }
    void make_premultiplied(int rank) {
        is_scaled_ = true;
        ranks::succeed(xcoll_op_create_premul(factor(rank).data(), type_.handle, 0, &handle_));
        own();
    }
    void own() {
        owner_ = {nullptr, [handle = handle_](void *) mutable { ranks::succeed(xcoll_op_free(&handle)); }};
    }
    xcoll_op_t predefined() const {
        return is_scaled_ || user_ ? xcoll_op_t{XCOLL_SUM} : handle_;
    }
    // Numbers that show most, of those whose result is the same in every order.
    values::Flavour flavour() const {
        const xcoll_op_t op = predefined();
        const bool chooses = op == XCOLL_MIN || op == XCOLL_MAX || values::is_logical(op);
        const bool adds_floats = !type_.has(XCOLL_BAND) && type_.has(XCOLL_SUM) && !chooses;
        return adds_floats ? values::Flavour::exact : type_.floating ? values::Flavour::special : values::Flavour::any;
    }
    // A power of two, or any integer: what rank `rank` multiplies by, in each element of a tile.
    values::Tile factor(int rank) const {
        values::Tile tile = type_.input(flavour(), XCOLL_PROD, seed_, rank);
        for (size_t at = type_.bytes; at < tile.size(); at += type_.bytes) {
            std::memcpy(&tile[at], tile.data(), type_.bytes);
        }
        return tile;
    }
    values::Tile folded(const std::vector<values::Tile> &inputs) const {
        values::Tile all = inputs[0];
        for (size_t k = 1; k < inputs.size(); ++k) {
            std::transform(all.begin(), all.end(), inputs[k].begin(), all.begin(), user_->combine);
        }
        return all;
    }

    const values::Type &type_;
    uint64_t seed_;
    xcoll_op_t handle_;
    const UserOperator *user_ = nullptr;
    bool is_scaled_ = false;
    std::shared_ptr<void> owner_;
};

} // namespace deeds
