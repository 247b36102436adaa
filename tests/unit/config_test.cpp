// Settings: where they come from, what is valid, and what the messages say. And the texts of errors and operations.
#include "cmocka_cpp.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/error.h"
#include "base/float_mode.h"
#include "base/op.h"

using namespace xcoll;

namespace {

Settings read(const char *own, std::initializer_list<const char *> environment = {}) {
    std::vector<const char *> variables(environment);
    variables.push_back(nullptr);
    return read_settings(own, variables.data());
}

// Reading fails, and the message has all these parts.
void expect_refused(const char *own, std::initializer_list<const char *> environment,
                    std::initializer_list<const char *> parts) {
    try {
        read(own, environment);
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_CONFIG);
        for (const char *part : parts) {
            if (failure.message().find(part) == std::string::npos) {
                print_error("\"%s\" is not in: %s\n", part, failure.what());
                assert_true(false);
            }
        }
        return;
    }
    print_error("%s was accepted\n", own ? own : *environment.begin());
    assert_true(false);
}

void defaults_hold_without_an_environment(void **) {
    const Settings settings = read(nullptr);
    assert_int_equal(settings.timeout_ms, 1'800'000);
    assert_int_equal(settings.shm_budget, size_t{64} << 20);
    assert_int_equal(settings.heap, size_t{16} << 30);
    assert_int_equal(settings.lend, size_t{64} << 10);
    assert_true(settings.shm);
    assert_false(settings.check);
    assert_string_equal(settings.groups.c_str(), "machine");
    assert_string_equal(settings.algorithm(Kind::allreduce).c_str(), "");
    assert_string_equal(settings.isa.c_str(), "");
    assert_true(read_settings(nullptr, nullptr).timeout_ms == settings.timeout_ms);
}

void the_environment_wins_over_defaults_and_the_own_over_both(void **) {
    assert_int_equal(read(nullptr, {"XCOLL_TIMEOUT=5"}).timeout_ms, 5000);
    assert_int_equal(read("TIMEOUT=7", {"XCOLL_TIMEOUT=5"}).timeout_ms, 7000);
    const Settings settings = read("ALLREDUCE=ring;;BCAST=tree;", {"XCOLL_BARRIER=flat", "PATH=/bin", "XCOLLECT=1"});
    assert_string_equal(settings.algorithm(Kind::allreduce).c_str(), "ring");
    assert_string_equal(settings.algorithm(Kind::bcast).c_str(), "tree");
    assert_string_equal(settings.algorithm(Kind::barrier).c_str(), "flat");
    assert_string_equal(read("ALLREDUCE=auto", {"XCOLL_ALLREDUCE=ring"}).algorithm(Kind::allreduce).c_str(), "");
}

void every_collective_has_a_setting_of_its_name(void **) {
    int collectives = 0;
    for (int k = 0; k < kinds; ++k) {
        const auto kind = static_cast<Kind>(k);
        std::string name = name_of(kind);
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
        const bool has = std::any_of(variables().begin(), variables().end(),
                                     [&](const Variable &variable) { return name == variable.name; });
        assert_true(has == traits(kind).is_collective);
        if (!has) {
            continue;
        }
        ++collectives;
        const std::string variable = "XCOLL_" + name + "=some", own = name + "=other";
        for (int other = 0; other < kinds; ++other) {
            const bool named = named_with(static_cast<Kind>(other)) == kind;
            assert_string_equal(read(nullptr, {variable.c_str()}).algorithm(static_cast<Kind>(other)).c_str(),
                                named ? "some" : "");
        }
        assert_string_equal(read(own.c_str(), {variable.c_str()}).algorithm(kind).c_str(), "other");
    }
    assert_int_equal(collectives, 19);
}

void the_level_of_determinism_is_run_unless_another_is_named(void **) {
    assert_true(read(nullptr).determinism == Determinism::run);
    assert_true(read("DETERMINISM=layout", {"XCOLL_DETERMINISM=off"}).determinism == Determinism::layout);
    assert_true(read(nullptr, {"XCOLL_DETERMINISM=off"}).determinism == Determinism::off);
    assert_true(read("DETERMINISM=size").determinism == Determinism::size);
}

void a_secret_is_shown_to_nobody(void **) {
    const Settings settings = read("SECRET=sixteen letters!;TIMEOUT=5");
    for (const Given &given : settings.given) {
        assert_true(given.value.find("letters") == std::string::npos);
    }
    expect_refused("SECRET=few letters", {}, {"SECRET=(hidden)", "16 letters"});
}

