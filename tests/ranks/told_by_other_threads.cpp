// ranks: 1 2 3 5
// timeout: 120
//
// Of the end of a request some thread tells that waits for another one. Meanwhile its communicator is nobody's: others
// may start on it what they like, but a wait for the request, its end and the communicator's come after the function.
#include <chrono>
#include <thread>

#include "ranks.h"

using ranks::Rank;

namespace {

// False: not within a time that is far too long.
template <class Reached> bool await(Reached reached) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!reached() && std::chrono::steady_clock::now() < late) {
        std::this_thread::yield();
    }
    return reached();
}

xcoll_request_t receive_from_self(int me, xcoll_comm_t comm, int &value) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_irecv(&value, 1, XCOLL_INT32, me, 1, comm, &request));
    return request;
}

void send_to_self(int me, xcoll_comm_t comm) {
    const int sent = 4;
    ranks::succeed(xcoll_send(&sent, 1, XCOLL_INT32, me, 1, comm));
}

// Two threads tell of two communicators, and each function starts something on the other's.
void functions_start_on_each_others_communicators(int me, xcoll_comm_t comm, xcoll_comm_t other) {
    struct Sender {
        std::atomic<int> &inside;
        int me;
        xcoll_comm_t comm;
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        static void send(void *context, const xcoll_status_t *) {
            static const int sent = 8;
            auto &sender = *static_cast<Sender *>(context);
            ++sender.inside;
            ranks::check(await([&] { return sender.inside == 2; }), "only one of two functions was called");
            ranks::succeed(xcoll_isend(&sent, 1, XCOLL_INT32, sender.me, 2, sender.comm, &sender.request));
        }
    };
    std::atomic<int> inside{0};
    Sender to_other{inside, me, other}, to_comm{inside, me, comm};
    int values[4] = {};
    xcoll_request_t first = receive_from_self(me, comm, values[0]), second = receive_from_self(me, other, values[1]);
    ranks::succeed(xcoll_request_on_done(first, Sender::send, &to_other));
    ranks::succeed(xcoll_request_on_done(second, Sender::send, &to_comm));
    xcoll_request_t sends[2] = {}; // which tell of nothing, as blocking ones would
    const int sent = 4;
    ranks::succeed(xcoll_isend(&sent, 1, XCOLL_INT32, me, 1, comm, &sends[0]));
    ranks::succeed(xcoll_isend(&sent, 1, XCOLL_INT32, me, 1, other, &sends[1]));
    std::thread waiter([&] { ranks::succeed(xcoll_wait(&second)); });
    ranks::succeed(xcoll_wait(&first));
    waiter.join();
    ranks::succeed(xcoll_waitall(2, sends));
    ranks::succeed(xcoll_recv(&values[2], 1, XCOLL_INT32, me, 2, comm));
    ranks::succeed(xcoll_recv(&values[3], 1, XCOLL_INT32, me, 2, other));
    ranks::succeed(xcoll_wait(&to_other.request));
    ranks::succeed(xcoll_wait(&to_comm.request));
    ranks::check(values[0] == 4 && values[1] == 4 && values[2] == 8 && values[3] == 8, "a message is wrong");
}

// A function that has begun, and ends some time later.
struct Slow {
    std::atomic<bool> has_begun{false};
    std::atomic<int> ends{0};
    static void tell(void *context, const xcoll_status_t *status) {
        auto &slow = *static_cast<Slow *>(context);
        ranks::check(status->result == XCOLL_SUCCESS, "told of a failure");
        slow.has_begun = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++slow.ends;
    }
};

// Calls act(request) while another thread, which waits for something on `awaited`, is telling of that sum on `comm`.
template <class Act> void while_it_is_told(const Rank &rank, xcoll_comm_t comm, xcoll_comm_t awaited, Act act) {
    const int me = rank.rank();
    Slow slow;
    int one = 1, sum = 0, value = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL, other = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &request));
    ranks::succeed(xcoll_request_on_done(request, Slow::tell, &slow));
    other = receive_from_self(me, awaited, value);
    std::thread waiter([&] { ranks::succeed(xcoll_wait(&other)); });
    ranks::check(await([&] { return slow.has_begun.load(); }), "nobody was told");
    act(request);
    ranks::check(slow.ends == 1, "this thread was faster than the function");
    ranks::check(sum == rank.size(), "the sum is wrong");
    send_to_self(me, awaited);
    waiter.join();
    ranks::check(slow.ends == 1, "told twice");
}

void a_wait_comes_after_it(const Rank &rank, xcoll_comm_t comm) {
    while_it_is_told(rank, comm, comm, [](xcoll_request_t &request) { ranks::succeed(xcoll_wait(&request)); });
}

void a_second_function_comes_after_it(const Rank &rank, xcoll_comm_t comm) {
    xcoll_request_t group = XCOLL_REQUEST_NULL, part = XCOLL_REQUEST_NULL;
    Slow of_part, of_group;
    int one = 1, sum = 0, value = 0;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &part));
    ranks::succeed(xcoll_group_iend(&group));
    ranks::succeed(xcoll_request_on_done(part, Slow::tell, &of_part));
    xcoll_request_t other = receive_from_self(rank.rank(), comm, value);
    std::thread waiter([&] { ranks::succeed(xcoll_wait(&other)); });
    ranks::check(await([&] { return of_part.has_begun.load(); }), "nobody was told");
    ranks::succeed(xcoll_request_on_done(group, Slow::tell, &of_group));
    ranks::check(of_part.ends == 1 && of_group.ends == 1, "told too late, or twice");
    ranks::succeed(xcoll_wait(&part));
    ranks::succeed(xcoll_wait(&group));
    send_to_self(rank.rank(), comm);
    waiter.join();
    ranks::check(of_part.ends == 1 && of_group.ends == 1, "told twice");
}

// The request was done in time, so this aborts nothing.
void freeing_the_request_comes_after_it(const Rank &rank, xcoll_comm_t comm) {
    while_it_is_told(rank, comm, comm, [](xcoll_request_t &request) { ranks::succeed(xcoll_request_free(&request)); });
    ranks::succeed(xcoll_barrier(comm));
}

void freeing_the_communicator_comes_after_it(const Rank &rank, xcoll_comm_t comm) {
    xcoll_comm_t freed = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &freed));
    while_it_is_told(rank, freed, comm, [&](xcoll_request_t &request) {
        ranks::succeed(xcoll_comm_free(&freed));
        ranks::succeed(xcoll_wait(&request));
    });
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open(""), other = rank.open("");
    for (int i = 0; i < 5; ++i) {
        functions_start_on_each_others_communicators(rank.rank(), comm, other);
        a_wait_comes_after_it(rank, comm);
        a_second_function_comes_after_it(rank, comm);
        freeing_the_request_comes_after_it(rank, comm);
        freeing_the_communicator_comes_after_it(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_comm_free(&other));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
