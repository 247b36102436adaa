// Messages of users, one rank at a time: who gets which, of any size, in any order.
#include "post_ranks.h"

#include <algorithm>

using namespace post_ranks;

namespace {

constexpr size_t large = 3 * post_letter + 5;
const std::vector<size_t> sizes = {0,    1,    63,   64,    65,    103,    104,    105,    2047,    2048,         2049,
                                   6143, 6144, 6145, 32768, 32769, 100000, 131073, 500001, 1 << 20, (1 << 23) + 1};
constexpr Kinship kinships[] = {Kinship::together, Kinship::apart};

void a_message_arrives_as_it_was_sent(void **) {
    for (const Kinship kinship : kinships) {
        for (const size_t budget : {size_t{0}, size_t{64} << 20}) { // without a block for each piece, and with it
            Ranks r(2, kinship, budget);
            int seed = 0;
            for (const size_t bytes : sizes) {
                for (const bool receive_first : {false, true}) {
                    const std::vector<char> data = pattern(bytes, ++seed);
                    std::vector<char> got(bytes + 1, 'x');
                    Post::Ticket in, out;
                    if (receive_first) {
                        in = r[1].recv(0, 5, got.data(), bytes);
                    }
                    out = r[0].send(1, 5, data.data(), bytes);
                    if (!receive_first) {
                        in = r[1].recv(0, 5, got.data(), bytes);
                    }
                    assert_status(r.finish(1, in), 0, 5, bytes);
                    r.finish(0, out);
                    assert_got(got, data);
                    assert_int_equal(got[bytes], 'x');
                }
            }
            assert_int_equal(r[0].in_flight() + r[1].in_flight(), 0);
        }
    }
}

void a_rank_can_send_to_itself(void **) {
    Ranks r(1);
    for (const size_t bytes : sizes) {
        for (const bool receive_first : {false, true}) {
            const std::vector<char> data = pattern(bytes, 1);
            std::vector<char> got(bytes + 1);
            Post::Ticket in, out;
            if (receive_first) {
                in = r[0].recv(any_source, any_tag, got.data(), bytes);
            }
            out = r[0].send(0, 9, data.data(), bytes);
            assert_true(receive_first || bytes > post_letter || Post::is_over(out));
            if (!receive_first) {
                in = r[0].recv(0, 9, got.data(), bytes);
            }
            assert_status(r.finish(0, in), 0, 9, bytes);
            r.finish(0, out);
            assert_got(got, data);
        }
    }
}

// One and the same tag, small and large in turn, receives before and after.
void messages_with_one_tag_do_not_overtake_each_other(void **) {
    for (const Kinship kinship : kinships) {
        Ranks r(2, kinship);
        constexpr int messages = 200;
        std::vector<std::vector<char>> data, got;
        std::vector<Post::Ticket> in, out;
        for (int i = 0; i < messages; ++i) {
            data.push_back(pattern(i % 7 == 3 ? large : static_cast<size_t>(i % 5) * 1700, i));
            got.emplace_back(large);
        }
        for (size_t i = 0; i < messages / 2; ++i) {
            in.push_back(r[1].recv(i % 2 ? 0 : any_source, i % 3 ? 4 : any_tag, got[i].data(), large));
        }
        for (const std::vector<char> &one : data) {
            out.push_back(r[0].send(1, 4, one.data(), one.size()));
        }
        r.settle();
        for (size_t i = messages / 2; i < messages; ++i) {
            in.push_back(r[1].recv(i % 2 ? 0 : any_source, i % 3 ? 4 : any_tag, got[i].data(), large));
        }
        for (size_t i = 0; i < messages; ++i) {
            assert_status(r.finish(1, in[i]), 0, 4, data[i].size());
            r.finish(0, out[i]);
            assert_got(got[i], data[i]);
        }
    }
}

void tags_choose_among_messages_of_any_size(void **) {
    for (const Kinship kinship : kinships) {
        for (const size_t bytes : {size_t{8}, size_t{3000}, size_t{10000}, large, size_t{1} << 20}) {
            Ranks r(2, kinship);
            constexpr int messages = 60;
            std::vector<std::vector<char>> data;
            std::vector<Post::Ticket> out;
            for (int i = 0; i < messages; ++i) {
                data.push_back(pattern(bytes, i));
                out.push_back(r[0].send(1, i, data.back().data(), bytes));
            }
            for (int i = messages - 1; i >= 0; --i) {
                std::vector<char> got(bytes);
                assert_status(r.finish(1, r[1].recv(0, i, got.data(), bytes)), 0, i, bytes);
                assert_got(got, data[static_cast<size_t>(i)]);
            }
            for (const Post::Ticket &ticket : out) {
                r.finish(0, ticket);
            }
        }
    }
}

void receives_are_served_in_the_order_in_which_they_were_started(void **) {
    Ranks r(3);
    char first = 0, second = 0, third = 0;
    const Post::Ticket a = r[2].recv(any_source, 7, &first, 1);
    const Post::Ticket b = r[2].recv(0, any_tag, &second, 1);
    const Post::Ticket c = r[2].recv(any_source, any_tag, &third, 1);
    r[0].send(2, 6, "b", 1);
    r[1].send(2, 6, "c", 1);
    r.settle();
    assert_false(Post::is_over(a));
    r[0].send(2, 7, "a", 1);
    assert_status(r.finish(2, a), 0, 7, 1);
    assert_status(r.finish(2, b), 0, 6, 1);
    assert_status(r.finish(2, c), 1, 6, 1);
    assert_true(first == 'a' && second == 'b' && third == 'c');
}

// Rank 0's messages are always there, in its lane or aside, and rank 1's only one is heard all the same.
// Rank 1 receives at once, or finds that nothing has happened.
void assert_now(Ranks &r, int source, int tag, const std::vector<char> &expected, size_t room) {
    std::vector<char> got(room);
    Post::Status status{};
    assert_true(r[1].recv_now(source, tag, got.data(), room, status));
    assert_status(status, source, tag, expected.size());
    assert_got(got, expected);
}
void assert_not_now(Ranks &r, int source, int tag, size_t room) {
    std::vector<char> got(room, 'x');
    Post::Status status{};
    assert_false(r[1].recv_now(source, tag, got.data(), room, status));
    assert_true(std::all_of(got.begin(), got.end(), [](char c) { return c == 'x'; }));
}

void the_next_line_of_a_peer_is_received_at_once(void **) {
    Ranks r(3);
    assert_not_now(r, 0, 1, 8); // there is no lane
    for (const size_t bytes : {size_t{0}, size_t{8}, PostLine::room, PostLine::room + 1, PostLine::room_beside,
                               PostLine::room_beside + 1, post_piece, 2 * post_piece}) {
        const std::vector<char> data = pattern(bytes, 1);
        for (int i = 0; i < 100; ++i) { // credit, lines and blocks come round
            assert_true(Post::is_over(r[0].send(1, i, data.data(), bytes)));
            assert_not_now(r, 0, i + 1, bytes);
            assert_not_now(r, 2, i, bytes);
            assert_not_now(r, 1, i, bytes);
            assert_not_now(r, any_source, i, bytes);
            if (bytes > 0) {
                assert_not_now(r, 0, i, bytes - 1);
            }
            assert_now(r, 0, i, data, bytes + 1);
        }
    }
    assert_int_equal(r[1].in_flight(), 0);
}

void nothing_is_received_at_once_that_others_asked_for(void **) {
    for (const int asker : {0, any_source}) {
        Ranks r(3);
        char early = 0, late = 0;
        const Post::Ticket before = r[1].recv(asker, 4, &early, 1);
        r[0].send(1, 4, "a", 1);
        r[0].send(1, 4, "b", 1);
        assert_not_now(r, 0, 4, 1);
        assert_false(r[1].next_line(0).has_value());
        const Post::Ticket after = r[1].recv(0, 4, &late, 1);
        r.finish(1, before);
        r.finish(1, after);
        assert_int_equal(early, 'a');
        assert_int_equal(late, 'b');
    }
}

void what_came_before_goes_before_what_is_received_at_once(void **) {
    Ranks r(3);
    char got = 0;
    r[0].send(1, 4, "a", 1);
    r[0].send(1, 5, "b", 1);
    r.finish(1, r[1].recv(0, 5, &got, 1)); // puts the first aside
    r[0].send(1, 4, "c", 1);
    assert_not_now(r, 0, 4, 1);
    assert_false(r[1].next_line(0).has_value()); // whoever waited for it would wait for nothing
    r.finish(1, r[1].recv(0, 4, &got, 1));
    assert_int_equal(got, 'a');
    assert_true(r[1].next_line(0).has_value());
    assert_now(r, 0, 4, {'c'}, 1);
    const std::vector<char> data = pattern(large, 1);
    std::vector<char> all(large);
    const Post::Ticket out = r[0].send(1, 4, data.data(), large);
    assert_not_now(r, 0, 4, large); // an offer
    r.finish(1, r[1].recv(0, 4, all.data(), large));
    r.finish(0, out);
    assert_got(all, data);
}

void one_message_is_not_drowned_by_many(void **) {
    for (const bool aside : {false, true}) {
        Ranks r(3);
        char got = 0;
        if (aside) {
            r[2].recv(0, 99, &got, 1); // so rank 0's lane is emptied
        }
        for (int i = 0; i < 20; ++i) {
            r[0].send(2, 1, "x", 1);
        }
        r[2].progress();
        r[1].send(2, 1, "y", 1);
        bool heard = false;
        for (int i = 0; i < 60 && !heard; ++i) {
            r[0].send(2, 1, "x", 1);
            const Post::Ticket in = r[2].recv(any_source, 1, &got, 1);
            assert_true(Post::is_over(in));
            heard = Post::status(in).source == 1;
            r[2].finish(in);
            if (aside) {
                r[2].progress();
            }
        }
        assert_true(heard);
    }
}

void a_receive_from_any_source_hears_everybody(void **) {
    for (const size_t bytes : {size_t{1}, size_t{5000}, large}) {
        Ranks r(3);
        const std::vector<char> data = pattern(bytes, 1);
        std::vector<Post::Ticket> out;
        int heard[2] = {0, 0};
        for (int i = 0; i < 300; ++i) {
            out.push_back(r[0].send(2, 1, data.data(), bytes));
            out.push_back(r[0].send(2, 1, data.data(), bytes));
            if (i % 10 == 0) {
                r[1].send(2, 1, data.data(), 1);
            }
            r.progress();
            std::vector<char> got(bytes);
            ++heard[r.finish(2, r[2].recv(any_source, 1, got.data(), bytes)).source];
        }
        assert_true(heard[1] >= 10);
        assert_true(heard[0] >= 100);
    }
}

void a_message_that_is_too_long_is_an_error_and_consumed(void **) {
    for (const Kinship kinship : kinships) {
        for (const size_t bytes : {size_t{2}, size_t{41}, size_t{5000}, post_letter, large, size_t{1} << 20}) {
            for (const bool receive_first : {false, true}) {
                Ranks r(2, kinship);
                const std::vector<char> data = pattern(bytes, 1);
                std::vector<char> got(bytes, 'x');
                Post::Ticket in, out;
                if (receive_first) {
                    in = r[1].recv(0, 3, got.data(), bytes / 2);
                }
                out = r[0].send(1, 3, data.data(), bytes);
                if (!receive_first) {
                    in = r[1].recv(0, 3, got.data(), bytes / 2);
                }
                r.finish(0, out);
                std::string text;
                try {
                    r.finish(1, in);
                } catch (const Failure &failure) {
                    assert_int_equal(failure.result(), XCOLL_ERR_TRUNCATE);
                    text = failure.message();
                }
                for (const std::string &part : {std::string("rank 1"), std::string("rank 0"), std::string("tag 3"),
                                                std::to_string(bytes), std::to_string(bytes / 2)}) {
                    assert_true(text.find(part) != std::string::npos);
                }
                assert_true(std::all_of(got.begin() + static_cast<ptrdiff_t>(bytes / 2), got.end(),
                                        [](char c) { return c == 'x'; }));
                const Post::Ticket none = r[1].recv(0, 3, nullptr, 0);
                r.finish(0, r[0].send(1, 3, data.data(), bytes));
                xcoll_result_t result = XCOLL_SUCCESS;
                try {
                    r.finish(1, none);
                } catch (const Failure &failure) {
                    result = failure.result();
                }
                assert_int_equal(result, XCOLL_ERR_TRUNCATE);
                r[0].send(1, 3, "n", 1);
                r.finish(1, r[1].recv(any_source, any_tag, got.data(), 1));
                assert_int_equal(got[0], 'n');
            }
        }
    }
}

void a_message_to_myself_that_is_too_long_is_an_error(void **) {
    for (const size_t bytes : {size_t{100}, large}) {
        Ranks r(1);
        const std::vector<char> data = pattern(bytes, 1);
        char got[2] = {'x', 'x'};
        const Post::Ticket out = r[0].send(0, 1, data.data(), bytes);
        const Post::Ticket in = r[0].recv(0, 1, got, 1);
        r.finish(0, out);
        xcoll_result_t result = XCOLL_SUCCESS;
        try {
            r.finish(0, in);
        } catch (const Failure &failure) {
            result = failure.result();
        }
        assert_int_equal(result, XCOLL_ERR_TRUNCATE);
        assert_int_equal(got[1], 'x');
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_as_it_was_sent),
        cmocka_unit_test(a_rank_can_send_to_itself),
        cmocka_unit_test(messages_with_one_tag_do_not_overtake_each_other),
        cmocka_unit_test(tags_choose_among_messages_of_any_size),
        cmocka_unit_test(receives_are_served_in_the_order_in_which_they_were_started),
        cmocka_unit_test(the_next_line_of_a_peer_is_received_at_once),
        cmocka_unit_test(nothing_is_received_at_once_that_others_asked_for),
        cmocka_unit_test(what_came_before_goes_before_what_is_received_at_once),
        cmocka_unit_test(one_message_is_not_drowned_by_many),
        cmocka_unit_test(a_receive_from_any_source_hears_everybody),
        cmocka_unit_test(a_message_that_is_too_long_is_an_error_and_consumed),
        cmocka_unit_test(a_message_to_myself_that_is_too_long_is_an_error),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
