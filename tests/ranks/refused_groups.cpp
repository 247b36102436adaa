// ranks: 2 3 5
//
// A group with a call that was refused, or behind a stage that failed, does not leave those waiting who would have sent
// to it or received from it: they are told, whatever the message's size and whoever came first. Nothing of it is taken
// for a later message, and everything goes on afterwards.
#include <array>
#include <chrono>
#include <numeric>
#include <thread>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr int tag = 4, other_tag = 5, untouched = -7;
// In one line, in several, in more than the receiver takes unasked, and copied by the receiver itself.
constexpr std::array<size_t, 6> counts{0, 1, 50, 2'000, 20'000, 300'000};

// Its sender, for the receiver. The longest that does not is of 64 KiB.
constexpr bool waits(size_t count) {
    return count * sizeof(int) > size_t{64} << 10;
}

struct Pair {
    xcoll_comm_t comm;
    bool is_refused; // this one's group; the other rank waits for it
    int peer;
    size_t count;
    std::vector<int> out, in;

    Pair(xcoll_comm_t of, int rank, int refused, size_t numbers)
        : comm(of), is_refused(rank == refused), peer(1 - rank), count(numbers), out(numbers), in(numbers, untouched) {
        std::iota(out.begin(), out.end(), rank * 1000);
    }
    xcoll_result_t send() {
        return xcoll_send(out.data(), count, XCOLL_INT32, peer, tag, comm);
    }
    xcoll_result_t receive(int from) {
        return xcoll_recv(in.data(), count, XCOLL_INT32, from, tag, comm);
    }
    void expect_untouched() const {
        for (const int number : in) {
            ranks::check(number == untouched, "a message of a refused group has arrived");
        }
    }
};

// By a message that nobody can be told of.
void spoil(const Pair &pair) {
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send(nullptr, 0, XCOLL_INT32, pair.peer, -1, pair.comm));
}

// Whether the two ranks' next messages are the ones that they send next.
void expect_order(Pair &pair) {
    const int sent = pair.is_refused ? 17 : 18;
    int received = untouched;
    ranks::succeed(xcoll_sendrecv(&sent, 1, pair.peer, tag, &received, 1, pair.peer, tag, XCOLL_INT32, pair.comm));
    ranks::check(received == 17 + 18 - sent, "a message of a refused group was taken for another one");
}

void expect_told(xcoll_result_t result, int refused) {
    ranks::expect(XCOLL_ERR_MISMATCH, result);
    ranks::expect_message({"rank " + std::to_string(refused), "was refused there"});
}

// What a peer waits for in vain: alone, or in a group of its own.
void a_receive_is_told(Pair &pair, int from, bool in_group) {
    if (!pair.is_refused) {
        if (in_group) {
            ranks::succeed(xcoll_group_start());
            ranks::succeed(pair.receive(from));
            expect_told(xcoll_group_end(), pair.peer);
        } else {
            expect_told(pair.receive(from), pair.peer);
        }
        pair.expect_untouched();
        return;
    }
    ranks::succeed(xcoll_group_start());
    ranks::succeed(pair.send());
    spoil(pair);
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
}

// A short message does not wait for its receiver, so its sender has no error to get.
void a_send_is_told(Pair &pair, int from, bool in_group) {
    if (!pair.is_refused) {
        if (in_group) {
            ranks::succeed(xcoll_group_start());
            ranks::succeed(pair.send());
        }
        const xcoll_result_t result = in_group ? xcoll_group_end() : pair.send();
        if (waits(pair.count)) {
            expect_told(result, pair.peer);
        } else {
            ranks::succeed(result);
        }
        return;
    }
    ranks::succeed(xcoll_group_start());
    ranks::succeed(pair.receive(from));
    spoil(pair);
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
    pair.expect_untouched();
}

using Part = void (*)(Pair &, int, bool);

void messages(const Rank &rank, xcoll_comm_t comm, Part part) {
    for (const size_t count : counts) {
        for (int turn = 0; turn < 16; ++turn) {
            const int refused = turn & 1;
            const bool any = (turn & 2) != 0, in_group = (turn & 4) != 0, meets_first = (turn & 8) != 0;
            Pair pair(comm, rank.rank(), refused, count);
            if (rank.rank() < 2) {
                part(pair, any ? XCOLL_ANY_SOURCE : pair.peer, in_group);
                spoil(pair); // alone: nobody is told of it
            }
            if (meets_first) {
                ranks::succeed(xcoll_barrier(comm)); // the one that was refused waits here for the one to be told
            }
            if (rank.rank() < 2) {
                expect_order(pair);
            }
            ranks::succeed(xcoll_barrier(comm));
        }
    }
}

