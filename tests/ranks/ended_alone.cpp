// ranks: 1 2 3 5
// timeout: 60
//
// A communicator that ends takes nothing with it: of a group, what was called on it fails, and so do later stages on
// others, which go on after that; and no peer touches the buffers of a rank whose wait has returned. A rank whose
// deadline passes learns it by tests as well, whatever else it moves meanwhile.
#include <algorithm>
#include <string>
#include <vector>

#include "ranks.h"

using ranks::expect;
using ranks::Rank;
using ranks::succeed;

namespace {

constexpr int untouched = -1, tag = 7;

xcoll_comm_t duplicate(xcoll_comm_t comm) {
    xcoll_comm_t copy = XCOLL_COMM_NULL;
    succeed(xcoll_comm_dup(comm, &copy));
    return copy;
}

void later_stages_fail_behind_an_ended_communicator(const Rank &rank, xcoll_comm_t world) {
    const int size = rank.size(), next = (rank.rank() + 1) % size, previous = (rank.rank() + size - 1) % size;
    xcoll_comm_t ended = duplicate(world);
    succeed(xcoll_comm_abort(ended, "it is to end"));
    int received = untouched, one = 1, sum = untouched, in = untouched, total = untouched;
    xcoll_request_t receive = XCOLL_REQUEST_NULL, reduce = XCOLL_REQUEST_NULL, group = XCOLL_REQUEST_NULL;
    succeed(xcoll_group_start());
    succeed(xcoll_irecv(&received, 1, XCOLL_INT32, previous, tag, ended, &receive));
    succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, ended, &reduce));
    succeed(xcoll_group_then());
    succeed(xcoll_send(&received, 1, XCOLL_INT32, next, tag, world));
    succeed(xcoll_recv(&in, 1, XCOLL_INT32, previous, tag, world));
    succeed(xcoll_allreduce(&received, &total, 1, XCOLL_INT32, XCOLL_SUM, world));
    succeed(xcoll_group_iend(&group));
    for (size_t part = 0; part < 5; ++part) {
        expect(XCOLL_ERR_ABORTED, xcoll_wait_part(group, part));
    }
    expect(XCOLL_ERR_ABORTED, xcoll_wait(&group));
    expect(XCOLL_ERR_ABORTED, xcoll_wait(&receive));
    expect(XCOLL_ERR_ABORTED, xcoll_wait(&reduce));
    ranks::check(sum == untouched && in == untouched && total == untouched, "a stage behind a failed one has run");
    succeed(xcoll_comm_free(&ended));
    succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, world));
    ranks::check(sum == size, "the communicator of the later stage is not what it was");
}

// On communicators of this rank alone, so that nobody waits for anybody.
void a_deadline_passes_for_who_tests(const Rank &rank, xcoll_comm_t world) {
    xcoll_comm_t own = XCOLL_COMM_NULL;
    succeed(xcoll_comm_split(world, rank.rank(), 0, &own));
    xcoll_comm_t late = duplicate(own);
    succeed(xcoll_comm_set_timeout(late, 300));
    int never = untouched, number = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    succeed(xcoll_irecv(&never, 1, XCOLL_INT32, 0, tag, late, &request));
    xcoll_result_t result = XCOLL_SUCCESS;
    for (int done = 0; !done;) {
        xcoll_request_t other = XCOLL_REQUEST_NULL;
        succeed(xcoll_irecv(&number, 1, XCOLL_INT32, 0, tag, own, &other));
        succeed(xcoll_send(&number, 1, XCOLL_INT32, 0, tag, own));
        result = xcoll_test(&request, &done);
        succeed(xcoll_wait(&other));
    }
    expect(XCOLL_ERR_TIMEOUT, result);
    succeed(xcoll_comm_free(&own));
    succeed(xcoll_comm_free(&late));
}

// Rank 0 gives up in the middle of an allreduce of lent buffers, at another time in each turn.
void nobody_writes_after_the_end(const Rank &rank, xcoll_comm_t world) {
    constexpr int turns = 20;
    constexpr size_t bytes = size_t{16} << 20;
    constexpr unsigned char mark = 0x55;
    void *send = nullptr, *recv = nullptr;
    succeed(xcoll_mem_alloc(world, bytes, &send));
    succeed(xcoll_mem_alloc(world, bytes, &recv));
    std::fill_n(static_cast<unsigned char *>(send), bytes, static_cast<unsigned char>(1));
    auto *const result = static_cast<unsigned char *>(recv);
    for (int turn = 0; turn < turns; ++turn) {
        xcoll_comm_t comm = duplicate(world);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        rank.meet();
        succeed(xcoll_iallreduce(send, recv, bytes, XCOLL_UINT8, XCOLL_SUM, comm, &request));
        if (rank.rank() == 0) {
            int done = 0;
            for (int tests = 0; tests < turn % 4 && !done; ++tests) {
                succeed(xcoll_test(&request, &done));
            }
            succeed(xcoll_comm_abort(comm, "enough"));
        }
        const bool is_done = xcoll_wait(&request) == XCOLL_SUCCESS;
        std::fill_n(result, bytes, mark);
        rank.meet();
        ranks::check(is_done || std::all_of(result, result + bytes, [](unsigned char c) { return c == mark; }),
                     "a peer has written into a buffer after the end of its call");
        succeed(xcoll_comm_free(&comm));
    }
    succeed(xcoll_mem_free(world, send));
    succeed(xcoll_mem_free(world, recv));
}

void test(Rank &rank) {
    xcoll_comm_t world = rank.open();
    later_stages_fail_behind_an_ended_communicator(rank, world);
    a_deadline_passes_for_who_tests(rank, world);
    nobody_writes_after_the_end(rank, world);
    succeed(xcoll_comm_free(&world));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
