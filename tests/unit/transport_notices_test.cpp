// What ranks of different machines tell each other beside their messages, over a plug-in that is part of the test.
#include "cmocka_cpp.h"

#include <string>
#include <unistd.h>

#include "transport_network_job.h"

using namespace ranks;

namespace {

void a_farewell_ends_what_the_peers_wait_for(void **) {
    Job job(3);
    const Ranks &r = job.ranks;
    begin(r, 1);
    char got[2];
    const Ticket from_it = r.transport(1).recv(0, envelope(1), got, 1);
    const Ticket from_another = r.transport(1).recv(2, envelope(1), got + 1, 1);
    r.transport(0).say_farewell({XCOLL_ERR_TIMEOUT, "rank 0 waited longer than 5 s"});
    std::string text;
    assert_int_equal(result_of(r, 1, from_it, &text), XCOLL_ERR_ABORTED);
    assert_string_equal(text.c_str(),
                        "rank 0 gave up on this communicator (XCOLL_ERR_TIMEOUT): rank 0 waited longer than 5 s");
    assert_int_equal(result_of(r, 1, from_another), XCOLL_ERR_ABORTED);
}

// Whoever gives up waits for them: one that never came back would be cut off, and all communicators with it.
void who_gave_up_or_freed_gets_its_buffers_back(void **) {
    for (const bool frees : {false, true}) {
        Job job(2);
        const Ranks &r = job.ranks;
        const std::vector<char> data(2 * job.fabric.eager_bytes);
        r.transport(0).begin(envelope(1));
        r.transport(0).send(1, envelope(1), data.data(), data.size());
        settle(r);
        assert_int_equal(job.fabric.dropped, 0);
        if (frees) {
            r.transport(0).say_freed();
        } else {
            r.transport(0).say_farewell({XCOLL_ERR_TIMEOUT, "rank 0 waited longer than 5 s"});
        }
        settle(r);
        assert_int_equal(job.fabric.dropped, 1);
        r.transport(0).cancel_all();
        assert_false(r.transport(1).has_lost(0));
    }
}

// Rank 2 has only heard that rank 0 gave up. Both give back what was there, and what comes later.
void who_gave_up_or_heard_of_it_takes_nothing_more(void **) {
    Job job(3);
    const Ranks &r = job.ranks;
    const std::vector<char> data(2 * job.fabric.eager_bytes);
    Transport &sender = r.transport(1);
    sender.begin(envelope(1));
    sender.send(0, envelope(1), data.data(), data.size());
    sender.send(2, envelope(1), data.data(), data.size());
    settle(r);
    assert_int_equal(job.fabric.dropped, 0);
    r.transport(0).say_farewell({XCOLL_ERR_ABORTED, "rank 0 aborted this communicator: enough"});
    settle(r);
    assert_int_equal(job.fabric.dropped, 2);
    // And what is sent before its sender hears.
    Job later(2);
    const std::vector<char> more(2 * later.fabric.eager_bytes);
    later.ranks.transport(1).begin(envelope(1));
    later.ranks.transport(0).say_farewell({XCOLL_ERR_ABORTED, "rank 0 aborted this communicator: enough"});
    later.ranks.transport(1).send(0, envelope(1), more.data(), more.size());
    settle(later.ranks);
    assert_int_equal(later.fabric.dropped, 1);
}

// Its buffer is the network's still, until the other end takes it, which may be in no call for long.
void a_farewell_ends_sends_that_nobody_takes(void **) {
    Job job(2);
    const Ranks &r = job.ranks;
    const std::vector<char> data(2 * job.fabric.eager_bytes);
    Transport &sender = r.transport(1);
    sender.begin(envelope(1));
    const Ticket ticket = sender.send(0, envelope(1), data.data(), data.size());
    r.transport(0).say_farewell({XCOLL_ERR_ABORTED, "rank 0 aborted this communicator: enough"});
    while (!ticket.until().reached()) { // rank 0 does nothing more
        assert_true(sender.progress());
    }
    assert_int_equal(result_of(r, 1, ticket), XCOLL_ERR_ABORTED);
    settle(r);
    sender.cancel_all();
    assert_int_equal(job.fabric.dropped, 1);
}

// Whom rank 1 blames after rank 0 has given up.
int blamed(const Failure &farewell) {
    Job job(3);
    const Ranks &r = job.ranks;
    begin(r, 1);
    char got;
    const Ticket ticket = r.transport(1).recv(0, envelope(1), &got, 1);
    r.transport(0).say_farewell(farewell);
    try {
        finish(r, 1, ticket);
    } catch (const Failure &failure) {
        return failure.rank();
    }
    return Failure::nobody;
}

void a_farewell_names_the_rank_at_fault(void **) {
    assert_int_equal(blamed({XCOLL_ERR_TIMEOUT, "rank 2 did not come", 2}), 2);
    assert_int_equal(blamed({XCOLL_ERR_SYSTEM, "no memory"}), 0);
}

// Rank 1 gives up on what rank 0 did: the others hear both say the same.
void why_a_rank_gave_up_is_not_wrapped_again(void **) {
    assert_int_equal(blamed({XCOLL_ERR_ABORTED, "rank 2 gave up on this communicator", 2}), 2);
    Job job(3);
    const Ranks &r = job.ranks;
    begin(r, 1);
    char got;
    const Ticket ticket = r.transport(1).recv(0, envelope(1), &got, 1);
    r.transport(0).say_farewell({XCOLL_ERR_ABORTED, "rank 2 gave up on this communicator", 2});
    std::string text;
    assert_int_equal(result_of(r, 1, ticket, &text), XCOLL_ERR_ABORTED);
    assert_string_equal(text.c_str(), "rank 2 gave up on this communicator");
}

void a_rank_that_gave_up_and_freed_has_freed_also_for_those_who_gave_up(void **) {
    Job job(3);
    const Ranks &r = job.ranks;
    begin(r, 1);
    char byte = 0;
    for (const int p : {1, 2}) {
        r.transport(0).send(p, envelope(1), &byte, 1);
    }
    settle(r);
    r.transport(2).cancel_all();
    r.transport(0).say_farewell({XCOLL_ERR_ABORTED, "enough"});
    r.transport(0).say_freed();
    settle(r);
    assert_true(r.transport(1).has_freed(0));
    assert_true(r.transport(2).has_freed(0));
}

// Rank 0 waits in operation 2, which rank 1 begins later; rank 2 is in its own code.
void a_rank_that_waits_is_told_where_its_peers_are(void **) {
    using Asked = Transport::Whereabouts::Asked;
    Job job(3);
    const Ranks &r = job.ranks;
    begin(r, 1);
    Transport &waits = r.transport(0);
    const auto rounds = [&] {
        for (int round = 0; round < 200; ++round) {
            waits.progress();
            r.transport(1).progress();
        }
    };
    waits.begin(envelope(2));
    assert_true(waits.whereabouts(1).asked == Asked::unsettled);
    assert_int_equal(waits.whereabouts(0).newest.operation, 2);
    waits.ask_where(2);
    rounds();
    assert_true(waits.whereabouts(1).asked == Asked::answers);
    assert_int_equal(waits.whereabouts(1).newest.operation, 1);
    assert_true(waits.whereabouts(1).newest.call == envelope(1).call);
    r.transport(1).begin(envelope(2, 7));
    rounds();
    assert_int_equal(waits.whereabouts(1).newest.operation, 2);
    assert_true(waits.whereabouts(1).newest.call == envelope(2, 7).call);
    usleep(200'000); // it had time to answer
    assert_true(waits.whereabouts(2).asked == Asked::silent);
    assert_int_equal(waits.whereabouts(2).newest.operation, 0);
    r.transport(2).begin(envelope(2));
    settle(r);
    assert_true(waits.whereabouts(2).asked == Asked::answers);
    assert_int_equal(waits.whereabouts(2).newest.operation, 2);
}

// All have begun operation 2, and rank 2 is cut off since.
void a_rank_that_has_begun_and_does_not_answer_is_silent(void **) {
    using Asked = Transport::Whereabouts::Asked;
    Job job(3);
    const Ranks &r = job.ranks;
    begin(r, 2);
    char byte = 0;
    for (const int p : {1, 2}) {
        r.transport(p).send(0, envelope(2), &byte, 1);
    }
    settle(r);
    Transport &waits = r.transport(0);
    waits.ask_where(2);
    for (int round = 0; round < 200; ++round) {
        waits.progress();
        r.transport(1).progress();
    }
    usleep(200'000);
    assert_true(waits.whereabouts(1).asked == Asked::answers);
    assert_true(waits.whereabouts(2).asked == Asked::silent);
    assert_int_equal(waits.whereabouts(2).newest.operation, 2);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_farewell_ends_what_the_peers_wait_for),
        cmocka_unit_test(who_gave_up_or_freed_gets_its_buffers_back),
        cmocka_unit_test(who_gave_up_or_heard_of_it_takes_nothing_more),
        cmocka_unit_test(a_farewell_ends_sends_that_nobody_takes),
        cmocka_unit_test(a_farewell_names_the_rank_at_fault),
        cmocka_unit_test(why_a_rank_gave_up_is_not_wrapped_again),
        cmocka_unit_test(a_rank_that_gave_up_and_freed_has_freed_also_for_those_who_gave_up),
        cmocka_unit_test(a_rank_that_waits_is_told_where_its_peers_are),
        cmocka_unit_test(a_rank_that_has_begun_and_does_not_answer_is_silent),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