// Both ways at once, the refused call being one of the messages itself, and a collective call among them.
void exchanges(const Rank &rank, xcoll_comm_t comm) {
    for (const size_t count : counts) {
        const bool bad = rank.rank() == rank.size() - 1;
        const int size = rank.size(), next = (rank.rank() + 1) % size, previous = (rank.rank() + size - 1) % size;
        std::vector<int> out(count + 1, rank.rank()), in(count + 1, untouched);
        int sum = untouched;
        ranks::succeed(xcoll_group_start());
        const xcoll_result_t result = xcoll_sendrecv(bad ? nullptr : out.data(), count + 1, next, tag, in.data(),
                                                     count + 1, previous, tag, XCOLL_INT32, comm);
        ranks::expect(bad ? XCOLL_ERR_ARGUMENT : XCOLL_SUCCESS, result);
        ranks::succeed(xcoll_allreduce(out.data(), &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::expect(bad ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, xcoll_group_end());
        ranks::check(sum == untouched, "a call of a refused group has written a result");
        ranks::succeed(
            xcoll_sendrecv(out.data(), count + 1, next, tag, in.data(), count + 1, previous, tag, XCOLL_INT32, comm));
        ranks::check(in == std::vector<int>(count + 1, previous), "a message of a refused group came late");
    }
}

// The ranks disagree in the first stage, so none of them sends in the second one.
void behind_a_failed_stage(const Rank &rank, xcoll_comm_t comm) {
    for (const size_t count : counts) {
        const int size = rank.size(), next = (rank.rank() + 1) % size, previous = (rank.rank() + size - 1) % size;
        std::vector<int> out(count + 1, rank.rank()), in(count + 1, untouched);
        std::array<int, 2> sums{};
        ranks::succeed(xcoll_group_start());
        ranks::succeed(
            xcoll_allreduce(XCOLL_IN_PLACE, sums.data(), rank.rank() == 0 ? 1 : 2, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::succeed(xcoll_group_then());
        ranks::succeed(xcoll_send(out.data(), count + 1, XCOLL_INT32, next, tag, comm));
        ranks::succeed(xcoll_recv(in.data(), count + 1, XCOLL_INT32, previous, tag, comm));
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_group_end());
        ranks::check(in.front() == untouched, "a message behind a failed stage has arrived");
        ranks::succeed(
            xcoll_sendrecv(out.data(), count + 1, next, tag, in.data(), count + 1, previous, tag, XCOLL_INT32, comm));
        ranks::check(in == std::vector<int>(count + 1, previous), "a message behind a failed stage came late");
    }
}

// To oneself, where the receive was started before or is started afterwards.
void to_oneself(const Rank &rank, xcoll_comm_t comm) {
    for (const size_t count : counts) {
        for (const bool before : {false, true}) {
            std::vector<int> out(count + 1, 3), in(count + 1, untouched);
            const auto receive = [&](xcoll_request_t *request) {
                ranks::succeed(xcoll_irecv(in.data(), count + 1, XCOLL_INT32, rank.rank(), tag, comm, request));
            };
            xcoll_request_t request = XCOLL_REQUEST_NULL;
            if (before) {
                receive(&request);
            }
            ranks::succeed(xcoll_group_start());
            ranks::succeed(xcoll_send(out.data(), count + 1, XCOLL_INT32, rank.rank(), tag, comm));
            ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send(nullptr, 1, XCOLL_INT32, rank.rank(), other_tag, comm));
            ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
            if (!before) {
                receive(&request);
            }
            expect_told(xcoll_wait(&request), rank.rank());
            const xcoll_result_t other = xcoll_irecv(in.data(), 1, XCOLL_INT32, rank.rank(), other_tag, comm, &request);
            ranks::succeed(other);
            expect_told(xcoll_wait(&request), rank.rank());

            ranks::succeed(xcoll_isend(out.data(), count + 1, XCOLL_INT32, rank.rank(), tag, comm, &request));
            ranks::succeed(xcoll_group_start());
            ranks::succeed(xcoll_recv(in.data(), count + 1, XCOLL_INT32, rank.rank(), tag, comm));
            ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_recv(nullptr, 1, XCOLL_INT32, rank.rank(), -9, comm));
            ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
            const xcoll_result_t sent = xcoll_wait(&request);
            if (waits(count + 1)) {
                expect_told(sent, rank.rank());
            } else {
                ranks::succeed(sent);
            }
            ranks::check(in.front() == untouched, "a refused group has received");
        }
    }
}

// A call that is refused for its request or stream is refused as what it is: a message takes no number.
void without_a_request(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, got = untouched;
    uint64_t before = 0, after = 0;
    ranks::succeed(xcoll_comm_sequence(comm, &before));
    if (rank.rank() == 0) {
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_isend(&one, 1, XCOLL_INT32, 1, tag, comm, nullptr));
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send_enqueue(&one, 1, XCOLL_INT32, 1, tag, comm, &one));
        ranks::succeed(xcoll_group_start());
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_isend(&one, 1, XCOLL_INT32, 1, tag, comm, nullptr));
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send_enqueue(&one, 1, XCOLL_INT32, 1, other_tag, comm, &one));
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
    } else if (rank.rank() == 1) {
        expect_told(xcoll_recv(&got, 1, XCOLL_INT32, 0, other_tag, comm), 0);
        expect_told(xcoll_recv(&got, 1, XCOLL_INT32, XCOLL_ANY_SOURCE, XCOLL_ANY_TAG, comm), 0);
    }
    ranks::succeed(xcoll_comm_sequence(comm, &after));
    ranks::check(before == after, "a message that was refused has taken a number");
    ranks::succeed(xcoll_barrier(comm));
}

