// ranks: 2 3
// env: XCOLL_TIMEOUT=30
//
// The first message to a rank takes memory of the sender's segment, whoever sends it. Where there is none, nobody is
// left waiting for it: the communicator fails on all ranks that are concerned, others go on.
#include <fcntl.h>

#include <atomic>
#include <cerrno>

#include "../ranks/ranks.h"

using ranks::Rank;

namespace {

std::atomic<bool> is_full{false};

} // namespace

// In place of the C library's: no segment gets more memory from then on.
extern "C" [[gnu::visibility("default")]] int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
    return is_full ? ENOSPC : fallocate(descriptor, 0, offset, bytes) == 0 ? 0 : errno;
}

namespace {

constexpr int sender = 0, tag = 3;

void expect_told(const Rank &rank, xcoll_result_t result) {
    if (rank.rank() == sender) {
        ranks::expect(XCOLL_ERR_SYSTEM, result);
        ranks::expect_message({"no memory for messages to other ranks", "No space left"});
    } else {
        ranks::expect(XCOLL_ERR_ABORTED, result);
        ranks::expect_message({"rank 0 gave up on this communicator", "no memory for messages"});
    }
}

// One message to every other rank, as single calls, as a group and as requests.
xcoll_result_t singly(const Rank &rank, const int *sent, int *received, xcoll_comm_t comm) {
    if (rank.rank() != sender) {
        return xcoll_recv(received, 1, XCOLL_INT32, sender, tag, comm);
    }
    for (int p = 1; p < rank.size(); ++p) {
        const xcoll_result_t result = xcoll_send(sent, 1, XCOLL_INT32, p, tag, comm);
        if (result != XCOLL_SUCCESS) {
            return result;
        }
    }
    return XCOLL_SUCCESS;
}
xcoll_result_t in_a_group(const Rank &rank, const int *sent, int *received, xcoll_comm_t comm) {
    ranks::succeed(xcoll_group_start());
    ranks::succeed(singly(rank, sent, received, comm));
    return xcoll_group_end();
}
xcoll_result_t as_requests(const Rank &rank, const int *sent, int *received, xcoll_comm_t comm) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(singly(rank, sent, received, comm));
    const xcoll_result_t result = xcoll_group_iend(&request);
    return result == XCOLL_SUCCESS ? xcoll_wait(&request) : result;
}

// The same of the library's own messages: a sum of what all ranks sent.
xcoll_result_t by_a_collective(const Rank &rank, const int *sent, int *received, xcoll_comm_t comm) {
    const xcoll_result_t result = xcoll_allreduce(sent, received, 1, XCOLL_INT32, XCOLL_SUM, comm);
    *received /= rank.size();
    return result;
}

// Communicators whose messages were the first of their ranks, until the segment was full.
template <class Send>
void nobody_waits_for_a_message_that_cannot_come(const Rank &rank, xcoll_comm_t world, Send send) {
    constexpr size_t enough = 40;
    std::vector<xcoll_comm_t> comms(enough);
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_dup(world, &comm));
    }
    is_full = rank.rank() == sender;
    bool was_full = false;
    for (const xcoll_comm_t comm : comms) {
        int sent = 17, received = -1;
        const xcoll_result_t result = send(rank, &sent, &received, comm);
        // A receiver that has got its message hears of the others' at its next call.
        const xcoll_result_t met = result == XCOLL_SUCCESS ? xcoll_barrier(comm) : result;
        if (met == XCOLL_SUCCESS) {
            ranks::check(rank.rank() == sender || received == 17, "a message is wrong");
        } else {
            expect_told(rank, met);
            was_full = true;
        }
    }
    is_full = false;
    ranks::check(was_full, "the segment had room for everything");
    ranks::succeed(xcoll_barrier(world));
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

void test(Rank &rank) {
    xcoll_comm_t world = rank.open(), ring = rank.open("ALLREDUCE=ring");
    for (const auto send : {singly, in_a_group, as_requests}) {
        nobody_waits_for_a_message_that_cannot_come(rank, world, send);
    }
    nobody_waits_for_a_message_that_cannot_come(rank, ring, by_a_collective);
    ranks::succeed(xcoll_comm_free(&ring));
    ranks::succeed(xcoll_comm_free(&world));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
