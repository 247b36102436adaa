// Every rank learns what every rank has to say, a few bytes each.
//
//     8 ranks, rank r holds     [r]
//     round 0 (distance 1)      [r, r+1]                   it sends all it has to rank r-distance
//     round 1 (distance 2)      [r, r+1, r+2, r+3]         and appends what rank r+distance sends
//     round 2 (distance 4)      [r, ..., r+7]              modulo 8
//     turned by r               [0, ..., 7]
//
// Cost: ceil(log2 P) alpha + (P - 1) S beta (Bruck's all-gather). Wins for small S, where a message costs more than its
// bytes; the ranks that are spoken to are those of the barrier, so few connections are made.
#include "coll/message_algorithms.h"
#include "coll/message_operation.h"

#include <algorithm>
#include <cstring>

namespace xcoll {

namespace {

class Words {
public:
    Words(const Team &team, const Op &op, char *all)
        : rank_(static_cast<size_t>(team.rank)), size_(static_cast<size_t>(team.size)), each_(op.bytes()), all_(all) {
        if (each_ > 0) {
            std::memcpy(all_, op.send, each_);
        }
    }
    // How many ranks' words one message of this round carries, in bytes.
    size_t bytes(size_t distance) const {
        return std::min(distance, size_ - distance) * each_;
    }
    char *held() const {
        return all_;
    }
    char *next(size_t distance) const {
        return all_ + distance * each_;
    }
    void turn(void *recv) const {
        const size_t behind = (size_ - rank_) * each_;
        if (each_ > 0) {
            std::memcpy(static_cast<char *>(recv) + rank_ * each_, all_, behind);
            std::memcpy(recv, all_ + behind, rank_ * each_);
        }
    }

private:
    size_t rank_, size_, each_;
    char *all_;
};

} // namespace

Task words_exchange(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Scratch scratch(*team.scratch, static_cast<size_t>(team.size) * op.bytes());
    MessageOperation operation(team, call, n);
    co_await enter(home, operation);
    const Words words(team, op, scratch.data());
    for (int distance = 1; distance < team.size; distance *= 2) {
        const auto d = static_cast<size_t>(distance);
        const int to = (team.rank - distance + team.size) % team.size;
        const int from = (team.rank + distance) % team.size;
        const Ticket arriving = operation.recv(from, words.next(d), words.bytes(d));
        const Ticket leaving = operation.send(to, words.held(), words.bytes(d));
        co_await settle(home, operation, from, arriving);
        co_await settle(home, operation, to, leaving);
    }
    words.turn(op.recv);
    operation.end();
}

} // namespace xcoll
