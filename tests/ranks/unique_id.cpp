// threads
// ranks: 1 2 3 5 8
// timeout: 120
//
// Ranks that nobody launched and that have no way to each other: they meet at a unique id or where the environment
// says. Processes, threads of one process, several threads of several processes; and everything works as usual then.
#include <netinet/in.h>

#include "exchange.h"

using exchange::in_processes;

namespace {

constexpr int64_t patience_ms = 60'000;

xcoll_unique_id_t make_id() {
    xcoll_unique_id_t id;
    ranks::succeed(xcoll_get_unique_id(&id));
    return id;
}

xcoll_comm_t create(const std::vector<xcoll_unique_id_t> &ids, int rank, int size) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.ids = ids.data();
    config.id_count = ids.size();
    config.rank = rank;
    config.size = size;
    config.timeout_ms = patience_ms;
    // Who computes the proofs is each rank's own affair.
    config.settings = rank % 2 == 1 ? "CRYPTO=own" : "CRYPTO=auto";
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_create(&config, &comm));
    return comm;
}

// It is told by whom the ranks were recognized, and why not by the crypto library.
void look_at_authentication(xcoll_comm_t comm, int rank) {
    size_t length = 0;
    ranks::succeed(xcoll_comm_describe(comm, nullptr, &length));
    std::string text(length, '\0');
    ranks::succeed(xcoll_comm_describe(comm, text.data(), &length));
    constexpr const char *own = R"("authentication": {"by": "xcoll's own code", "why_no_library": )";
    const char *opened = R"("authentication": {"by": "OpenSSL )", *setting = R"("XCOLL_CRYPTO=own"})";
    const bool is_own = text.find(own) != std::string::npos, is_chosen = text.find(setting) != std::string::npos;
    ranks::check(rank % 2 == 1 ? is_own && is_chosen : is_own != (text.find(opened) != std::string::npos) && !is_chosen,
                 "it is not told who computed the proofs");
}

void use(xcoll_comm_t comm, int rank, int size) {
    int actual = -1;
    ranks::succeed(xcoll_comm_rank(comm, &actual));
    ranks::check(actual == rank, "another rank than asked for");
    ranks::succeed(xcoll_comm_local_size(comm, &actual));
    ranks::check(actual == size, "not all ranks of this machine share memory");
    for (const size_t count : {size_t{1}, size_t{100'000}}) {
        std::vector<int> data(count, rank + 1);
        ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::check(std::count(data.begin(), data.end(), size * (size + 1) / 2) == static_cast<ptrdiff_t>(count),
                     "allreduce has a wrong result");
    }
    xcoll_comm_t child = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &child));
    ranks::succeed(xcoll_barrier(child));
    ranks::succeed(xcoll_comm_free(&child));
}

void create_and_use(const std::vector<xcoll_unique_id_t> &ids, int rank, int size) {
    ranks::speaker = rank;
    xcoll_comm_t comm = create(ids, rank, size);
    look_at_authentication(comm, rank);
    use(comm, rank, size);
    ranks::succeed(xcoll_comm_free(&comm));
}

// This process makes the id and hands over to its children, which have the socket from it.
void children_of_the_maker(int size) {
    const std::vector<xcoll_unique_id_t> id = {make_id()};
    in_processes(size, [&](int rank) { create_and_use(id, rank, size); });
}

struct Pipe {
    Pipe() {
        ranks::check(pipe(ends) == 0, "pipe failed");
    }
    ~Pipe() {
        close(ends[0]);
        close(ends[1]);
    }
    int ends[2];
};

// One of the ranks makes the id and tells the others, as programs with a store of their own do.
void one_of_the_ranks_is_the_maker(int size) {
    const int maker = size / 2;
    Pipe pipe;
    in_processes(size, [&](int rank) {
        xcoll_unique_id_t id;
        if (rank == maker) {
            id = make_id();
            for (int other = 0; other < size; ++other) {
                ranks::check(write(pipe.ends[1], &id, sizeof id) == sizeof id, "write failed");
            }
        }
        ranks::check(read(pipe.ends[0], &id, sizeof id) == sizeof id, "read failed");
        create_and_use({id}, rank, size);
    });
}

