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
    for (const size_t short_of_all : {sizeof &other, sizeof other - 1}) {
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_config_defaults(&other, short_of_all));
    }
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
    expect_config(
        [](xcoll_comm_config_t &c) { c.struct_size = offsetof(xcoll_comm_config_t, progress), c.progress = 7; },
        XCOLL_SUCCESS, {});
    expect_config(sized(offsetof(xcoll_comm_config_t, ids) + 4), XCOLL_ERR_ARGUMENT, {"struct_size"});
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
    expect_config([](auto &c) { c.flags = 1; }, XCOLL_ERR_UNSUPPORTED, {"flags"});
    expect_config([](auto &c) { c.progress = 1; }, XCOLL_ERR_UNSUPPORTED, {"progress"});
    expect_config([](auto &c) { c.device_kind = 1; }, XCOLL_ERR_UNSUPPORTED, {"device_kind"});
    expect_config([](auto &c) { c.device_index = 1; }, XCOLL_ERR_UNSUPPORTED, {"device_index"});
}

void levels_of_determinism() {
    const auto level = [](int32_t number) { return [number](xcoll_comm_config_t &c) { c.determinism = number; }; };
    for (const int32_t number : {-1, 5, 1000}) {
        expect_config(level(number), XCOLL_ERR_ARGUMENT,
                      {"config.determinism is " + std::to_string(number), "XCOLL_DETERMINISM_DEFAULT"});
    }
    const char *const names[] = {"size", "off", "run", "size", "layout"};
    for (int32_t number = XCOLL_DETERMINISM_DEFAULT; number <= XCOLL_DETERMINISM_LAYOUT; ++number) {
        xcoll_comm_config_t config = defaults();
        config.settings = "DETERMINISM=size"; // which the field is stronger than
        config.determinism = number;
        xcoll_comm_t comm = XCOLL_COMM_NULL;
        ranks::succeed(xcoll_init_config(&config, &comm));
        char text[1024];
        size_t room = sizeof text;
        ranks::succeed(xcoll_comm_describe(comm, text, &room));
        const std::string wanted = std::string("\"determinism\": \"") + names[number] + '"';
        ranks::check(std::strstr(text, wanted.c_str()) != nullptr, wanted.c_str());
        ranks::succeed(xcoll_comm_free(&comm));
        ranks::succeed(xcoll_finalize());
    }
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
    expect_config(with("REDUCE_SCATTERV=fastest"), XCOLL_ERR_CONFIG, {"REDUCE_SCATTERV=fastest", "streamed"});
    expect_config(with("ISA=mmx"), XCOLL_ERR_CONFIG, {"ISA=mmx", "avx2"});
    for (const char *bad : {"TIMEOUT=x", "TIMEOUT=-1", "TIMEOUT=", "SHM=maybe", "SHM_BUDGET=lots", "GROUPS=0",
                            "GROUPS=2,,2", "STORE=fast", "DETERMINISM=always", "TUNING_FILE=/no/such/file"}) {
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

// What xcoll_comm_create says to these ids for two ranks.
void expect_ids(const xcoll_unique_id_t *ids, size_t count, xcoll_result_t wanted,
                const std::vector<std::string> &named, const ranks::Location &where = ranks::Location::current()) {
    xcoll_comm_config_t config = defaults();
    config.ids = ids;
    config.id_count = count;
    config.size = 2;
    xcoll_comm_t comm = reinterpret_cast<xcoll_comm_t>(1);
    ranks::expect(wanted, xcoll_comm_create(&config, &comm), where);
    ranks::check(comm == XCOLL_COMM_NULL, "a failed xcoll_comm_create leaves NULL", where);
    ranks::expect_message({"xcoll_comm_create"}, where);
    ranks::expect_message(named, where);
}

void unique_ids() {
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_get_unique_id(nullptr));
    ranks::expect_message({"xcoll_get_unique_id", "id is NULL"});
    xcoll_unique_id_t ids[3] = {};
    for (xcoll_unique_id_t &id : ids) {
        ranks::succeed(xcoll_get_unique_id(&id));
    }
    ranks::check(std::memcmp(&ids[0], &ids[1], sizeof ids[0]) != 0, "two ids are the same");
    expect_ids(nullptr, 1, XCOLL_ERR_ARGUMENT, {"ids is NULL", "id_count is 1"});
    expect_ids(ids, 0, XCOLL_ERR_ARGUMENT, {"ids is set", "id_count is 0"});
    expect_ids(ids, 3, XCOLL_ERR_ARGUMENT, {"id_count is 3", "size 2"});
    const xcoll_unique_id_t twice[2] = {ids[0], ids[0]};
    expect_ids(twice, 2, XCOLL_ERR_ARGUMENT, {"ids[0]", "ids[1]", "same"});
    xcoll_unique_id_t damaged[2] = {ids[0], ids[1]};
    damaged[1].bytes[50] ^= 1;
    expect_ids(damaged, 2, XCOLL_ERR_ARGUMENT, {"ids[1]", "damaged"});
    const xcoll_unique_id_t none = {};
    expect_ids(&none, 1, XCOLL_ERR_ARGUMENT, {"ids[0]", "xcoll_get_unique_id"});
    // Refused ids are still good. Two ways at once are one too many.
    xcoll_comm_config_t config = defaults();
    config.ids = ids;
    config.id_count = 1;
    config.size = 1;
    config.allgather = [](void *, const void *, void *, size_t) -> xcoll_result_t { return XCOLL_SUCCESS; };
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_create(&config, &comm));
    ranks::expect_message({"ids", "allgather", "both"});
    config.allgather = nullptr;
    ranks::succeed(xcoll_comm_create(&config, &comm));
    ranks::succeed(xcoll_comm_free(&comm));
    setenv("XCOLL_INTERFACE", "no-such-card", 1);
    ranks::expect(XCOLL_ERR_CONFIG, xcoll_get_unique_id(&ids[0]));
    ranks::expect_message({"XCOLL_INTERFACE=no-such-card", "lo 127.0.0.1"});
    unsetenv("XCOLL_INTERFACE");
}

