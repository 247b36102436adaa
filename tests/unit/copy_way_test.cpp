// How payloads are copied: by rule, and by what was learned, of readers too.
#include "copy_way_machine.h"

#include <array>

using namespace copies;

namespace {

void by_rule_all_go_one_way(void **) {
    machine = {.plain = 15, .streamed = 1, .string = 7};
    CopyWay plain = learning(CopyWay::Rule::plain), string = learning(CopyWay::Rule::string),
            stream = learning(CopyWay::Rule::stream);
    copy_some(plain, 100);
    assert_int_equal(machine.copies, 100);
    copy_some(string, 100);
    assert_int_equal(machine.strings, 100);
    copy_some(stream, 100);
    assert_int_equal(machine.streams, 100);
    assert_way(plain, Way::plain);
    assert_way(string, Way::string);
    assert_way(stream, Way::stream);
}

void small_payloads_are_copied_plainly(void **) {
    machine = {.plain = 15, .streamed = 1, .string = 1};
    for (const CopyWay::Rule rule : {CopyWay::Rule::string, CopyWay::Rule::stream, CopyWay::Rule::learn}) {
        CopyWay way = learning(rule);
        copy_some(way, 200, CopyWay::smallest - 1);
        assert_int_equal(machine.copies, 200);
        assert_way(way, Way::plain, CopyWay::smallest - 1);
    }
}

// A reader gains nothing by stores that go past its caches.
void nothing_is_read_by_streaming(void **) {
    machine = {.plain = 15, .streamed = 1, .string = 15};
    for (const CopyWay::Rule rule : {CopyWay::Rule::stream, CopyWay::Rule::learn}) {
        CopyWay way = learning(rule, CopyUse::reading);
        copy_some(way, 10'000);
        assert_int_equal(machine.streams, 0);
    }
}

// Lines that their writer has read last. Late stores of a short message make its receiver wait.
void near_lines_are_rewritten_without_streaming_and_short_messages_plainly(void **) {
    constexpr size_t longest_plain = CopyWay::smallest_rewritten - 1;
    machine = {.plain = 15, .streamed = 1, .string = 4};
    CopyWay way = learning().for_near_lines(1);
    copy_some(way, 1000, longest_plain);
    assert_int_equal(machine.copies, 1000);
    copy_some(way, 1000, CopyWay::smallest_rewritten);
    assert_int_equal(machine.streams, 0);
    assert_way(way, Way::string, CopyWay::smallest_rewritten);
    machine.string = 20;
    copy_some(way, 10'000, CopyWay::smallest_rewritten);
    assert_way(way, Way::plain, CopyWay::smallest_rewritten);
}

void cheap_stores_are_not_streamed(void **) {
    machine = {.plain = 1.5, .streamed = 0.1};
    CopyWay way = learning();
    copy_some(way, 300);
    assert_int_equal(machine.streams, 0);
    copy_some(way, 300, CopyWay::smallest);
    assert_int_equal(machine.streams, 0);
}

void the_cheapest_way_is_found_whichever_it_is(void **) {
    for (const CopyUse use : {CopyUse::writing, CopyUse::reading}) {
        CopyWay way = learning(CopyWay::Rule::learn, use);
        machine = {.plain = 4, .streamed = 20, .string = 1};
        copy_some(way, 100);
        assert_way(way, Way::string);
        copy_some(way, 10'000);
        assert_in_range(machine.strings, 9900, 9999);
        machine = {.plain = 1, .streamed = 20, .string = 4};
        copy_some(way, 20'000);
        assert_way(way, Way::plain);
        machine = {.plain = 4, .streamed = 20, .string = 1};
        copy_some(way, 20'000);
        assert_way(way, Way::string);
    }
}

// To begin a string copy takes long, so a small one may be dear where a large one is cheap.
void small_and_large_payloads_are_learned_apart(void **) {
    CopyWay way = learning();
    for (int i = 0; i < 300; ++i) {
        machine.plain = 2, machine.string = 1;
        copy_some(way, 1, large);
        machine.string = 4;
        copy_some(way, 1, large - 1);
    }
    assert_way(way, Way::string, large);
    assert_way(way, Way::plain, large - 1);
}

// What a string copy costs or saves the peers, its reader does not see.
void where_both_take_a_reader_equally_long_only_large_payloads_go_by_string_copies(void **) {
    machine = {.plain = 4, .streamed = 20, .string = 4};
    CopyWay way = learning(CopyWay::Rule::learn, CopyUse::reading);
    copy_some(way, 10'000, large);
    assert_way(way, Way::string, large);
    copy_some(way, 10'000, large - 1);
    assert_way(way, Way::plain, large - 1);
    machine.string = 2;
    copy_some(way, 10'000, large - 1);
    assert_way(way, Way::string, large - 1);
}

void payloads_of_middling_size_learn_too(void **) {
    machine = {.plain = 8, .streamed = 2};
    CopyWay way = learning();
    copy_some(way, 1000, CopyWay::smallest);
    assert_way(way, Way::stream, CopyWay::smallest);
}

// What it costs the readers, by the way of the writer: plain, string, stream.
using Readers = std::array<float, ways>;

// Messages in two pieces. Readers tell before the next one, if they do. How many were asked about.
int pass_some(CopyWay &way, int times, const Readers &readers, bool tells = true) {
    std::vector<char> from(large, 'x'), to(large);
    int asked = 0;
    for (int i = 0; i < times; ++i) {
        CopyOfMessage message = way.begin(large);
        way.copy(message, test_kernels(), to.data(), from.data(), large / 2);
        way.copy(message, test_kernels(), to.data() + large / 2, from.data(), large / 2);
        way.end(message);
        if (message.asks) {
            ++asked;
            way.ask(message, 1);
            way.hear(tells ? readers[static_cast<size_t>(message.way)] : 0);
        }
    }
    return asked;
}

// As under one L3 of a Zen 4: a writer that streams pays less, and its readers three times as much. Plain stores where
// lines were streamed last cost more than others.
void what_readers_lose_counts_as_well(void **) {
    machine = {.plain = 4, .streamed = 2, .after_streaming = 7};
    CopyWay way = learning();
    pass_some(way, 10'000, {4, 4, 12});
    assert_way(way, Way::plain);
    pass_some(way, 20'000, {4, 4, 4});
    assert_way(way, Way::stream);
    pass_some(way, 20'000, {4, 4, 12});
    assert_way(way, Way::plain);
}

void a_writer_whose_readers_are_silent_goes_by_its_own_cost(void **) {
    machine = {.plain = 4, .streamed = 2};
    CopyWay way = learning();
    pass_some(way, 1000, {4, 4, 12}, false);
    assert_way(way, Way::stream);
    machine = {.plain = 2, .streamed = 2};
    pass_some(way, 20'000, {4, 4, 12}, false);
    assert_way(way, Way::plain);
}

void readers_are_asked_rarely(void **) {
    machine = {.plain = 2, .streamed = 2};
    CopyWay way = learning();
    pass_some(way, 10'000, {4, 4, 4});
    assert_in_range(pass_some(way, 64'000, {4, 4, 4}), 1900, 2100);
}

// Those that add instead of copying: looking for what they do not tell would make each message dearer.
void silent_readers_are_asked_ever_more_rarely(void **) {
    machine = {.plain = 2, .streamed = 2};
    CopyWay way = learning();
    assert_in_range(pass_some(way, 100'000, {4, 4, 4}, false), 1, 100);
    pass_some(way, 5000, {4, 4, 4});
    assert_in_range(pass_some(way, 64'000, {4, 4, 4}), 1900, 2100);
}

void one_message_is_asked_about_at_a_time(void **) {
    machine = {.plain = 4, .streamed = 2};
    CopyWay way = learning();
    const CopyOfMessage first = way.begin(large);
    assert_true(first.asks);
    way.ask(first, 7);
    for (int i = 0; i < 1000; ++i) {
        assert_false(way.begin(large).asks);
    }
    assert_int_equal(way.asked(), 7);
    way.hear(4);
    assert_int_equal(way.asked(), 0);
}

// All pieces of a trial go its way, so that readers can tell what it costs them.
void the_pieces_of_a_message_go_one_way(void **) {
    machine = {.plain = 4, .streamed = 6};
    CopyWay way = learning();
    for (int i = 0; i < 1000; ++i) {
        machine.copies = machine.streams = machine.strings = 0;
        pass_some(way, 1, {4, 4, 4});
        assert_true(machine.copies == 2 || machine.streams == 2 || machine.strings == 2);
    }
}

void by_rule_nobody_is_asked(void **) {
    for (const CopyWay::Rule rule : {CopyWay::Rule::plain, CopyWay::Rule::string, CopyWay::Rule::stream}) {
        CopyWay way = learning(rule);
        assert_int_equal(pass_some(way, 1000, {4, 4, 4}), 0);
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(by_rule_all_go_one_way),
        cmocka_unit_test(small_payloads_are_copied_plainly),
        cmocka_unit_test(nothing_is_read_by_streaming),
        cmocka_unit_test(near_lines_are_rewritten_without_streaming_and_short_messages_plainly),
        cmocka_unit_test(cheap_stores_are_not_streamed),
        cmocka_unit_test(the_cheapest_way_is_found_whichever_it_is),
        cmocka_unit_test(where_both_take_a_reader_equally_long_only_large_payloads_go_by_string_copies),
        cmocka_unit_test(small_and_large_payloads_are_learned_apart),
        cmocka_unit_test(payloads_of_middling_size_learn_too),
        cmocka_unit_test(what_readers_lose_counts_as_well),
        cmocka_unit_test(a_writer_whose_readers_are_silent_goes_by_its_own_cost),
        cmocka_unit_test(readers_are_asked_rarely),
        cmocka_unit_test(silent_readers_are_asked_ever_more_rarely),
        cmocka_unit_test(one_message_is_asked_about_at_a_time),
        cmocka_unit_test(the_pieces_of_a_message_go_one_way),
        cmocka_unit_test(by_rule_nobody_is_asked),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
