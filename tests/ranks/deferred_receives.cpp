// ranks: 1 2 3 5 8
// timeout: 120
//
// Receives as requests need not begin before somebody waits. Nobody can tell: each gets its message in the order in
// which the receives were started, whatever else receives beside them, whoever waits for which of them first and
// whether the messages are there by then.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr int tag = 5, other_tag = 6, untouched = -1;

struct Ring {
    int left, right;
    explicit Ring(const Rank &rank)
        : left((rank.rank() + rank.size() - 1) % rank.size()), right((rank.rank() + 1) % rank.size()) {
    }
};

void send(const Ring &ring, int value, int with, xcoll_comm_t comm) {
    ranks::succeed(xcoll_send(&value, 1, XCOLL_INT32, ring.right, with, comm));
}
xcoll_request_t receive(const Ring &ring, int &value, int with, xcoll_comm_t comm) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_irecv(&value, 1, XCOLL_INT32, ring.left, with, comm, &request));
    return request;
}

// How the second one receives that comes behind a first one.
using Second = void (*)(const Ring &, int &, xcoll_comm_t);

void from_any_source(const Ring &, int &value, xcoll_comm_t comm) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_irecv(&value, 1, XCOLL_INT32, XCOLL_ANY_SOURCE, tag, comm, &request));
    ranks::succeed(xcoll_wait(&request));
}
void of_any_tag(const Ring &ring, int &value, xcoll_comm_t comm) {
    ranks::succeed(xcoll_recv(&value, 1, XCOLL_INT32, ring.left, XCOLL_ANY_TAG, comm));
}
void blocking(const Ring &ring, int &value, xcoll_comm_t comm) {
    ranks::succeed(xcoll_recv(&value, 1, XCOLL_INT32, ring.left, tag, comm));
}
void both_ways(const Ring &ring, int &value, xcoll_comm_t comm) {
    const int none = 0;
    ranks::succeed(xcoll_sendrecv(&none, 0, XCOLL_NO_RANK, tag, &value, 1, ring.left, tag, XCOLL_INT32, comm));
}
void into_a_view(const Ring &ring, int &value, xcoll_comm_t comm) {
    xcoll_dtype_t type = 0;
    ranks::succeed(xcoll_type_vector(1, 1, 2, XCOLL_INT32, &type));
    ranks::succeed(xcoll_recv(&value, 1, type, ring.left, tag, comm));
    ranks::succeed(xcoll_type_free(&type));
}
void in_a_group(const Ring &ring, int &value, xcoll_comm_t comm) {
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_recv(&value, 1, XCOLL_INT32, ring.left, tag, comm));
    ranks::succeed(xcoll_group_end());
}
void persistent(const Ring &ring, int &value, xcoll_comm_t comm) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_recv_init(&value, 1, XCOLL_INT32, ring.left, tag, comm, &request));
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_request_free(&request));
}
void tested(const Ring &ring, int &value, xcoll_comm_t comm) {
    xcoll_request_t request = receive(ring, value, tag, comm);
    for (int done = 0; !done;) {
        ranks::succeed(xcoll_test(&request, &done));
    }
}

void keep_their_order(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    for (const Second second :
         {from_any_source, of_any_tag, blocking, both_ways, into_a_view, in_a_group, persistent, tested}) {
        for (const bool is_there : {false, true}) {
            int first = untouched, behind = untouched;
            xcoll_request_t request = XCOLL_REQUEST_NULL;
            if (!is_there) {
                request = receive(ring, first, tag, comm);
            }
            send(ring, 1, tag, comm);
            send(ring, 2, tag, comm);
            ranks::succeed(xcoll_barrier(comm));
            if (is_there) {
                request = receive(ring, first, tag, comm);
            }
            second(ring, behind, comm);
            ranks::succeed(xcoll_wait(&request));
            ranks::check(first == 1 && behind == 2, "a receive got the message of another one");
        }
    }
}

void are_waited_for_in_any_order(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    constexpr size_t messages = 40; // more than there are lines
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        std::array<int, messages> values, tags;
        std::array<xcoll_request_t, messages> requests;
        std::array<size_t, messages> order;
        values.fill(untouched);
        std::iota(order.begin(), order.end(), 0);
        for (size_t i = 0; i < messages; ++i) {
            tags[i] = random() % 3 == 0 ? other_tag : tag;
            requests[i] = receive(ring, values[i], tags[i], comm);
        }
        for (size_t i = 0; i < messages; ++i) {
            send(ring, static_cast<int>(i), tags[i], comm);
        }
        if (seed % 4 != 0) { // as they were started
            std::shuffle(order.begin(), order.end(), random);
        }
        for (const size_t i : order) {
            xcoll_status_t status{};
            int done = 0;
            ranks::succeed(xcoll_wait_for(&requests[i], -1, &done, &status));
            ranks::check(values[i] == static_cast<int>(i), "a receive got the message of another one");
            ranks::check(status.source == ring.left && status.tag == tags[i] && status.bytes == sizeof values[i] &&
                             status.elapsed_ns >= 1,
                         "the status tells of another message");
        }
    }
}

