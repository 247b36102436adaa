// ranks: 2 3 5 8
//
// A message that is like one before does what the first one did: with other buffers, by turns with messages that differ
// in one argument, to and from nobody, after one that was refused, and beside those that a function sends and receives
// that is told of the end of a request.
#include <array>
#include <numeric>

#include "ranks.h"

using ranks::Rank;

namespace {

// Enough for the library to know the call, and more variants than it remembers.
constexpr int times = 4, variants = 6;

int right_of(const Rank &rank, int steps = 1) {
    return (rank.rank() + steps) % rank.size();
}
int left_of(const Rank &rank, int steps = 1) {
    return (rank.rank() + rank.size() - steps % rank.size()) % rank.size();
}
std::vector<int> numbers(int from, size_t count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), from);
    return all;
}
void check_numbers(const std::vector<int> &got, int from, const char *what) {
    ranks::check(got == numbers(from, got.size()), what);
}

// Every rank's buffers are new ones each time.
void pass_on(const Rank &rank, xcoll_comm_t comm, size_t count, int tag, int turn) {
    const int base = 1000 * turn + 10 * tag;
    std::vector<int> out = numbers(base + rank.rank(), count), in(count, -1);
    ranks::succeed(xcoll_sendrecv(out.data(), count, right_of(rank), tag, in.data(), count, left_of(rank), tag,
                                  XCOLL_INT32, comm));
    check_numbers(in, base + left_of(rank), "an exchange");
    in.assign(count, -1);
    const auto send = [&] { ranks::succeed(xcoll_send(out.data(), count, XCOLL_INT32, right_of(rank), tag, comm)); };
    if (rank.rank() == 0) {
        send();
    }
    ranks::succeed(xcoll_recv(in.data(), count, XCOLL_INT32, left_of(rank), tag, comm));
    if (rank.rank() != 0) {
        send();
    }
    check_numbers(in, base + left_of(rank), "a message round the ring");
}

// As messages with requests, which are known as well, by turns with those that block.
void pass_on_with_requests(const Rank &rank, xcoll_comm_t comm, size_t count, int tag, int turn) {
    const int base = 1000 * turn + 10 * tag + 500;
    std::vector<int> out = numbers(base + rank.rank(), count), in(count, -1);
    std::array<xcoll_request_t, 2> requests{};
    ranks::succeed(xcoll_irecv(in.data(), count, XCOLL_INT32, left_of(rank), tag, comm, &requests[0]));
    ranks::succeed(xcoll_isend(out.data(), count, XCOLL_INT32, right_of(rank), tag, comm, &requests[1]));
    ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
    check_numbers(in, base + left_of(rank), "a message with a request");
    in.assign(count, -1);
    ranks::succeed(xcoll_isendrecv(out.data(), count, right_of(rank), tag, in.data(), count, left_of(rank), tag,
                                   XCOLL_INT32, comm, &requests[0]));
    ranks::succeed(xcoll_wait(&requests[0]));
    check_numbers(in, base + left_of(rank), "an exchange with a request");
}

