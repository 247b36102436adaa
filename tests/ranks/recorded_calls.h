// Calls for groups, with buffers of their own and what must be in them afterwards.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ranks.h"

namespace recorded {

enum class What { allgather, alltoall, bcast, gather, scatter, allreduce, reduce, reduce_scatter, scan, barrier };

struct Step {
    What what;
    size_t count; // of numbers: of the message, or of one rank's block
    int root;     // if it has one
};
using Script = std::vector<Step>;

class Calls {
public:
    Calls(const ranks::Rank &rank, const Script &script)
        : script_(script), rank_(rank.rank()), ranks_(static_cast<size_t>(rank.size())), send_(script.size()),
          recv_(script.size()), in_place_(script.size()) {
        for (size_t k = 0; k < script.size(); ++k) {
            send_[k].resize(blocks_sent(k) * script[k].count);
            recv_[k].resize(std::max(blocks_received(k), reduces(k) ? blocks_sent(k) : 0) * script[k].count);
        }
    }
    size_t size() const {
        return script_.size();
    }

    // Input of call k, and garbage where its result will be.
    void prepare(size_t k, int turn, bool in_place) {
        const Step &step = script_[k];
        in_place_[k] = in_place && step.what != What::bcast && (is_root(k) || !is_rooted(k));
        const std::vector<int> input = sent(k, turn);
        std::copy(input.begin(), input.end(), send_[k].begin()); // which stays where it is
        std::fill(recv_[k].begin(), recv_[k].end(), garbage);
        if (step.what == What::bcast && is_root(k)) {
            recv_[k] = send_[k];
        } else if (in_place_[k] && (step.what == What::alltoall || reduces(k))) {
            std::copy(send_[k].begin(), send_[k].end(), recv_[k].begin());
        } else if (in_place_[k] && step.what != What::scatter) {
            std::copy(send_[k].begin(), send_[k].end(), recv_[k].begin() + own_block(k));
        }
    }
    xcoll_result_t call(size_t k, xcoll_comm_t comm) {
        const bool inside = in_place_[k];
        const bool from_result = inside && script_[k].what != What::scatter;
        return call(k, from_result ? XCOLL_IN_PLACE : send_[k].data(),
                    inside && !from_result ? XCOLL_IN_PLACE : recv_[k].data(), comm);
    }
    xcoll_result_t call_without_buffers(size_t k, xcoll_comm_t comm) {
        return call(k, nullptr, nullptr, comm);
    }
    xcoll_result_t call_without_input(size_t k, xcoll_comm_t comm) {
        return call(k, nullptr, recv_[k].data(), comm);
    }
    // From now on each has the buffer that was the other's.
    void swap_results(size_t k, Calls &other) {
        std::swap(recv_[k], other.recv_[k]);
    }
    // What call k leaves in the buffer of its result.
    std::vector<int> result(size_t k, int turn) const {
        const Step &step = script_[k];
        std::vector<int> wanted(recv_[k].size(), garbage);
        if (reduces(k)) {
            if (in_place_[k]) {
                wanted = sent(k, turn); // what is no result stays
            }
            const bool gets = step.what != What::reduce || is_root(k);
            for (size_t i = 0; gets && i < step.count; ++i) {
                wanted[i] = sum(turn, k, i);
            }
        } else if (step.what == What::bcast || (step.what == What::scatter && !in_place_[k])) {
            for (size_t i = 0; i < step.count; ++i) {
                wanted[i] = input(turn, k, step.root, step.what == What::bcast ? 0 : static_cast<size_t>(rank_), i);
            }
        } else if (step.what == What::allgather || step.what == What::alltoall ||
                   (step.what == What::gather && is_root(k))) {
            for (size_t at = 0; at < wanted.size(); ++at) {
                const auto from = static_cast<int>(at / step.count);
                wanted[at] =
                    input(turn, k, from, step.what == What::alltoall ? static_cast<size_t>(rank_) : 0, at % step.count);
            }
        }
        return wanted;
    }
    const std::vector<int> &found(size_t k) const {
        return recv_[k];
    }
    void check(size_t k, int turn) const {
        if (recv_[k] != result(k, turn)) {
            ranks::wrong("call " + std::to_string(k) + " of a group of " + std::to_string(size()) + ", time " +
                         std::to_string(turn) + ": a wrong result");
        }
        if (in_place_[k] && script_[k].what == What::scatter && send_[k] != sent(k, turn)) {
            ranks::wrong("a group has changed what is scattered in place");
        }
    }

private:
    static constexpr int garbage = -1;
    static int input(int turn, size_t k, int rank, size_t block, size_t i) {
        return turn * 10'000'000 + static_cast<int>(k % 1000) * 10'000 + rank * 1000 + static_cast<int>(block) * 100 +
               static_cast<int>(i % 100);
    }
    std::vector<int> sent(size_t k, int turn) const {
        std::vector<int> all(send_[k].size());
        for (size_t at = 0; at < all.size(); ++at) {
            all[at] = input(turn, k, rank_, at / script_[k].count, at % script_[k].count);
        }
        return all;
    }
    // Of all ranks that count, for this one.
    int sum(int turn, size_t k, size_t i) const {
        const int ranks = script_[k].what == What::scan ? rank_ + 1 : static_cast<int>(ranks_);
        const size_t block = script_[k].what == What::reduce_scatter ? static_cast<size_t>(rank_) : 0;
        int total = 0;
        for (int p = 0; p < ranks; ++p) {
            total += input(turn, k, p, block, i);
        }
        return total;
    }
    bool reduces(size_t k) const {
        const What what = script_[k].what;
        return what == What::allreduce || what == What::reduce || what == What::reduce_scatter || what == What::scan;
    }
    bool is_rooted(size_t k) const {
        const What what = script_[k].what;
        return what == What::bcast || what == What::gather || what == What::scatter || what == What::reduce;
    }
    bool is_root(size_t k) const {
        return is_rooted(k) && script_[k].root == rank_;
    }
    size_t blocks_sent(size_t k) const {
        const What what = script_[k].what;
        const bool blocks = what == What::alltoall || what == What::scatter || what == What::reduce_scatter;
        return what == What::barrier ? 0 : blocks ? ranks_ : 1;
    }
    size_t blocks_received(size_t k) const {
        const What what = script_[k].what;
        const bool one = what == What::bcast || what == What::scatter || reduces(k);
        return what == What::barrier ? 0 : one ? 1 : ranks_;
    }
    ptrdiff_t own_block(size_t k) const {
        return rank_ * static_cast<ptrdiff_t>(script_[k].count);
    }
    xcoll_result_t call(size_t k, const void *send, void *recv, xcoll_comm_t comm) const {
        const auto [what, count, root] = script_[k];
        switch (what) {
        case What::allgather:
            return xcoll_allgather(send, count, recv, XCOLL_INT32, comm);
        case What::alltoall:
            return xcoll_alltoall(send, recv, count, XCOLL_INT32, comm);
        case What::bcast:
            return xcoll_bcast(recv, count, XCOLL_INT32, root, comm);
        case What::gather:
            return xcoll_gather(send, count, recv, XCOLL_INT32, root, comm);
        case What::allreduce:
            return xcoll_allreduce(send, recv, count, XCOLL_INT32, XCOLL_SUM, comm);
        case What::reduce:
            return xcoll_reduce(send, recv, count, XCOLL_INT32, XCOLL_SUM, root, comm);
        case What::reduce_scatter:
            return xcoll_reduce_scatter(send, recv, count, XCOLL_INT32, XCOLL_SUM, comm);
        case What::scan:
            return xcoll_scan(send, recv, count, XCOLL_INT32, XCOLL_SUM, comm);
        case What::barrier:
            return xcoll_barrier(comm);
        case What::scatter:
            break;
        }
        return xcoll_scatter(send, recv, count, XCOLL_INT32, root, comm);
    }

    Script script_;
    int rank_;
    size_t ranks_;
    std::vector<std::vector<int>> send_, recv_; // by call
    std::vector<char> in_place_;
};

} // namespace recorded