// Variables of a job that is not whole, or cannot be.
void expect_environment(const std::vector<std::pair<const char *, const char *>> &variables, xcoll_result_t wanted,
                        const std::vector<std::string> &named,
                        const ranks::Location &where = ranks::Location::current()) {
    for (const auto &[name, value] : variables) {
        setenv(name, value, 1);
    }
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::expect(wanted, xcoll_init(&comm), where);
    if (wanted != XCOLL_SUCCESS) {
        ranks::expect_message(named, where);
    } else {
        int size = 0;
        ranks::succeed(xcoll_comm_size(comm, &size), where);
        ranks::check(size == 1, "a job of its own has one rank", where);
        ranks::succeed(xcoll_comm_free(&comm), where);
        ranks::succeed(xcoll_finalize(), where);
    }
    for (const auto &[name, value] : variables) {
        unsetenv(name);
    }
}

void jobs_of_the_environment() {
    const auto bad = XCOLL_ERR_BOOTSTRAP;
    // Numbers alone, of several ranks, are a mistake, unless xcollrun has set them for the rank that this is a child
    // of. Names alone belong to something else.
    expect_environment({{"XCOLL_RANK", "1"}, {"XCOLL_SIZE", "2"}}, bad, {"XCOLL_RANK=1", "XCOLL_SIZE=2", "XCOLL_ROOT"});
    expect_environment({{"XCOLL_SIZE", "2"}}, bad, {"XCOLL_RANK=(unset)", "XCOLL_SIZE=2", "XCOLL_ROOT"});
    expect_environment({{"XCOLL_RANK", "1"}}, bad, {"XCOLL_RANK=1", "XCOLL_SIZE=(unset)", "XCOLL_ROOT"});
    expect_environment({{"XCOLL_RANK", "0"}, {"XCOLL_SIZE", "x"}}, bad, {"XCOLL_SIZE=x", "number"});
    expect_environment({{"XCOLL_RANK", "0"}, {"XCOLL_SIZE", "1"}}, XCOLL_SUCCESS, {});
    expect_environment({{"XCOLL_RANK", "1"}, {"XCOLL_SIZE", "2"}, {"XCOLL_LOCAL_RANK", "1"}, {"XCOLL_LOCAL_SIZE", "2"}},
                       XCOLL_SUCCESS, {});
    expect_environment({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "x"}}, XCOLL_SUCCESS, {});
    expect_environment({{"XCOLL_ROOT", "127.0.0.1:1"}, {"XCOLL_RANK", "0"}, {"XCOLL_SIZE", "1"}}, XCOLL_SUCCESS, {});
    expect_environment({{"XCOLL_ROOT", "127.0.0.1:1"}}, bad, {"XCOLL_ROOT", "XCOLL_RANK", "WORLD_SIZE"});
    expect_environment({{"XCOLL_ROOT", "127.0.0.1:1"}, {"XCOLL_RANK", "0"}}, bad, {"XCOLL_SIZE"});
    expect_environment({{"XCOLL_ROOT", "127.0.0.1:1"}, {"XCOLL_RANK", "2"}, {"XCOLL_SIZE", "2"}}, bad, {"rank 2 of 2"});
    expect_environment({{"XCOLL_ROOT", "127.0.0.1:1"}, {"XCOLL_RANK", "x"}, {"XCOLL_SIZE", "2"}}, bad,
                       {"XCOLL_RANK=x", "number"});
    expect_environment({{"XCOLL_ROOT", "127.0.0.1:1"}, {"XCOLL_RANK", "1"}, {"XCOLL_SIZE", "2"}}, bad,
                       {"XCOLL_SECRET", "openssl"});
    expect_environment({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "1"}}, bad,
                       {"MASTER_ADDR", "XCOLL_SECRET"});
    expect_environment({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "70000"}},
                       bad, {"MASTER_PORT=70000"});
    expect_environment(
        {{"XCOLL_ROOT", "no host:1"}, {"XCOLL_RANK", "1"}, {"XCOLL_SIZE", "2"}, {"XCOLL_SECRET", "none"}}, bad,
        {"XCOLL_ROOT", "no host"});
    for (const char *root : {"127.0.0.1", ":1", "x:", "x:0", "x:70000", "x:1x"}) {
        expect_environment({{"XCOLL_ROOT", root}}, XCOLL_ERR_CONFIG, {"XCOLL_ROOT", root, "host and a port"});
    }
    expect_environment({{"XCOLL_SECRET", "short"}}, XCOLL_ERR_CONFIG, {"XCOLL_SECRET", "16 letters"});
}

