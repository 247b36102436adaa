// What ranks see of one that goes away, where messages go over a network: run by the scripts of this folder. The first
// argument says how it goes. Those that stay say "good", as the launcher does not know what is good.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "demand.h"
#include "ranks/ranks.h"

namespace {

xcoll_result_t add_up(xcoll_comm_t comm) {
    const int one = 1;
    int sum = 0;
    return xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm);
}

// Exactly these, one or nobody.
void expect_failed(xcoll_comm_t comm, int rank) {
    int failed[3] = {-1, -1, -1};
    size_t count = 3;
    succeed(xcoll_comm_failed_ranks(comm, &count, failed), "xcoll_comm_failed_ranks");
    demand(count == (rank < 0 ? 0 : 1) && failed[0] == rank,
           "xcoll_comm_failed_ranks tells of " + std::to_string(count) + " ranks, first " + std::to_string(failed[0]));
}

void expect_trouble(xcoll_result_t result, const std::string &what) {
    demand(result == XCOLL_ERR_PEER_DEAD || result == XCOLL_ERR_ABORTED,
           what + " returned " + xcoll_error_name(result));
}

// Rank 0 gives its part, frees everything and ends, while rank 1 waits for a part of another rank.
void ends_when_it_is_done(xcoll_comm_t world) {
    const int mine = rank_ + 1;
    int parts[8] = {};
    if (rank_ > 1) {
        sleep(1);
    }
    succeed(xcoll_gather(&mine, 1, parts, XCOLL_INT32, 1, world), "the gather");
    demand(rank_ != 1 || (parts[0] == 1 && parts[2] == 3), "the parts are wrong");
}

// The others find out on that communicator alone.
void frees_a_communicator(xcoll_comm_t world) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    succeed(xcoll_comm_dup(world, &comm), "the copy");
    succeed(add_up(comm), "the sum");
    succeed(xcoll_barrier(world), "the barrier");
    if (rank_ == 1) {
        succeed(xcoll_comm_free(&comm), "to free it");
        sleep(2); // where nothing of the library runs
    } else {
        expect_trouble(add_up(comm), "the sum on a communicator that rank 1 freed");
        expect_trouble(add_up(comm), "the sum after that");
        expect_failed(comm, -1);
        succeed(xcoll_comm_free(&comm), "to free it");
    }
    succeed(xcoll_barrier(world), "the barrier on another communicator");
}

// As when the kernel ends a process: its connections are gone while it still counts as alive.
void closes_its_connections() {
    constexpr int more_than_are_open = 1024;
    for (int fd = 0; fd < more_than_are_open; ++fd) {
        sockaddr_storage address = {};
        socklen_t size = sizeof address;
        if (getpeername(fd, reinterpret_cast<sockaddr *>(&address), &size) == 0 &&
            (address.ss_family == AF_INET || address.ss_family == AF_INET6)) {
            shutdown(fd, SHUT_RDWR);
        }
    }
    sleep(2);
}

void dies(xcoll_comm_t world, const std::string &how) {
    const ranks::Rank self(rank_, 3, ranks::share(world, rank_, 3), nullptr);
    for (int time = 0; time < 3; ++time) {
        succeed(add_up(world), "the sum");
    }
    expect_failed(world, -1);
    // Not by a barrier of the library: another rank may still be in it when rank 1 has gone on and is missed.
    self.meet();
    if (rank_ == 1) {
        if (how == "killed") {
            std::raise(SIGKILL);
        }
        if (how == "cut") {
            closes_its_connections();
        }
        _exit(0);
    }
    expect_trouble(add_up(world), "the sum without rank 1");
    expect_trouble(xcoll_barrier(world), "the barrier after that");
    expect_failed(world, 1);
}

// Rank 1 gives up, frees everything and ends in good order: it has not failed.
void gives_up(xcoll_comm_t world) {
    xcoll_comm_t others = XCOLL_COMM_NULL;
    succeed(xcoll_comm_split(world, rank_ == 1 ? XCOLL_UNDEFINED : 0, 0, &others), "the split");
    ranks::Rank(rank_, 3, ranks::share(world, rank_, 3), nullptr).meet();
    if (rank_ == 1) {
        succeed(xcoll_comm_abort(world, "enough"), "to abort");
        return;
    }
    expect_trouble(add_up(world), "the sum after rank 1 gave up");
    for (int time = 0; time < 20; ++time) { // until its connections are gone
        usleep(50'000);
        succeed(xcoll_barrier(others), "the barrier without rank 1");
    }
    expect_failed(world, -1);
    succeed(xcoll_comm_free(&others), "to free it");
}

// The error names the rank that does not come, on all the others.
void does_not_come(xcoll_comm_t world) {
    const ranks::Rank self(rank_, 3, ranks::share(world, rank_, 3), nullptr);
    self.meet();
    if (rank_ != 1) {
        const int one = 1;
        int sum = 0, is_done = 0;
        xcoll_status_t status;
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        succeed(xcoll_comm_set_timeout(world, 1000), "to set the time limit");
        succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, world, &request), "to start a sum");
        const xcoll_result_t result = xcoll_wait_for(&request, -1, &is_done, &status);
        demand(result == XCOLL_ERR_TIMEOUT || result == XCOLL_ERR_ABORTED,
               std::string("the sum returned ") + xcoll_error_name(result));
        demand(status.rank == 1, "the status blames rank " + std::to_string(status.rank));
        demand(std::string(xcoll_last_error()).find("rank 1 does not answer") != std::string::npos,
               "the message does not say who is missing");
    }
    self.meet();
}

