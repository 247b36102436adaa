// ranks: 1 2 3 5 8
// timeout: 120
//
// A send that is over when its call returns has a request like any other: it is waited for, tested, looked at, given up
// and told of, once or never, by whichever thread, also when its communicator is gone; and its message keeps its place
// among those that take longer.
#include <algorithm>
#include <array>
#include <numeric>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr int tag = 5;
constexpr size_t most_short = 2048; // bytes (fabric/post_lane.h post_piece): longer ones are not over at once

int right_of(const Rank &rank) {
    return (rank.rank() + 1) % rank.size();
}
int left_of(const Rank &rank) {
    return (rank.rank() + rank.size() - 1) % rank.size();
}

xcoll_request_t send(const Rank &rank, const int64_t &value, xcoll_comm_t comm) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_isend(&value, 1, XCOLL_INT64, right_of(rank), tag, comm, &request));
    ranks::check(request != XCOLL_REQUEST_NULL, "a send left no request");
    return request;
}
void expect_next(const Rank &rank, int64_t value, xcoll_comm_t comm) {
    int64_t received = -1;
    ranks::succeed(xcoll_recv(&received, 1, XCOLL_INT64, left_of(rank), tag, comm));
    ranks::check(received == value, "a message overtook another one, or is another one");
}

void has_a_request_like_any_other(const Rank &rank, xcoll_comm_t comm) {
    std::array<int64_t, 8> values{};
    std::iota(values.begin(), values.end(), 0);
    std::array<xcoll_request_t, 8> requests{};
    for (size_t i = 0; i < values.size(); ++i) {
        requests[i] = send(rank, values[i], comm);
    }
    int done = 0;
    xcoll_status_t status{};
    xcoll_request_t none = XCOLL_REQUEST_NULL;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_start(&requests[0])); // it is not persistent
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_test_part(requests[0], 1, &done));
    while (!done) {
        ranks::succeed(xcoll_test_part(requests[0], 0, &done));
    }
    ranks::succeed(xcoll_wait_part(requests[0], 0));
    ranks::succeed(xcoll_wait(&requests[0]));
    for (done = 0; !done;) {
        ranks::succeed(xcoll_test(&requests[1], &done));
    }
    for (done = 0; !done;) {
        ranks::succeed(xcoll_wait_for(&requests[2], 1, &done, &status));
    }
    ranks::check(status.result == XCOLL_SUCCESS && status.source == XCOLL_UNDEFINED && status.rank == XCOLL_UNDEFINED &&
                     status.bytes == 0 && status.sequence == 0 && status.elapsed_ns >= 1,
                 "the status of a send tells of something else");
    size_t index = 0;
    std::array<xcoll_request_t, 3> some{none, requests[3], requests[4]};
    ranks::succeed(xcoll_waitany(some.size(), some.data(), &index));
    ranks::check(index == 1 || index == 2, "waitany found what is no request");
    ranks::check(!some[index] && some[3 - index], "waitany has ended another request than it says");
    ranks::succeed(xcoll_wait(&some[3 - index]));
    requests[3] = requests[4] = none;
    std::array<xcoll_status_t, 3> statuses{};
    ranks::succeed(xcoll_waitall_status(statuses.size(), requests.data() + 5, statuses.data()));
    for (size_t i = 0; i < values.size(); ++i) {
        ranks::check(!requests[i], "the request of a send is still there");
        expect_next(rank, values[i], comm);
    }
}

struct Told {
    std::atomic<int> times{0};
    static void tell(void *context, const xcoll_status_t *status) {
        ranks::check(status->result == XCOLL_SUCCESS, "a send seems to have failed");
        ++static_cast<Told *>(context)->times;
    }
};

void tells_of_its_end_once(const Rank &rank, xcoll_comm_t comm) {
    Told told;
    const int64_t value = 3;
    xcoll_request_t request = send(rank, value, comm);
    ranks::succeed(xcoll_request_on_done(request, Told::tell, &told));
    expect_next(rank, value, comm);
    ranks::succeed(xcoll_wait(&request));
    ranks::check(told.times == 1, "who asked was not told once");
}

void is_started_again(const Rank &rank, xcoll_comm_t comm) {
    constexpr int64_t times = 5;
    int64_t value = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_send_init(&value, 1, XCOLL_INT64, right_of(rank), tag, comm, &request));
    const auto run = [&] {
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        expect_next(rank, value, comm);
    };
    for (; value < times; ++value) {
        run();
    }
    Told told;
    ranks::succeed(xcoll_request_on_done(request, Told::tell, &told));
    for (; value < 2 * times; ++value) {
        const int before = told.times;
        run();
        ranks::check(told.times == before + 1, "who asked was not told once of each start");
    }
    ranks::succeed(xcoll_request_free(&request));
}

// Around: each but the first sends on what it has received.
void waits_for_the_stage_before_it(const Rank &rank, xcoll_comm_t comm) {
    int64_t passed = -1;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_recv(&passed, 1, XCOLL_INT64, left_of(rank), tag, comm));
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_send(&passed, 1, XCOLL_INT64, right_of(rank), tag, comm));
    ranks::succeed(xcoll_group_end_init(&request));
    for (int64_t value = 0; value < 10; ++value) {
        if (rank.rank() > 0) {
            ranks::succeed(xcoll_start(&request));
            ranks::succeed(xcoll_wait(&request));
            continue;
        }
        xcoll_request_t sent = send(rank, value, comm);
        expect_next(rank, value, comm);
        ranks::succeed(xcoll_wait(&sent));
    }
    ranks::succeed(xcoll_request_free(&request));
}