// ---- fork

void expect_nothing_works(xcoll_comm_t comm, xcoll_request_t request) {
    int value = 0;
    xcoll_comm_t other = XCOLL_COMM_NULL, several[2] = {};
    xcoll_request_t another = XCOLL_REQUEST_NULL;
    const xcoll_comm_config_t config = defaults();
    xcoll_unique_id_t id;
    for (const xcoll_result_t result :
         {xcoll_get_unique_id(&id), xcoll_init(&other), xcoll_init_config(&config, &other),
          xcoll_comm_create(&config, &other), xcoll_comm_create_threads(2, several), xcoll_comm_dup(comm, &other),
          xcoll_comm_split(comm, 0, 0, &other), xcoll_comm_rank(comm, &value), xcoll_comm_abort(comm, "x"),
          xcoll_barrier(comm), xcoll_bcast(&value, 1, XCOLL_INT32, 0, comm),
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
    for (const char *name : {"XCOLL_RANK", "XCOLL_SIZE", "XCOLL_LOCAL_RANK", "XCOLL_LOCAL_SIZE", "XCOLL_CONTROL_FD",
                             "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
        unsetenv(name);
    }
    a_child_of_fork_has_no_part_in_it();
    the_defaults_are_zero();
    structs_of_other_versions();
    fields_of_later_versions();
    levels_of_determinism();
    settings();
    ranks_and_sizes();
    unique_ids();
    jobs_of_the_environment();
    ranks::expect(XCOLL_ERR_STATE, xcoll_finalize());
    return 0;
}
