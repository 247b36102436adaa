// Jobs whose traces xcoll_doctor_trace.sh looks at. The arguments are what the job does and a marker.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "looked_at.h"

namespace {

using looked_at::hang;
using looked_at::Job;
using looked_at::start;

void end(Job &job) {
    ranks::succeed(xcoll_comm_free(&job.world));
    ranks::succeed(xcoll_finalize());
}

// ---------------------------------------------------------------------------- every form; timeline.py knows this list

void blocking_calls(xcoll_comm_t world, int size) {
    double numbers[5] = {};
    int sum[3] = {};
    ranks::succeed(xcoll_barrier(world));
    ranks::succeed(xcoll_bcast(numbers, 5, XCOLL_FLOAT64, size - 1, world));
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, sum, 3, XCOLL_INT32, XCOLL_SUM, world));
}

// Under way together: the first has not ended when the second begins.
void two_requests(xcoll_comm_t world, int size) {
    int64_t largest[7] = {};
    const int16_t mine[2] = {};
    std::vector<int16_t> all(2 * static_cast<size_t>(size));
    xcoll_request_t requests[2];
    ranks::succeed(xcoll_iallreduce(XCOLL_IN_PLACE, largest, 7, XCOLL_INT64, XCOLL_MAX, world, &requests[0]));
    ranks::succeed(xcoll_iallgather(mine, 2, all.data(), XCOLL_INT16, world, &requests[1]));
    ranks::succeed(xcoll_waitall(2, requests));
}

void started_again(xcoll_comm_t world) {
    const float in[4] = {};
    float out[4] = {};
    xcoll_request_t request;
    ranks::succeed(xcoll_reduce_init(in, out, 4, XCOLL_FLOAT32, XCOLL_SUM, 0, world, &request));
    for (int i = 0; i < 2; ++i) {
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
    }
    ranks::succeed(xcoll_request_free(&request));
}

void group(xcoll_comm_t world, int size) {
    const int one = 1;
    int sum = 0;
    std::vector<int> first(static_cast<size_t>(size)), second(static_cast<size_t>(size));
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allgather(&one, 1, first.data(), XCOLL_INT32, world));
    ranks::succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, world));
    ranks::succeed(xcoll_allgather(&one, 1, second.data(), XCOLL_INT32, world));
    ranks::succeed(xcoll_group_end());
}

// Rank r gives r + 1 numbers.
void uneven(xcoll_comm_t world, int rank, int size) {
    const std::vector<int> mine(static_cast<size_t>(rank) + 1);
    std::vector<size_t> counts;
    size_t total = 0;
    for (int p = 0; p < size; ++p) {
        counts.push_back(static_cast<size_t>(p) + 1);
        total += counts.back();
    }
    std::vector<int> all(total);
    ranks::succeed(xcoll_allgatherv(mine.data(), mine.size(), all.data(), counts.data(), nullptr, XCOLL_INT32, world));
}

void messages(xcoll_comm_t world, int rank, int size) {
    const char out[9] = {};
    char in[9];
    xcoll_request_t request;
    ranks::succeed(xcoll_irecv(in, 9, XCOLL_INT8, XCOLL_ANY_SOURCE, 5, world, &request));
    ranks::succeed(xcoll_send(out, 9, XCOLL_INT8, (rank + 1) % size, 5, world));
    ranks::succeed(xcoll_wait(&request));
}

// One rank's call is not valid, and those who wait for it are told.
void mistake(xcoll_comm_t world, int rank) {
    int one = 1, sum = 0;
    if (rank == 0) {
        ranks::expect(XCOLL_ERR_TYPE, xcoll_allreduce(&one, &sum, 1, 0, XCOLL_SUM, world));
    } else {
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, world));
    }
}