void times_and_sizes_have_the_usual_forms(void **) {
    assert_int_equal(read("TIMEOUT=0.5").timeout_ms, 500);
    assert_int_equal(read("TIMEOUT=0").timeout_ms, -1); // no limit
    assert_int_equal(read("TIMEOUT=1e3").timeout_ms, 1'000'000);
    assert_int_equal(read("TIMEOUT=0.0001").timeout_ms, 1); // short, but a limit
    assert_int_equal(read("SHM_BUDGET=65536").shm_budget, 65536);
    assert_int_equal(read("SHM_BUDGET=3k").shm_budget, 3072);
    assert_int_equal(read("SHM_BUDGET=2M").shm_budget, size_t{2} << 20);
    assert_int_equal(read("SHM_BUDGET=1G").shm_budget, size_t{1} << 30);
    assert_int_equal(read("HEAP=5M").heap, size_t{5} << 20);
    assert_int_equal(read("LEND=1").lend, 1);
    assert_int_equal(read("TRACE_EVENTS=1M").trace_events, size_t{1} << 20);
    assert_string_equal(read("GROUPS=2,10,3").groups.c_str(), "2,10,3");
    assert_true(read("GROUPS=2,10,3").group_sizes == std::vector<int>({2, 10, 3}));
    assert_true(read("GROUPS=2,2;GROUPS=none").group_sizes.empty());
    assert_false(read("SHM=off").shm);
    assert_true(read("CMA=on").attach == Attach::on && read("CMA=off").attach == Attach::off);
    assert_true(read("CMA=off;CMA=auto").attach == Attach::where_it_pays);
    assert_true(read("CRYPTO=own").crypto == CryptoWish::own && read("CRYPTO=library").crypto == CryptoWish::library);
    assert_true(read("CRYPTO=own;CRYPTO=auto").crypto == CryptoWish::library_if_there);
    assert_true(read("TOPOLOGY=sysfs").topology == TopologyWish::sysfs);
    assert_true(read("TOPOLOGY=hwloc").topology == TopologyWish::hwloc);
    assert_true(read("TOPOLOGY=hwloc;TOPOLOGY=auto").topology == TopologyWish::who_can);
}

void meeting_places_are_a_host_and_a_port(void **) {
    for (const char *root : {"node1:4711", "10.0.0.1:1", "[fd00::1]:65535"}) {
        assert_string_equal(read((std::string("ROOT=") + root).c_str()).root.c_str(), root);
    }
    assert_string_equal(read(nullptr).root.c_str(), "");
    assert_string_equal(read("SECRET=sixteen letters!").secret.c_str(), "sixteen letters!");
    assert_string_equal(read("SECRET=none").secret.c_str(), "none");
    assert_string_equal(read("INTERFACE=eth1").interface.c_str(), "eth1");
}