void is_the_same_each_time(const Rank &rank, xcoll_comm_t comm) {
    for (const size_t count : {size_t{1}, size_t{0}, size_t{25}, size_t{100}, size_t{2000}, size_t{30'000}}) {
        for (int turn = 0; turn < times; ++turn) {
            pass_on(rank, comm, count, 3, turn);
            pass_on_with_requests(rank, comm, count, 3, turn);
        }
    }
    for (int turn = 0; turn < times * variants; ++turn) {
        pass_on(rank, comm, static_cast<size_t>(turn % variants), 3, turn);
        pass_on(rank, comm, 1, turn % variants, turn);
        pass_on_with_requests(rank, comm, static_cast<size_t>(turn % variants), 3, turn);
        pass_on_with_requests(rank, comm, 1, turn / 2 % variants, turn);
        pass_on(rank, comm, 1, turn / 2 % 2, turn);
    }
}

// All that tells two of them apart is what this takes turns with: whom it goes to, whom it comes from, and the tags.
void differs_in_one_argument(const Rank &rank, xcoll_comm_t comm) {
    for (int turn = 0; turn < times * 4; ++turn) {
        const int steps = 1 + turn % 2, tag = turn / 2 % 2, more = turn % 3 == 0 ? 1 : 0;
        const int to = right_of(rank, steps), from = left_of(rank, steps);
        const int out[2] = {100 * turn + rank.rank(), -2};
        int in[2] = {-1, -1};
        ranks::succeed(xcoll_sendrecv(out, 1, to, tag, in, 1 + static_cast<size_t>(more), from,
                                      more ? XCOLL_ANY_TAG : tag, XCOLL_INT32, comm));
        ranks::check(in[0] == 100 * turn + from && in[1] == -1, "an exchange with one of two");
        ranks::succeed(xcoll_send(out, 1, XCOLL_INT32, to, 1 - tag, comm)); // short ones wait for nobody
        ranks::succeed(xcoll_send(out + 1, 1, XCOLL_INT32, to, tag, comm));
        ranks::succeed(xcoll_recv(in + 1, 1, XCOLL_INT32, more ? XCOLL_ANY_SOURCE : from, tag, comm));
        ranks::succeed(xcoll_recv(in, 1, XCOLL_INT32, from, 1 - tag, comm));
        ranks::check(in[0] == 100 * turn + from && in[1] == -2, "one of two messages by its tag");
        rank.meet(); // or another rank's next one could be the one from any source
    }
}

// The same of two receives that are under way at once, each like the last one or not.
void differs_in_one_argument_with_requests(const Rank &rank, xcoll_comm_t comm) {
    for (int turn = 0; turn < times * 8; ++turn) {
        const int steps = 1 + turn / 2 % 2, tag = turn / 4 % 2;
        const size_t room = turn / 8 % 2 == 0 ? 2 : 1;
        const int to = right_of(rank, steps), from = left_of(rank, steps);
        const int out[2] = {100 * turn + rank.rank(), -2 - turn};
        int first[2] = {-1, -1}, second = -1;
        std::array<xcoll_request_t, 4> requests{};
        ranks::succeed(xcoll_irecv(first, room, XCOLL_INT32, from, tag, comm, &requests[0]));
        ranks::succeed(xcoll_irecv(&second, 1, XCOLL_INT32, from, 1 - tag, comm, &requests[1]));
        ranks::succeed(xcoll_isend(out, 1, XCOLL_INT32, to, tag, comm, &requests[2]));
        ranks::succeed(xcoll_isend(out + 1, 1, XCOLL_INT32, to, 1 - tag, comm, &requests[3]));
        rank.meet(); // what serves a receive serves the next if its message was there, and in its turn
        ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
        ranks::check(first[0] == 100 * turn + from && first[1] == -1 && second == -2 - turn,
                     "two messages at once, each by its tag");
    }
}

void may_be_to_nobody(const Rank &rank, xcoll_comm_t comm) {
    for (int turn = 0; turn < times; ++turn) {
        int out = turn, in = -1;
        ranks::succeed(xcoll_send(nullptr, 1, XCOLL_INT32, XCOLL_NO_RANK, 0, comm));
        ranks::succeed(xcoll_recv(&in, 1, XCOLL_INT32, XCOLL_NO_RANK, 0, comm));
        ranks::check(in == -1, "something came from nobody");
        const bool is_first = rank.rank() == 0, is_last = rank.rank() == rank.size() - 1;
        ranks::succeed(xcoll_sendrecv(&out, 1, is_last ? XCOLL_NO_RANK : right_of(rank), 0, &in, 1,
                                      is_first ? XCOLL_NO_RANK : left_of(rank), 0, XCOLL_INT32, comm));
        ranks::check(in == (is_first ? -1 : turn), "a shift along a line of ranks");
        in = -1;
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_recv(&in, 1, XCOLL_INT32, is_first ? XCOLL_NO_RANK : left_of(rank), 0, comm));
        ranks::succeed(xcoll_send(&out, 1, XCOLL_INT32, is_last ? XCOLL_NO_RANK : right_of(rank), 0, comm));
        ranks::succeed(xcoll_group_end());
        ranks::check(in == (is_first ? -1 : turn), "a shift along a line of ranks, in a group");
    }
}

void refuses_bad_buffers(const Rank &rank, xcoll_comm_t comm) {
    int room[3] = {};
    for (int turn = 0; turn < times; ++turn) {
        pass_on(rank, comm, 2, 7, turn);
        pass_on_with_requests(rank, comm, 2, 7, turn);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_isend(nullptr, 2, XCOLL_INT32, right_of(rank), 7, comm, &request));
        ranks::expect_message({"buf"});
        ranks::check(request == XCOLL_REQUEST_NULL, "a send that was refused has a request");
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_isend(room, 2, XCOLL_INT32, right_of(rank), 7, comm, nullptr));
        ranks::expect_message({"request"});
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_irecv(nullptr, 2, XCOLL_INT32, left_of(rank), 7, comm, &request));
        ranks::expect_message({"buf"});
        ranks::check(request == XCOLL_REQUEST_NULL, "a receive that was refused has a request");
        pass_on_with_requests(rank, comm, 2, 7, turn);
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_irecv(room, 2, XCOLL_INT32, left_of(rank), 7, comm, nullptr));
        ranks::expect_message({"request"});
        pass_on_with_requests(rank, comm, 2, 7, turn);
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_isendrecv(room, 2, right_of(rank), 7, room + 1, 2, left_of(rank), 7,
                                                          XCOLL_INT32, comm, &request));
        ranks::expect_message({"send", "recv", "separate buffers"});
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send(nullptr, 2, XCOLL_INT32, right_of(rank), 7, comm));
        ranks::expect_message({"buf"});
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_recv(XCOLL_IN_PLACE, 2, XCOLL_INT32, left_of(rank), 7, comm));
        ranks::expect_message({"buf"});
        const auto exchange = [&](const int *send, int *recv) {
            return xcoll_sendrecv(send, 2, right_of(rank), 7, recv, 2, left_of(rank), 7, XCOLL_INT32, comm);
        };
        ranks::expect(XCOLL_ERR_ARGUMENT, exchange(nullptr, room));
        ranks::expect_message({"send"});
        ranks::expect(XCOLL_ERR_ARGUMENT, exchange(room, nullptr));
        ranks::expect_message({"recv"});
        ranks::expect(XCOLL_ERR_ARGUMENT, exchange(room, room + 1));
        ranks::expect_message({"send", "recv", "separate buffers"});
    }
}

