// A random collective operation whose result every rank can compute by itself: what it is follows from its number,
// which all ranks use alike. For property tests.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "buffer.h"
#include "parts.h"
#include "values.h"

namespace deeds {

using Dice = std::mt19937_64;

class Deed {
public:
    enum What : int {
        bcast,
        reduce,
        allreduce,
        reduce_scatter,
        reduce_scatterv,
        allgather,
        allgatherv,
        alltoall,
        alltoallv,
        allgather_dyn,
        alltoall_dyn,
        gather,
        gatherv,
        scatter,
        scatterv,
        scan,
        exscan,
        barrier,
        whats
    };

    // Rank `rank` of `size` ranks of a communicator. Some buffers lie in its heap.
    Deed(uint64_t number, int rank, int size, xcoll_comm_t comm)
        : number_(number), rank_(rank), size_(size), comm_(comm), dice_(values::mix(number)),
          what_(static_cast<What>(roll(whats))) {
        root_ = static_cast<int>(roll(static_cast<uint64_t>(size)));
        count_ = random_count();
        in_place_ = roll(4) == 0;
        packed_ = !in_place_ && values::mix(number + static_cast<uint64_t>(rank)) % 2 == 0;
        for (int from = 0; from < size; ++from) {
            for (int to = 0; to < size; ++to) {
                counts_.push_back(roll(5) == 0 ? 0 : random_count() / 2);
            }
        }
        shift_ = roll(3);
        lay_out();
    }
    What what() const {
        return what_;
    }
    // Fresh input, and garbage where the result will be.
    void prepare(uint64_t turn) {
        turn_ = turn;
        std::fill(send_.begin(), send_.end(), garbage);
        std::fill(recv_.begin(), recv_.end(), garbage);
        std::fill(found_.begin(), found_.end(), ~uint64_t{0});
        for (int to = 0; to < size_; ++to) {
            const Part part = input(to);
            for (size_t i = 0; i < part.count; ++i) {
                at(in_place() ? recv() : send(), part.at + i) = value(rank_, is_same_for_all() ? 0 : to, i);
            }
        }
        if (what_ == bcast && rank_ == root_) {
            for (size_t i = 0; i < count_; ++i) {
                at(recv(), i) = value(root_, 0, i);
            }
        }
    }

    // Other buffers, of which the plan is told.
    void move(xcoll_request_t plan, size_t part) {
        send_ = send_.elsewhere();
        recv_ = recv_.elsewhere();
        shift_ = (shift_ + 1) % 3;
        if (what_ != barrier && what_ != bcast && !in_place()) {
            ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_SEND, send()));
        }
        if (what_ != barrier) {
            ranks::succeed(xcoll_request_rebind(plan, part, XCOLL_SLOT_RECV, recv()));
        }
    }

    enum Form : int { blocking, immediate, persistent, enqueued };
    // Starts it in that form, or does it (deed_call.h).
    xcoll_result_t call(Form form, xcoll_comm_t comm, xcoll_request_t *request);
    void check() const;

