// ranks: 2 3 8
// env: XCOLL_SHM_BUDGET=1M XCOLL_LEND=1G XCOLL_TIMEOUT=40
// timeout: 120
//
// Payload rings that are far too small for what is in flight: large messages on several communicators at once, in
// another order on every rank. Whoever finds no room must not wait for room that only this very operation could free.
#include "flights.h"

using flights::dice;
using flights::Flight;
using ranks::Rank;

namespace {

constexpr size_t sizes[] = {5000, 16'000, 16'400, 40'000, 70'000, 300'000};

void in_flight_together(const Rank &rank, const std::string &settings) {
    constexpr size_t comm_count = 3, each = 6;
    xcoll_comm_t comms[comm_count];
    for (xcoll_comm_t &comm : comms) {
        comm = rank.open(settings);
    }
    for (uint64_t round = 0; round < 4; ++round) {
        auto random = dice(round, rank.rank());
        std::vector<std::unique_ptr<Flight>> all;
        size_t next[comm_count] = {};
        while (all.size() < comm_count * each) {
            const size_t c = random() % comm_count;
            if (next[c] == each) {
                continue;
            }
            const uint64_t number = round * 100 + c * 10 + next[c]++;
            all.push_back(std::make_unique<Flight>(rank, number, sizes[values::mix(number + 7) % std::size(sizes)]));
            all.back()->start(comms[c]);
        }
        std::shuffle(all.begin(), all.end(), random);
        for (const auto &flight : all) {
            flight->wait();
        }
    }
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

// A ring full of one communicator's messages, while everybody blocks on another one.
void blocking_behind_a_full_ring(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comms[] = {rank.open(settings), rank.open(settings)};
    for (uint64_t round = 0; round < 6; ++round) {
        const size_t mine = static_cast<size_t>(rank.rank()) % 2;
        std::vector<std::unique_ptr<Flight>> waiting;
        for (uint64_t i = 0; i < 5; ++i) {
            const uint64_t number = 5000 + round * 100 + i * 2 + mine;
            waiting.push_back(std::make_unique<Flight>(rank, number, sizes[(round + i) % std::size(sizes)]));
            waiting.back()->start(comms[mine]);
        }
        for (uint64_t i = 0; i < 5; ++i) {
            Flight(rank, 5000 + round * 100 + i * 2 + 1 - mine, sizes[(round + i) % std::size(sizes)])
                .run(comms[1 - mine]);
        }
        for (const auto &flight : waiting) {
            flight->wait();
        }
    }
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

// A root whose ring is full of broadcasts that nobody has read yet starts more of them on another communicator; the
// readers come for those first.
void bcasts_behind_a_full_ring(const Rank &rank) {
    constexpr int full = 5, more = 5;
    xcoll_comm_t comms[] = {rank.open(), rank.open()};
    for (int root = 0; root < rank.size(); ++root) {
        for (const size_t count : {size_t{4000}, size_t{30'000}}) { // in one piece and in blocks
            std::vector<std::vector<int>> data(full + more, std::vector<int>(count, -1));
            std::vector<xcoll_request_t> requests(full + more);
            const auto start = [&](int i) {
                const auto at = static_cast<size_t>(i);
                if (rank.rank() == root) {
                    data[at].assign(count, i);
                }
                ranks::succeed(xcoll_ibcast(data[at].data(), count, XCOLL_INT32, root, comms[i / full], &requests[at]));
            };
            for (int i = 0; rank.rank() == root && i < full + more; ++i) {
                start(i);
            }
            rank.meet();
            for (int i = 0; rank.rank() != root && i < full + more; ++i) {
                start((i + full) % (full + more));
            }
            ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
            for (size_t i = 0; i < data.size(); ++i) {
                ranks::check(data[i] == std::vector<int>(count, static_cast<int>(i)),
                             "a broadcast without room was spoilt");
            }
        }
    }
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

void test(Rank &rank) {
    bcasts_behind_a_full_ring(rank);
    for (const char *algorithm : {"auto", "one_shot", "streamed", "two_shot"}) {
        const std::string settings = std::string("ALLREDUCE=") + algorithm;
        in_flight_together(rank, settings);
        blocking_behind_a_full_ring(rank, settings);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
