// threads
// ranks: 2 3 5
// timeout: 120
//
// Ranks are killed while all meet at a unique id. The others return with an error, those that wait for the dead one
// long before their time is up, and nothing is left behind.
#include "jobs.h"

namespace {

struct Meeting {
    Meeting(int ranks, int64_t timeout_ms) : size(ranks), patience_ms(timeout_ms) {
        ranks::succeed(xcoll_get_unique_id(&id));
        void *memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ranks::check(memory != MAP_FAILED, "mmap failed");
        reports = static_cast<jobs::Report *>(memory);
    }
    ~Meeting() {
        munmap(reports, bytes());
    }
    Meeting(const Meeting &) = delete;
    Meeting &operator=(const Meeting &) = delete;

    size_t bytes() const {
        return static_cast<size_t>(size) * sizeof(jobs::Report);
    }
    pid_t start(int rank) {
        const pid_t child = fork();
        ranks::check(child >= 0, "fork failed");
        if (child > 0) {
            return child;
        }
        ranks::speaker = rank;
        xcoll_comm_config_t config;
        ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
        config.ids = &id;
        config.id_count = 1;
        config.rank = rank;
        config.size = size;
        config.timeout_ms = patience_ms;
        xcoll_comm_t comm = XCOLL_COMM_NULL;
        reports[rank].is_ready = 1;
        const xcoll_result_t result = xcoll_comm_create(&config, &comm);
        ranks::check((result == XCOLL_SUCCESS) == (comm != XCOLL_COMM_NULL),
                     "a communicator and an error exclude each other");
        reports[rank].write(result);
        ranks::succeed(xcoll_comm_free(&comm));
        std::exit(0);
    }
    // The children end by themselves, and well, but for this one.
    void finish(const std::vector<pid_t> &children, size_t killed) {
        for (size_t i = 0; i < children.size(); ++i) {
            int status = 0;
            waitpid(children[i], &status, 0);
            ranks::check(i == killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0), "a survivor ended badly");
        }
    }

    const int size;
    const int64_t patience_ms;
    xcoll_unique_id_t id;
    jobs::Report *reports;
};

bool says(const jobs::Report &report, const std::string &text) {
    return std::strstr(report.message, text.c_str()) != nullptr;
}

// The last rank never comes; rank 0 made sure to be the root by coming alone. `killed` is one that waits.
void one_that_waits(int size, int killed) {
    Meeting meeting(size + 1, 15'000);
    std::vector<pid_t> children;
    for (int rank = 0; rank < size; ++rank) {
        children.push_back(meeting.start(rank));
        while (!meeting.reports[rank].is_ready) {
            jobs::sleep_us(1000);
        }
        jobs::sleep_us(300'000); // it has joined by then, most likely
    }
    kill(children[static_cast<size_t>(killed)], SIGKILL);
    meeting.finish(children, static_cast<size_t>(killed));
    for (int rank = 0; rank < size; ++rank) {
        const jobs::Report &report = meeting.reports[rank];
        if (rank == killed) {
            continue;
        }
        ranks::check(report.is_written != 0, "a survivor said nothing");
        // On a very busy machine it had not joined yet, and is missed like any other.
        const bool was_noticed = says(report, "lost its connection to rank " + std::to_string(killed)) ||
                                 says(report, "lost its connection to the process at which the ranks meet");
        const bool was_missed = report.result == XCOLL_ERR_TIMEOUT && says(report, std::to_string(killed));
        ranks::check(was_noticed || was_missed, report.message);
    }
}

// The root has begun to serve, and dies before it answers the others. Its parent, this process, still has the socket.
void the_root_before_it_answers(int size) {
    Meeting meeting(size, 60'000);
    std::vector<pid_t> children = {meeting.start(0)};
    while (!meeting.reports[0].is_ready) {
        jobs::sleep_us(1000);
    }
    jobs::sleep_us(300'000); // it serves by then, most likely; else one of the others does
    kill(children[0], SIGSTOP);
    for (int rank = 1; rank < size; ++rank) {
        children.push_back(meeting.start(rank));
    }
    jobs::sleep_us(300'000);
    kill(children[0], SIGKILL);
    meeting.finish(children, 0);
    for (int rank = 1; rank < size; ++rank) {
        const jobs::Report &report = meeting.reports[rank];
        ranks::check(report.is_written != 0, "a survivor said nothing");
        ranks::check(says(report, "the process that served a unique id has ended") ||
                         says(report, "rank 0 did not come"),
                     report.message);
    }
}

// All come, and one dies at some moment between its fork and its return.
void at_any_moment(int size) {
    for (int round = 0; round < 15; ++round) {
        Meeting meeting(size, 2000); // who dies before it has come is missed only then
        const auto killed = static_cast<size_t>(round % size);
        std::vector<pid_t> children;
        for (int rank = 0; rank < size; ++rank) {
            children.push_back(meeting.start(rank));
        }
        jobs::sleep_us(static_cast<unsigned>(round * 700));
        kill(children[killed], SIGKILL);
        meeting.finish(children, killed);
        for (int rank = 0; rank < size; ++rank) {
            const jobs::Report &report = meeting.reports[rank];
            ranks::check(rank == static_cast<int>(killed) || report.is_written != 0, "a survivor said nothing");
            ranks::check(report.is_written == 0 || report.result == XCOLL_SUCCESS || report.message[0] != '\0',
                         "an error without a message");
        }
    }
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]);
    one_that_waits(size, size - 1);
    one_that_waits(size, 0);
    the_root_before_it_answers(size);
    at_any_moment(size);
    return 0;
}