// A persistent group begins when it is started, so one that is refused before is nobody else's affair.
void persistent(const Rank &rank, xcoll_comm_t comm) {
    if (rank.rank() == 0) {
        int one = 1;
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, &one, 1, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::succeed(xcoll_send(&one, 1, XCOLL_INT32, 1, tag, comm));
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send(nullptr, 1, XCOLL_INT32, 1, tag, comm));
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end_init(&request));
        ranks::succeed(xcoll_send(&one, 1, XCOLL_INT32, 1, tag, comm));
    } else if (rank.rank() == 1) {
        int got = untouched;
        ranks::succeed(xcoll_recv(&got, 1, XCOLL_INT32, 0, tag, comm));
    }
    ranks::succeed(xcoll_barrier(comm));
}

// Its message was to go over another communicator than the call that is bad, on which this rank goes on at once, and
// the peer comes late: it is told by whoever waits for it elsewhere.
void over_another_communicator(const Rank &rank, xcoll_comm_t comm) {
    xcoll_comm_t other = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &other));
    for (const size_t count : counts) {
        std::vector<int> numbers(count, 3);
        int one = 1, sum = untouched;
        ranks::succeed(xcoll_group_start());
        if (rank.rank() == 0) {
            ranks::succeed(xcoll_recv(numbers.data(), count, XCOLL_INT32, 1, tag, other));
        } else if (rank.rank() == 1) {
            ranks::succeed(xcoll_send(numbers.data(), count, XCOLL_INT32, 0, tag, other));
            constexpr std::chrono::milliseconds while_rank_0_waits(60);
            std::this_thread::sleep_for(while_rank_0_waits);
        }
        const void *mine = rank.rank() == 0 ? nullptr : &one;
        const xcoll_result_t result = rank.rank() == 0 ? XCOLL_ERR_ARGUMENT : XCOLL_SUCCESS;
        ranks::expect(result, xcoll_allreduce(mine, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::expect(rank.rank() == 0 ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, xcoll_group_end());
        ranks::succeed(xcoll_barrier(comm));
    }
    ranks::succeed(xcoll_comm_free(&other));
}

// Nobody ever answers to what was refused, which keeps nobody: not who waits for others, and not who frees.
void unanswered(const Rank &rank, xcoll_comm_t comm) {
    xcoll_comm_t own = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &own));
    if (rank.rank() == 0) {
        int got = untouched;
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_recv(&got, 1, XCOLL_INT32, 1, tag, own));
        ranks::succeed(xcoll_send(&got, 1, XCOLL_INT32, 1, tag, own));
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_send(nullptr, 1, XCOLL_INT32, 1, tag, own));
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_group_end());
    }
    ranks::succeed(xcoll_barrier(own));
    if (rank.rank() == 1) {
        ranks::succeed(xcoll_comm_free(&own));
    }
    rank.meet();
    if (rank.size() > 2 && rank.rank() == 2) {
        constexpr std::chrono::milliseconds while_others_look_around(400);
        std::this_thread::sleep_for(while_others_look_around);
        int late = 9;
        ranks::succeed(xcoll_send(&late, 1, XCOLL_INT32, 0, tag, own));
    } else if (rank.size() > 2 && rank.rank() == 0) {
        int got = untouched;
        ranks::succeed(xcoll_recv(&got, 1, XCOLL_INT32, 2, tag, own));
        ranks::check(got == 9, "a message did not get past refused ones");
    }
    if (rank.rank() != 1) {
        ranks::succeed(xcoll_comm_free(&own));
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const Part part : {a_receive_is_told, a_send_is_told}) {
        messages(rank, comm, part);
    }
    for (const auto part : {exchanges, behind_a_failed_stage, to_oneself, without_a_request, persistent,
                            over_another_communicator, unanswered}) {
        part(rank, comm);
        ranks::succeed(xcoll_barrier(comm));
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