void threads_of_one_process(int size) {
    in_processes(1, [&](int) {
        const std::vector<xcoll_unique_id_t> id = {make_id()};
        std::vector<std::thread> threads;
        for (int rank = 0; rank < size; ++rank) {
            threads.emplace_back([&, rank] { create_and_use(id, rank, size); });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
    });
}

// Two threads of each process are ranks, and there are as many ids as fit.
void threads_of_processes_with_several_ids(int processes) {
    const int size = 2 * processes;
    std::vector<xcoll_unique_id_t> ids;
    for (int i = 0; i < std::min(size, 3); ++i) {
        ids.push_back(make_id());
    }
    in_processes(processes, [&](int process) {
        std::thread other([&] { create_and_use(ids, 2 * process + 1, size); });
        create_and_use(ids, 2 * process, size);
        other.join();
    });
}

// Each with its id, alive side by side, freed in another order than made.
void several_communicators_of_a_process(int size) {
    const std::vector<xcoll_unique_id_t> ids = {make_id(), make_id(), make_id()};
    in_processes(size, [&](int rank) {
        ranks::speaker = rank;
        std::vector<xcoll_comm_t> comms;
        for (const xcoll_unique_id_t &id : ids) {
            comms.push_back(create({id}, rank, size));
        }
        for (xcoll_comm_t comm : comms) {
            use(comm, rank, size);
        }
        ranks::succeed(xcoll_comm_free(&comms[1]));
        use(comms[2], rank, size);
        ranks::succeed(xcoll_comm_free(&comms[0]));
        ranks::succeed(xcoll_comm_free(&comms[2]));
    });
}

// Somebody may take it before we do, though not a call from this machine: to those the kernel gives even numbers first.
int free_port() {
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t bytes = sizeof address;
    ranks::check(bind(probe, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr *>(&address), &bytes) == 0,
                 "no free port");
    close(probe);
    return ntohs(address.sin_port) | 1;
}

// xcoll_init in processes with these variables besides the numbers of the rank and of all.
void by_the_environment(int size, const char *rank_name, const char *size_name,
                        const std::vector<std::pair<std::string, std::string>> &variables) {
    in_processes(size, [&](int rank) {
        ranks::speaker = rank;
        setenv(rank_name, std::to_string(rank).c_str(), 1);
        setenv(size_name, std::to_string(size).c_str(), 1);
        setenv("XCOLL_SECRET", "a secret of this test alone", 1);
        for (const auto &[name, value] : variables) {
            setenv(name.c_str(), value.c_str(), 1);
        }
        // Twice from the beginning: the second meeting is at the same place.
        for (int again = 0; again < 2; ++again) {
            xcoll_comm_t world = XCOLL_COMM_NULL;
            ranks::succeed(xcoll_init(&world));
            use(world, rank, size);
            ranks::succeed(xcoll_finalize());
            ranks::succeed(xcoll_comm_free(&world));
        }
    });
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]);
    children_of_the_maker(size);
    one_of_the_ranks_is_the_maker(size);
    if (ranks::strangers_can_be_seen) {
        threads_of_one_process(size);
        threads_of_processes_with_several_ids(size);
    }
    several_communicators_of_a_process(size);
    const int port = free_port();
    by_the_environment(size, "XCOLL_RANK", "XCOLL_SIZE", {{"XCOLL_ROOT", "localhost:" + std::to_string(port)}});
    by_the_environment(size, "RANK", "WORLD_SIZE", {{"XCOLL_ROOT", "127.0.0.1:" + std::to_string(port)}});
    by_the_environment(size, "RANK", "WORLD_SIZE",
                       {{"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(port - 1)}}); // the next is used
    return 0;
}
