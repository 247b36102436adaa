// ranks: 1
//
// Wrong arguments of the functions that make communicators, the rules for the configuration struct, settings, and what
// is left to a child of fork.
#include <sys/wait.h>

#include <functional>

#include "../ranks/ranks.h"

namespace {

xcoll_comm_config_t defaults() {
    xcoll_comm_config_t config;
    std::memset(&config, 0xff, sizeof config);
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    return config;
}

// What xcoll_init_config says to a change of the defaults.
void expect_config(const std::function<void(xcoll_comm_config_t &)> &change, xcoll_result_t wanted,
                   std::initializer_list<std::string> named,
                   const ranks::Location &where = ranks::Location::current()) {
    xcoll_comm_config_t config = defaults();
    change(config);
    xcoll_comm_t comm = reinterpret_cast<xcoll_comm_t>(1);
    ranks::expect(wanted, xcoll_init_config(&config, &comm), where);
    if (wanted == XCOLL_SUCCESS) {
        ranks::succeed(xcoll_comm_free(&comm), where);
        ranks::succeed(xcoll_finalize(), where);
        return;
    }
    ranks::check(comm == XCOLL_COMM_NULL, "a failed xcoll_init_config leaves NULL", where);
    ranks::expect_message({"xcoll_init_config"}, where);
    ranks::expect_message(named, where);
}

void the_defaults_are_zero() {
    const xcoll_comm_config_t config = defaults();
    xcoll_comm_config_t zero;
    std::memset(&zero, 0, sizeof zero);
    zero.struct_size = sizeof zero;
    ranks::check(std::memcmp(&config, &zero, sizeof zero) == 0, "a default is not zero");
    xcoll_comm_config_t other;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_config_defaults(nullptr, sizeof other));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_config_defaults(&other, sizeof(size_t) - 1));
    ranks::expect_message({"struct_size"});
}

void structs_of_other_versions() {
    const auto sized = [](size_t size) { return [size](xcoll_comm_config_t &c) { c.struct_size = size; }; };
    expect_config([](auto &) {}, XCOLL_SUCCESS, {});
    expect_config(sized(0), XCOLL_ERR_ARGUMENT, {"struct_size is 0"});
    expect_config(sized(sizeof(size_t) - 1), XCOLL_ERR_ARGUMENT, {"struct_size"});
    expect_config(sized(1'000'000), XCOLL_ERR_ARGUMENT, {"struct_size"});
    // Shorter: the rest is zero, whatever lies there.
    expect_config(
        [](xcoll_comm_config_t &c) { c.struct_size = offsetof(xcoll_comm_config_t, device_kind), c.device_kind = 7; },
        XCOLL_SUCCESS, {});
    // Longer: what is not known must be zero.
    struct {
        xcoll_comm_config_t known;
        uint64_t unknown[4];
    } longer = {defaults(), {}};
    longer.known.struct_size = sizeof longer;
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_init_config(&longer.known, &comm));
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_finalize());
    longer.unknown[2] = 1;
    ranks::expect(XCOLL_ERR_UNSUPPORTED, xcoll_init_config(&longer.known, &comm));
    expect_config([](auto &c) { c.api_version = XCOLL_API_VERSION; }, XCOLL_SUCCESS, {});
    expect_config([](auto &c) { c.api_version = 1000; }, XCOLL_ERR_UNSUPPORTED, {"api_version"});
}

void fields_of_later_versions() {
    static const xcoll_unique_id_t id = {};
    expect_config([](auto &c) { c.flags = 1; }, XCOLL_ERR_UNSUPPORTED, {"flags"});
    expect_config([](auto &c) { c.ids = &id; }, XCOLL_ERR_UNSUPPORTED, {"ids"});
    expect_config([](auto &c) { c.id_count = 1; }, XCOLL_ERR_UNSUPPORTED, {"ids"});
    expect_config([](auto &c) { c.determinism = 1; }, XCOLL_ERR_UNSUPPORTED, {"determinism"});
    expect_config([](auto &c) { c.progress = 1; }, XCOLL_ERR_UNSUPPORTED, {"progress"});
    expect_config([](auto &c) { c.device_kind = 1; }, XCOLL_ERR_UNSUPPORTED, {"device_kind"});
    expect_config([](auto &c) { c.device_index = 1; }, XCOLL_ERR_UNSUPPORTED, {"device_index"});
}

void settings() {
    const auto with = [](const char *text) { return [text](xcoll_comm_config_t &c) { c.settings = text; }; };
    for (const char *valid : {"", "TIMEOUT=3", "ALLREDUCE=auto", "ALLREDUCE=one_shot;BCAST=one_shot;",
                              "GROUPS=2,2;STORE=stream", "ISA=plain"}) {
        expect_config(with(valid), XCOLL_SUCCESS, {});
    }
    expect_config(with("NO_SUCH=1"), XCOLL_ERR_CONFIG, {"NO_SUCH", "TIMEOUT"});
    expect_config(with("TIMEOUT"), XCOLL_ERR_CONFIG, {"TIMEOUT", "NAME=value"});
    expect_config(with("ALLREDUCE=fastest"), XCOLL_ERR_CONFIG, {"fastest", "two_shot"});
    expect_config(with("BCAST=fastest"), XCOLL_ERR_CONFIG, {"fastest", "one_shot"});
    expect_config(with("BARRIER=fastest"), XCOLL_ERR_CONFIG, {"fastest", "flat"});
    expect_config(with("ISA=mmx"), XCOLL_ERR_CONFIG, {"ISA=mmx", "avx2"});
    for (const char *bad : {"TIMEOUT=x", "TIMEOUT=-1", "TIMEOUT=", "SHM=maybe", "SHM_BUDGET=lots", "GROUPS=0",
                            "GROUPS=2,,2", "STORE=fast"}) {
        expect_config(with(bad), XCOLL_ERR_CONFIG, {bad, "expected"});
    }
    // The same from the environment.
    for (const char *name : {"XCOLL_NO_SUCH", "XCOLL_TIMEOUT"}) {
        setenv(name, "x", 1);
        expect_config([](auto &) {}, XCOLL_ERR_CONFIG, {name});
        xcoll_comm_t comms[2] = {};
        ranks::expect(XCOLL_ERR_CONFIG, xcoll_comm_create_threads(2, comms));
        ranks::expect_message({name});
        unsetenv(name);
    }
    expect_config([](auto &) {}, XCOLL_SUCCESS, {});
}

