// Messages of users: what they may cost, who may wait for whom, and how they end.
#include "post_ranks.h"

#include <algorithm>

using namespace post_ranks;

namespace {

constexpr size_t large = 3 * post_letter + 5;
constexpr Kinship kinships[] = {Kinship::together, Kinship::apart};

// What one rank has sent itself without being asked is bounded as well.
void what_a_rank_sends_itself_is_bounded(void **) {
    Ranks r(1);
    const std::vector<char> data = pattern(post_letter, 1);
    std::vector<Post::Ticket> out;
    constexpr int messages = 50;
    for (int i = 0; i < messages; ++i) {
        out.push_back(r[0].send(0, i, data.data(), data.size()));
    }
    assert_int_equal(r[0].aside_bytes(), post_credit);
    for (int i = messages - 1; i >= 0; --i) {
        std::vector<char> got(data.size());
        r.finish(0, r[0].recv(0, i, got.data(), got.size()));
        r.finish(0, out[static_cast<size_t>(i)]);
        assert_got(got, data);
    }
    assert_int_equal(r[0].aside_bytes(), 0);
    assert_true(Post::is_over(r[0].send(0, 1, data.data(), data.size())));
}

void both_may_send_first(void **) {
    for (const Kinship kinship : kinships) {
        Ranks r(2, kinship);
        for (const size_t bytes : {size_t{0}, size_t{104}, size_t{2048}, size_t{10000}, post_letter}) {
            const std::vector<char> data[2] = {pattern(bytes, 1), pattern(bytes, 2)};
            for (const int me : {0, 1}) {
                const Post::Ticket out = r[me].send(1 - me, 1, data[me].data(), bytes);
                assert_true(Post::is_over(out)); // by itself
                r[me].finish(out);
            }
            for (const int me : {0, 1}) {
                std::vector<char> got(bytes);
                r.finish(me, r[me].recv(1 - me, 1, got.data(), bytes));
                assert_got(got, data[1 - me]);
            }
        }
    }
}

// All the credit, although the lane has room for a fraction of it: the receiver waits for somebody else meanwhile.
void small_sends_end_while_their_receiver_waits_for_another_rank(void **) {
    Ranks r(3);
    char go = 0;
    const Post::Ticket other = r[1].recv(2, 0, &go, 1);
    constexpr size_t messages = post_credit / 64;
    for (size_t i = 0; i < messages; ++i) {
        const Post::Ticket out = r[0].send(1, static_cast<int>(i), &i, sizeof i);
        for (int round = 0; round <= r.size() && !Post::is_over(out); ++round) { // everybody is relieved in turn
            r.progress();
        }
        assert_true(Post::is_over(out));
        r[0].finish(out);
    }
    r[2].send(1, 0, "g", 1);
    r.finish(1, other);
    for (size_t i = messages; i-- > 0;) {
        size_t got = 0;
        r.finish(1, r[1].recv(0, static_cast<int>(i), &got, sizeof got));
        assert_int_equal(got, i);
    }
}

// What the last piece of a message would leave over for a line, or for the place beside it, goes with that piece.
void blocks_come_home_from_messages_of_any_length(void **) {
    constexpr int at_once = 30; // more than there are blocks
    for (const size_t rest : {size_t{1}, PostLine::room + 1, PostLine::room_beside, PostLine::room_beside + 1}) {
        Ranks r(2);
        const std::vector<char> data = pattern((size_t{16} << 10) + rest, static_cast<int>(rest));
        std::vector<Post::Ticket> sends;
        for (int i = 0; i < at_once; ++i) {
            sends.push_back(r[0].send(1, 1, data.data(), data.size()));
        }
        for (const Post::Ticket &send : sends) {
            std::vector<char> got(data.size());
            r.finish(1, r[1].recv(0, 1, got.data(), got.size()));
            r.finish(0, send);
            assert_got(got, data);
        }
        const std::vector<char> longest(post_letter);
        assert_true(Post::is_over(r[0].send(1, 1, longest.data(), longest.size()))); // as long as there are blocks
    }
}

void a_receiver_that_does_not_receive_keeps_little(void **) {
    for (const size_t bytes : {size_t{0}, size_t{100}, post_letter, size_t{1} << 20}) {
        Ranks r(3);
        const std::vector<char> data = pattern(bytes, 1);
        char never = 0;
        r[1].recv(0, 12345, &never, 1); // so the lane is emptied
        std::vector<Post::Ticket> out;
        for (int i = 0; i < 5000; ++i) { // more than there is credit for, of no bytes as well
            out.push_back(r[0].send(1, 1, data.data(), bytes));
            if (i % 16 == 0) {
                r.settle();
            }
        }
        r.settle();
        assert_true(r[1].aside_bytes() <= post_credit);
        assert_false(Post::is_over(out.back()));
        for (const Post::Ticket &ticket : out) {
            std::vector<char> got(bytes);
            r.finish(1, r[1].recv(0, 1, got.data(), bytes));
            assert_got(got, data);
            r.finish(0, ticket);
        }
        assert_int_equal(r[1].aside_bytes(), 0);
        const Post::Ticket again = r[0].send(1, 1, data.data(), std::min(bytes, post_letter));
        r.settle();
        assert_true(Post::is_over(again)); // the credit has come back
    }
}

// Who has sent much to one that does not take it can still send to others: blocks held there are no obstacle.
void a_slow_peer_does_not_hold_up_others(void **) {
    Ranks r(3, Kinship::apart, 0);
    const std::vector<char> data = pattern(size_t{1} << 20, 1);
    std::vector<char> to_one(data.size()), to_two(data.size());
    const Post::Ticket slow = r[1].recv(0, 1, to_one.data(), to_one.size());
    const Post::Ticket out1 = r[0].send(1, 1, data.data(), data.size());
    r[1].progress(); // says go, and does not look again
    const Post::Ticket out2 = r[0].send(2, 1, data.data(), data.size());
    const Post::Ticket in2 = r[2].recv(0, 1, to_two.data(), to_two.size());
    for (int i = 0; i < 10000 && !Post::is_over(in2); ++i) {
        r[0].progress();
        r[2].progress();
    }
    assert_true(Post::is_over(in2));
    assert_false(Post::is_over(slow));
    assert_got(to_two, data);
    r.finish(0, out2);
    r.finish(0, out1);
    r.finish(1, slow);
    assert_got(to_one, data);
}

void what_was_sent_can_be_received_after_its_sender_is_gone(void **) {
    const auto nodes = make_nodes(2, Kinship::apart, 0);
    auto first = std::make_unique<Ranks>(nodes);
    const std::vector<char> data = pattern(10000, 1);
    const Post::Ticket out = (*first)[0].send(1, 1, data.data(), data.size());
    first->finish(0, out);
    first->free(0);
    // Its memory is not given to somebody else.
    Ranks second(nodes);
    const std::vector<char> noise(30000, 'n');
    second[0].send(1, 1, noise.data(), 4096);
    second[0].send(1, 1, noise.data(), 4096);
    std::vector<char> got(data.size());
    Post &receiver = (*first)[1];
    const Post::Ticket in = receiver.recv(0, 1, got.data(), got.size());
    receiver.check_present();
    for (int i = 0; i < 10; ++i) {
        receiver.progress();
    }
    assert_true(Post::is_over(in));
    receiver.finish(in);
    assert_got(got, data);
}

void lanes_of_a_freed_communicator_are_used_again(void **) {
    const auto nodes = make_nodes(2, Kinship::apart, 0);
    uint64_t highest = 0;
    for (int round = 0; round < 30; ++round) {
        Ranks r(nodes);
        const std::vector<char> data = pattern(large, round);
        char nothing = 0;
        // A receive that looks before there is anything must not see what a former communicator left.
        const Post::Ticket early = r[0].recv(1, 1, &nothing, 1);
        assert_false(Post::is_over(early));
        // As many as fit before the receiver has taken one.
        std::vector<uint64_t> numbers(2 * post_lines);
        std::vector<Post::Ticket> small;
        for (uint64_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = i;
            small.push_back(r[0].send(1, 2, &numbers[i], sizeof i));
        }
        for (uint64_t i = 0; i < numbers.size(); ++i) {
            uint64_t number = 0;
            r.finish(1, r[1].recv(0, 2, &number, sizeof number));
            r.finish(0, small[i]);
            assert_int_equal(number, i);
        }
        for (int i = 0; i < 3; ++i) {
            std::vector<char> got(large);
            const Post::Ticket out = r[0].send(1, 1, data.data(), large);
            r.finish(1, r[1].recv(0, 1, got.data(), large));
            r.finish(0, out);
            assert_got(got, data);
        }
        r[1].send(0, 1, "x", 1);
        r.finish(0, early);
        const uint64_t here = post_directory(r.window(0).mine());
        assert_true(here != 0);
        highest = round <= 2 ? std::max(highest, here) : highest;
        assert_true(here <= highest);
    }
}

// The directory says nothing of lanes that the former communicator had.
void a_lane_of_a_freed_communicator_is_not_taken_for_another_ones(void **) {
    const auto nodes = make_nodes(3, Kinship::apart, 0);
    {
        Ranks r(nodes);
        r[0].send(1, 1, "a", 1);
    }
    Ranks r(nodes);
    char wrong = 0, right = 0;
    const Post::Ticket nothing = r[1].recv(0, 1, &wrong, 1);
    r[0].send(2, 1, "b", 1);
    r.settle();
    assert_false(Post::is_over(nothing));
    r.finish(2, r[2].recv(0, 1, &right, 1));
    assert_int_equal(right, 'b');
}

// The answer to an offer finds the lane full, and nothing else is in flight there.
void an_answer_waits_for_room(void **) {
    for (const Kinship kinship : kinships) {
        Ranks r(2, kinship);
        const std::vector<char> data = pattern(large, 1);
        std::vector<char> got(large);
        for (uint64_t i = 0; i < post_lines; ++i) {
            assert_true(Post::is_over(r[1].send(0, 1, "x", 1)));
        }
        const Post::Ticket out = r[0].send(1, 1, data.data(), large);
        const Post::Ticket in = r[1].recv(0, 1, got.data(), large);
        for (int i = 0; i < 10; ++i) {
            r[1].progress();
        }
        assert_false(Post::is_over(in));
        r.finish(1, in);
        r.finish(0, out);
        assert_got(got, data);
    }
}

// Its first piece is all that the lane has room for when a receive from any source comes to it.
void the_rest_of_a_letter_is_taken_too(void **) {
    Ranks r(2);
    const std::vector<char> data = pattern(post_letter, 1);
    std::vector<char> got(post_letter);
    for (size_t used = 0; used < post_lines - 1; ++used) {
        r[0].send(1, 1, data.data(), 1);
    }
    const Post::Ticket out = r[0].send(1, 2, data.data(), post_letter);
    assert_false(Post::is_over(out));
    const Post::Ticket in = r[1].recv(any_source, 2, got.data(), post_letter);
    assert_false(Post::is_over(in));
    r.finish(1, in);
    r.finish(0, out);
    assert_got(got, data);
}

// Unmatched sends and receives of every kind; then the buffers belong to their owner again.
void cancelling_takes_back_every_buffer(void **) {
    for (const Kinship kinship : kinships) {
        Ranks r(2, kinship);
        std::vector<char> data(size_t{1} << 20, 'a'), got(data.size(), 'x');
        r[0].send(1, 1, data.data(), data.size()); // offered
        r[0].send(1, 2, data.data(), data.size()); // will flow
        for (int i = 0; i < 100; ++i) {
            r[0].send(1, 3, data.data(), 5000); // letters, and some that wait
        }
        r[0].recv(1, 9, got.data(), got.size());
        const Post::Ticket in = r[1].recv(0, 2, got.data(), kinship == Kinship::apart ? got.size() : 0);
        r[0].progress();
        r[0].cancel_all();
        std::fill(data.begin(), data.end(), 'z');
        for (int i = 0; i < 100; ++i) {
            r[1].progress();
        }
        assert_true(std::find(got.begin(), got.end(), 'z') == got.end());
        assert_false(kinship == Kinship::apart && Post::is_over(in));
        const Post::Ticket late = r[1].recv(0, 1, got.data(), got.size());
        for (int i = 0; i < 100; ++i) {
            r[1].progress();
        }
        assert_false(Post::is_over(late));
        assert_true(std::find(got.begin(), got.end(), 'z') == got.end());
        r[1].cancel_all();
        std::fill(got.begin(), got.end(), 'y');
        r.settle();
        assert_true(std::all_of(got.begin(), got.end(), [](char c) { return c == 'y'; }));
        for (const int me : {0, 1}) {
            xcoll_result_t result = XCOLL_SUCCESS;
            try {
                r[me].send(1 - me, 1, data.data(), 1);
            } catch (const Failure &failure) {
                result = failure.result();
            }
            assert_int_equal(result, XCOLL_ERR_ABORTED);
        }
    }
}

std::string complaint(Post &post) {
    try {
        post.check_present();
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_ABORTED);
        return failure.message();
    }
    return "";
}

