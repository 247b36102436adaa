// Jobs that something happens to: forked ranks, and a supervisor that kills or stops them and looks at what each
// survivor has to say. Nothing here is the library's: the ranks meet through memory of the test's own.
#pragma once

#include <dirent.h>
#include <signal.h>
#include <time.h>

#include <functional>
#include <set>

#include "../ranks/exchange.h"

namespace jobs {

inline int64_t now_ms() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}
inline void sleep_us(unsigned microseconds) {
    const timespec time{microseconds / 1'000'000, static_cast<long>(microseconds % 1'000'000) * 1000};
    nanosleep(&time, nullptr);
}

// What one rank says at its end.
struct Report {
    std::atomic<int> is_ready; // it is about to do what it is there for
    std::atomic<int> is_written;
    xcoll_result_t result;
    int blamed; // 1 + the rank that a status names; 0: there was no status
    int64_t at_ms;
    char message[1000];

    void write(xcoll_result_t with) {
        at_ms = now_ms();
        result = with;
        std::snprintf(message, sizeof message, "%s", xcoll_last_error());
        is_written = 1;
    }
};

struct Member {
    int rank, size;
    xcoll_comm_t comm;
    Report *report;
};
using Body = std::function<void(const Member &)>;

class Job {
public:
    // Far above any time in which the library promises anything.
    static constexpr int64_t patience_ms = 50'000;

    Job(int size, const std::string &settings, const Body &body)
        : size_(size), before_(files()), board_(exchange::Board::create(size)) {
        void *memory = mmap(nullptr, reports_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ranks::check(memory != MAP_FAILED, "mmap failed");
        reports_ = static_cast<Report *>(memory);
        std::fflush(nullptr); // not once more by every child
        for (int rank = 0; rank < size; ++rank) {
            const pid_t child = fork();
            ranks::check(child >= 0, "fork failed");
            if (child == 0) {
                run(rank, settings, body);
            }
            children_.push_back(child);
        }
    }
    ~Job() {
        for (const pid_t child : children_) {
            if (child > 0) {
                kill(child, SIGKILL);
                waitpid(child, nullptr, 0);
            }
        }
        munmap(reports_, reports_bytes());
        board_->destroy();
    }
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    Report &report(int rank) {
        return reports_[rank];
    }
    void wait_until_ready() {
        wait_for([](const Report &report) { return report.is_ready != 0; }, -1, "become ready");
    }
    void send_signal(int rank, int number) {
        ranks::check(kill(children_[static_cast<size_t>(rank)], number) == 0, "kill failed");
    }
    // Until then a rank that has ended is a zombie.
    void reap(int rank) {
        pid_t &child = children_[static_cast<size_t>(rank)];
        ranks::check(waitpid(child, nullptr, 0) == child, "waitpid failed");
        child = -1;
    }
    // All ranks but this one (-1: all) have written their reports.
    void wait_for_reports(int but = -1) {
        wait_for([](const Report &report) { return report.is_written != 0; }, but, "return");
    }
    // All ranks end, in good order but for this one, and leave nothing behind.
    void finish(int but = -1) {
        for (int rank = 0; rank < size_; ++rank) {
            pid_t &child = children_[static_cast<size_t>(rank)];
            int status = 0;
            if (child > 0 && waitpid(child, &status, 0) == child && rank != but) {
                ranks::check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a rank ended badly");
            }
            child = -1;
        }
        for (const std::string &file : files()) {
            ranks::check(before_.count(file) != 0, ("left behind: " + file).c_str());
        }
    }
    // The longest time after `since` at which a survivor returned, for the log.
    int64_t slowest_ms(int64_t since, int but) {
        int64_t slowest = 0;
        for (int rank = 0; rank < size_; ++rank) {
            slowest = rank == but ? slowest : std::max(slowest, report(rank).at_ms - since);
        }
        return slowest;
    }

private:
    size_t reports_bytes() const {
        return static_cast<size_t>(size_) * sizeof(Report);
    }
    [[noreturn]] void run(int rank, const std::string &settings, const Body &body) {
        ranks::speaker = rank;
        exchange::Seat seat{board_, rank};
        xcoll_comm_config_t config = exchange::config(seat);
        config.settings = settings.c_str();
        xcoll_comm_t comm = XCOLL_COMM_NULL;
        ranks::succeed(xcoll_comm_create(&config, &comm));
        body({rank, size_, comm, &reports_[rank]});
        std::exit(0);
    }
    template <class Condition> void wait_for(Condition condition, int but, const char *what) {
        const int64_t limit = now_ms() + patience_ms;
        for (int rank = 0; rank < size_; ++rank) {
            while (rank != but && !condition(reports_[rank])) {
                if (now_ms() > limit) {
                    ranks::wrong("rank " + std::to_string(rank) + " does not " + what);
                }
                sleep_us(500);
            }
        }
    }
    // What the library could have left where names are shared.
    static std::set<std::string> files() {
        std::set<std::string> names;
        for (const char *folder : {"/dev/shm", "/tmp"}) {
            DIR *dir = opendir(folder);
            while (const dirent *entry = dir ? readdir(dir) : nullptr) {
                if (std::strstr(entry->d_name, "xcoll")) {
                    names.insert(std::string(folder) + '/' + entry->d_name);
                }
            }
            if (dir) {
                closedir(dir);
            }
        }
        return names;
    }

    int size_;
    std::set<std::string> before_;
    exchange::Board *board_;
    Report *reports_;
    std::vector<pid_t> children_;
};

// After a fatal error every call says so, but for those that tidy up or ask.
inline void expect_sticky(xcoll_comm_t comm, xcoll_result_t result) {
    int data = 1, value = -1;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    xcoll_comm_t child = XCOLL_COMM_NULL;
    xcoll_result_t error = XCOLL_SUCCESS;
    ranks::succeed(xcoll_comm_get_async_error(comm, &error));
    ranks::expect(result, error);
    ranks::expect(result, xcoll_barrier(comm));
    ranks::expect(result, xcoll_allreduce(XCOLL_IN_PLACE, &data, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::expect(result, xcoll_bcast(&data, 1, XCOLL_INT32, 0, comm));
    ranks::expect(result, xcoll_ibarrier(comm, &request));
    ranks::check(request == XCOLL_REQUEST_NULL, "a communicator that has failed gave a request");
    ranks::expect(result, xcoll_comm_split(comm, 0, 0, &child));
    ranks::check(child == XCOLL_COMM_NULL, "a communicator that has failed gave a child");
    ranks::succeed(xcoll_comm_rank(comm, &value));
    ranks::succeed(xcoll_comm_abort(comm, "once more"));
    ranks::expect(result, xcoll_barrier(comm));
}

} // namespace jobs