// What is refused drops the message of its place, which is the second.
void stand_before_what_is_refused(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    int first = untouched, dropped = untouched, third = untouched;
    xcoll_request_t request = receive(ring, first, tag, comm);
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_recv(&dropped, 1, XCOLL_INT32, ring.left, tag, comm));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send(nullptr, 0, XCOLL_INT32, ring.right, -1, comm));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
    for (const int value : {1, 2, 3}) {
        if (rank.size() > 1 || value != 2) { // to oneself it would be told at once
            send(ring, value, tag, comm);
        }
        if (rank.size() == 1 && value == 1) {
            ranks::expect(XCOLL_ERR_MISMATCH, xcoll_send(&value, 1, XCOLL_INT32, 0, tag, comm));
        }
    }
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_recv(&third, 1, XCOLL_INT32, ring.left, tag, comm));
    ranks::check(first == 1 && dropped == untouched && third == 3, "a refused receive dropped another message");
}

void go_on_beside_other_requests(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    int small = untouched, sum = 0;
    const int one = 1;
    std::vector<int> large(200'000, untouched), sent(large.size(), rank.rank());
    std::array<xcoll_request_t, 4> requests{receive(ring, small, tag, comm)};
    ranks::succeed(xcoll_irecv(large.data(), large.size(), XCOLL_INT32, ring.left, tag, comm, &requests[1]));
    ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &requests[2]));
    send(ring, rank.rank(), tag, comm);
    ranks::succeed(xcoll_isend(sent.data(), sent.size(), XCOLL_INT32, ring.right, tag, comm, &requests[3]));
    ranks::succeed(xcoll_wait(&requests[2]));
    ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
    ranks::check(sum == rank.size() && small == ring.left && large.front() == ring.left && large.back() == ring.left,
                 "what was received beside others is wrong");
}

void tell_what_is_too_long(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    const std::array<int, 2> two{1, 2};
    int one = untouched;
    xcoll_request_t request = receive(ring, one, tag, comm);
    ranks::succeed(xcoll_send(two.data(), two.size(), XCOLL_INT32, ring.right, tag, comm));
    ranks::succeed(xcoll_barrier(comm));
    ranks::expect(XCOLL_ERR_TRUNCATE, xcoll_wait(&request));
}

void are_waited_for_by_several_threads(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    for (int round = 0; round < 50; ++round) {
        std::array<int, 2> values{untouched, untouched};
        std::array<xcoll_request_t, 2> requests{receive(ring, values[0], tag, comm),
                                                receive(ring, values[1], tag, comm)};
        std::thread other([&, me = ranks::speaker] {
            ranks::speaker = me;
            ranks::succeed(xcoll_wait(&requests[1]));
        });
        send(ring, 0, tag, comm);
        send(ring, 1, tag, comm);
        ranks::succeed(xcoll_wait(&requests[0]));
        other.join();
        ranks::check(values[0] == 0 && values[1] == 1, "a receive got the message of another one");
    }
}

// Their requests serve again, of which users see nothing: more at once than are kept, and between others that are told,
// tested, of a made type or from nobody.
void count_told(void *context, const xcoll_status_t *) {
    ++*static_cast<int *>(context);
}
void leave_nothing_to_those_behind_them(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    constexpr size_t messages = 150;
    for (int round = 0; round < 6; ++round) {
        std::array<int, messages> values;
        std::array<xcoll_request_t, messages> requests;
        values.fill(untouched);
        int told = 0, nothing = untouched, done = 0;
        xcoll_dtype_t type = 0;
        const xcoll_dtype_t number = XCOLL_INT32;
        ranks::succeed(xcoll_type_vector(1, 1, 1, XCOLL_INT32, &type));
        for (size_t i = 0; i < messages; ++i) {
            ranks::succeed(xcoll_irecv(&values[i], 1, i % 3 == 0 ? type : number, ring.left, tag, comm, &requests[i]));
        }
        ranks::succeed(xcoll_type_free(&type));
        ranks::succeed(xcoll_request_on_done(requests[0], count_told, &told));
        for (size_t i = 0; i < messages; ++i) {
            send(ring, static_cast<int>(i), tag, comm);
        }
        for (size_t i = 0; i < messages; ++i) {
            ranks::succeed(i % 5 == 4 ? xcoll_test(&requests[i], &done) : XCOLL_SUCCESS);
            ranks::succeed(xcoll_wait(&requests[i]));
            ranks::check(requests[i] == XCOLL_REQUEST_NULL, "a receive that was waited for has a request");
            ranks::check(values[i] == static_cast<int>(i), "a receive got the message of another one");
        }
        ranks::check(told == 1, "a function was told of more than its own request");
        xcoll_status_t status{};
        ranks::succeed(xcoll_irecv(&nothing, 1, XCOLL_INT32, XCOLL_NO_RANK, tag, comm, &requests[0]));
        ranks::succeed(xcoll_wait_for(&requests[0], -1, &done, &status));
        ranks::check(nothing == untouched && status.source == XCOLL_NO_RANK && status.bytes == 0,
                     "a receive from nobody got a message");
    }
}

