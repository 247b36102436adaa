// The simulated network: it keeps a transport's promises and breaks everything that is not promised.
#include "cmocka_cpp.h"

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "fabric/sim/network.h"
#include "sim/seeds.h"

namespace {

using namespace xcoll;
using namespace xcoll::sim;

Envelope envelope(uint64_t operation, Kind kind = Kind::bcast) {
    Op op;
    op.kind = kind;
    return {operation, fingerprint(op)};
}

Task send_numbers(TaskHome &, Transport &transport, uint64_t operation, const std::vector<int> &numbers) {
    for (const int &number : numbers) {
        const Ticket ticket = transport.send(1, envelope(operation), &number, sizeof number);
        co_await ticket.until();
        transport.finish(ticket);
    }
}
Task receive_numbers(TaskHome &, Transport &transport, uint64_t operation, std::vector<int> &numbers) {
    for (int &number : numbers) {
        const Ticket ticket = transport.recv(0, envelope(operation), &number, sizeof number);
        co_await ticket.until();
        transport.finish(ticket);
    }
}

void messages_of_one_operation_keep_their_order_and_others_do_not_mix(void **) {
    assert_true(every_seed("order", 50, [](uint64_t seed) {
        Simulator simulator(2, {Policy::uniform, seed}, 100000);
        Network network(simulator, 2, false);
        std::array<std::vector<int>, 3> sent, received;
        for (size_t i = 0; i < sent.size(); ++i) {
            sent[i].resize(20);
            received[i].resize(20);
            std::iota(sent[i].begin(), sent[i].end(), static_cast<int>(100 * i));
            simulator.spawn(0, "sending",
                            [&](TaskHome &home) { return send_numbers(home, network.transport(0), i, sent[i]); });
            simulator.spawn(1, "receiving", [&](TaskHome &home) {
                return receive_numbers(home, network.transport(1), i, received[i]);
            });
        }
        simulator.run();
        assert_true(sent == received);
    }));
}

// A sender that does what is forbidden: it writes to its buffer before the ticket is reached.
void a_buffer_that_is_reused_too_early_is_noticed(void **) {
    int spoiled = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Simulator simulator(2, {Policy::uniform, seed}, 1000);
        Network network(simulator, 2, false);
        int out = 1;
        std::vector<int> in(1);
        network.transport(0).send(1, envelope(1), &out, sizeof out);
        out = 2;
        simulator.spawn(1, "receiving",
                        [&](TaskHome &home) { return receive_numbers(home, network.transport(1), 1, in); });
        simulator.run();
        spoiled += in[0] == 2;
    }
    assert_int_equal(spoiled, 20);
}

void a_receive_buffer_is_scribbled_over_at_once(void **) {
    Simulator simulator(2, {}, 1000);
    Network network(simulator, 2, false);
    int in = 5;
    network.transport(1).recv(0, envelope(1), &in, sizeof in);
    assert_int_not_equal(in, 5);
}

// Some sends are over before anybody has asked for them, others not.
void a_send_may_or_may_not_wait_for_its_receiver(void **) {
    int alone = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        Simulator simulator(2, {Policy::uniform, seed}, 1000);
        Network network(simulator, 2, false);
        const std::vector<int> numbers(1);
        simulator.spawn(0, "sending",
                        [&](TaskHome &home) { return send_numbers(home, network.transport(0), 1, numbers); });
        try {
            simulator.run();
            ++alone;
        } catch (const Stuck &) {
            assert_int_equal(network.messages(), 1);
        }
    }
    assert_true(alone > 5 && alone < 35);
}

xcoll_result_t outcome(Transport &transport, const Ticket &ticket) {
    try {
        transport.finish(ticket);
        return XCOLL_SUCCESS;
    } catch (const Failure &failure) {
        return failure.result();
    }
}

Task wait_for(TaskHome &, const Ticket &ticket) {
    co_await ticket.until();
}
void wait_until(Simulator &simulator, const Ticket &ticket) {
    simulator.spawn(0, "waiting", [&](TaskHome &home) { return wait_for(home, ticket); });
    simulator.run();
}

void another_size_is_a_mismatch_and_nothing_is_written(void **) {
    Simulator simulator(2, {}, 1000);
    Network network(simulator, 2, false);
    const std::array<int, 4> out{};
    std::array<int, 2> in{};
    network.transport(0).send(1, envelope(1), out.data(), sizeof out);
    const Ticket ticket = network.transport(1).recv(0, envelope(1), in.data(), sizeof in);
    wait_until(simulator, ticket);
    assert_int_equal(outcome(network.transport(1), ticket), XCOLL_ERR_MISMATCH);
}