// A child, and one that nobody is to see.
void children(xcoll_comm_t world) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.name = "\"quoted\" \\ \t\033[31m \xff\xc3\xa9\xed\xa0\x80";
    xcoll_comm_t child;
    ranks::succeed(xcoll_comm_split_config(world, 0, 0, &config, &child));
    ranks::succeed(xcoll_barrier(child));
    ranks::succeed(xcoll_comm_free(&child));
    config.settings = "TRACE=";
    ranks::succeed(xcoll_comm_split_config(world, 0, 0, &config, &child));
    ranks::succeed(xcoll_barrier(child));
    ranks::succeed(xcoll_comm_free(&child));
}

void every_form(Job &job) {
    blocking_calls(job.world, job.size);
    two_requests(job.world, job.size);
    ranks::succeed(xcoll_barrier_enqueue(job.world, nullptr));
    started_again(job.world);
    group(job.world, job.size);
    uneven(job.world, job.rank, job.size);
    messages(job.world, job.rank, job.size);
    mistake(job.world, job.rank);
    children(job.world);
}

void processes() {
    Job job = start();
    every_form(job);
    end(job);
}

void threads() {
    looked_at::on_threads(3, [](Job job) {
        every_form(job);
        ranks::succeed(xcoll_comm_free(&job.world));
    });
}

// ------------------------------------------------------------------------------------------------ other jobs

// The last rank stays away from what the others have begun.
void stay_away() {
    const Job job = start();
    ranks::succeed(xcoll_barrier(job.world));
    if (job.rank < job.size - 1) {
        int one = 1;
        xcoll_request_t request;
        ranks::succeed(xcoll_iallreduce(XCOLL_IN_PLACE, &one, 1, XCOLL_INT32, XCOLL_SUM, job.world, &request));
        xcoll_barrier(job.world);
    }
    hang();
}

void a_hundred() {
    Job job = start();
    for (int i = 0; i < 100; ++i) {
        ranks::succeed(xcoll_barrier(job.world));
    }
    end(job);
}

// Rank 0 sleeps between two barriers, for 20 ms: timeline.py knows the number.
void pause_once() {
    constexpr useconds_t pause_us = 20'000;
    Job job = start();
    ranks::succeed(xcoll_barrier(job.world));
    if (job.rank == 0) {
        usleep(pause_us);
    }
    ranks::succeed(xcoll_barrier(job.world));
    end(job);
}

// A child of fork tries what only its parent may.
void fork_one() {
    Job job = start();
    ranks::succeed(xcoll_barrier(job.world));
    const pid_t child = fork();
    if (child == 0) {
        ranks::expect(XCOLL_ERR_STATE, xcoll_barrier(job.world));
        xcoll_comm_free(&job.world);
        _exit(0);
    }
    int status = 1;
    ranks::check(waitpid(child, &status, 0) == child && status == 0, "the child could not end");
    ranks::succeed(xcoll_barrier(job.world));
    end(job);
}

// One rank has no folder for its trace: all are told, and nobody waits.
void no_folder(const char *folder) {
    const char *number = std::getenv("XCOLL_RANK");
    const bool is_first = std::strcmp(number, "0") == 0;
    const std::string settings = std::string("TRACE=") + folder + (is_first ? "/absent" : "");
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.settings = settings.c_str();
    xcoll_comm_t world;
    ranks::expect(XCOLL_ERR_CONFIG, xcoll_init_config(&config, &world));
    ranks::expect_message({is_first ? "absent" : "rank 0 cannot write its trace"});
}

struct Way {
    const char *name;
    void (*go)();
};
constexpr Way ways[] = {{"processes", processes}, {"threads", threads},   {"away", stay_away},
                        {"hundred", a_hundred},   {"paused", pause_once}, {"fork", fork_one}};

} // namespace

int main(int, char **argv) {
    for (const Way &way : ways) {
        if (std::strcmp(argv[1], way.name) == 0) {
            way.go();
            return 0;
        }
    }
    no_folder(argv[1]);
    return 0;
}