// Each of them, in so many rounds that whatever served one that was told would come to serve another.
void are_told_of_once(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    for (int round = 0; round < 10; ++round) {
        std::array<int, 12> values; // so few that no send waits
        std::array<xcoll_request_t, values.size()> requests;
        int told = 0;
        for (size_t i = 0; i < values.size(); ++i) {
            requests[i] = receive(ring, values[i], tag, comm);
            ranks::succeed(xcoll_request_on_done(requests[i], count_told, &told));
        }
        for (size_t i = 0; i < values.size(); ++i) {
            send(ring, static_cast<int>(i), tag, comm);
        }
        rank.meet(); // the messages are there before anybody waits
        ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
        std::array<int, values.size()> expected;
        std::iota(expected.begin(), expected.end(), 0);
        ranks::check(values == expected, "a receive got the message of another one");
        ranks::check(told == static_cast<int>(values.size()), "a function was not told of each request once");
    }
}

// With sends that are over at once, in the order of the receives or in the other one.
void are_started_again_with_sends(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    for (const bool in_order : {true, false}) {
        std::array<int, 2> sent{}, received{};
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_group_start());
        for (size_t k = 0; k < 2; ++k) {
            ranks::succeed(xcoll_recv(&received[k], 1, XCOLL_INT32, ring.left, k ? other_tag : tag, comm));
        }
        for (size_t i = 0; i < 2; ++i) {
            const size_t k = in_order ? i : 1 - i;
            ranks::succeed(xcoll_send(&sent[k], 1, XCOLL_INT32, ring.right, k ? other_tag : tag, comm));
        }
        ranks::succeed(xcoll_group_end_init(&request));
        for (int round = 0; round < 30; ++round) {
            sent = {round, -round};
            received = {untouched, untouched};
            ranks::succeed(xcoll_start(&request));
            for (int done = round % 2; !done;) {
                ranks::succeed(xcoll_test(&request, &done));
            }
            ranks::succeed(xcoll_wait(&request));
            ranks::check(received == sent, "a receive that was started again got another message");
        }
        ranks::succeed(xcoll_request_free(&request));
    }
}

// The sends of such requests are over at once or take longer, and the receives wait in one line with others.
void belong_to_requests_that_send_as_well(const Rank &rank, xcoll_comm_t comm) {
    const Ring ring(rank);
    for (const size_t count : {size_t{1}, size_t{512}, size_t{513}, size_t{50'000}}) {
        std::vector<int> sent(count), first(count), second(count);
        std::array<xcoll_request_t, 2> requests{};
        ranks::succeed(xcoll_sendrecv_init(sent.data(), count, ring.right, tag, second.data(), count, ring.left, tag,
                                           XCOLL_INT32, comm, &requests[1]));
        for (int round = 0; round < 10; ++round) {
            sent.assign(count, round);
            xcoll_request_t before = XCOLL_REQUEST_NULL;
            ranks::succeed(xcoll_irecv(first.data(), count, XCOLL_INT32, ring.left, tag, comm, &requests[0]));
            ranks::succeed(xcoll_isend(sent.data(), count, XCOLL_INT32, ring.right, tag, comm, &before));
            ranks::succeed(xcoll_start(&requests[1]));
            const size_t which = static_cast<size_t>(round) % 2;
            ranks::succeed(xcoll_wait(&requests[which]));
            ranks::succeed(xcoll_wait(&requests[1 - which]));
            ranks::succeed(xcoll_wait(&before));
            ranks::check(first == sent && second == sent, "a message of a request that sends as well is another one");
            xcoll_request_t again = XCOLL_REQUEST_NULL;
            ranks::succeed(xcoll_isendrecv(sent.data(), count, ring.right, tag, first.data(), count, ring.left, tag,
                                           XCOLL_INT32, comm, &again));
            ranks::succeed(xcoll_wait(&again));
            ranks::check(first == sent, "an exchange got another message");
        }
        ranks::succeed(xcoll_request_free(&requests[1]));
    }
}

void end_with_their_communicator(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    const Ring ring(rank);
    int value = untouched;
    std::array<xcoll_request_t, 2> requests{receive(ring, value, tag, comm), receive(ring, value, tag, comm)};
    if (rank.rank() % 2 == 0) {
        ranks::succeed(xcoll_comm_abort(comm, "a test of the end"));
    }
    for (xcoll_request_t &request : requests) {
        ranks::expect(XCOLL_ERR_ABORTED, xcoll_wait(&request));
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const auto part :
         {keep_their_order, are_waited_for_in_any_order, stand_before_what_is_refused, go_on_beside_other_requests,
          tell_what_is_too_long, are_waited_for_by_several_threads, leave_nothing_to_those_behind_them,
          are_told_of_once, are_started_again_with_sends, belong_to_requests_that_send_as_well}) {
        part(rank, comm);
        ranks::succeed(xcoll_barrier(comm));
    }
    ranks::succeed(xcoll_comm_free(&comm));
    end_with_their_communicator(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
