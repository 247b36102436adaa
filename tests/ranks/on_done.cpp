// ranks: 1 2 3 5 8
// timeout: 120
//
// Whoever asks to be told of the end of a request is told once, with its status, before a wait for it returns; for
// single calls, groups, parts of groups, plans, messages, failures, whoever drives.
#include <memory>

#include "ranks.h"

using ranks::Rank;

namespace {

struct Told {
    std::atomic<int> times{0};
    xcoll_status_t status{};
    std::vector<xcoll_comm_t> comms; // used inside, which is refused
    xcoll_request_t other =
        XCOLL_REQUEST_NULL; // on the first of them, not done; freed inside, which is refused as well
    static void tell(void *context, const xcoll_status_t *status) {
        auto &told = *static_cast<Told *>(context);
        told.status = *status;
        for (xcoll_comm_t comm : told.comms) {
            ranks::expect(XCOLL_ERR_STATE, xcoll_barrier(comm));
            ranks::expect_message({"xcoll_request_on_done"});
            xcoll_comm_t more = comm;
            ranks::expect(XCOLL_ERR_STATE, xcoll_comm_dup(comm, &more));
            ranks::expect(XCOLL_ERR_STATE, xcoll_comm_split(comm, 0, 0, &more));
            const xcoll_comm_t same = comm;
            ranks::expect(XCOLL_ERR_STATE, xcoll_comm_free(&comm));
            ranks::check(comm == same, "a communicator that was not freed is no more");
        }
        const xcoll_request_t same = told.other;
        if (same) {
            ranks::expect(XCOLL_ERR_STATE, xcoll_request_free(&told.other));
            ranks::check(told.other == same, "a request that was not freed is no more");
        }
        ++told.times;
    }
    void expect(int times_, xcoll_result_t result, const char *when) const {
        if (times != times_ || status.result != result) {
            ranks::wrong(std::string(when) + ": told " + std::to_string(times) + " times, the last time of " +
                         xcoll_error_name(status.result));
        }
    }
};

void before_a_wait_returns(const Rank &rank, xcoll_comm_t comm) {
    for (const size_t count : {size_t{1}, size_t{1000}, size_t{100'000}}) {
        std::vector<float> data(count, 1);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        auto told = std::make_unique<Told>();
        ranks::succeed(xcoll_iallreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_FLOAT32, XCOLL_SUM, comm, &request));
        ranks::succeed(xcoll_request_on_done(request, Told::tell, told.get()));
        ranks::expect(XCOLL_ERR_STATE, xcoll_request_on_done(request, Told::tell, told.get()));
        ranks::succeed(xcoll_wait(&request));
        told->expect(1, XCOLL_SUCCESS, "after a wait");
        ranks::check(told->status.sequence > 0, "the status has no number");
        ranks::check(data[count - 1] == static_cast<float>(rank.size()), "the sum is wrong");
        told.reset(); // nobody needs it any more
    }
}

// Driven by a wait for another request; then it is done, and who asks is told at once.
void by_whoever_drives(const Rank &, xcoll_comm_t comm) {
    Told first, late;
    xcoll_request_t requests[2] = {};
    ranks::succeed(xcoll_ibarrier(comm, &requests[0]));
    ranks::succeed(xcoll_request_on_done(requests[0], Told::tell, &first));
    ranks::succeed(xcoll_ibarrier(comm, &requests[1]));
    ranks::succeed(xcoll_wait(&requests[1]));
    for (int32_t all_told = 0; all_told == 0;) { // as often on every rank
        const int32_t told = first.times;
        ranks::succeed(xcoll_allreduce(&told, &all_told, 1, XCOLL_INT32, XCOLL_MIN, comm));
    }
    ranks::succeed(xcoll_wait(&requests[0]));
    first.expect(1, XCOLL_SUCCESS, "driven by others");
    int done = 0;
    xcoll_request_t plan = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_barrier_init(comm, &plan));
    ranks::succeed(xcoll_start(&plan));
    while (!done) { // part 0 is all of it, and stays active
        ranks::succeed(xcoll_test_part(plan, 0, &done));
    }
    ranks::succeed(xcoll_request_on_done(plan, Told::tell, &late));
    late.expect(1, XCOLL_SUCCESS, "asked when it was done");
    ranks::succeed(xcoll_wait(&plan));
    ranks::succeed(xcoll_start(&plan));
    ranks::succeed(xcoll_wait(&plan));
    late.expect(2, XCOLL_SUCCESS, "asked when it was done, and started again");
    ranks::succeed(xcoll_request_free(&plan));
}

void of_groups_and_their_parts(const Rank &, xcoll_comm_t comm, xcoll_comm_t other) {
    Told whole, part;
    int one = 1, sum = 0, value = 0;
    xcoll_request_t requests[2] = {};
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &requests[0]));
    ranks::expect(XCOLL_ERR_STATE, xcoll_request_on_done(requests[0], Told::tell, &part));
    ranks::succeed(xcoll_bcast(&value, 1, XCOLL_INT32, 0, other));
    ranks::succeed(xcoll_barrier(other));
    ranks::succeed(xcoll_group_iend(&requests[1]));
    ranks::succeed(xcoll_request_on_done(requests[0], Told::tell, &part));
    ranks::succeed(xcoll_request_on_done(requests[1], Told::tell, &whole));
    ranks::succeed(xcoll_waitall(2, requests));
    whole.expect(1, XCOLL_SUCCESS, "a group");
    part.expect(1, XCOLL_SUCCESS, "a part of a group");
}