void another_call_is_a_mismatch_wherever_its_message_comes_from(void **) {
    Simulator simulator(3, {}, 1000);
    Network network(simulator, 3, false);
    int out = 0, in = 0;
    network.transport(1).begin(envelope(1));
    const Ticket waits = network.transport(1).recv(0, envelope(1), &in, sizeof in);
    network.transport(2).send(1, envelope(1, Kind::barrier), &out, sizeof out);
    wait_until(simulator, waits);
    assert_int_equal(outcome(network.transport(1), waits), XCOLL_ERR_MISMATCH);
}

void ranks_in_different_calls_do_not_wait_for_each_other(void **) {
    Simulator simulator(2, {}, 1000);
    Network network(simulator, 2, false);
    int in = 0;
    network.transport(0).begin(envelope(1));
    network.transport(1).begin(envelope(1, Kind::barrier));
    const Ticket first = network.transport(0).recv(1, envelope(1), &in, sizeof in);
    network.transport(1).recv(0, envelope(1, Kind::barrier), nullptr, 0);
    try {
        wait_until(simulator, first);
    } catch (const Stuck &) {
        // The other one was told first; when it leaves, so is this one.
        network.transport(1).break_off(envelope(1, Kind::barrier));
        simulator.abandon();
        wait_until(simulator, first);
    }
    assert_int_equal(outcome(network.transport(0), first), XCOLL_ERR_MISMATCH);
}

void who_leaves_an_operation_is_not_waited_for(void **) {
    Simulator simulator(2, {}, 1000);
    Network network(simulator, 2, false);
    int in = 0;
    network.transport(0).begin(envelope(1));
    network.transport(1).begin(envelope(1));
    network.transport(1).break_off(envelope(1));
    for (int i = 0; i < 2; ++i) {
        const Ticket ticket = network.transport(0).recv(1, envelope(1), &in, sizeof in);
        wait_until(simulator, ticket);
        assert_int_equal(outcome(network.transport(0), ticket), XCOLL_ERR_MISMATCH);
    }
}

void nothing_touches_a_buffer_that_was_taken_back(void **) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Simulator simulator(2, {Policy::uniform, seed}, 1000);
        Network network(simulator, 2, false);
        int in = 0;
        const int out = 7;
        network.transport(1).recv(0, envelope(1), &in, sizeof in);
        network.transport(1).cancel_all();
        in = 1;
        const Ticket ticket = network.transport(0).send(1, envelope(1), &out, sizeof out);
        simulator.spawn(0, "waiting", [&](TaskHome &home) { return wait_for(home, ticket); });
        try {
            simulator.run();
        } catch (const Stuck &) {
            assert_false(ticket.until().reached());
        }
        assert_int_equal(in, 1);
    }
}

// ---- virtual time

double time_of_messages(size_t bytes, int messages, const LinkModel &model) {
    Simulator simulator(messages + 1, {Policy::by_time, 1}, 100000);
    Network network(simulator, messages + 1, true, model);
    std::vector<Ticket> tickets;
    for (int i = 0; i < messages; ++i) {
        network.transport(i + 1).send(0, envelope(1), nullptr, bytes);
        tickets.push_back(network.transport(0).recv(i + 1, envelope(1), nullptr, bytes));
    }
    for (const Ticket &ticket : tickets) {
        wait_until(simulator, ticket);
    }
    return simulator.now();
}

void a_message_takes_the_time_that_the_model_says(void **) {
    const LinkModel model{.latency_ns = 1000, .gap_ns = 10, .per_byte_ns = 0.5, .eager_bytes = 100};
    assert_true(std::fabs(time_of_messages(40, 1, model) - (1000 + 10 + 20)) < 0.01);
    // The receiver takes one after the other.
    assert_true(std::fabs(time_of_messages(40, 5, model) - (1000 + 5 * (10 + 20))) < 0.01);
    // A large one is asked for first.
    assert_true(std::fabs(time_of_messages(200, 1, model) - (2000 + 10 + 100)) < 0.01);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_one_operation_keep_their_order_and_others_do_not_mix),
        cmocka_unit_test(a_buffer_that_is_reused_too_early_is_noticed),
        cmocka_unit_test(a_receive_buffer_is_scribbled_over_at_once),
        cmocka_unit_test(a_send_may_or_may_not_wait_for_its_receiver),
        cmocka_unit_test(another_size_is_a_mismatch_and_nothing_is_written),
        cmocka_unit_test(another_call_is_a_mismatch_wherever_its_message_comes_from),
        cmocka_unit_test(ranks_in_different_calls_do_not_wait_for_each_other),
        cmocka_unit_test(who_leaves_an_operation_is_not_waited_for),
        cmocka_unit_test(nothing_touches_a_buffer_that_was_taken_back),
        cmocka_unit_test(a_message_takes_the_time_that_the_model_says),
    };
    return cmocka_run_group_tests_name("simulated network", tests, nullptr, nullptr);
}