// Rank 1 starts to give a long part and goes its own ways before rank 0 comes to take it: which is told so.
void goes_astray(xcoll_comm_t world) {
    xcoll_comm_t tried = XCOLL_COMM_NULL;
    succeed(xcoll_comm_dup(world, &tried), "the copy");
    constexpr size_t part = 100'000;
    std::vector<char> given(part), taken(3 * part);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    succeed(xcoll_comm_set_timeout(tried, rank_ == 0 ? 1000 : 7000), "to set the time limit");
    if (rank_ == 0) {
        usleep(400'000);
    }
    succeed(xcoll_igather(given.data(), part, taken.data(), XCOLL_INT8, 0, tried, &request), "to start a gather");
    if (rank_ == 1) {
        for (int time = 0, is_done = 0; time < 100; ++time) {
            succeed(xcoll_test(&request, &is_done), "to test it");
            usleep(1000);
        }
        sleep(2);
    }
    const xcoll_result_t result = xcoll_wait(&request);
    if (rank_ == 0) {
        demand(result == XCOLL_ERR_TIMEOUT, std::string("the gather returned ") + xcoll_error_name(result));
        const std::string text = xcoll_last_error();
        demand(text.find("rank 1 has entered it and does not answer any more") != text.npos, "rank 0 is told " + text);
    }
    succeed(xcoll_comm_free(&tried), "to free it");
    succeed(xcoll_barrier(world), "the barrier on another communicator");
}

// Rank 0 gives up on a communicator on which others wait for it and for each other with long messages, and goes on
// elsewhere: they hear of it, and get back what nobody took, before their own time is over. If it is in no call for
// longer than they are patient, they cut it off.
void aborts(xcoll_comm_t world, bool goes_on) {
    xcoll_comm_t tried = XCOLL_COMM_NULL;
    succeed(xcoll_comm_dup(world, &tried), "the copy");
    std::vector<float> data(20'000, 1);
    const auto add_up_all = [&] {
        return xcoll_allreduce(XCOLL_IN_PLACE, data.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM, tried);
    };
    succeed(add_up_all(), "the long sum");
    if (rank_ == 0) {
        usleep(200'000); // what the others send has come
        succeed(xcoll_comm_abort(tried, "enough"), "the abort");
    } else {
        succeed(xcoll_comm_set_timeout(tried, 7'000), "to set the time limit");
        const xcoll_result_t result = add_up_all();
        demand(result == XCOLL_ERR_ABORTED, std::string("the long sum returned ") + xcoll_error_name(result));
        const std::string text = xcoll_last_error();
        demand(text.find("rank 0 aborted this communicator: enough") != text.npos, "the abort is told as " + text);
    }
    if (goes_on) {
        succeed(xcoll_barrier(world), "the barrier on another communicator");
    } else if (rank_ == 0) {
        sleep(10);
    }
    succeed(xcoll_comm_free(&tried), "to free the copy");
}

// Rank 1 is in a call on another communicator: it gives the message back that it never took, and stays connected.
void is_elsewhere(xcoll_comm_t world) {
    xcoll_comm_t tried = XCOLL_COMM_NULL;
    succeed(xcoll_comm_dup(world, &tried), "the copy");
    succeed(add_up(tried), "the sum");
    if (rank_ != 1) {
        std::vector<float> data(size_t{1} << 18, 1);
        succeed(xcoll_comm_set_timeout(tried, 500), "to set the time limit");
        const xcoll_result_t result =
            xcoll_allreduce(XCOLL_IN_PLACE, data.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM, tried);
        demand(result == XCOLL_ERR_TIMEOUT || result == XCOLL_ERR_ABORTED,
               std::string("the long sum returned ") + xcoll_error_name(result));
    }
    succeed(xcoll_barrier(world), "the barrier on another communicator");
    expect_failed(world, -1);
    succeed(xcoll_comm_free(&tried), "to free it");
}

} // namespace

int main(int argc, char **argv) {
    const std::string how = argc > 1 ? argv[1] : "";
    xcoll_comm_t world = XCOLL_COMM_NULL;
    succeed(xcoll_init(&world), "xcoll_init");
    succeed(xcoll_comm_rank(world, &rank_), "xcoll_comm_rank");
    succeed(xcoll_barrier(world), "the first barrier");
    if (how == "done") {
        ends_when_it_is_done(world);
    } else if (how == "freed") {
        frees_a_communicator(world);
    } else if (how == "aborted") {
        gives_up(world);
    } else if (how == "late") {
        does_not_come(world);
    } else if (how == "astray") {
        goes_astray(world);
    } else if (how == "elsewhere") {
        is_elsewhere(world);
    } else if (how == "aborts") {
        aborts(world, true);
    } else if (how == "sleeps") {
        aborts(world, false);
    } else {
        dies(world, how);
    }
    std::printf("good\n");
    std::fflush(stdout);
    succeed(xcoll_comm_free(&world), "to free the world");
    succeed(xcoll_finalize(), "xcoll_finalize");
}
