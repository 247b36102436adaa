// threads
// ranks: 1 2 3 5 7 8 13
// timeout: 120
//
// Ranks that are threads of one process use each other's large buffers where they lie, whatever memory they are in.
// The library says so, the results are right, and a rank that gives up has its buffers for itself when its call
// returns.
#include <time.h>

#include "lent_bytes.h"

using lent_bytes::large;
using lent_bytes::Pages;
using ranks::Rank;

namespace {

// Rank 0 waits for the others until its limit, and gives its memory back to the system. Only then do they come.
template <class Call> void late(const Rank &rank, const char *name, Call call) {
    xcoll_comm_t comm = rank.open();
    {
        const Pages send(large * static_cast<size_t>(rank.size())), recv(large * static_cast<size_t>(rank.size()));
        if (rank.rank() == 0) {
            ranks::succeed(xcoll_comm_set_timeout(comm, 30));
            ranks::expect(XCOLL_ERR_TIMEOUT, call(comm, send, recv));
        } else {
            rank.meet();
            if (call(comm, send, recv) != XCOLL_ERR_ABORTED) {
                ranks::wrong(std::string(name) + " used what rank 0 has taken back");
            }
            ranks::expect_message({"rank 0", "XCOLL_ERR_TIMEOUT"});
        }
    }
    if (rank.rank() == 0) {
        rank.meet();
    }
    rank.meet();
    ranks::succeed(xcoll_comm_free(&comm));
}

void nobody_reads_what_a_rank_has_taken_back(const Rank &rank) {
    late(rank, "alltoall", [](xcoll_comm_t comm, const Pages &send, const Pages &recv) {
        return xcoll_alltoall(send.as<char>(), recv.as<char>(), large, XCOLL_UINT8, comm);
    });
    late(rank, "bcast", [](xcoll_comm_t comm, const Pages &send, const Pages &) {
        return xcoll_bcast(send.as<char>(), large, XCOLL_UINT8, 0, comm);
    });
    late(rank, "group", [](xcoll_comm_t comm, const Pages &send, const Pages &recv) {
        constexpr size_t half = large / 2 - 1;
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_allgather(send.as<char>(), half, recv.as<char>(), XCOLL_UINT8, comm));
        ranks::succeed(xcoll_bcast(send.as<char>() + half + 1, half, XCOLL_UINT8, 0, comm));
        return xcoll_group_end();
    });
    late(rank, "allreduce", [](xcoll_comm_t comm, const Pages &send, const Pages &recv) {
        return xcoll_allreduce(send.as<char>(), recv.as<char>(), large, XCOLL_UINT8, XCOLL_MAX, comm);
    });
}

// What the ranks tell each other in the next test.
enum Number : uint8_t { inside, returned };

// An operator that is slow enough for rank 0 to give up while another rank is in it.
xcoll_result_t linger(const void *, void *, size_t, xcoll_dtype_t, void *context) {
    const Rank &rank = *static_cast<const Rank *>(context);
    if (rank.rank() > 0) {
        rank.shared().numbers[inside] = 1;
        const timespec time{0, 2'000'000};
        nanosleep(&time, nullptr);
        ranks::check(rank.shared().numbers[returned] == 0, "rank 0 has its buffers back, which are still in use");
    }
    return XCOLL_SUCCESS;
}

// A rank that is fast enough has its result before rank 0 gives up.
void may_be_over(xcoll_result_t result) {
    ranks::check(result == XCOLL_SUCCESS || result == XCOLL_ERR_ABORTED, "a result comes, or the abort");
}

void a_rank_that_gives_up_waits_for_those_who_use_its_buffers(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_op_create(linger, &rank, nullptr, "lingers", 0, &op));
    const Pages send(large), recv(large);
    if (rank.rank() == 0) {
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_iallreduce(send.as<char>(), recv.as<char>(), large, XCOLL_UINT8, op, comm, &request));
        while (rank.shared().numbers[inside] == 0) {
            std::this_thread::yield();
        }
        ranks::succeed(xcoll_comm_abort(comm, "enough"));
        rank.shared().numbers[returned] = 1;
        std::memset(recv.as<char>(), 0, large); // ThreadSanitizer sees if another rank's stores are not over
        may_be_over(xcoll_wait(&request));
    } else {
        may_be_over(xcoll_allreduce(send.as<char>(), recv.as<char>(), large, XCOLL_UINT8, op, comm));
    }
    rank.meet();
    rank.shared().numbers[inside] = rank.shared().numbers[returned] = 0;
    ranks::succeed(xcoll_op_free(&op));
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    lent_bytes::Bytes(rank, comm, lent_bytes::Reductions::lend).run();
    ranks::succeed(xcoll_comm_free(&comm));
    for (int turn = 0; turn < 3 && rank.size() > 1; ++turn) {
        nobody_reads_what_a_rank_has_taken_back(rank);
        a_rank_that_gives_up_waits_for_those_who_use_its_buffers(rank);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