void is_waited_for_by_any_thread(const Rank &rank, xcoll_comm_t comm) {
    const int64_t value = 4;
    std::array<xcoll_request_t, 2> requests{send(rank, value, comm), send(rank, value, comm)};
    std::thread other([&, me = ranks::speaker] {
        ranks::speaker = me;
        ranks::succeed(xcoll_wait(&requests[1]));
    });
    ranks::succeed(xcoll_wait(&requests[0]));
    other.join();
    expect_next(rank, value, comm);
    expect_next(rank, value, comm);
}

// What is short goes at once; what is long before it does not stay behind it.
void keeps_its_place(const Rank &rank, xcoll_comm_t comm) {
    constexpr std::array<size_t, 5> sizes{8, 300'000, most_short, 70'000, 1};
    constexpr size_t rounds = 12;
    std::vector<std::vector<char>> sent;
    std::vector<xcoll_request_t> requests(rounds * sizes.size());
    for (size_t i = 0; i < requests.size(); ++i) {
        sent.emplace_back(sizes[i % sizes.size()], static_cast<char>(i));
        ranks::succeed(
            xcoll_isend(sent[i].data(), sent[i].size(), XCOLL_INT8, right_of(rank), tag, comm, &requests[i]));
    }
    std::vector<char> received(*std::max_element(sizes.begin(), sizes.end()));
    for (const std::vector<char> &expected : sent) {
        ranks::succeed(xcoll_recv(received.data(), expected.size(), XCOLL_INT8, left_of(rank), tag, comm));
        ranks::check(std::equal(expected.begin(), expected.end(), received.begin()), "a message overtook another one");
    }
    ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
}

// Its sender has not looked since there is room again.
void stays_behind_those_that_found_no_room(const Rank &rank, xcoll_comm_t comm) {
    constexpr int before = 40, taken = 20, all = before + 5; // of which 32 fit
    const bool sends = rank.rank() % 2 == 0 && rank.rank() + 1 < rank.size(), receives = rank.rank() % 2 != 0;
    std::array<int64_t, all> values{};
    std::iota(values.begin(), values.end(), 0);
    std::vector<xcoll_request_t> requests;
    const auto send_some = [&](size_t from, size_t to) {
        for (size_t i = from; sends && i < to; ++i) {
            requests.push_back(send(rank, values[i], comm));
        }
    };
    const auto receive_some = [&](size_t from, size_t to) {
        for (size_t i = from; receives && i < to; ++i) {
            expect_next(rank, values[i], comm);
        }
    };
    send_some(0, before);
    rank.meet();
    receive_some(0, taken);
    rank.meet();
    send_some(before, all);
    receive_some(taken, all);
    ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
}

void fails_where_there_is_trouble(Rank &rank) {
    xcoll_comm_t comm = rank.open("");
    const int64_t value = 6;
    xcoll_request_t request = send(rank, value, comm);
    ranks::succeed(xcoll_wait(&request));
    expect_next(rank, value, comm);
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_isend(nullptr, 1, XCOLL_INT64, right_of(rank), tag, comm, &request));
    ranks::check(!request, "a call that was refused left a request");
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_isend(&value, 1, XCOLL_INT64, right_of(rank), tag, comm, nullptr));
    const xcoll_result_t met = xcoll_barrier(comm); // who is through it first aborts
    ranks::check(met == XCOLL_SUCCESS || met == XCOLL_ERR_ABORTED, "a barrier has failed");
    ranks::succeed(xcoll_comm_abort(comm, "a test of the end"));
    ranks::expect(XCOLL_ERR_ABORTED, xcoll_isend(&value, 1, XCOLL_INT64, right_of(rank), tag, comm, &request));
    ranks::expect(XCOLL_ERR_ABORTED, xcoll_send(&value, 1, XCOLL_INT64, right_of(rank), tag, comm));
    ranks::succeed(xcoll_comm_free(&comm));
}

void outlives_its_communicator(const Rank &rank, xcoll_comm_t world) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(world, &comm));
    const int64_t value = 7;
    std::array<xcoll_request_t, 2> requests{send(rank, value, comm), send(rank, value, comm)};
    expect_next(rank, value, comm);
    expect_next(rank, value, comm);
    ranks::succeed(xcoll_barrier(comm)); // all messages have come
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_request_free(&requests[0]));
    ranks::succeed(xcoll_wait(&requests[1]));
    ranks::check(!requests[0] && !requests[1], "a request is still there");
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open("");
    has_a_request_like_any_other(rank, comm);
    tells_of_its_end_once(rank, comm);
    is_started_again(rank, comm);
    waits_for_the_stage_before_it(rank, comm);
    is_waited_for_by_any_thread(rank, comm);
    keeps_its_place(rank, comm);
    stays_behind_those_that_found_no_room(rank, comm);
    outlives_its_communicator(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
    fails_where_there_is_trouble(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
