// threads
// ranks: 1
// env: XCOLL_TIMEOUT=30
// timeout: 300
//
// As no_memory.cpp, of the calls with which a process begins: it gets an error that says so, and nothing of the attempt
// is left: no file, no shared memory, no job that is half there.
#include "../failing_memory.h"
#include "../ranks/own_memory.h"

using failing::Which;
using ranks::Rank;

namespace {

xcoll_result_t init() {
    xcoll_comm_t world = XCOLL_COMM_NULL;
    const xcoll_result_t result = xcoll_init(&world);
    ranks::check((world != XCOLL_COMM_NULL) == (result == XCOLL_SUCCESS), "a communicator and an error");
    if (result == XCOLL_SUCCESS) {
        ranks::succeed(xcoll_comm_free(&world));
        ranks::succeed(xcoll_finalize());
    }
    return result;
}
xcoll_result_t create(const char *settings) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.size = 1;
    config.settings = settings;
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    const xcoll_result_t result = xcoll_comm_create(&config, &comm);
    ranks::check((comm != XCOLL_COMM_NULL) == (result == XCOLL_SUCCESS), "a communicator and an error");
    ranks::succeed(xcoll_comm_free(&comm));
    return result;
}
xcoll_result_t create_one() {
    return create("ALLREDUCE=ring;GROUPS=none");
}
xcoll_result_t create_threads() {
    constexpr int size = 3;
    xcoll_comm_t comms[size] = {};
    const xcoll_result_t result = xcoll_comm_create_threads(size, comms);
    for (xcoll_comm_t &comm : comms) {
        ranks::check((comm != XCOLL_COMM_NULL) == (result == XCOLL_SUCCESS), "a communicator and an error");
        ranks::succeed(xcoll_comm_free(&comm));
    }
    return result;
}
xcoll_result_t unique_id() {
    xcoll_unique_id_t id;
    return xcoll_get_unique_id(&id);
}

// False if nothing failed: the call asks for less memory.
bool fails(xcoll_result_t (*call)(), Which which, uint64_t n) {
    xcoll_result_t result;
    char message[1000];
    {
        const failing::Memory memory(which, n);
        result = call();
        std::snprintf(message, sizeof message, "%s", xcoll_last_error());
    }
    if (result != XCOLL_SUCCESS && !std::strstr(message, "memory")) {
        ranks::wrong("allocation " + std::to_string(n) + ": it says " + xcoll_error_name(result) + ": " + message);
    }
    ranks::check(result == XCOLL_SUCCESS || failing::refused() > 0, "it fails without a failure");
    return failing::refused() > 0;
}

void test(Rank &) {
    for (const auto call : {init, create_one, create_threads, unique_id}) {
        for (const Which which : {Which::one, Which::all_from}) {
            ranks::succeed(call());
            const ranks::Belongings before = ranks::belongings();
            for (uint64_t n = 1; fails(call, which, n); ++n) {
                const ranks::Belongings after = ranks::belongings();
                ranks::check(call == unique_id || after.files == before.files, "a file is left open");
                ranks::check(after.shared_bytes == before.shared_bytes, "shared memory is left");
            }
            ranks::succeed(call());
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
