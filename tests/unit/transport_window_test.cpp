// Messages through lanes in shared memory.
#include "cmocka_cpp.h"

#include <string>
#include <thread>
#include <vector>

#include "transport_messages.h"

using namespace ranks;

namespace {

constexpr size_t more_than_a_lane = (lane_slots + 3) * lane_chunk + 5;

void a_message_arrives_as_it_was_sent(void **) {
    Ranks r(2);
    uint64_t n = 0;
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, lane_chunk - 1, lane_chunk, lane_chunk + 1,
                               lane_chunk * lane_slots, more_than_a_lane, size_t{1} << 20}) {
        for (const bool receive_first : {false, true}) {
            begin(r, ++n);
            const std::vector<char> data = pattern(bytes, static_cast<int>(n));
            std::vector<char> got(bytes + 1, 'x');
            Ticket in{}, out{};
            if (receive_first) {
                in = r.transport(1).recv(0, envelope(n), got.data(), bytes);
            }
            out = r.transport(0).send(1, envelope(n), data.data(), bytes);
            if (!receive_first) {
                in = r.transport(1).recv(0, envelope(n), got.data(), bytes);
            }
            finish(r, 1, in);
            finish(r, 0, out);
            assert_memory_equal(got.data(), data.data(), bytes);
            assert_int_equal(got[bytes], 'x');
            r.transport(0).end(envelope(n));
            r.transport(1).end(envelope(n));
        }
    }
}

void a_rank_can_send_to_itself(void **) {
    Ranks r(1);
    begin(r, 1);
    const std::vector<char> data = pattern(more_than_a_lane, 1);
    std::vector<char> got(more_than_a_lane);
    const Ticket out = r.transport(0).send(0, envelope(1), data.data(), data.size());
    const Ticket in = r.transport(0).recv(0, envelope(1), got.data(), got.size());
    finish(r, 0, in);
    finish(r, 0, out);
    assert_true(got == data);
}

void messages_of_one_operation_keep_their_order(void **) {
    Ranks r(2);
    begin(r, 1);
    std::vector<std::vector<char>> data, got;
    std::vector<Ticket> in, out;
    for (int i = 0; i < 40; ++i) {
        data.push_back(pattern(static_cast<size_t>(i % 3) * 3000, i));
        got.emplace_back(data.back().size());
    }
    for (size_t i = 0; i < data.size(); ++i) {
        out.push_back(r.transport(0).send(1, envelope(1), data[i].data(), data[i].size()));
    }
    for (size_t i = 0; i < data.size(); ++i) {
        in.push_back(r.transport(1).recv(0, envelope(1), got[i].data(), got[i].size()));
    }
    for (size_t i = 0; i < data.size(); ++i) {
        finish(r, 0, out[i]);
        finish(r, 1, in[i]);
        assert_true(got[i] == data[i]);
    }
}

// The second operation's receive comes first, while the first one's message, longer than the lane, is in front.
void a_message_nobody_asked_for_yet_is_no_obstacle(void **) {
    Ranks r(2);
    begin(r, 1);
    begin(r, 2);
    const std::vector<char> first = pattern(more_than_a_lane, 1), second = pattern(more_than_a_lane, 2);
    std::vector<char> got_first(first.size()), got_second(second.size());
    const Ticket out1 = r.transport(0).send(1, envelope(1), first.data(), first.size());
    const Ticket out2 = r.transport(0).send(1, envelope(2), second.data(), second.size());
    finish(r, 1, r.transport(1).recv(0, envelope(2), got_second.data(), got_second.size()));
    assert_true(got_second == second);
    finish(r, 1, r.transport(1).recv(0, envelope(1), got_first.data(), got_first.size()));
    assert_true(got_first == first);
    finish(r, 0, out1);
    finish(r, 0, out2);
}

// The receive finds the beginning of its message aside already.
void a_receive_takes_over_a_message_that_is_half_there(void **) {
    Ranks r(2);
    begin(r, 1);
    begin(r, 2);
    const std::vector<char> data = pattern(more_than_a_lane * 2, 1);
    std::vector<char> got(data.size());
    char nothing = 0;
    const Ticket out = r.transport(0).send(1, envelope(1), data.data(), data.size());
    const Ticket other = r.transport(1).recv(0, envelope(2), &nothing, 1);
    r.transport(1).progress(); // takes a lane full of operation 1 aside
    r.transport(0).progress();
    const Ticket in = r.transport(1).recv(0, envelope(1), got.data(), got.size());
    finish(r, 1, in);
    finish(r, 0, out);
    assert_true(got == data);
    const Ticket second = r.transport(0).send(1, envelope(2), "x", 1);
    finish(r, 1, other);
    finish(r, 0, second);
    assert_int_equal(nothing, 'x');
}

void a_full_lane_holds_its_sender_until_the_receiver_comes(void **) {
    Ranks r(2);
    begin(r, 1);
    const std::vector<char> data = pattern(more_than_a_lane, 3);
    std::vector<char> got(data.size());
    const Ticket out = r.transport(0).send(1, envelope(1), data.data(), data.size());
    for (int i = 0; i < 100; ++i) {
        r.progress();
    }
    assert_false(out.until().reached());
    finish(r, 1, r.transport(1).recv(0, envelope(1), got.data(), got.size()));
    finish(r, 0, out);
    assert_true(got == data);
}

