// ranks: 1 2 3 5 7 8 13
// timeout: 120
//
// Requests: many at once, of all sizes, waited for in any order and in every way, mixed with blocking calls, on
// several communicators that every rank visits in another order.
#include "flights.h"

using flights::dice;
using flights::Flight;
using ranks::Rank;

namespace {

constexpr size_t sizes[] = {0, 4, 32, 36, 1000, 4096, 4100, 20'000, 150'000};

using Flights = std::vector<std::unique_ptr<Flight>>;

Flights start(const Rank &rank, xcoll_comm_t comm, uint64_t first_number, size_t count) {
    Flights all;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t number = first_number + i;
        all.push_back(std::make_unique<Flight>(rank, number, sizes[values::mix(number + 7) % std::size(sizes)]));
        all.back()->start(comm);
    }
    return all;
}

void wait_in_another_order(const Rank &rank, Flights &all, uint64_t seed) {
    auto random = dice(seed, rank.rank());
    std::shuffle(all.begin(), all.end(), random);
    for (const auto &flight : all) {
        flight->wait();
    }
}

void test_until_done(Flights &all) {
    while (!all.empty()) {
        std::erase_if(all, [](const auto &flight) { return flight->test(); });
        std::this_thread::yield();
    }
}

void wait_for_all(Flights &all) {
    std::vector<xcoll_request_t> requests;
    for (const auto &flight : all) {
        requests.push_back(std::exchange(flight->request(), XCOLL_REQUEST_NULL));
    }
    requests.push_back(XCOLL_REQUEST_NULL);
    ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
    for (size_t i = 0; i < all.size(); ++i) {
        ranks::check(requests[i] == XCOLL_REQUEST_NULL, "waitall left a request");
        all[i]->finished();
    }
}

// Blocking calls between them, and a few tests.
void wait_among_blocking_calls(const Rank &rank, xcoll_comm_t comm, Flights &all, uint64_t seed) {
    for (size_t i = 0; i < all.size(); ++i) {
        Flight between(rank, seed + i, i % 4 == 0 ? 10'000 : 16);
        between.run(comm);
        all[i]->wait();
    }
}

void one_communicator(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    uint64_t number = 1000;
    for (const size_t count : std::initializer_list<size_t>{1, 2, 3, 7, 8, 9, 20}) {
        for (int way = 0; way < 4; ++way) {
            Flights all = start(rank, comm, number, count);
            number += 100;
            switch (way) {
            case 0:
                wait_in_another_order(rank, all, number);
                break;
            case 1:
                test_until_done(all);
                break;
            case 2:
                wait_for_all(all);
                break;
            default:
                wait_among_blocking_calls(rank, comm, all, number + 50);
            }
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// Every rank starts its operations on several communicators in an order of its own; those of one communicator are in
// order, as they must be.
void several_communicators(const Rank &rank, const std::string &settings) {
    constexpr size_t comm_count = 4, each = 4;
    xcoll_comm_t comms[comm_count];
    for (xcoll_comm_t &comm : comms) {
        comm = rank.open(settings);
    }
    for (uint64_t round = 0; round < 6; ++round) {
        auto random = dice(round, rank.rank());
        Flights all;
        size_t next[comm_count] = {};
        while (all.size() < comm_count * each) {
            const size_t c = random() % comm_count;
            if (next[c] == each) {
                continue;
            }
            const uint64_t number = 50'000 + round * 100 + c * 10 + next[c]++;
            all.push_back(std::make_unique<Flight>(rank, number, sizes[values::mix(number + 7) % std::size(sizes)]));
            all.back()->start(comms[c]);
        }
        if (round % 2) {
            test_until_done(all);
        } else {
            wait_in_another_order(rank, all, round);
        }
    }
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

// One rank's request is another one's blocking call: while a rank blocks on one communicator, its part of the
// operation on the other one moves.
void crosswise(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comms[] = {rank.open(settings), rank.open(settings)};
    for (uint64_t round = 0; round < 12; ++round) {
        const size_t size = round % 4 == 3 ? 600'000 : sizes[round % std::size(sizes)];
        const size_t mine = static_cast<size_t>(rank.rank()) % 2;
        Flight first(rank, 70'000 + round * 2 + mine, size), second(rank, 70'001 + round * 2 - mine, size);
        first.start(comms[mine]);
        second.run(comms[1 - mine]);
        first.wait();
    }
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

void test(Rank &rank) {
    one_communicator(rank, "");
    several_communicators(rank, "");
    crosswise(rank, "");
    for (const char *algorithm : {"one_shot", "streamed", "two_shot", "hierarchical"}) {
        crosswise(rank, std::string("GROUPS=2,2;ALLREDUCE=") + algorithm);
    }
    one_communicator(rank, "ALLREDUCE=ring;BCAST=tree;BARRIER=dissemination");
    several_communicators(rank, "ALLREDUCE=doubling;BCAST=tree");
    crosswise(rank, "ALLREDUCE=doubling;BARRIER=dissemination");
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