void ranks_and_sizes() {
    const auto create = [](int rank, int size) {
        xcoll_comm_config_t config = defaults();
        config.rank = rank;
        config.size = size;
        xcoll_comm_t comm = reinterpret_cast<xcoll_comm_t>(1);
        const xcoll_result_t result = xcoll_comm_create(&config, &comm);
        ranks::check((comm == XCOLL_COMM_NULL) == (result != XCOLL_SUCCESS),
                     "a communicator and an error exclude each other");
        ranks::succeed(xcoll_comm_free(&comm));
        return result;
    };
    ranks::succeed(create(0, 1));
    for (const auto &[rank, size] : {std::pair(0, 0), std::pair(0, -1), std::pair(-1, 2), std::pair(2, 2)}) {
        ranks::expect(XCOLL_ERR_ARGUMENT, create(rank, size));
        ranks::expect_message({"rank " + std::to_string(rank), "size " + std::to_string(size)});
    }
    ranks::expect(XCOLL_ERR_ARGUMENT, create(0, 2));
    ranks::expect_message({"xcoll_comm_create", "allgather"});
    xcoll_comm_t comms[2] = {};
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_create_threads(2, nullptr));
    ranks::expect_message({"xcoll_comm_create_threads", "comms"});
    for (const int size : {0, -1, 1'000'000}) {
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_create_threads(size, comms));
        ranks::expect_message({"size is " + std::to_string(size)});
    }
    const xcoll_comm_config_t config = defaults();
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_init(nullptr));
    ranks::expect_message({"xcoll_init", "world"});
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_init_config(nullptr, &comm));
    ranks::expect_message({"config"});
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_init_config(&config, nullptr));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_create(nullptr, &comm));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_create(&config, nullptr));
}

// ---- fork

void expect_nothing_works(xcoll_comm_t comm, xcoll_request_t request) {
    int value = 0;
    xcoll_comm_t other = XCOLL_COMM_NULL, several[2] = {};
    xcoll_request_t another = XCOLL_REQUEST_NULL;
    const xcoll_comm_config_t config = defaults();
    for (const xcoll_result_t result :
         {xcoll_init(&other), xcoll_init_config(&config, &other), xcoll_comm_create(&config, &other),
          xcoll_comm_create_threads(2, several), xcoll_comm_dup(comm, &other), xcoll_comm_split(comm, 0, 0, &other),
          xcoll_comm_rank(comm, &value), xcoll_comm_abort(comm, "x"), xcoll_barrier(comm),
          xcoll_bcast(&value, 1, XCOLL_INT32, 0, comm),
          xcoll_allreduce(XCOLL_IN_PLACE, &value, 1, XCOLL_INT32, XCOLL_SUM, comm), xcoll_ibarrier(comm, &another),
          xcoll_ibcast(&value, 1, XCOLL_INT32, 0, comm, &another), xcoll_wait(&request), xcoll_test(&request, &value),
          xcoll_waitall(1, &request), xcoll_finalize()}) {
        ranks::expect(XCOLL_ERR_STATE, result);
        ranks::expect_message({"fork"});
    }
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::check(comm == XCOLL_COMM_NULL, "a child can let go of its parent's communicator");
}

void a_child_of_fork_has_no_part_in_it() {
    // Before anything was made, a fork means nothing.
    const pid_t early = fork();
    if (early == 0) {
        expect_config([](auto &) {}, XCOLL_SUCCESS, {});
        std::exit(0);
    }
    int status = 0;
    waitpid(early, &status, 0);
    ranks::check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 "a child that was forked before xcoll_init cannot use the library");

    xcoll_comm_t comm = XCOLL_COMM_NULL;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_init(&comm));
    ranks::succeed(xcoll_ibarrier(comm, &request));
    const pid_t child = fork();
    if (child == 0) {
        expect_nothing_works(comm, request);
        std::exit(0);
    }
    waitpid(child, &status, 0);
    ranks::check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 "a child of fork got something else than XCOLL_ERR_STATE");
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_barrier(comm));
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_finalize());
}

} // namespace

int main() {
    // xcollrun's own variables say nothing about a job of this test's own.
    for (const char *name : {"XCOLL_RANK", "XCOLL_SIZE", "XCOLL_LOCAL_RANK", "XCOLL_LOCAL_SIZE", "XCOLL_CONTROL_FD"}) {
        unsetenv(name);
    }
    a_child_of_fork_has_no_part_in_it();
    the_defaults_are_zero();
    structs_of_other_versions();
    fields_of_later_versions();
    settings();
    ranks_and_sizes();
    ranks::expect(XCOLL_ERR_STATE, xcoll_finalize());
    return 0;
}