void of_every_start(const Rank &, xcoll_comm_t comm, xcoll_comm_t other) {
    Told told;
    xcoll_request_t plan = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_barrier(comm));
    ranks::succeed(xcoll_barrier(other));
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_barrier(comm));
    ranks::succeed(xcoll_group_end_init(&plan));
    ranks::succeed(xcoll_request_on_done(plan, Told::tell, &told));
    for (int start = 1; start <= 3; ++start) {
        ranks::succeed(xcoll_start(&plan));
        ranks::succeed(xcoll_wait(&plan));
        told.expect(start, XCOLL_SUCCESS, "a plan");
    }
    ranks::succeed(xcoll_request_free(&plan));
    told.expect(3, XCOLL_SUCCESS, "a plan that was freed");
}

// As a rank has that is in none of the communicators of a program's group.
void of_a_group_without_calls() {
    Told told, once;
    xcoll_request_t plan = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_group_end_init(&plan));
    ranks::succeed(xcoll_request_on_done(plan, Told::tell, &told));
    for (int start = 1; start <= 3; ++start) {
        ranks::succeed(xcoll_start(&plan));
        ranks::succeed(xcoll_wait(&plan));
        told.expect(start, XCOLL_SUCCESS, "a plan without calls");
    }
    ranks::succeed(xcoll_request_free(&plan));
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_group_iend(&plan));
    ranks::succeed(xcoll_request_on_done(plan, Told::tell, &once));
    ranks::succeed(xcoll_wait(&plan));
    once.expect(1, XCOLL_SUCCESS, "a group without calls");
}

void of_a_message(const Rank &rank, xcoll_comm_t comm) {
    const int size = rank.size(), to = (rank.rank() + 1) % size, from = (rank.rank() + size - 1) % size;
    Told told;
    int64_t sent = 7, received = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL, send = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_irecv(&received, 1, XCOLL_INT64, XCOLL_ANY_SOURCE, 3, comm, &request));
    ranks::succeed(xcoll_request_on_done(request, Told::tell, &told));
    ranks::succeed(xcoll_isend(&sent, 1, XCOLL_INT64, to, 3, comm, &send));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_wait(&send));
    told.expect(1, XCOLL_SUCCESS, "a message");
    ranks::check(told.status.source == from && told.status.tag == 3 && told.status.bytes == sizeof sent,
                 "the status does not say whose message it was");
}