void what_is_not_valid_is_named(void **) {
    for (const char *bad : {"TIMEOUT=",
                            "TIMEOUT= 1",
                            "HEAP= -18446744073709551615",
                            "HEAP=+5",
                            "TRACE_EVENTS=65M",
                            "GROUPS=2147483647,2147483647",
                            "GROUPS=99999999999999999999",
                            "TIMEOUT=x",
                            "TIMEOUT=1x",
                            "TIMEOUT=-1",
                            "TIMEOUT=nan",
                            "TIMEOUT=inf",
                            "TIMEOUT=1e30",
                            "SHM_BUDGET=",
                            "SHM_BUDGET=0",
                            "HEAP=0",
                            "LEND=x",
                            "CMA=maybe",
                            "CRYPTO=rot13",
                            "TOPOLOGY=lstopo",
                            "SHM_BUDGET=-1",
                            "SHM_BUDGET=1P",
                            "SHM_BUDGET=1MB",
                            "SHM_BUDGET=99999999999G",
                            "SHM_BUDGET=99999999999999999999999",
                            "SHM=",
                            "SHM=yes",
                            "CHECK=2",
                            "GROUPS=",
                            "GROUPS=a",
                            "GROUPS=0",
                            "GROUPS=2,",
                            "GROUPS=,2",
                            "GROUPS=2,,2",
                            "GROUPS=2,0",
                            "ROOT=node1",
                            "ROOT=:4711",
                            "ROOT=node1:",
                            "ROOT=[::1:4711",
                            "ROOT=::1]:4711",
                            "ROOT=node1:0",
                            "ROOT=node1:65536",
                            "ROOT=node1:999999",
                            "ROOT=node1:47x",
                            "STORE=fast",
                            "DETERMINISM=",
                            "DETERMINISM=3",
                            "DETERMINISM=Run",
                            "TUNING_FILE=/no/such/file",
                            "TUNING_FILE=/proc",
                            "TUNING_FILE=/dev/zero"}) {
        expect_refused(bad, {}, {bad, "expected"});
        const std::string variable = std::string("XCOLL_") + bad;
        expect_refused(nullptr, {variable.c_str()}, {variable.c_str(), "expected"});
    }
    expect_refused("TUNING_FILE=/no/such/file", {}, {"there is none with this one"});
    expect_refused("RANK=1", {}, {"XCOLL_RANK", "environment"});
    expect_refused("TUNING_FILE=/proc", {}, {"no folder"});
    expect_refused("TUNING_FILE=/proc/self/exe/below", {}, {"may read"});
    expect_refused("TUNING_FILE=/dev/zero", {}, {"no folder and no pipe"});
    expect_refused("TUNING_FILE=auto", {}, {"there is none with this one"});
    assert_string_equal(read("TRACE=auto").trace.c_str(), "auto"); // a folder of that name, as it has no default
    expect_refused("NO_SUCH=1", {}, {"NO_SUCH", "TIMEOUT", "ALLREDUCE"});
    expect_refused(nullptr, {"XCOLL_NO_SUCH=1"}, {"XCOLL_NO_SUCH"});
    expect_refused(nullptr, {"XCOLL_=1"}, {"XCOLL_"});
    expect_refused("timeout=1", {}, {"timeout"});
    expect_refused("TIMEOUT", {}, {"TIMEOUT", "NAME=value"});
    expect_refused("TIMEOUT=1;=2", {}, {"not a setting"});
}

void every_variable_takes_its_own_default_and_is_explained(void **) {
    std::set<std::string> names;
    for (const Variable &variable : variables()) {
        Settings settings;
        assert_true(names.insert(variable.name).second);
        assert_non_null(variable.set);
        assert_true(std::string(variable.meaning).size() > 10);
        const std::string value = std::string(variable.value) == "auto" ? "" : variable.value;
        assert_null(variable.set(settings, value));
    }
    assert_true(names.count("RANK") == 1 && names.count("CONTROL_FD") == 1);
}

// ---- errors

void messages_are_as_long_as_they_need_to_be(void **) {
    assert_string_equal(format("%s %d", "rank", 7).c_str(), "rank 7");
    assert_string_equal(format("%s", "").c_str(), "");
    const std::string text(5000, 'x');
    assert_true(format("<%s>", text.c_str()) == '<' + text + '>');
    errno = ENOSPC;
    try {
        fail_system("mmap");
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_SYSTEM);
        assert_non_null(std::strstr(failure.what(), "mmap"));
        assert_non_null(std::strstr(failure.what(), "No space left"));
    }
}

void only_errors_that_end_a_communicator_are_fatal(void **) {
    for (const xcoll_result_t result : {XCOLL_ERR_SYSTEM, XCOLL_ERR_TRANSPORT, XCOLL_ERR_PEER_DEAD, XCOLL_ERR_TIMEOUT,
                                        XCOLL_ERR_ABORTED, XCOLL_ERR_DEVICE, XCOLL_ERR_BACKEND, XCOLL_ERR_INTERNAL}) {
        assert_true(is_fatal(result));
    }
    for (const xcoll_result_t result :
         {XCOLL_SUCCESS, XCOLL_ERR_ARGUMENT, XCOLL_ERR_TYPE, XCOLL_ERR_OP, XCOLL_ERR_MISMATCH, XCOLL_ERR_TRUNCATE,
          XCOLL_ERR_STATE, XCOLL_ERR_NO_MEMORY, XCOLL_ERR_UNSUPPORTED, XCOLL_ERR_CONFIG, XCOLL_ERR_BOOTSTRAP,
          XCOLL_ERR_AUTH, XCOLL_IN_PROGRESS}) {
        assert_false(is_fatal(result));
    }
}

// ---- operations

Op allreduce(Dtype dtype, Operator op, size_t count) {
    Op call;
    call.kind = Kind::allreduce;
    call.dtype = dtype;
    call.op = op;
    call.count = count;
    return call;
}

