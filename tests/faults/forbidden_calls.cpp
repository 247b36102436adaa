// threads
// ranks: 1 2 3
// timeout: 120
//
// A system call that a start needs fails on the last rank, as under the filter of a container. This rank is told which
// call and why; the others get an error, too: at once if they have met it, else when their time is up.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "filter.h"
#include "jobs.h"

namespace {

constexpr int skipped = 77;
constexpr int64_t timeout_ms = 4000;
constexpr int most_ranks = 3;

struct Row {
    const char *named; // by the message
    filter::SystemCall call;
    int least_ranks; // that need it
};

constexpr Row rows[] = {
    {"memfd_create", {.number = SYS_memfd_create}, 1},
    {"ftruncate of a shared segment", {.number = SYS_ftruncate}, 1},
    {"sealing a shared segment", {.number = SYS_fcntl, .argument = 1, .value = F_ADD_SEALS}, 1},
    {"mmap of a shared segment", {.number = SYS_mmap, .argument = 3, .bits = MAP_SHARED}, 1},
    {"fcntl(F_DUPFD_CLOEXEC)", {.number = SYS_fcntl, .argument = 1, .value = F_DUPFD_CLOEXEC}, 1},
    {"getrandom", {.number = SYS_getrandom}, 1},
    {"socket(TCP)", {.number = SYS_socket, .argument = 0, .bits = AF_INET & AF_INET6}, 2},
    {"bind(TCP)", {.number = SYS_bind}, 2},
    {"listen(TCP)", {.number = SYS_listen}, 2},
    {"socket(AF_UNIX)", {.number = SYS_socket, .argument = 0, .value = AF_UNIX}, 2},
    {"accept(AF_UNIX)", {.number = SYS_accept4}, 2},
    {"sendmsg(SCM_RIGHTS)", {.number = SYS_sendmsg}, 2},
};

// What the ranks of a job share, and its supervisor with them.
struct Shared {
    std::atomic<int> has_id;
    xcoll_unique_id_t id;
    jobs::Report reports[most_ranks];
};

// The first rank makes the id, and so it is the one that the others call.
xcoll_result_t start(int rank, int size, Shared &shared) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    if (size == 1) {
        return xcoll_init(&comm);
    }
    if (rank == 0) {
        ranks::succeed(xcoll_get_unique_id(&shared.id));
        shared.has_id = 1;
    }
    while (!shared.has_id) {
        jobs::sleep_us(100);
    }
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.ids = &shared.id;
    config.id_count = 1;
    config.rank = rank;
    config.size = size;
    config.timeout_ms = timeout_ms;
    return xcoll_comm_create(&config, &comm);
}

// A job of its own for each row; they run side by side, since some end only when their time is up.
class Job {
public:
    Job(const Row &row, int size) : row_(row), shared_(share()) {
        for (int rank = 0; rank < size; ++rank) {
            children_.push_back(fork());
            ranks::check(children_.back() >= 0, "fork failed");
            if (children_.back() == 0) {
                if (rank == size - 1 && !filter::forbid(row.call)) {
                    std::exit(skipped);
                }
                shared_.reports[rank].write(start(rank, size, shared_));
                std::exit(0);
            }
        }
    }

    // False where the system takes no filter.
    bool finish() const {
        int status = 0;
        for (const pid_t child : children_) {
            waitpid(child, &status, 0);
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == skipped) {
            return false;
        }
        for (size_t rank = 0; rank < children_.size(); ++rank) {
            const jobs::Report &report = shared_.reports[rank];
            const bool is_told = std::strstr(report.message, row_.named) && std::strstr(report.message, "errno 1)");
            if (report.result == XCOLL_SUCCESS || (rank == children_.size() - 1 && !is_told)) {
                ranks::wrong(std::string("without ") + row_.named + " rank " + std::to_string(rank) + " got " +
                             xcoll_error_name(report.result) + ": " + report.message);
            }
        }
        return true;
    }

private:
    // Until this process ends.
    static Shared &share() {
        void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ranks::check(memory != MAP_FAILED, "mmap failed");
        return *static_cast<Shared *>(memory);
    }

    const Row &row_;
    Shared &shared_;
    std::vector<pid_t> children_;
};

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]);
    std::vector<Job> all;
    for (const Row &row : rows) {
        if (size >= row.least_ranks) {
            all.emplace_back(row, size);
        }
    }
    for (const Job &job : all) {
        if (!job.finish()) {
            std::puts("this system takes no filter of system calls");
            return skipped;
        }
    }
    return 0;
}