// What a rank has written before it died still counts.
void a_rank_that_died_is_missed_by_those_who_wait_for_it(void **) {
    const std::vector<char> data = pattern(large, 1);
    char got = 0;
    Ranks r(3);
    assert_false(r[0].awaits(1));
    r[0].recv(1, 1, &got, 1);
    assert_true(r[0].awaits(1));
    assert_false(r[0].awaits(2));
    r[1].send(0, 1, "x", 1);
    assert_false(r[0].awaits(1));
    r[0].progress();
    assert_false(r[0].awaits(1));
    r[0].send(2, 1, data.data(), large);
    assert_true(r[0].awaits(2));
    r[1].recv(any_source, 1, &got, 1);
    assert_true(r[1].awaits(0));
    assert_true(r[1].awaits(2));
    assert_false(r[1].awaits(1));
    r.free(2);
    assert_false(r[1].awaits(2)); // it has ended in good order
}

void a_rank_that_freed_the_communicator_is_not_waited_for(void **) {
    const std::vector<char> data = pattern(large, 1);
    char got = 0;
    for (const int source : {1, any_source}) {
        Ranks r(2);
        r[0].recv(source, 1, &got, 1);
        assert_string_equal(complaint(r[0]).c_str(), "");
        r.free(1);
        const char *who = source == any_source ? "all other ranks freed" : "rank 1 freed";
        assert_true(complaint(r[0]).find(who) == 0);
    }
    for (const int source : {1, any_source}) { // it had sent something before
        Ranks r(2);
        const Post::Ticket in = r[0].recv(source, 1, &got, 1);
        r[1].send(0, 1, "x", 1);
        r.free(1);
        assert_string_equal(complaint(r[0]).c_str(), "");
        r[0].progress();
        assert_true(Post::is_over(in));
    }
    Ranks r(2);
    r[0].send(1, 1, data.data(), large);
    assert_string_equal(complaint(r[0]).c_str(), "");
    r.free(1);
    assert_true(complaint(r[0]).find("send it a message") != std::string::npos);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_a_rank_sends_itself_is_bounded),
        cmocka_unit_test(both_may_send_first),
        cmocka_unit_test(small_sends_end_while_their_receiver_waits_for_another_rank),
        cmocka_unit_test(blocks_come_home_from_messages_of_any_length),
        cmocka_unit_test(a_receiver_that_does_not_receive_keeps_little),
        cmocka_unit_test(a_slow_peer_does_not_hold_up_others),
        cmocka_unit_test(what_was_sent_can_be_received_after_its_sender_is_gone),
        cmocka_unit_test(lanes_of_a_freed_communicator_are_used_again),
        cmocka_unit_test(a_lane_of_a_freed_communicator_is_not_taken_for_another_ones),
        cmocka_unit_test(an_answer_waits_for_room),
        cmocka_unit_test(the_rest_of_a_letter_is_taken_too),
        cmocka_unit_test(cancelling_takes_back_every_buffer),
        cmocka_unit_test(a_rank_that_died_is_missed_by_those_who_wait_for_it),
        cmocka_unit_test(a_rank_that_freed_the_communicator_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