// Whether the request is done before or after the function is given, and in groups of several.
void that_it_may_not_use_the_communicators(int me, xcoll_comm_t comm, xcoll_comm_t other) {
    for (const bool late : {false, true}) {
        Told told;
        told.comms = {comm, other};
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        int value = 0;
        ranks::succeed(xcoll_irecv(&value, 1, XCOLL_INT32, me, 9, comm, &told.other));
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_barrier(comm));
        ranks::succeed(xcoll_barrier(other));
        ranks::succeed(xcoll_group_iend(&request));
        for (size_t part = 0; late && part < told.comms.size(); ++part) {
            ranks::succeed(xcoll_wait_part(request, part));
        }
        ranks::succeed(xcoll_request_on_done(request, Told::tell, &told));
        ranks::succeed(xcoll_wait(&request));
        told.expect(1, XCOLL_SUCCESS, "one that used the communicators");
        const int sent = 5;
        ranks::succeed(xcoll_send(&sent, 1, XCOLL_INT32, me, 9, comm));
        ranks::succeed(xcoll_wait(&told.other));
        ranks::check(value == sent, "a request that was not freed was forgotten");
        ranks::succeed(xcoll_barrier(comm));
        ranks::succeed(xcoll_barrier(other));
    }
}

// The thread that waits has a group open, of which the function knows nothing. It uses a communicator of one rank:
// where ranks are threads, one of them may tell another one's end, and would wait for itself.
void outside_of_open_groups(const Rank &rank, xcoll_comm_t comm) {
    struct Sum {
        xcoll_comm_t comm;
        int mine, all;
        static void up(void *context, const xcoll_status_t *) {
            auto &sum = *static_cast<Sum *>(context);
            ranks::succeed(xcoll_allreduce(&sum.mine, &sum.all, 1, XCOLL_INT32, XCOLL_SUM, sum.comm));
            ranks::succeed(xcoll_group_start()); // and never ended
        }
    } sum{XCOLL_COMM_NULL, 1, 0};
    ranks::succeed(xcoll_comm_split(comm, rank.rank(), 0, &sum.comm));
    int one = 1, ones = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_ibarrier(comm, &request));
    ranks::succeed(xcoll_request_on_done(request, Sum::up, &sum));
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(&one, &ones, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::succeed(xcoll_wait(&request));
    ranks::check(sum.all == 1 && ones == 0, "what a function calls is a part of its thread's group");
    ranks::succeed(xcoll_group_end());
    ranks::check(ones == rank.size(), "the group around a function has not run");
    ranks::succeed(xcoll_comm_free(&sum.comm));
}

// What the function does elsewhere, found by a wait for something else: it starts the first operation of a communicator
// and frees another one that has had some.
void used_elsewhere(xcoll_comm_t comm, xcoll_comm_t other) {
    struct Work {
        xcoll_comm_t fresh, used;
        xcoll_request_t request;
        std::atomic<int> times;
        static void begin(void *context, const xcoll_status_t *) {
            auto &work = *static_cast<Work *>(context);
            ranks::succeed(xcoll_ibarrier(work.fresh, &work.request));
            ranks::succeed(xcoll_comm_free(&work.used));
            ++work.times;
        }
    } work{XCOLL_COMM_NULL, XCOLL_COMM_NULL, XCOLL_REQUEST_NULL, 0};
    ranks::succeed(xcoll_comm_dup(comm, &work.fresh));
    ranks::succeed(xcoll_comm_dup(comm, &work.used));
    xcoll_request_t request = XCOLL_REQUEST_NULL, listed = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_ibarrier(work.used, &listed));
    ranks::succeed(xcoll_wait(&listed));
    ranks::succeed(xcoll_barrier(other)); // nobody waits for a communicator that is freed
    ranks::succeed(xcoll_ibarrier(comm, &request));
    ranks::succeed(xcoll_request_on_done(request, Work::begin, &work));
    for (int32_t all_told = 0; all_told == 0;) {
        const int32_t told = work.times;
        ranks::succeed(xcoll_allreduce(&told, &all_told, 1, XCOLL_INT32, XCOLL_MIN, other));
    }
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_wait(&work.request));
    ranks::check(work.times == 1 && work.used == XCOLL_COMM_NULL, "a function has not done its work");
    ranks::succeed(xcoll_comm_free(&work.fresh));
}

