// An allgather that owes nothing to the library: for xcoll_comm_create between forked processes and their threads.
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ranks.h"

namespace exchange {

// Lies in memory that parent and children share.
struct Board {
    static constexpr size_t most_ranks = 64, room = 16384;
    pthread_barrier_t barrier;
    int size;
    unsigned char bytes[most_ranks][room];

    static Board *create(int size) {
        void *memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ranks::check(memory != MAP_FAILED, "mmap failed");
        auto *board = new (memory) Board;
        board->size = size;
        pthread_barrierattr_t attributes;
        pthread_barrierattr_init(&attributes);
        pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(&board->barrier, &attributes, static_cast<unsigned>(size));
        return board;
    }
    void destroy() {
        munmap(this, sizeof *this);
    }
    void meet() {
        pthread_barrier_wait(&barrier);
    }
};

// The context of the callback.
struct Seat {
    Board *board;
    int rank;
    int calls = 0;
};

inline xcoll_result_t allgather(void *context, const void *send, void *recv, size_t bytes_per_rank) {
    Seat &seat = *static_cast<Seat *>(context);
    ++seat.calls;
    const auto *from = static_cast<const unsigned char *>(send);
    auto *to = static_cast<unsigned char *>(recv);
    for (size_t at = 0; at < bytes_per_rank; at += Board::room) {
        const size_t here = std::min(Board::room, bytes_per_rank - at);
        std::memcpy(seat.board->bytes[seat.rank], from + at, here);
        seat.board->meet();
        for (int rank = 0; rank < seat.board->size; ++rank) {
            std::memcpy(to + static_cast<size_t>(rank) * bytes_per_rank + at, seat.board->bytes[rank], here);
        }
        seat.board->meet();
    }
    return XCOLL_SUCCESS;
}

inline xcoll_comm_config_t config(Seat &seat) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.rank = seat.rank;
    config.size = seat.board->size;
    config.allgather = allgather;
    config.allgather_context = &seat;
    return config;
}
inline xcoll_comm_t create(Seat &seat) {
    const xcoll_comm_config_t c = config(seat);
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_create(&c, &comm));
    return comm;
}

// Runs body(first_rank) in `processes` forked processes; fails unless all return.
template <class Body> void in_processes(int processes, Body body) {
    std::vector<pid_t> children;
    for (int process = 0; process < processes; ++process) {
        const pid_t child = fork();
        ranks::check(child >= 0, "fork failed");
        if (child == 0) {
            body(process);
            std::exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        ranks::check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a process of the test has failed");
    }
}

} // namespace exchange
