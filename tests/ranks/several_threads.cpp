// ranks: 1 2 3 5
//
// Several threads of one rank: each drives a communicator of its own, and requests are tested and waited for on other
// threads than the one that started them.
#include "flights.h"

using flights::Flight;
using ranks::Rank;

namespace {

constexpr size_t sizes[] = {4, 2000, 30'000, 200'000};

void use(const Rank &rank, xcoll_comm_t comm, uint64_t first_number) {
    ranks::speaker = rank.rank();
    for (uint64_t i = 0; i < 60; ++i) {
        Flight blocking(rank, first_number + 2 * i, sizes[i % std::size(sizes)]);
        Flight request(rank, first_number + 2 * i + 1, sizes[i % 3]);
        request.start(comm);
        if (i % 3 == 0) {
            request.wait();
        }
        blocking.run(comm);
        if (i % 3 != 0) {
            request.wait();
        }
    }
}

void two_threads_drive_two_communicators(const Rank &rank) {
    xcoll_comm_t comms[] = {rank.open(), rank.open()};
    std::thread other(use, std::cref(rank), comms[1], 1000);
    use(rank, comms[0], 5000);
    other.join();
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

enum class Way { test, wait };

// One thread starts, the other one finishes; the first goes on with blocking calls meanwhile.
void another_thread_finishes(const Rank &rank, Way way) {
    xcoll_comm_t comm = rank.open();
    for (uint64_t round = 0; round < 20; ++round) {
        std::vector<std::unique_ptr<Flight>> all;
        for (uint64_t i = 0; i < 5; ++i) {
            all.push_back(std::make_unique<Flight>(rank, 9000 + round * 10 + i, sizes[(round + i) % std::size(sizes)]));
            all.back()->start(comm);
        }
        std::thread finisher([&] {
            ranks::speaker = rank.rank();
            for (const auto &flight : all) {
                if (way == Way::wait) {
                    flight->wait();
                }
                while (way == Way::test && !flight->test()) {
                    std::this_thread::yield();
                }
            }
        });
        Flight(rank, 9005 + round * 10, 500).run(comm);
        Flight(rank, 9006 + round * 10, 20'000).run(comm);
        finisher.join();
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// The owner word: whoever starts takes it only where something is in flight, and another thread drives all the while.
void another_thread_drives_meanwhile(const Rank &rank) {
    xcoll_comm_t open = rank.open(), comm = rank.open();
    char token = 0;
    xcoll_request_t until_the_end = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_irecv(&token, 1, XCOLL_UINT8, rank.rank(), 0, open, &until_the_end));
    std::thread driver([&] {
        ranks::speaker = rank.rank();
        for (int done = 0; !done;) {
            ranks::succeed(xcoll_test(&until_the_end, &done));
        }
    });
    int64_t mine = 0, sum = 0, more = 0;
    xcoll_request_t again = XCOLL_REQUEST_NULL, beside = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_allreduce_init(&mine, &sum, 1, XCOLL_INT64, XCOLL_SUM, comm, &again));
    for (int64_t round = 0; round < 3000; ++round) {
        mine = round + rank.rank();
        ranks::succeed(xcoll_start(&again));
        if (round % 3 == 0) {
            ranks::succeed(xcoll_iallreduce(&mine, &more, 1, XCOLL_INT64, XCOLL_MAX, comm, &beside));
            ranks::succeed(xcoll_wait(&beside));
            ranks::check(more == round + rank.size() - 1, "the largest is not that of the last rank");
        }
        ranks::succeed(xcoll_wait(&again));
        const int64_t expected = rank.size() * round + rank.size() * (rank.size() - 1) / 2;
        ranks::check(sum == expected, "the sum is wrong");
    }
    ranks::succeed(xcoll_request_free(&again));
    ranks::succeed(xcoll_send(&token, 1, XCOLL_UINT8, rank.rank(), 0, open));
    driver.join();
    ranks::succeed(xcoll_comm_free(&open));
    ranks::succeed(xcoll_comm_free(&comm));
}

// One thread is in a receive that nobody answers, until another one has noticed that it may not start anything.
void two_threads_that_start_at_once_are_noticed(const Rank &rank) {
    xcoll_comm_t all = rank.open("CHECK=1"), own = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_split(all, rank.rank(), 0, &own));
    std::thread receiver([&] {
        ranks::speaker = rank.rank();
        int never = 0;
        xcoll_result_t received = XCOLL_ERR_STATE; // as long as the other one is faster
        while (received == XCOLL_ERR_STATE) {
            received = xcoll_recv(&never, 1, XCOLL_INT32, 0, 0, own);
        }
        ranks::expect(XCOLL_ERR_ABORTED, received);
    });
    xcoll_result_t result = XCOLL_SUCCESS;
    while (result == XCOLL_SUCCESS) {
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        int one = 1, sum = 0;
        result = xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, own, &request);
        ranks::check(result != XCOLL_SUCCESS || xcoll_wait(&request) == XCOLL_SUCCESS, "an allreduce has failed");
    }
    ranks::expect(XCOLL_ERR_STATE, result);
    ranks::expect_message({"another thread", "XCOLL_CHECK"});
    ranks::succeed(xcoll_comm_abort(own, "enough"));
    receiver.join();
    ranks::succeed(xcoll_comm_free(&own));
    ranks::succeed(xcoll_comm_free(&all));
}

void test(Rank &rank) {
    two_threads_that_start_at_once_are_noticed(rank);
    two_threads_drive_two_communicators(rank);
    another_thread_finishes(rank, Way::test);
    another_thread_finishes(rank, Way::wait);
    another_thread_drives_meanwhile(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
