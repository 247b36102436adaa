// One test that every rank of a job runs: processes under xcollrun, or threads of this process (the driver passes
// their number). A test is a function of a Rank; what it finds wrong it says, and ends the job.
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "xcoll.h"

namespace ranks {

// Threads that meet by an allgather or a unique id, as strangers do, map each other's memory once more each.
// ThreadSanitizer tells memory by its address, so it cannot see how they wait for each other.
#ifdef __SANITIZE_THREAD__
inline constexpr bool strangers_can_be_seen = false;
#else
inline constexpr bool strangers_can_be_seen = true;
#endif

// Of the caller, when it stands as a default argument. clang 14 has no std::source_location.
class Location {
public:
    static Location current(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
    const char *file_name() const {
        return file_;
    }
    int line() const {
        return line_;
    }

private:
    Location(const char *file, int line) : file_(file), line_(line) {
    }
    const char *file_;
    int line_;
};

// Who speaks; set once per rank.
inline thread_local int speaker = -1;

[[noreturn]] inline void wrong(const std::string &what, const Location &where = Location::current()) {
    const std::string text = std::string(where.file_name()) + ':' + std::to_string(where.line()) + ": rank " +
                             std::to_string(speaker) + ": " + what + '\n';
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
    _exit(1);
}
inline void check(bool ok, const char *what, const Location &where = Location::current()) {
    if (!ok) {
        wrong(what, where);
    }
}
// The call returned what it should.
inline void expect(xcoll_result_t wanted, xcoll_result_t got, const Location &where = Location::current()) {
    if (got != wanted) {
        wrong(std::string("expected ") + xcoll_error_name(wanted) + ", got " + xcoll_error_name(got) + ": " +
                  xcoll_last_error(),
              where);
    }
}
inline void succeed(xcoll_result_t got, const Location &where = Location::current()) {
    expect(XCOLL_SUCCESS, got, where);
}
// The last error's message names these.
inline void expect_message(const std::vector<std::string> &parts, const Location &where = Location::current()) {
    const std::string message = xcoll_last_error();
    for (const std::string &part : parts) {
        if (message.find(part) == std::string::npos) {
            wrong("the message \"" + message + "\" does not contain \"" + part + '"', where);
        }
    }
}

// Where a test that draws its cases at random begins: SEED=n, or where it always does.
inline uint64_t first_seed() {
    const char *text = std::getenv("SEED");
    return text ? std::strtoull(text, nullptr, 10) : 0;
}

// What all ranks share without the library's help.
struct Shared {
    pthread_barrier_t meeting;
    std::atomic<uint64_t> numbers[64];
};

class Rank {
public:
    Rank(int rank, int size, Shared *shared, xcoll_comm_t *threads)
        : rank_(rank), size_(size), shared_(shared), threads_(threads) {
        speaker = rank;
    }
    int rank() const {
        return rank_;
    }
    int size() const {
        return size_;
    }
    bool is_thread() const {
        return threads_ != nullptr;
    }
    Shared &shared() const {
        return *shared_;
    }
    // Returns when all ranks have called it; the library has no part in it.
    void meet() const {
        pthread_barrier_wait(&shared_->meeting);
    }

    // A communicator of all ranks, made with settings such as "ALLREDUCE=ring;GROUPS=2,2". Collective.
    xcoll_comm_t open(const std::string &settings = "") const {
        xcoll_comm_t comm = XCOLL_COMM_NULL;
        if (is_thread()) {
            open_threads(settings);
            comm = threads_[rank_];
            meet();
            return comm;
        }
        xcoll_comm_config_t config;
        succeed(xcoll_comm_config_defaults(&config, sizeof config));
        config.settings = settings.c_str();
        succeed(xcoll_init_config(&config, &comm));
        succeed(xcoll_finalize());
        return comm;
    }

private:
    // Thread ranks take their settings from the environment. All others wait meanwhile, so nobody reads it.
    void open_threads(const std::string &settings) const {
        meet();
        if (rank_ == 0) {
            const std::vector<std::string> names = set_variables(settings);
            succeed(xcoll_comm_create_threads(size_, threads_));
            for (const std::string &name : names) {
                unsetenv(name.c_str());
            }
        }
        meet();
    }
    static std::vector<std::string> set_variables(const std::string &settings) {
        std::vector<std::string> names;
        for (size_t at = 0; at < settings.size();) {
            const size_t end = std::min(settings.find(';', at), settings.size());
            const size_t equals = settings.find('=', at);
            names.push_back("XCOLL_" + settings.substr(at, equals - at));
            setenv(names.back().c_str(), settings.substr(equals + 1, end - equals - 1).c_str(), 1);
            at = end + 1;
        }
        return names;
    }

    int rank_, size_;
    Shared *shared_;
    xcoll_comm_t *threads_; // by rank, when the ranks are threads
};

using Test = void (*)(Rank &rank);

inline Shared *new_shared(int size, int descriptor) {
    const int flags = descriptor < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, flags, descriptor, 0);
    check(memory != MAP_FAILED, "mmap failed");
    auto *shared = new (memory) Shared{};
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->meeting, &attributes, static_cast<unsigned>(size));
    return shared;
}

// Processes find the shared memory through the descriptor of rank 0.
inline Shared *share(xcoll_comm_t world, int rank, int size) {
    char path[64] = "";
    Shared *shared = nullptr;
    if (rank == 0) {
        const int descriptor = memfd_create("ranks", 0);
        check(descriptor >= 0 && ftruncate(descriptor, sizeof(Shared)) == 0, "memfd_create failed");
        shared = new_shared(size, descriptor);
        std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(getpid()), descriptor);
    }
    succeed(xcoll_bcast(path, sizeof path, XCOLL_INT8, 0, world));
    if (rank != 0) {
        FILE *file = std::fopen(path, "r+");
        check(file != nullptr, "the shared memory of rank 0 cannot be opened");
        void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
        check(memory != MAP_FAILED, "mmap failed");
        std::fclose(file);
        shared = static_cast<Shared *>(memory);
    }
    pthread_barrier_wait(&shared->meeting);
    return shared;
}

inline void run_thread(Test test, int rank, int size, Shared *shared, xcoll_comm_t *comms) {
    Rank self(rank, size, shared, comms);
    test(self);
}

inline void run_threads(int size, Test test) {
    Shared *shared = new_shared(size, -1);
    std::vector<xcoll_comm_t> comms(static_cast<size_t>(size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back(run_thread, test, rank, size, shared, comms.data());
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    munmap(shared, sizeof *shared);
}

inline void run_process(Test test) {
    xcoll_comm_t world = XCOLL_COMM_NULL;
    int rank = 0, size = 0;
    succeed(xcoll_init(&world));
    succeed(xcoll_comm_rank(world, &rank));
    succeed(xcoll_comm_size(world, &size));
    Rank self(rank, size, share(world, rank, size), nullptr);
    test(self);
    succeed(xcoll_comm_free(&world));
    succeed(xcoll_finalize());
}

// The main function of a test.
inline int run(int argc, char **argv, Test test) {
    if (argc > 1) {
        run_threads(std::atoi(argv[1]), test);
    } else {
        run_process(test);
    }
    return 0;
}

} // namespace ranks
