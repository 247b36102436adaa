// How payloads are copied: by rule, and by what was learned. The clock counts what the test says that copies cost.
#include "cmocka_cpp.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "fabric/copy_way.h"

using namespace xcoll;

namespace {

constexpr double hopeless = 1000; // no string copy worth the name

struct Machine {
    uint64_t time = 0;
    double plain = 1, streamed = 1, string = hopeless; // nanoseconds for a line
    int copies = 0, streams = 0, strings = 0;
    // Copies go round them. A place that was streamed to last takes this for a plain line; 0: they are all alike.
    double after_streaming = 0;
    std::vector<bool> was_streamed = std::vector<bool>(16);
    size_t place = 0;

    double plain_line() const {
        return after_streaming > 0 && was_streamed[place] ? after_streaming : plain;
    }
    void copied(void *to, const void *from, size_t bytes, double line, bool by_streaming) {
        time += static_cast<uint64_t>(line * static_cast<double>(bytes) / 64);
        was_streamed[place] = by_streaming;
        place = (place + 1) % was_streamed.size();
        std::memcpy(to, from, bytes);
    }
} machine;

uint64_t clock_of_machine() {
    return machine.time;
}
void copy(void *to, const void *from, size_t bytes) {
    ++machine.copies;
    machine.copied(to, from, bytes, machine.plain_line(), false);
}
void stream(void *to, const void *from, size_t bytes) {
    ++machine.streams;
    machine.copied(to, from, bytes, machine.streamed, true);
}
void string(void *to, const void *from, size_t bytes) {
    ++machine.strings;
    machine.copied(to, from, bytes, machine.string, false);
}

constexpr size_t large = CopyWay::smallest_large;

CopyWay learning(CopyWay::Rule rule = CopyWay::Rule::learn, CopyUse use = CopyUse::writing) {
    return CopyWay(rule, use, 1, clock_of_machine);
}

const Kernels &test_kernels() {
    static const Kernels kernels = [] {
        Kernels table{};
        table.copy = copy;
        table.copy_stream = stream;
        table.copy_string = string;
        return table;
    }();
    return kernels;
}

void copy_some(CopyWay &way, int times, size_t bytes = large) {
    machine.copies = machine.streams = machine.strings = 0;
    std::vector<char> from(bytes, 'x'), to(bytes);
    for (int i = 0; i < times; ++i) {
        way.copy(test_kernels(), to.data(), from.data(), bytes);
        assert_true(to == from);
        std::fill(to.begin(), to.end(), 'y');
    }
}

void assert_way(const CopyWay &way, Way expected, size_t bytes = large) {
    assert_int_equal(static_cast<int>(way.way_of(bytes)), static_cast<int>(expected));
}

// On a Zen 4 two ranks that swap their slots write 1.4 ns a line if both always did, but 27 behind a streamed store.
void places_that_are_swapped_go_back_to_plain_stores(void **) {
    CopyWay way = learning();
    way.try_at_length();
    machine = {.plain = 27, .streamed = 2.5};
    copy_some(way, 3000);
    assert_way(way, Way::stream);
    machine = {.plain = 1.4, .streamed = 2.5, .after_streaming = 27, .was_streamed = machine.was_streamed};
    copy_some(way, 20'000);
    assert_way(way, Way::plain);
    copy_some(way, 10'000);
    assert_int_equal(machine.streams, 0);
}

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

// One plain store in so many goes on: the machine may change. Then a single good one is enough, however rare they are.
void dear_stores_are_streamed_but_tried_again(void **) {
    machine = {.plain = 8, .streamed = 2};
    CopyWay way = learning();
    copy_some(way, 2);
    assert_true(way.way_of(large) != Way::stream); // a single slow copy may be an interrupt
    copy_some(way, 100);
    assert_way(way, Way::stream);
    copy_some(way, 1000);
    assert_in_range(machine.copies, 1, 10);
    assert_int_equal(machine.streams, 1000 - machine.copies - machine.strings);
    copy_some(way, 100'000);
    machine.plain = 1;
    copy_some(way, 2 * 4096 + 1);
    assert_way(way, Way::plain);
}

// Plain stores are dear, but streaming is no cheaper: readers would only lose.
void streaming_that_does_not_pay_is_given_up(void **) {
    machine = {.plain = 5, .streamed = 6};
    CopyWay way = learning();
    copy_some(way, 400);
    assert_way(way, Way::plain);
    copy_some(way, 640);
    assert_in_range(machine.streams, 1, 10);
    machine.streamed = 1;
    copy_some(way, 10'000);
    assert_way(way, Way::stream);
}

void trials_take_a_small_part_of_the_time_and_never_end(void **) {
    constexpr int messages = 100'000, longest_interval = 4096;
    for (const double dear : {4.5, 6.0, 40.0, 100.0}) {
        machine = {.plain = 4, .streamed = dear, .string = dear};
        CopyWay way = learning();
        copy_some(way, messages); // news that bad are not believed at once
        const uint64_t start = machine.time, without = uint64_t{messages} * 4 * large / 64;
        copy_some(way, messages);
        assert_in_range(machine.time - start, without, without + without / 100);
        assert_in_range(std::min(machine.streams, machine.strings), messages / longest_interval / 2 - 1, messages);
    }
}

void one_interrupt_turns_nothing(void **) {
    machine = {.plain = 1, .streamed = 2};
    CopyWay way = learning();
    copy_some(way, 50);
    machine.plain = 100'000;
    copy_some(way, 1);
    machine.plain = 1;
    copy_some(way, 4);
    assert_way(way, Way::plain);
    machine.plain = 12;
    copy_some(way, 200);
    assert_way(way, Way::stream);
    machine.streamed = 100'000;
    copy_some(way, 1);
    machine.streamed = 2;
    assert_way(way, Way::stream);
}

// On a Zen 3 across two L3s: lines that both have in their caches take longer to stream than those that have left them.
void a_dear_first_streamed_message_turns_nothing_away(void **) {
    machine = {.plain = 12, .streamed = 6.8};
    CopyWay way = learning();
    copy_some(way, 60);
    assert_way(way, Way::stream);
    copy_some(way, 50);
    machine.streamed = 3.4;
    copy_some(way, 1000);
    assert_way(way, Way::stream);
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
        cmocka_unit_test(places_that_are_swapped_go_back_to_plain_stores),
        cmocka_unit_test(by_rule_all_go_one_way),
        cmocka_unit_test(small_payloads_are_copied_plainly),
        cmocka_unit_test(nothing_is_read_by_streaming),
        cmocka_unit_test(near_lines_are_rewritten_without_streaming_and_short_messages_plainly),
        cmocka_unit_test(cheap_stores_are_not_streamed),
        cmocka_unit_test(the_cheapest_way_is_found_whichever_it_is),
        cmocka_unit_test(where_both_take_a_reader_equally_long_only_large_payloads_go_by_string_copies),
        cmocka_unit_test(small_and_large_payloads_are_learned_apart),
        cmocka_unit_test(dear_stores_are_streamed_but_tried_again),
        cmocka_unit_test(streaming_that_does_not_pay_is_given_up),
        cmocka_unit_test(trials_take_a_small_part_of_the_time_and_never_end),
        cmocka_unit_test(one_interrupt_turns_nothing),
        cmocka_unit_test(a_dear_first_streamed_message_turns_nothing_away),
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