void what_was_sent_can_be_read_after_its_sender_is_gone(void **) {
    const std::vector<std::shared_ptr<Node>> nodes = connect_threads(2, Machine{}, 0);
    auto first = std::make_unique<Ranks>(nodes);
    begin(*first, 1);
    const Ticket out = first->transport(0).send(1, envelope(1), "late", 4);
    finish(*first, 0, out);
    first->free(0);
    // Its memory is not given to somebody else.
    Ranks second(nodes);
    begin(second, 1);
    const std::vector<char> noise(lane_chunk * lane_slots, 'n');
    second.transport(0).send(1, envelope(1), noise.data(), noise.size());
    char got[4] = {};
    const Ticket in = first->transport(1).recv(0, envelope(1), got, 4);
    for (int i = 0; i < 10; ++i) {
        first->transport(1).progress();
    }
    assert_true(in.until().reached());
    first->transport(1).finish(in);
    assert_memory_equal(got, "late", 4);
}

void lanes_of_a_freed_communicator_are_used_again(void **) {
    const std::vector<std::shared_ptr<Node>> nodes = connect_threads(2, Machine{}, 0);
    uint64_t highest = 0;
    for (int round = 0; round < 50; ++round) {
        Ranks r(nodes);
        begin(r, 1);
        char got = 0;
        const Ticket out = r.transport(0).send(1, envelope(1), "x", 1);
        finish(r, 1, r.transport(1).recv(0, envelope(1), &got, 1));
        finish(r, 0, out);
        const uint64_t here = directory_offset(r.window(0).mine());
        assert_true(here != 0);
        if (round == 2) {
            highest = here;
        }
        assert_true(round <= 2 || here <= highest);
    }
}

void a_thread_that_sleeps_for_a_message_is_woken(void **) {
    Ranks r(2);
    begin(r, 1);
    constexpr int64_t a_minute = 60'000'000'000;
    constexpr int rounds = 200;
    std::thread sender([&] {
        for (int i = 0; i < rounds; ++i) {
            char answer = 0;
            const Ticket in = r.transport(0).recv(1, envelope(1), &answer, 1);
            const Ticket out = r.transport(0).send(1, envelope(1), "x", 1);
            for (const Ticket &ticket : {in, out}) {
                while (!ticket.until().reached()) {
                    if (!r.transport(0).progress()) {
                        r.transport(0).sleep(ticket.until(), a_minute);
                    }
                }
                r.transport(0).finish(ticket);
            }
        }
    });
    for (int i = 0; i < rounds; ++i) {
        char got = 0;
        const Ticket in = r.transport(1).recv(0, envelope(1), &got, 1);
        while (!in.until().reached()) {
            if (!r.transport(1).progress()) {
                assert_true(r.transport(1).sleep(in.until(), a_minute));
            }
        }
        r.transport(1).finish(in);
        const Ticket out = r.transport(1).send(0, envelope(1), "y", 1);
        r.transport(1).finish(out);
    }
    sender.join();
    Signal foreign;
    assert_false(r.transport(1).sleep({&foreign, 1, 0}, a_minute));
}

// Two threads, both ways at once, in changing sizes: for ThreadSanitizer.
void threads_exchange_long_messages(void **) {
    Ranks r(2);
    begin(r, 1);
    constexpr int rounds = 60;
    std::string wrong[2];
    const auto work = [&](int me) {
        Transport &transport = r.transport(me);
        for (int i = 0; i < rounds; ++i) {
            const std::vector<char> data = pattern(static_cast<size_t>(i) * 2777, me + i);
            std::vector<char> got(data.size());
            const Ticket in = transport.recv(1 - me, envelope(1), got.data(), got.size());
            const Ticket out = transport.send(1 - me, envelope(1), data.data(), data.size());
            for (const Ticket &ticket : {in, out}) {
                while (!ticket.until().reached()) {
                    if (!transport.progress()) {
                        std::this_thread::yield();
                    }
                }
                transport.finish(ticket);
            }
            if (got != pattern(data.size(), 1 - me + i)) {
                wrong[me] = "round " + std::to_string(i);
            }
        }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    assert_string_equal(wrong[0].c_str(), "");
    assert_string_equal(wrong[1].c_str(), "");
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_as_it_was_sent),
        cmocka_unit_test(a_rank_can_send_to_itself),
        cmocka_unit_test(messages_of_one_operation_keep_their_order),
        cmocka_unit_test(a_message_nobody_asked_for_yet_is_no_obstacle),
        cmocka_unit_test(a_receive_takes_over_a_message_that_is_half_there),
        cmocka_unit_test(a_full_lane_holds_its_sender_until_the_receiver_comes),
        cmocka_unit_test(what_was_sent_can_be_read_after_its_sender_is_gone),
        cmocka_unit_test(lanes_of_a_freed_communicator_are_used_again),
        cmocka_unit_test(a_thread_that_sleeps_for_a_message_is_woken),
        cmocka_unit_test(threads_exchange_long_messages),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
