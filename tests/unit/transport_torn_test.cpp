// Messages that a network loses: why is known only when it says that their peer is gone, before or after.
#include "cmocka_cpp.h"

#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "transport_network_job.h"

using namespace ranks;

namespace {

// A long message of rank 0 that rank 1 has not seen yet.
struct UnderWay {
    Job job{2};
    std::vector<char> data = std::vector<char>(2 * job.fabric.eager_bytes);
    Transport &sender = job.ranks.transport(0);
    Ticket ticket;

    UnderWay() {
        begin(job.ranks, 1);
        ticket = sender.send(1, envelope(1), data.data(), data.size());
    }
    void go_on() {
        while (sender.progress()) {
        }
    }
    xcoll_result_t result(std::string &text) {
        assert_true(ticket.until().reached());
        return result_of(job.ranks, 0, ticket, &text);
    }
};

void a_message_that_is_lost_before_its_peer_is_ends_with_the_reason(void **) {
    UnderWay message;
    fake::tear(message.job.fabric, 1);
    message.go_on();
    assert_false(message.ticket.until().reached());
    fake::kill(message.job.fabric, 1);
    message.go_on();
    std::string text;
    assert_int_equal(message.result(text), XCOLL_ERR_PEER_DEAD);
    assert_non_null(std::strstr(text.c_str(), "the connection to rank 1 has failed (it was unplugged)"));
}

// It ended in good order, which its connections do not say.
void a_message_to_a_rank_that_has_freed_ends_with_that(void **) {
    UnderWay message;
    Transport &receiver = message.job.ranks.transport(1);
    receiver.send(0, envelope(1), "a", 1); // so that it knows whom to tell
    receiver.say_freed();
    message.go_on();
    assert_false(message.ticket.until().reached()); // its buffer is the network's
    fake::tear(message.job.fabric, 1);
    fake::kill(message.job.fabric, 1);
    message.go_on();
    std::string text;
    assert_int_equal(message.result(text), XCOLL_ERR_ABORTED);
    assert_string_equal(text.c_str(), "rank 1 freed this communicator, on which rank 0 still waits for it");
}

void a_message_that_is_lost_for_no_reason_ends_at_last(void **) {
    UnderWay message;
    fake::tear(message.job.fabric, 1);
    for (int look = 0; look < 3; ++look) {
        usleep(110'000);
        message.go_on();
    }
    std::string text;
    assert_int_equal(message.result(text), XCOLL_ERR_TRANSPORT);
    assert_string_equal(text.c_str(), "rank 0: the network has lost a message to or from rank 1");
}

// Its peer waits for it, so that is not the call error which a lack of memory usually is.
void a_message_that_finds_no_memory_is_fatal(void **) {
    UnderWay message;
    fake::tear(message.job.fabric, 1, XCOLL_ERR_NO_MEMORY);
    message.go_on();
    std::string text;
    assert_int_equal(message.result(text), XCOLL_ERR_SYSTEM);
    assert_non_null(std::strstr(text.c_str(), "out of memory in the middle of an operation"));
}

void a_farewell_ends_messages_that_are_lost(void **) {
    UnderWay message;
    fake::tear(message.job.fabric, 1);
    message.go_on();
    message.job.ranks.transport(1).say_farewell({XCOLL_ERR_ABORTED, "rank 1 aborted this communicator: enough", 1});
    message.go_on();
    std::string text;
    assert_int_equal(message.result(text), XCOLL_ERR_ABORTED);
    assert_non_null(std::strstr(text.c_str(), "rank 1 aborted this communicator: enough"));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_message_that_is_lost_before_its_peer_is_ends_with_the_reason),
        cmocka_unit_test(a_message_to_a_rank_that_has_freed_ends_with_that),
        cmocka_unit_test(a_message_that_is_lost_for_no_reason_ends_at_last),
        cmocka_unit_test(a_message_that_finds_no_memory_is_fatal),
        cmocka_unit_test(a_farewell_ends_messages_that_are_lost),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
