// Whoever calls where nobody listens yet.
#include "cmocka_cpp.h"

#include <string>

#include "base/error.h"
#include "boot/caller.h"
#include "boot/listener.h"

using namespace xcoll;

namespace {

constexpr Address here = {4, {127, 0, 0, 1}};

bool may_listen(uint16_t port) {
    try {
        return Listener(port, "127.0.0.1").port() == port;
    } catch (const Failure &) {
        return false;
    }
}
// The even ones are those that the kernel gives to calls first.
uint16_t free_even_port() {
    uint16_t port;
    do {
        port = static_cast<uint16_t>(Listener(0, "127.0.0.1").port() & ~1);
    } while (!may_listen(port));
    return port;
}

// More calls than the kernel has numbers for them, so that one of them gets the number that it calls. Other programs
// may be given that number too, so one port that stays free is enough.
void a_call_that_reaches_itself_is_refused_and_keeps_nobody_from_listening(void **) {
    constexpr int calls = 100'000, attempts = 5;
    bool stays_free = false;
    for (int attempt = 0; attempt < attempts && !stays_free; ++attempt) {
        const uint16_t port = free_even_port();
        for (int i = 0; i < calls; ++i) {
            Caller caller(Contact::at(port, {here}), Key(own_crypto(), Hash{}), Caller::Refused::comes_later);
            assert_false(caller.step().has_value());
            assert_true(caller.state().find("no answer") == std::string::npos);
        }
        stays_free = may_listen(port);
    }
    assert_true(stays_free);
}

void a_refused_call_comes_again_or_fails(void **) {
    const Contact contact = Contact::at(free_even_port(), {here});
    Caller patient(contact, Key(own_crypto(), Hash{}), Caller::Refused::comes_later);
    while (patient.state().find("Connection refused") == std::string::npos) {
        assert_false(patient.step().has_value());
    }
    Caller hasty(contact, Key(own_crypto(), Hash{}), Caller::Refused::is_final);
    std::string said;
    while (said.empty()) {
        try {
            hasty.step();
        } catch (const Failure &failure) {
            assert_int_equal(failure.result(), XCOLL_ERR_BOOTSTRAP);
            said = failure.message();
        }
    }
    assert_true(said.find("Connection refused") != std::string::npos);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_reaches_itself_is_refused_and_keeps_nobody_from_listening),
        cmocka_unit_test(a_refused_call_comes_again_or_fails),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
