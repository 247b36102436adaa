// ranks: 1 2 3
// timeout: 200
//
// Thousands of messages in flight at once, started and waited for in any order, as sends and receives and as both in
// one, with operations between them: each request ends, with what was sent to it.
#include <algorithm>
#include <random>

#include "ranks.h"
#include "values.h"

using ranks::Rank;

namespace {

constexpr int many = 6000;
constexpr int own_tags = 1'000'000; // of those that are both in one
constexpr size_t sizes[] = {1, 8, 64, 65, 500, 3000};

size_t size_of(int message) {
    return sizes[values::mix(static_cast<uint64_t>(message)) % std::size(sizes)];
}

char byte_of(int sender, int message) {
    return static_cast<char>(values::mix(static_cast<uint64_t>(sender) * many * 2 + static_cast<uint64_t>(message)));
}

// What one rank sends to the next, and receives from the one before.
class Around {
public:
    Around(const Rank &rank, xcoll_comm_t comm)
        : comm_(comm), me_(rank.rank()), next_((me_ + 1) % rank.size()), before_((me_ + rank.size() - 1) % rank.size()),
          sent_(many), received_(many) {
        for (int message = 0; message < many; ++message) {
            sent_[at(message)].assign(size_of(message), byte_of(me_, message));
            received_[at(message)].resize(size_of(message));
        }
    }

    void send(int message) {
        const auto &bytes = sent_[at(message)];
        ranks::succeed(xcoll_isend(bytes.data(), bytes.size(), XCOLL_UINT8, next_, message, comm_, &add()));
    }
    void receive(int message) {
        auto &bytes = received_[at(message)];
        ranks::succeed(xcoll_irecv(bytes.data(), bytes.size(), XCOLL_UINT8, before_, message, comm_, &add()));
    }
    void exchange(int message) {
        const auto &out = sent_[at(message)];
        auto &in = received_[at(message)];
        const int tag = own_tags + message;
        ranks::succeed(xcoll_isendrecv(out.data(), out.size(), next_, tag, in.data(), in.size(), before_, tag,
                                       XCOLL_UINT8, comm_, &add()));
    }
    void wait(std::mt19937_64 &dice) {
        std::shuffle(requests_.begin(), requests_.end(), dice);
        for (xcoll_request_t &request : requests_) {
            ranks::succeed(xcoll_wait(&request));
        }
    }
    void check() const {
        for (int message = 0; message < many; ++message) {
            const std::vector<char> expected(size_of(message), byte_of(before_, message));
            ranks::check(received_[at(message)] == expected, "a message is another's, or none");
        }
    }

private:
    static size_t at(int message) {
        return static_cast<size_t>(message);
    }
    xcoll_request_t &add() {
        return requests_.emplace_back(XCOLL_REQUEST_NULL);
    }
    xcoll_comm_t comm_;
    int me_, next_, before_;
    std::vector<std::vector<char>> sent_, received_;
    std::vector<xcoll_request_t> requests_;
};

std::vector<int> in_any_order(std::mt19937_64 &dice) {
    std::vector<int> messages(many);
    std::iota(messages.begin(), messages.end(), 0);
    std::shuffle(messages.begin(), messages.end(), dice);
    return messages;
}

void sends_and_receives(Around &around, std::mt19937_64 &dice) {
    const std::vector<int> out = in_any_order(dice), in = in_any_order(dice);
    for (size_t i = 0; i < many; ++i) {
        around.send(out[i]);
        around.receive(in[i]);
    }
}

// What is not a message is in flight between them.
void exchanges(Around &around, std::mt19937_64 &dice, const Rank &rank, xcoll_comm_t comm) {
    int64_t sum = 0;
    const int64_t one = 1;
    xcoll_request_t adding = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT64, XCOLL_SUM, comm, &adding));
    for (const int message : in_any_order(dice)) {
        around.exchange(message);
    }
    ranks::succeed(xcoll_wait(&adding));
    ranks::check(sum == rank.size(), "a sum among messages is wrong");
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open("");
    std::mt19937_64 dice(ranks::first_seed() + static_cast<uint64_t>(rank.rank()));
    for (const bool both_in_one : {false, true}) {
        Around around(rank, comm);
        if (both_in_one) {
            exchanges(around, dice, rank, comm);
        } else {
            sends_and_receives(around, dice);
        }
        around.wait(dice);
        around.check();
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
