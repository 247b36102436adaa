// Unique ids: what lies in them, what is no id, and who gets the socket that listens for one.
#include "cmocka_cpp.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "boot/interfaces.h"
#include "boot/unique_id.h"

using namespace xcoll;

namespace {

UniqueId example() {
    UniqueId id{};
    id.contact = Contact::at(4711, {{4, {10, 0, 0, 1}}, {6, {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}});
    id.secret = {Sha256().add("secret", 6).finish()};
    return id;
}

// Reading fails and says why, naming the id.
std::string refusal(const xcoll_unique_id_t &id) {
    try {
        read_id(id, "ids[3]");
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_ARGUMENT);
        assert_int_equal(failure.message().find("ids[3]"), 0);
        return failure.message();
    }
    return "";
}

void an_id_is_read_as_it_was_written(void **) {
    const UniqueId before = example(), after = read_id(write_id(before), "id");
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(after.contact.port_number(), 4711);
    assert_string_equal(text_of(after.contact.addresses[0], 4711).c_str(), "10.0.0.1:4711");
    assert_string_equal(text_of(after.contact.addresses[1], 4711).c_str(), "[fd00::2]:4711");
}

void every_changed_bit_is_noticed(void **) {
    const xcoll_unique_id_t good = write_id(example());
    for (size_t bit = 0; bit < sizeof good * 8; ++bit) {
        xcoll_unique_id_t bad = good;
        bad.bytes[bit / 8] = static_cast<unsigned char>(bad.bytes[bit / 8] ^ (1 << bit % 8));
        assert_true(!refusal(bad).empty());
    }
}

void what_is_no_id_is_named(void **) {
    xcoll_unique_id_t id = {};
    assert_non_null(std::strstr(refusal(id).c_str(), "xcoll_get_unique_id"));
    std::memset(&id, 'x', sizeof id);
    assert_non_null(std::strstr(refusal(id).c_str(), "xcoll_get_unique_id"));
    // Cut off at the first zero byte, as by a string function.
    const xcoll_unique_id_t good = write_id(example());
    id = {};
    std::copy(good.bytes, std::find(good.bytes, good.bytes + sizeof good, 0), id.bytes);
    assert_non_null(std::strstr(refusal(id).c_str(), "damaged"));
}

void addresses_are_few_and_different(void **) {
    const Address one = {4, {1}}, two = {4, {2}};
    assert_int_equal(Contact::at(1, {one, one, two, one}).count, 2);
    std::vector<Address> many;
    for (uint8_t i = 0; i < 10; ++i) {
        many.push_back({4, {i}});
    }
    const Contact contact = Contact::at(1, many);
    assert_int_equal(contact.count, Contact::most_addresses);
    assert_true(contact.is_valid() && contact.addresses[3] == many[3]);
    assert_false(Contact::at(0, many).is_valid());
    assert_false(Contact::at(1, {}).is_valid());
    assert_false(Contact::at(1, {{5, {}}}).is_valid());
}

void an_interface_is_chosen_by_name_or_address(void **) {
    assert_true(own_addresses("lo").front().is_loopback());
    const std::vector<Address> addresses = own_addresses("127.0.0.1");
    assert_int_equal(addresses.size(), 1);
    assert_string_equal(interface_with(addresses.front()).c_str(), "lo");
    assert_false(own_addresses("").empty());
    try {
        own_addresses("no-such-card");
        assert_true(false);
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_CONFIG);
        assert_non_null(std::strstr(failure.what(), "no-such-card"));
        assert_non_null(std::strstr(failure.what(), "lo 127.0.0.1"));
    }
}

void one_claims_the_listener_and_no_other(void **) {
    OwnIds own;
    const xcoll_unique_id_t first = own.make("lo"), second = own.make("lo");
    assert_memory_not_equal(&first, &second, sizeof first);
    assert_false(own.claim(write_id(example())).has_value());
    const auto claim = own.claim(first);
    assert_true(claim && claim->listener && claim->listener->port() == read_id(first, "id").contact.port_number());
    assert_false(own.claim(first).has_value());
    assert_true(own.claim(second)->listener.has_value());
}

// One that would end the process if even one byte were written.
void no_limit_of_file_sizes_is_met(void **) {
    OwnIds own;
    const xcoll_unique_id_t id = own.make("lo");
    rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const auto claim = own.claim(id);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_true(claim->listener.has_value());
}

// Of a process and its children, whoever comes first.
void a_child_may_claim_what_its_parent_made(void **) {
    OwnIds own;
    const xcoll_unique_id_t id = own.make("lo");
    int claimed = 0;
    for (int i = 0; i < 3; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(own.claim(id)->listener ? 1 : 0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status));
        claimed += WEXITSTATUS(status);
    }
    assert_int_equal(claimed, 1);
    assert_false(own.claim(id)->listener.has_value());
}

// However it ends.
void relatives_see_whether_the_one_that_claimed_lives(void **) {
    OwnIds own;
    const xcoll_unique_id_t id = own.make("lo");
    int claimed[2];
    assert_int_equal(pipe2(claimed, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const auto claim = own.claim(id);
        _exit(write(claimed[1], "x", 1) == 1 && pause());
    }
    char byte;
    assert_int_equal(read(claimed[0], &byte, 1), 1);
    const auto claim = own.claim(id);
    assert_true(claim && !claim->listener && claim->lease.is_held());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    assert_false(claim->lease.is_held());
    close(claimed[0]);
    close(claimed[1]);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_read_as_it_was_written),
        cmocka_unit_test(every_changed_bit_is_noticed),
        cmocka_unit_test(what_is_no_id_is_named),
        cmocka_unit_test(addresses_are_few_and_different),
        cmocka_unit_test(an_interface_is_chosen_by_name_or_address),
        cmocka_unit_test(one_claims_the_listener_and_no_other),
        cmocka_unit_test(no_limit_of_file_sizes_is_met),
        cmocka_unit_test(a_child_may_claim_what_its_parent_made),
        cmocka_unit_test(relatives_see_whether_the_one_that_claimed_lives),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
