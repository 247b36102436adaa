// How payloads are written: by rule, and by what was learned. The clock counts what the test says that stores cost.
#include "cmocka_cpp.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "fabric/store_kind.h"

using namespace xcoll;

namespace {

struct Machine {
    uint64_t time = 0;
    double ordinary = 1, streamed = 1; // nanoseconds for a line
    int copies = 0, streams = 0;
    // Copies go round them. A place that was streamed to last takes this for an ordinary line; 0: they are all alike.
    double after_streaming = 0;
    std::vector<bool> was_streamed = std::vector<bool>(16);
    size_t place = 0;

    double ordinary_line() const {
        return after_streaming > 0 && was_streamed[place] ? after_streaming : ordinary;
    }
    void written(bool by_streaming) {
        was_streamed[place] = by_streaming;
        place = (place + 1) % was_streamed.size();
    }
} machine;

uint64_t clock_of_machine() {
    return machine.time;
}
void copy(void *to, const void *from, size_t bytes) {
    ++machine.copies;
    machine.time += static_cast<uint64_t>(machine.ordinary_line() * static_cast<double>(bytes) / 64);
    machine.written(false);
    std::memcpy(to, from, bytes);
}
void stream(void *to, const void *from, size_t bytes) {
    ++machine.streams;
    machine.time += static_cast<uint64_t>(machine.streamed * static_cast<double>(bytes) / 64);
    machine.written(true);
    std::memcpy(to, from, bytes);
}

constexpr size_t large = 16'384;

StoreKind learning(StoreKind::Rule rule = StoreKind::Rule::learn) {
    return StoreKind(rule, 1, clock_of_machine);
}

void copy_some(StoreKind &kind, int times, size_t bytes = large) {
    static const Kernels kernels = [] {
        Kernels table{};
        table.copy = copy;
        table.copy_stream = stream;
        return table;
    }();
    machine.copies = machine.streams = 0;
    std::vector<char> from(bytes, 'x'), to(bytes);
    for (int i = 0; i < times; ++i) {
        kind.copy(kernels, to.data(), from.data(), bytes);
        assert_true(to == from);
        std::fill(to.begin(), to.end(), 'y');
    }
}

// On a Zen 4 two ranks that swap their slots write 1.4 ns a line if both always did, but 27 behind a streamed store.
void places_that_are_swapped_go_back_to_ordinary_stores(void **) {
    StoreKind kind = learning();
    kind.try_at_length();
    machine = {.ordinary = 27, .streamed = 2.5};
    copy_some(kind, 1000);
    assert_true(kind.streaming());
    machine = {.ordinary = 1.4, .streamed = 2.5, .after_streaming = 27, .was_streamed = machine.was_streamed};
    copy_some(kind, 10'000);
    assert_false(kind.streaming());
    copy_some(kind, 10'000);
    assert_int_equal(machine.streams, 0);
}

void ordinary_stores_if_that_is_the_rule(void **) {
    machine = {.ordinary = 15, .streamed = 1};
    StoreKind kind = learning(StoreKind::Rule::cached);
    copy_some(kind, 100);
    assert_int_equal(machine.copies, 100);
    assert_false(kind.streaming());
}

void streaming_if_that_is_the_rule(void **) {
    machine = {.ordinary = 1, .streamed = 15};
    StoreKind kind = learning(StoreKind::Rule::stream);
    copy_some(kind, 100);
    assert_int_equal(machine.streams, 100);
    assert_true(kind.streaming());
}

void small_payloads_are_never_streamed(void **) {
    machine = {.ordinary = 15, .streamed = 1};
    for (const StoreKind::Rule rule : {StoreKind::Rule::stream, StoreKind::Rule::learn}) {
        StoreKind kind = learning(rule);
        copy_some(kind, 200, StoreKind::smallest_streamed - 1);
        assert_int_equal(machine.copies, 200);
    }
}

void cheap_stores_stay_ordinary(void **) {
    machine = {.ordinary = 1.5, .streamed = 0.1};
    StoreKind kind = learning();
    copy_some(kind, 300);
    assert_int_equal(machine.copies, 300);
    copy_some(kind, 300, StoreKind::smallest_streamed);
    assert_int_equal(machine.copies, 300);
}

// One ordinary store in so many goes on: the machine may change.
void dear_stores_are_streamed_but_tried_again(void **) {
    machine = {.ordinary = 8, .streamed = 2};
    StoreKind kind = learning();
    copy_some(kind, 1);
    assert_false(kind.streaming()); // a single slow copy may be an interrupt
    copy_some(kind, 3);
    assert_true(kind.streaming());
    copy_some(kind, 640);
    assert_in_range(machine.copies, 1, 10);
    assert_int_equal(machine.streams, 640 - machine.copies);
    machine.ordinary = 1;
    copy_some(kind, 1000);
    assert_false(kind.streaming());
}

// Ordinary stores are dear, but streaming is no cheaper: readers would only lose.
void streaming_that_does_not_pay_is_given_up(void **) {
    machine = {.ordinary = 5, .streamed = 6};
    StoreKind kind = learning();
    copy_some(kind, 200);
    assert_false(kind.streaming());
    copy_some(kind, 640);
    assert_in_range(machine.streams, 1, 10);
    machine.streamed = 1;
    copy_some(kind, 1000);
    assert_true(kind.streaming());
}

void trials_that_find_nothing_new_become_rare_and_never_end(void **) {
    machine = {.ordinary = 4, .streamed = 6};
    StoreKind kind = learning();
    copy_some(kind, 10'000);
    copy_some(kind, 100'000);
    assert_in_range(machine.streams, 100'000 / 4096 - 1, 100'000 / 4096 + 1);
    machine.streamed = 0.1;
    copy_some(kind, 4096 + 10 * 64);
    assert_true(kind.streaming());
}

void one_interrupt_turns_nothing(void **) {
    machine = {.ordinary = 1, .streamed = 2};
    StoreKind kind = learning();
    copy_some(kind, 10);
    machine.ordinary = 100'000;
    copy_some(kind, 1);
    machine.ordinary = 1;
    copy_some(kind, 4);
    assert_false(kind.streaming());
    machine.ordinary = 12;
    copy_some(kind, 200);
    assert_true(kind.streaming());
    machine.streamed = 100'000;
    copy_some(kind, 1);
    machine.streamed = 2;
    assert_true(kind.streaming());
}

// On a Zen 3 across two L3s: lines that both have in their caches take longer to stream than those that have left them.
void a_dear_first_streamed_message_turns_nothing_away(void **) {
    machine = {.ordinary = 12, .streamed = 6.8};
    StoreKind kind = learning();
    copy_some(kind, 10);
    assert_true(kind.streaming());
    copy_some(kind, 50);
    machine.streamed = 3.4;
    copy_some(kind, 1000);
    assert_true(kind.streaming());
}

void payloads_of_middling_size_learn_too(void **) {
    machine = {.ordinary = 8, .streamed = 2};
    StoreKind kind = learning();
    copy_some(kind, 100, StoreKind::smallest_streamed);
    assert_true(kind.streaming());
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(places_that_are_swapped_go_back_to_ordinary_stores),
        cmocka_unit_test(ordinary_stores_if_that_is_the_rule),
        cmocka_unit_test(streaming_if_that_is_the_rule),
        cmocka_unit_test(small_payloads_are_never_streamed),
        cmocka_unit_test(cheap_stores_stay_ordinary),
        cmocka_unit_test(dear_stores_are_streamed_but_tried_again),
        cmocka_unit_test(streaming_that_does_not_pay_is_given_up),
        cmocka_unit_test(trials_that_find_nothing_new_become_rare_and_never_end),
        cmocka_unit_test(one_interrupt_turns_nothing),
        cmocka_unit_test(a_dear_first_streamed_message_turns_nothing_away),
        cmocka_unit_test(payloads_of_middling_size_learn_too),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
