// Jobs that hang, for xcoll_doctor_job.sh. The arguments are a way to hang and a marker.
#include <unistd.h>

#include <cstring>

#include "looked_at.h"

namespace {

using looked_at::hang;
using looked_at::Job;
using looked_at::start;

void add_up(xcoll_comm_t comm, int turns) {
    int data[1024] = {};
    for (int turn = 0; turn < turns; ++turn) {
        ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, data, 1024, XCOLL_INT32, XCOLL_SUM, comm));
    }
}

// The last rank stays away.
void stay_away() {
    const Job job = start();
    add_up(job.world, job.rank < job.size - 1 ? 20 : 19);
}

// Two communicators, used in another order by the last rank. The name of one would turn a terminal red, and is
// not all UTF-8.
void cross() {
    const Job job = start();
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.name = "\033[31mrows \xc3\xa9 \x9b \xc2\x9b \xff\x7f";
    xcoll_comm_t rows;
    ranks::succeed(xcoll_comm_split_config(job.world, 0, 0, &config, &rows));
    const bool is_last = job.rank == job.size - 1;
    add_up(is_last ? job.world : rows, 1);
}

// Nobody sends.
void receive() {
    const Job job = start();
    char byte;
    if (job.rank == 0) {
        ranks::succeed(xcoll_recv(&byte, 1, XCOLL_INT8, 1, 7, job.world));
    }
}

// The first rank waits for a message, and others for it and for the last one, which stays away.
void receive_first() {
    const Job job = start();
    const int last = job.size - 1;
    char byte;
    if (job.rank == 0) {
        ranks::succeed(xcoll_recv(&byte, 1, XCOLL_INT8, last, 7, job.world));
    } else if (job.rank != last) {
        ranks::succeed(xcoll_barrier(job.world));
    }
}

// A request that is tested and never done.
void test() {
    const Job job = start();
    if (job.rank == 0) {
        xcoll_request_t request;
        ranks::succeed(xcoll_ibarrier(job.world, &request));
        for (int done = 0; !done;) {
            ranks::succeed(xcoll_test(&request, &done));
        }
    }
}

// The first rank has begun many requests, the others none.
void many() {
    const Job job = start();
    constexpr int requests = 40;
    xcoll_request_t first = XCOLL_REQUEST_NULL;
    for (int i = 0; job.rank == 0 && i < requests; ++i) {
        xcoll_request_t request;
        ranks::succeed(xcoll_ibarrier(job.world, &request));
        first = i == 0 ? request : first;
    }
    if (job.rank == 0) {
        ranks::succeed(xcoll_wait(&first));
    }
}

// The last rank has freed its communicator before the others have done with it: they fail, and go on.
void leave() {
    const Job job = start();
    xcoll_comm_t world = job.world;
    if (job.rank == job.size - 1) {
        ranks::succeed(xcoll_comm_free(&world));
    } else {
        ranks::check(xcoll_barrier(world) != XCOLL_SUCCESS, "a barrier with a rank that has left has succeeded");
    }
}

// One rank ends, and the others take no notice.
void end_one() {
    const Job job = start();
    add_up(job.world, 1);
    if (job.rank == job.size - 1) {
        _exit(0);
    }
}

// A child of each rank lives on, too.
void fork_one() {
    const Job job = start();
    add_up(job.world, 1);
    if (fork() != 0) {
        add_up(job.world, job.rank == 0 ? 1 : 0);
    }
}

void threads() {
    looked_at::on_threads(3, [](const Job &job) { add_up(job.world, job.rank == 0 ? 1 : 2); });
}

// The first two wait in two communicators for one that stays away from both.
void split_threads() {
    looked_at::on_threads(3, [](const Job &job) {
        xcoll_comm_t pair;
        ranks::succeed(xcoll_comm_split(job.world, job.rank == 2, 0, &pair));
        if (job.rank != 1) {
            add_up(job.rank == 0 ? pair : job.world, 1);
        }
    });
}

struct Way {
    const char *name;
    void (*go)();
};
constexpr Way ways[] = {{"away", stay_away},
                        {"cross", cross},
                        {"receive", receive},
                        {"receive_first", receive_first},
                        {"test", test},
                        {"many", many},
                        {"leave", leave},
                        {"end", end_one},
                        {"fork", fork_one},
                        {"threads", threads},
                        {"split_threads", split_threads}};

} // namespace

int main(int, char **argv) {
    for (const Way &way : ways) {
        if (std::strcmp(argv[1], way.name) == 0) {
            way.go();
            hang();
        }
    }
    return 1;
}
