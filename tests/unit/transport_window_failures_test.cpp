// Messages in shared memory when something goes wrong: other calls, ranks that leave, cancelling.
#include "cmocka_cpp.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "transport_messages.h"

using namespace ranks;

namespace {

constexpr size_t more_than_a_lane = (lane_slots + 3) * lane_chunk + 5;

void another_call_is_a_mismatch_that_names_both(void **) {
    for (const bool receive_first : {false, true}) {
        Ranks r(2);
        begin(r, 1);
        const Envelope mine{1, fingerprint(plain(Kind::barrier))};
        char got = 'x';
        Ticket in{};
        if (receive_first) {
            in = r.transport(1).recv(0, mine, &got, 1);
        }
        const Ticket out = r.transport(0).send(1, envelope(1, 17), "y", 1);
        if (!receive_first) {
            in = r.transport(1).recv(0, mine, &got, 1);
        }
        std::string text;
        assert_int_equal(result_of(r, 1, in, &text), XCOLL_ERR_MISMATCH);
        assert_non_null(std::strstr(text.c_str(), "rank 1 called barrier"));
        assert_non_null(std::strstr(text.c_str(), "rank 0 called allreduce(sum, 17 x uint8)"));
        assert_int_equal(got, 'x');
        finish(r, 0, out);
    }
}

void another_size_is_a_mismatch_and_writes_nothing(void **) {
    Ranks r(2);
    begin(r, 1);
    std::vector<char> got(8, 'x');
    const Ticket in = r.transport(1).recv(0, envelope(1), got.data(), 8);
    const Ticket out = r.transport(0).send(1, envelope(1), "12345678abcdefgh", 16);
    std::string text;
    assert_int_equal(result_of(r, 1, in, &text), XCOLL_ERR_MISMATCH);
    assert_non_null(std::strstr(text.c_str(), "expected a message of 8 bytes from rank 0 and got one of 16"));
    assert_true(got == std::vector<char>(8, 'x'));
    finish(r, 0, out);
}

void receives_from_a_rank_that_left_fail(void **) {
    Ranks r(3);
    begin(r, 1);
    char got[4] = {};
    const Ticket before = r.transport(1).recv(0, envelope(1), got, 1);
    r.transport(0).break_off(envelope(1));
    std::string text;
    assert_int_equal(result_of(r, 1, before, &text), XCOLL_ERR_MISMATCH);
    assert_non_null(std::strstr(text.c_str(), "operation 1: rank 0 left it with an error"));
    // Those that are posted later, however many.
    for (int i = 0; i < 2; ++i) {
        const Ticket after = r.transport(1).recv(0, envelope(1), got, 1);
        assert_int_equal(result_of(r, 1, after), XCOLL_ERR_MISMATCH);
    }
    // On a rank that had never heard of it.
    assert_int_equal(result_of(r, 2, r.transport(2).recv(0, envelope(1), got, 1)), XCOLL_ERR_MISMATCH);
    // And no other operation.
    begin(r, 2);
    const Ticket out = r.transport(0).send(1, envelope(2), "z", 1);
    finish(r, 1, r.transport(1).recv(0, envelope(2), got, 1));
    finish(r, 0, out);
    assert_int_equal(got[0], 'z');
}

void what_was_sent_before_leaving_is_cut_short(void **) {
    for (const bool taken_aside : {false, true}) {
        Ranks r(2);
        begin(r, 1);
        begin(r, 2);
        std::vector<char> data = pattern(more_than_a_lane, 1);
        std::vector<char> got(data.size());
        r.transport(0).send(1, envelope(1), data.data(), data.size());
        Ticket in{};
        char other = 0;
        if (taken_aside) {
            in = r.transport(1).recv(0, envelope(2), &other, 1);
        } else {
            in = r.transport(1).recv(0, envelope(1), got.data(), got.size());
        }
        r.transport(0).break_off(envelope(1));
        std::fill(data.begin(), data.end(), '!'); // the buffer is the sender's again
        r.progress();
        if (taken_aside) {
            const Ticket out = r.transport(0).send(1, envelope(2), "x", 1);
            finish(r, 1, in);
            finish(r, 0, out);
            in = r.transport(1).recv(0, envelope(1), got.data(), got.size());
        }
        assert_int_equal(result_of(r, 1, in), XCOLL_ERR_MISMATCH);
    }
}

void a_full_lane_still_tells_that_its_sender_has_left(void **) {
    Ranks r(2);
    begin(r, 1);
    const std::vector<char> data = pattern(more_than_a_lane, 1);
    std::vector<char> got(data.size());
    r.transport(0).send(1, envelope(1), data.data(), data.size());
    r.transport(0).break_off(envelope(1)); // and does not come back
    const Ticket in = r.transport(1).recv(0, envelope(1), got.data(), got.size());
    r.transport(1).progress();
    assert_true(in.until().reached());
    assert_int_equal(result_of(r, 1, in), XCOLL_ERR_MISMATCH);
}

void sends_to_a_rank_that_left_fail_if_they_wait(void **) {
    Ranks r(2);
    begin(r, 1);
    const std::vector<char> data = pattern(more_than_a_lane, 1);
    const Ticket before = r.transport(0).send(1, envelope(1), data.data(), data.size());
    r.transport(1).break_off(envelope(1));
    assert_int_equal(result_of(r, 0, before), XCOLL_ERR_MISMATCH);
    const Ticket after = r.transport(0).send(1, envelope(1), data.data(), data.size());
    assert_int_equal(result_of(r, 0, after), XCOLL_ERR_MISMATCH);
}

void a_receiver_that_leaves_gets_its_buffers_back(void **) {
    Ranks r(2);
    begin(r, 1);
    begin(r, 2);
    const std::vector<char> data = pattern(more_than_a_lane, 1);
    std::vector<char> half(data.size());
    const Ticket out = r.transport(0).send(1, envelope(1), data.data(), data.size());
    r.transport(1).recv(0, envelope(1), half.data(), half.size()); // now it is half there
    r.transport(1).break_off(envelope(1));
    std::fill(half.begin(), half.end(), 'k');
    // The rest of it still comes, and what the sender sends after that.
    char got[2] = {};
    const Ticket in = r.transport(1).recv(0, envelope(2), got, 1);
    const Ticket late = r.transport(0).send(1, envelope(1), "l", 1);
    const Ticket next = r.transport(0).send(1, envelope(2), "n", 1);
    finish(r, 1, in);
    for (const Ticket &ticket : {out, late, next}) {
        finish(r, 0, ticket);
    }
    assert_int_equal(got[0], 'n');
    assert_true(half == std::vector<char>(half.size(), 'k'));
}

void a_message_left_over_at_the_end_is_a_mismatch(void **) {
    Ranks r(2);
    begin(r, 1);
    begin(r, 2);
    const Ticket wrong = r.transport(0).send(1, envelope(1, 5), "w", 1);
    const Ticket right = r.transport(0).send(1, envelope(2), "r", 1);
    char got = 0;
    finish(r, 1, r.transport(1).recv(0, envelope(2), &got, 1));
    std::string text;
    try {
        r.transport(1).end(envelope(1, 6)); // sent something else, and expected nothing
    } catch (const Failure &failure) {
        text = failure.message();
    }
    assert_non_null(std::strstr(text.c_str(), "rank 1 called allreduce(sum, 6 x uint8)"));
    assert_non_null(std::strstr(text.c_str(), "rank 0 called allreduce(sum, 5 x uint8)"));
    finish(r, 0, wrong);
    finish(r, 0, right);
}

void a_mismatch_that_shows_too_late_harms_no_later_operation(void **) {
    Ranks r(2);
    begin(r, 1);
    r.transport(1).end(envelope(1));
    begin(r, 2);
    const Ticket wrong = r.transport(0).send(1, {1, fingerprint(plain(Kind::barrier))}, nullptr, 0);
    const Ticket right = r.transport(0).send(1, envelope(2), "r", 1);
    char got = 0;
    assert_int_equal(result_of(r, 1, r.transport(1).recv(0, envelope(2), &got, 1)), XCOLL_SUCCESS);
    assert_int_equal(got, 'r');
    finish(r, 0, wrong);
    finish(r, 0, right);
}

void nothing_touches_buffers_after_cancelling(void **) {
    Ranks r(2);
    begin(r, 1);
    std::vector<char> data = pattern(more_than_a_lane, 1), got(data.size(), 'g');
    r.transport(0).send(1, envelope(1), data.data(), data.size());
    r.transport(1).recv(0, envelope(1), got.data(), got.size());
    r.transport(1).cancel_all();
    const std::vector<char> seen = got;
    r.progress();
    assert_true(got == seen);
    r.transport(0).cancel_all();
    data = {};
    r.progress();
    // As when the frames of the operation go away afterwards.
    r.transport(0).break_off(envelope(1));
    bool refused = false;
    try {
        r.transport(0).send(1, envelope(1), "x", 1);
    } catch (const Failure &failure) {
        refused = failure.result() == XCOLL_ERR_ABORTED;
    }
    assert_true(refused);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(another_call_is_a_mismatch_that_names_both),
        cmocka_unit_test(another_size_is_a_mismatch_and_writes_nothing),
        cmocka_unit_test(receives_from_a_rank_that_left_fail),
        cmocka_unit_test(what_was_sent_before_leaving_is_cut_short),
        cmocka_unit_test(a_full_lane_still_tells_that_its_sender_has_left),
        cmocka_unit_test(sends_to_a_rank_that_left_fail_if_they_wait),
        cmocka_unit_test(a_receiver_that_leaves_gets_its_buffers_back),
        cmocka_unit_test(a_message_left_over_at_the_end_is_a_mismatch),
        cmocka_unit_test(a_mismatch_that_shows_too_late_harms_no_later_operation),
        cmocka_unit_test(nothing_touches_buffers_after_cancelling),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
