// Jobs that scripts look at from outside: how they begin, and how they hang.
#pragma once

#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "../ranks/ranks.h"

namespace looked_at {

struct Job {
    xcoll_comm_t world;
    int rank, size;
};

inline Job start(const char *settings = nullptr) {
    Job job{};
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.settings = settings;
    ranks::succeed(xcoll_init_config(&config, &job.world));
    ranks::succeed(xcoll_comm_rank(job.world, &job.rank));
    ranks::succeed(xcoll_comm_size(job.world, &job.size));
    return job;
}

// The ranks are threads of this process.
inline void on_threads(int size, const std::function<void(Job)> &of_rank) {
    std::vector<xcoll_comm_t> comms(static_cast<size_t>(size));
    ranks::succeed(xcoll_comm_create_threads(size, comms.data()));
    std::vector<std::thread> members;
    for (int rank = 0; rank < size; ++rank) {
        members.emplace_back(of_rank, Job{comms[static_cast<size_t>(rank)], rank, size});
    }
    for (std::thread &member : members) {
        member.join();
    }
}

[[noreturn]] inline void hang() {
    for (;;) {
        pause();
    }
}

} // namespace looked_at
