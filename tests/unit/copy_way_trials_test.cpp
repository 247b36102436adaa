// How a rank tries the other ways of copying, to notice when the machine has changed: how often, and what it believes.
#include "copy_way_machine.h"

using namespace copies;

namespace {

// By so many messages, in parts of ten thousand.
uint64_t part_lost(CopyWay &way, int messages, size_t bytes) {
    const uint64_t start = machine.time;
    copy_some(way, messages, bytes);
    const auto without = static_cast<uint64_t>(messages * machine.plain * static_cast<double>(bytes / 64));
    return (machine.time - start - without) * 10'000 / without;
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

constexpr int longest_interval = 4096;

void trials_take_a_small_part_of_the_time(void **) {
    constexpr int messages = 100'000;
    for (const double dear : {4.5, 6.0, 40.0, 100.0}) {
        machine = {.plain = 4, .streamed = dear, .string = dear};
        CopyWay way = learning();
        copy_some(way, messages); // news that bad are not believed at once
        assert_in_range(part_lost(way, messages, large), 0, 100);
        machine.streamed = 0.1;
        copy_some(way, 2 * longest_interval + 10 * 64);
        assert_way(way, Way::stream);
    }
}

void trials_never_end_however_dear_they_are(void **) {
    constexpr int messages = 100'000;
    machine = {.plain = 4, .streamed = 40'000, .string = 40'000};
    CopyWay way = learning();
    copy_some(way, messages);
    copy_some(way, messages);
    assert_in_range(std::min(machine.streams, machine.strings), messages / longest_interval / 2 - 1, messages);
}

// It counts as many messages, and costs as much.
void trials_of_long_messages_take_no_larger_part(void **) {
    constexpr size_t bytes = size_t{1} << 20;
    machine = {.plain = 4, .streamed = 6, .string = 6};
    CopyWay way = learning();
    copy_some(way, 500, bytes);
    assert_in_range(part_lost(way, 2000, bytes), 0, 100);
    assert_true(std::min(machine.streams, machine.strings) > 0);
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

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(dear_stores_are_streamed_but_tried_again),
        cmocka_unit_test(streaming_that_does_not_pay_is_given_up),
        cmocka_unit_test(trials_take_a_small_part_of_the_time),
        cmocka_unit_test(trials_never_end_however_dear_they_are),
        cmocka_unit_test(trials_of_long_messages_take_no_larger_part),
        cmocka_unit_test(one_interrupt_turns_nothing),
        cmocka_unit_test(a_dear_first_streamed_message_turns_nothing_away),
        cmocka_unit_test(places_that_are_swapped_go_back_to_plain_stores),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