// Rank 0 waits for a message that it knows, and meanwhile a function of its own receives more others than are
// remembered, each as often as it takes to be known. Only between processes: any thread that waits may call it, and
// a communicator is used by one at a time.
struct Nested {
    xcoll_comm_t comm;
    bool is_told = false;
};
void exchange_others(void *context, const xcoll_status_t *) {
    auto &nested = *static_cast<Nested *>(context);
    for (int i = 0; i < times * variants; ++i) {
        int got = -1;
        ranks::succeed(xcoll_recv(&got, 1, XCOLL_INT32, 1, 1 + i / times, nested.comm));
        ranks::check(got == i, "a message to a function that is told");
    }
    const int all = 1;
    ranks::succeed(xcoll_send(&all, 1, XCOLL_INT32, 1, 0, nested.comm));
    nested.is_told = true;
}
void goes_on_beside_those_of_a_function(const Rank &rank, xcoll_comm_t comm, xcoll_comm_t other) {
    int value = -1;
    for (int turn = 0; turn < times && rank.rank() < 2; ++turn) {
        for (int before = 0; before < times; ++before) {
            ranks::succeed(rank.rank() == 0 ? xcoll_recv(&value, 1, XCOLL_INT32, 1, 0, comm)
                                            : xcoll_send(&before, 1, XCOLL_INT32, 0, 0, comm));
        }
        if (rank.rank() == 0) {
            Nested nested{comm};
            int begin = 0;
            xcoll_request_t request = XCOLL_REQUEST_NULL;
            ranks::succeed(xcoll_irecv(&begin, 1, XCOLL_INT32, 1, 0, other, &request));
            ranks::succeed(xcoll_request_on_done(request, exchange_others, &nested));
            ranks::succeed(xcoll_recv(&value, 1, XCOLL_INT32, 1, 0, comm));
            ranks::check(value == turn, "a message that was waited for");
            ranks::succeed(xcoll_wait(&request));
            ranks::check(nested.is_told, "the function was not told");
            continue;
        }
        for (int i = 0; i < times * variants; ++i) {
            ranks::succeed(xcoll_send(&i, 1, XCOLL_INT32, 0, 1 + i / times, comm));
        }
        ranks::succeed(xcoll_send(&turn, 1, XCOLL_INT32, 0, 0, other));
        ranks::succeed(xcoll_recv(&value, 1, XCOLL_INT32, 0, 0, comm));
        ranks::succeed(xcoll_send(&turn, 1, XCOLL_INT32, 0, 0, comm));
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open(), other = nullptr;
    ranks::succeed(xcoll_comm_dup(comm, &other));
    is_the_same_each_time(rank, comm);
    differs_in_one_argument(rank, comm);
    differs_in_one_argument_with_requests(rank, comm);
    may_be_to_nobody(rank, comm);
    refuses_bad_buffers(rank, comm);
    if (!rank.is_thread()) {
        goes_on_beside_those_of_a_function(rank, comm, other);
    }
    ranks::succeed(xcoll_comm_free(&other));
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