private:
    static constexpr int32_t garbage = static_cast<int32_t>(0xeeeeeeee);
    static constexpr xcoll_dtype_t type = XCOLL_INT32;

    uint64_t roll(uint64_t sides) {
        return dice_() % sides;
    }
    size_t random_count() {
        constexpr size_t most[] = {4, 4, 10, 10, 40, 300, 1100, 3000, 20'000, 30'000};
        return roll(most[roll(std::size(most))]);
    }
    size_t count_of(int from, int to) const {
        return counts_[static_cast<size_t>(from * size_ + to)];
    }
    bool is_rooted() const {
        return what_ == bcast || what_ == reduce || what_ == gather || what_ == gatherv || what_ == scatter ||
               what_ == scatterv;
    }
    bool is_same_for_all() const {
        return what_ == bcast || what_ == allgather || what_ == allgatherv || what_ == allgather_dyn ||
               what_ == gather || what_ == gatherv || what_ == reduce || what_ == allreduce || what_ == scan ||
               what_ == exscan;
    }
    bool is_dynamic() const {
        return what_ == allgather_dyn || what_ == alltoall_dyn;
    }
    // Of one part of a call whose counts only the senders know.
    size_t most() const {
        return *std::max_element(counts_.begin(), counts_.end());
    }
    // What rank `from` gives to rank `to`, in elements.
    size_t given(int from, int to) const {
        switch (what_) {
        case allgatherv:
        case allgather_dyn:
        case gatherv:
            return count_of(from, 0);
        case alltoall_dyn:
            return count_of(from, to);
        case reduce_scatterv:
            return count_of(0, to);
        case scatterv:
            return count_of(root_, to);
        case alltoallv:
            // In place both directions of a pair are alike.
            return in_place_ ? count_of(std::min(from, to), std::max(from, to)) : count_of(from, to);
        case barrier:
            return 0;
        default:
            return count_;
        }
    }
    bool in_place() const {
        switch (what_) {
        case reduce:
        case gather:
        case gatherv:
            return in_place_ && rank_ == root_;
        case allreduce:
        case scan:
        case exscan:
        case allgather:
        case allgatherv:
        case allgather_dyn:
        case alltoall:
        case alltoallv:
        case alltoall_dyn:
        case reduce_scatter:
        case reduce_scatterv:
            return in_place_;
        default:
            return false;
        }
    }
    // Blocks of both buffers: packed, or with gaps and in another order.
    std::vector<Part> blocks(bool packed, const std::vector<size_t> &counts) {
        std::vector<Part> parts(counts.size());
        size_t next = 0;
        for (size_t i = 0; i < counts.size(); ++i) {
            const size_t p = packed ? i : counts.size() - 1 - i;
            next += packed ? 0 : p % 3;
            parts[p] = {next, counts[p]};
            next += counts[p];
        }
        return parts;
    }
    void lay_out();
    Part input(int to) const {
        if ((what_ == bcast || what_ == scatter || what_ == scatterv) && (rank_ != root_ || what_ == bcast)) {
            return {0, 0};
        }
        if ((is_same_for_all() && to > 0) || what_ == barrier) {
            return {0, 0};
        }
        const auto t = static_cast<size_t>(to);
        if (in_place()) {
            const bool own_block = what_ == allgather || what_ == allgatherv || what_ == allgather_dyn ||
                                   what_ == gather || what_ == gatherv;
            return own_block                                 ? in_[static_cast<size_t>(rank_)]
                   : what_ == alltoall || what_ == alltoallv ? in_[t]
                                                             : out_[t];
        }
        return out_[t];
    }
    int32_t value(int from, int to, size_t i) const {
        return static_cast<int32_t>(values::mix(number_ * 64 + turn_) +
                                    values::mix(static_cast<uint64_t>(from * 64 + to)) + i * 2654435761u);
    }
    // What must be in element i of what comes from rank `from`, or of the sum.
    int32_t sum(int first, int last, int to, size_t i) const {
        uint32_t total = 0;
        for (int from = first; from < last; ++from) {
            total += static_cast<uint32_t>(value(from, to, i));
        }
        return static_cast<int32_t>(total);
    }
    unsigned char *send() {
        return reinterpret_cast<unsigned char *>(send_.data()) + shift_;
    }
    unsigned char *recv() {
        return reinterpret_cast<unsigned char *>(recv_.data()) + shift_;
    }
    struct Element { // unaligned
        unsigned char *address;
        Element &operator=(int32_t v) {
            std::memcpy(address, &v, sizeof v);
            return *this;
        }
        operator int32_t() const {
            int32_t v;
            std::memcpy(&v, address, sizeof v);
            return v;
        }
    };
    static Element at(unsigned char *buffer, size_t index) {
        return {buffer + index * sizeof(int32_t)};
    }
    // Of all ranks, of none, or each as it likes.
    xcoll_comm_t some_heap(uint64_t which) const {
        const uint64_t way = values::mix(number_) % 4;
        const bool likes = values::mix(number_ * 32 + static_cast<uint64_t>(rank_) * 2 + which) % 2 == 0;
        return way < 2 || (way == 2 && likes) ? comm_ : XCOLL_COMM_NULL;
    }

    uint64_t number_;
    int rank_, size_;
    xcoll_comm_t comm_;
    Dice dice_;
    What what_;
    int root_ = 0;
    size_t count_ = 0, shift_ = 0;
    bool in_place_ = false, packed_ = false;
    uint64_t turn_ = 0;
    std::vector<size_t> counts_;
    std::vector<Part> out_, in_;          // by rank; of reductions in_[0] is the result
    std::vector<uint64_t> given_, found_; // where counts are read and written
    ranks::Buffer<int32_t> send_, recv_;
};

