// ranks: 2 3 8
//
// Communicators that fail for good while ranks are inside calls: aborted by one of them, or left waiting for one that
// does not come. tests/faults/ does the same to processes that are killed.
#include "ranks.h"

using ranks::Rank;

namespace {

// In a blocking call, in a wait, in tests.
xcoll_result_t call(xcoll_comm_t comm, int way) {
    std::vector<float> data(100'000, 1);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (way == 0) {
        return xcoll_allreduce(XCOLL_IN_PLACE, data.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM, comm);
    }
    xcoll_result_t result =
        xcoll_iallreduce(XCOLL_IN_PLACE, data.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM, comm, &request);
    if (way == 1 || result != XCOLL_SUCCESS) {
        return result != XCOLL_SUCCESS ? result : xcoll_wait(&request);
    }
    for (int done = 0; !done && result == XCOLL_SUCCESS;) {
        result = xcoll_test(&request, &done);
        std::this_thread::yield();
    }
    ranks::check(request == XCOLL_REQUEST_NULL, "a request that failed is not NULL");
    return result;
}

void expect_failed(xcoll_comm_t comm, xcoll_result_t wanted) {
    xcoll_result_t error = XCOLL_SUCCESS;
    ranks::succeed(xcoll_comm_get_async_error(comm, &error));
    ranks::expect(wanted, error);
    for (int way = 0; way < 3; ++way) {
        ranks::expect(wanted, call(comm, way));
    }
}

void one_aborts(const Rank &rank, const std::string &settings) {
    for (int round = 0; round < 6; ++round) {
        xcoll_comm_t comm = rank.open(settings);
        ranks::succeed(call(comm, 0));
        rank.meet();
        if (rank.rank() == round % rank.size()) {
            ranks::succeed(xcoll_comm_abort(comm, "enough"));
        } else {
            ranks::expect(XCOLL_ERR_ABORTED, call(comm, (rank.rank() + round) % 3));
            ranks::expect_message({"enough", "rank " + std::to_string(round % rank.size())});
        }
        expect_failed(comm, XCOLL_ERR_ABORTED);
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

void one_does_not_come(const Rank &rank, const std::string &settings) {
    for (int round = 0; round < 3; ++round) {
        xcoll_comm_t comm = rank.open(settings);
        ranks::succeed(xcoll_comm_set_timeout(comm, 200)); // not as a setting, which would bound the start as well
        const int missing = round % rank.size();
        if (rank.rank() != missing) {
            const xcoll_result_t result = call(comm, (rank.rank() + round) % 3);
            ranks::check(result == XCOLL_ERR_TIMEOUT || result == XCOLL_ERR_ABORTED, "a deadline passed in silence");
            // Who hears of it hears who gave up first, also from one who only passes it on. Of its words the end may
            // have been cut off: several ranks may have been late.
            ranks::expect_message({"longer than 0.2 s", result == XCOLL_ERR_ABORTED ? "gave up" : "XCOLL_TIMEOUT"});
            expect_failed(comm, result);
        }
        rank.meet();
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

void test(Rank &rank) {
    for (const char *settings : {"", "ALLREDUCE=ring;"}) {
        one_aborts(rank, settings);
        one_does_not_come(rank, settings);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
