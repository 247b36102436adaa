// ranks: 2 4
//
// A machine that the user describes to hwloc decides which ranks are a group: here the first two processors are two
// sockets, each with every other rank. A rank that can not describe its machine as it
// was asked to fails with all others.
#include <sched.h>

#include "lent_bytes.h"

namespace {

constexpr int skipped = 77;
constexpr const char *variable = "HWLOC_SYNTHETIC";

// The first two processors of this process; fewer if it has fewer.
std::vector<size_t> first_processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<size_t> numbers;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && numbers.size() < 2; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) {
            numbers.push_back(cpu);
        }
    }
    return numbers;
}

void bind_to(size_t processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ranks::check(sched_setaffinity(0, sizeof one, &one) == 0, "cannot be bound to a processor");
}

struct Job {
    int rank, size;
    std::string processors;
};

// With this description, on the ranks that are told it.
void open(const Job &job, xcoll_comm_t &comm, const std::string &levels, bool is_told) {
    if (is_told) {
        setenv(variable, (levels + "(indexes=" + job.processors + ")").c_str(), 1);
    }
    ranks::succeed(xcoll_init(&comm));
    unsetenv(variable);
}

void close(xcoll_comm_t &comm) {
    int sum = 1;
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    int size = 0;
    ranks::succeed(xcoll_comm_size(comm, &size));
    ranks::check(sum == size, "the sum is wrong");
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_finalize());
}

bool says(xcoll_comm_t comm, const std::string &part) {
    return lent_bytes::described(comm).find(part) != std::string::npos;
}

// Rank 0 does, and finds the plug-in nowhere.
void who_insists_on_hwloc_fails_with_all(const Job &job) {
    if (job.rank == 0) {
        setenv("XCOLL_TOPOLOGY", "hwloc", 1);
        setenv("XCOLL_PLUGIN_PATH", "/nowhere", 1);
    }
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::expect(job.rank == 0 ? XCOLL_ERR_UNSUPPORTED : XCOLL_ERR_CONFIG, xcoll_init(&comm));
    ranks::expect_message({job.rank == 0 ? "XCOLL_TOPOLOGY=hwloc, but " : "rank 0 cannot describe its machine"});
    unsetenv("XCOLL_TOPOLOGY");
    unsetenv("XCOLL_PLUGIN_PATH");
}

void sockets_are_groups(const Job &job) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    open(job, comm, "pack:2 core:1 pu:1", true);
    const bool are_several = job.size > 2; // of several ranks, or it would be no use
    ranks::check(says(comm, are_several ? "\"groups\": [[0, 2], [1, 3]]" : "\"groups\": [[0, 1]]"),
                 "the groups are not those of the description");
    ranks::check(says(comm, ", by HWLOC_SYNTHETIC\""), "describe does not tell who described the machine");
    xcoll_comm_t child = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &child));
    ranks::check(says(child, ", by HWLOC_SYNTHETIC\""), "a duplicate does not tell who described the machine");
    ranks::succeed(xcoll_comm_free(&child));
    close(comm);
}

// Rings have one size, whatever each rank thinks of the caches: twice the smallest.
void the_smallest_cache_counts_for_all(const Job &job) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    open(job, comm, "pack:1 l2:2(size=262144) core:1 pu:1", job.rank == 1);
    ranks::check(says(comm, "\"ring_bytes\": 524288,"), "the ring is not sized by the smallest cache");
    close(comm);
}

bool has_plugin() {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_init(&comm));
    const bool has = !says(comm, "\"hwloc\": null");
    close(comm);
    return has;
}

} // namespace

int main() {
    unsetenv(variable);
    unsetenv("HWLOC_XMLFILE");
    Job job{std::atoi(std::getenv("XCOLL_RANK")), std::atoi(std::getenv("XCOLL_SIZE")), ""};
    ranks::speaker = job.rank;
    who_insists_on_hwloc_fails_with_all(job);
    const std::vector<size_t> processors = first_processors();
    if (!has_plugin() || processors.size() < 2) {
        std::puts("this needs hwloc, and two processors");
        return skipped;
    }
    job.processors = std::to_string(processors[0]) + "," + std::to_string(processors[1]);
    bind_to(processors[static_cast<size_t>(job.rank % 2)]);
    sockets_are_groups(job);
    the_smallest_cache_counts_for_all(job);
    return 0;
}