// A function that waits finds the end of another request, whose function may use the communicators of neither.
void within_another_one(const Rank &rank, xcoll_comm_t comm) {
    struct Waiter {
        xcoll_comm_t alone, again;
        int value;
        Told inner;
        static void wait(void *context, const xcoll_status_t *) {
            auto &waiter = *static_cast<Waiter *>(context);
            xcoll_request_t request = XCOLL_REQUEST_NULL;
            ranks::succeed(xcoll_irecv(&waiter.value, 1, XCOLL_INT32, 0, 1, waiter.alone, &request));
            ranks::succeed(xcoll_request_on_done(request, Told::tell, &waiter.inner));
            const int sent = 6;
            ranks::succeed(xcoll_send(&sent, 1, XCOLL_INT32, 0, 1, waiter.alone));
            ranks::succeed(xcoll_wait(&request));
        }
    } waiter{};
    ranks::succeed(xcoll_comm_split(comm, rank.rank(), 0, &waiter.alone));
    waiter.inner.comms = {waiter.alone, comm};
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_ibarrier(comm, &request));
    ranks::succeed(xcoll_request_on_done(request, Waiter::wait, &waiter));
    ranks::succeed(xcoll_wait(&request));
    ranks::check(waiter.value == 6, "a function that waits has not received");
    waiter.inner.expect(1, XCOLL_SUCCESS, "within another function");
    ranks::succeed(xcoll_comm_free(&waiter.alone));
}

// A communicator that is freed, and one that is aborted, end what is in flight.
void of_a_failure(const Rank &rank, const std::string &settings) {
    Told told;
    xcoll_comm_t comm = rank.open(settings);
    xcoll_request_t plan = XCOLL_REQUEST_NULL, request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_barrier_init(comm, &plan));
    ranks::succeed(xcoll_request_on_done(plan, Told::tell, &told));
    int value = 0;
    ranks::succeed(xcoll_irecv(&value, 1, XCOLL_INT32, rank.rank(), 1, comm, &request));
    Told never_sent;
    ranks::succeed(xcoll_request_on_done(request, Told::tell, &never_sent));
    ranks::succeed(xcoll_comm_abort(comm, "a test of the end"));
    never_sent.expect(1, XCOLL_ERR_ABORTED, "aborted");
    ranks::expect(XCOLL_ERR_ABORTED, xcoll_start(&plan));
    told.expect(1, XCOLL_ERR_ABORTED, "started too late");
    ranks::expect(XCOLL_ERR_ABORTED, xcoll_wait(&request));
    ranks::expect(XCOLL_ERR_ABORTED, xcoll_wait(&plan));
    ranks::succeed(xcoll_request_free(&plan));
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    for (const char *settings : {"", "SHM_BUDGET=1M"}) {
        xcoll_comm_t comm = rank.open(settings), other = rank.open(settings);
        before_a_wait_returns(rank, comm);
        by_whoever_drives(rank, comm);
        of_groups_and_their_parts(rank, comm, other);
        of_every_start(rank, comm, other);
        of_a_group_without_calls();
        of_a_message(rank, comm);
        that_it_may_not_use_the_communicators(rank.rank(), comm, other);
        outside_of_open_groups(rank, comm);
        if (rank.size() > 1) { // one rank alone waits for nothing
            used_elsewhere(comm, other);
        }
        within_another_one(rank, comm);
        ranks::succeed(xcoll_comm_free(&comm));
        ranks::succeed(xcoll_comm_free(&other));
        of_a_failure(rank, settings);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
