// Calls for groups, with buffers of their own and what must be in them afterwards.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ranks.h"

namespace recorded {

enum class What { allgather, alltoall, bcast, gather, scatter };

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
            recv_[k].resize(blocks_received(k) * script[k].count);
        }
    }
    size_t size() const {
        return script_.size();
    }

    // Input of call k, and garbage where its result will be.
    void prepare(size_t k, int turn, bool in_place) {
        const Step &step = script_[k];
        in_place_[k] = in_place && step.what != What::bcast && (is_root(k) || !is_rooted(k));
        send_[k] = sent(k, turn);
        std::fill(recv_[k].begin(), recv_[k].end(), garbage);
        if (step.what == What::bcast && is_root(k)) {
            recv_[k] = send_[k];
        } else if (in_place_[k] && step.what == What::alltoall) {
            recv_[k] = send_[k];
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
    // What call k leaves in the buffer of its result.
    std::vector<int> result(size_t k, int turn) const {
        const Step &step = script_[k];
        std::vector<int> wanted(recv_[k].size(), garbage);
        if (step.what == What::bcast || (step.what == What::scatter && !in_place_[k])) {
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
    bool is_rooted(size_t k) const {
        return script_[k].what == What::bcast || script_[k].what == What::gather || script_[k].what == What::scatter;
    }
    bool is_root(size_t k) const {
        return is_rooted(k) && script_[k].root == rank_;
    }
    size_t blocks_sent(size_t k) const {
        return script_[k].what == What::alltoall || script_[k].what == What::scatter ? ranks_ : 1;
    }
    size_t blocks_received(size_t k) const {
        return script_[k].what == What::bcast || script_[k].what == What::scatter ? 1 : ranks_;
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