inline void Deed::lay_out() {
    std::vector<size_t> out, in;
    for (int p = 0; p < size_; ++p) {
        out.push_back(given(rank_, p));
        in.push_back(given(p, rank_));
    }
    const bool displaced = what_ == allgatherv || what_ == alltoallv || what_ == gatherv || what_ == scatterv;
    out_ = blocks(!displaced || what_ == allgatherv || what_ == gatherv, out);
    in_ = blocks(!displaced || what_ == scatterv, in);
    if (is_same_for_all()) {
        out_.assign(out_.size(), {0, out[0]});
    }
    if (what_ == scatter || what_ == scatterv) {
        in_.assign(1, {0, given(root_, rank_)});
    }
    if (what_ <= reduce_scatterv || what_ == scan || what_ == exscan) {
        in_.assign(1, {0, what_ == reduce_scatter || what_ == reduce_scatterv ? given(0, rank_) : count_});
    }
    given_.assign(out.begin(), out.end());
    found_.resize(out.size());
    for (size_t p = 0; is_dynamic() && p < out.size(); ++p) {
        out_[p].at = what_ == alltoall_dyn ? p * most() : 0;
        in_[p].at = what_ == alltoall_dyn || !packed_ ? p * most() : in_[p].at;
    }
    size_t room = is_dynamic() ? out.size() * most() + 8 : 8;
    for (const auto *parts : {&out_, &in_}) {
        for (const Part &part : *parts) {
            room = std::max(room, part.at + part.count + 8);
        }
    }
    // The ranks' heaps are not alike.
    send_ = {room + static_cast<size_t>(rank_) * 1024, some_heap(0)};
    recv_ = {room, some_heap(1)};
}

inline void Deed::check() const {
    auto *buffer = reinterpret_cast<unsigned char *>(recv_.data()) + shift_;
    static const char *const names[] = {"bcast",        "reduce",     "allreduce", "reduce_scatter", "reduce_scatterv",
                                        "allgather",    "allgatherv", "alltoall",  "alltoallv",      "allgather_dyn",
                                        "alltoall_dyn", "gather",     "gatherv",   "scatter",        "scatterv",
                                        "scan",         "exscan",     "barrier"};
    const auto expect = [&](size_t index, int32_t wanted) {
        if (at(buffer, index) != wanted) {
            ranks::wrong("deed " + std::to_string(number_) + ", " + names[what_] + " of " + std::to_string(size_) +
                         " ranks, count " + std::to_string(count_) + (in_place() ? ", in place" : "") + ": element " +
                         std::to_string(index) + " is wrong");
        }
    };
    const bool receives = !(what_ == reduce || what_ == gather || what_ == gatherv) || rank_ == root_;
    if (what_ == barrier || !receives || (what_ == exscan && rank_ == 0)) {
        return;
    }
    std::vector<bool> written(recv_.size());
    for (size_t k = 0; k < in_.size(); ++k) {
        ranks::check(!is_dynamic() || found_[k] == in_[k].count, "a count that was told");
        for (size_t i = 0; i < in_[k].count; ++i) {
            const int from = static_cast<int>(k), to = is_same_for_all() ? 0 : rank_;
            int32_t wanted = 0;
            switch (what_) {
            case bcast:
                wanted = value(root_, 0, i);
                break;
            case scatter:
            case scatterv:
                wanted = value(root_, rank_, i);
                break;
            case reduce:
            case allreduce:
            case reduce_scatter:
            case reduce_scatterv:
                wanted = sum(0, size_, to, i);
                break;
            case scan:
                wanted = sum(0, rank_ + 1, 0, i);
                break;
            case exscan:
                wanted = sum(0, rank_, 0, i);
                break;
            default:
                wanted = value(from, to, i);
            }
            expect(in_[k].at + i, wanted);
            written[in_[k].at + i] = true;
        }
    }
    for (size_t i = 0; i + 1 < recv_.size() && !in_place(); ++i) {
        if (!written[i]) {
            expect(i, garbage);
        }
    }
}

} // namespace deeds