void a_fingerprint_holds_what_must_match_and_nothing_else(void **) {
    Op call = allreduce(Dtype::float32, Operator::sum, 10);
    const Fingerprint usual = fingerprint(call);
    int memory = 0;
    call.send = &memory;
    call.recv = &memory;
    assert_true(fingerprint(call) == usual);
    Op other = call;
    other.kind = Kind::bcast;
    assert_false(fingerprint(other) == usual);
    other = call;
    other.dtype = Dtype::int32;
    assert_false(fingerprint(other) == usual);
    other = call;
    other.op = Operator::max;
    assert_false(fingerprint(other) == usual);
    other = call;
    other.root = 0;
    assert_false(fingerprint(other) == usual);
    other = call;
    other.count = 11;
    assert_false(fingerprint(other) == usual);
    // How floats are rounded and denormals treated counts where floats are added up.
    const Stance flushes = Stance::in_mode(float_mode_flush);
    assert_false(fingerprint(call, flushes) == usual);
    call.dtype = Dtype::int32;
    assert_true(fingerprint(call, flushes) == fingerprint(call));
    call.dtype = Dtype::float32;
    call.op = Operator::none;
    assert_true(fingerprint(call, flushes) == fingerprint(call));
}

void a_fingerprint_can_be_read(void **) {
    Op call = allreduce(Dtype::bfloat16, Operator::avg, size_t{1} << 40);
    assert_string_equal(describe(fingerprint(call)).c_str(), "allreduce(avg, 1099511627776 x bfloat16)");
    assert_string_equal(describe(fingerprint(call, Stance::in_mode(float_mode_flush))).c_str(),
                        "allreduce(avg, 1099511627776 x bfloat16, denormals flushed)");
    call.kind = Kind::bcast;
    call.op = Operator::none;
    call.root = 65'535;
    call.count = 0;
    assert_string_equal(describe(fingerprint(call)).c_str(), "bcast(root 65535, 0 x bfloat16)");
    Op barrier;
    barrier.kind = Kind::barrier;
    assert_string_equal(describe(fingerprint(barrier)).c_str(), "barrier");
    // From another version or from broken memory: a text all the same.
    assert_true(!describe({~uint64_t{0}, 1}).empty());
}

void handles_of_types_and_operators_are_exact(void **) {
    for (uint32_t handle = 0; handle < 0x400; ++handle) {
        const auto number = handle & 0xff;
        assert_true(is_operator(operator_range | handle) ==
                    (handle < 0x100 && number >= 1 && number < operator_numbers));
        assert_false(is_dtype(operator_range | handle));
        assert_false(is_operator(dtype_range | handle));
    }
    int types = 0;
    for (uint32_t handle = 0; handle < 0x10000; ++handle) {
        types += is_dtype(dtype_range | handle);
    }
    assert_int_equal(types, dtype_numbers - 1);
    for (int i = 1; i < dtype_numbers; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        assert_true(is_dtype(handle_of(dtype)) && dtype_of(handle_of(dtype)) == dtype &&
                    size_of(handle_of(dtype)) == size_of(dtype));
    }
    for (const xcoll_dtype_t handle : {0u, ~0u, 0x08000001u, 0x90000101u, 0x11000101u}) {
        assert_false(is_dtype(handle));
        assert_false(is_operator(handle));
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold_without_an_environment),
        cmocka_unit_test(the_environment_wins_over_defaults_and_the_own_over_both),
        cmocka_unit_test(a_secret_is_shown_to_nobody),
        cmocka_unit_test(every_collective_has_a_setting_of_its_name),
        cmocka_unit_test(the_level_of_determinism_is_run_unless_another_is_named),
        cmocka_unit_test(times_and_sizes_have_the_usual_forms),
        cmocka_unit_test(meeting_places_are_a_host_and_a_port),
        cmocka_unit_test(what_is_not_valid_is_named),
        cmocka_unit_test(every_variable_takes_its_own_default_and_is_explained),
        cmocka_unit_test(messages_are_as_long_as_they_need_to_be),
        cmocka_unit_test(only_errors_that_end_a_communicator_are_fatal),
        cmocka_unit_test(a_fingerprint_holds_what_must_match_and_nothing_else),
        cmocka_unit_test(a_fingerprint_can_be_read),
        cmocka_unit_test(handles_of_types_and_operators_are_exact),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
