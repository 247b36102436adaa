// How payloads are written: by rule, and by what was learned. Costs are made dear or cheap by the unit they are
// measured in, so no test depends on time.
#include "cmocka_cpp.h"

#include <cstring>
#include <vector>

#include "fabric/store_kind.h"

using namespace xcoll;

namespace {

struct Counts {
    int copies = 0, streams = 0;
};
Counts counts;

void copy(void *to, const void *from, size_t bytes) {
    ++counts.copies;
    std::memcpy(to, from, bytes);
}
void stream(void *to, const void *from, size_t bytes) {
    ++counts.streams;
    std::memcpy(to, from, bytes);
}

Counts copies_of(StoreKind &kind, size_t bytes, int times) {
    static Kernels kernels = [] {
        Kernels table{};
        table.copy = copy;
        table.copy_stream = stream;
        return table;
    }();
    counts = {};
    std::vector<char> from(bytes, 'x'), to(bytes);
    for (int i = 0; i < times; ++i) {
        kind.copy(kernels, to.data(), from.data(), bytes);
        assert_true(to == from);
    }
    return counts;
}

// With so few ticks in a nanosecond every copy is dear; with so many none is.
constexpr double always_dear = 1e-9, never_dear = 1e12;
constexpr size_t large = 16'384;

void ordinary_stores_if_that_is_the_rule(void **) {
    StoreKind kind(StoreKind::Rule::cached, always_dear);
    const Counts got = copies_of(kind, large, 100);
    assert_int_equal(got.copies, 100);
    assert_false(kind.streaming());
}

void streaming_if_that_is_the_rule(void **) {
    StoreKind kind(StoreKind::Rule::stream, never_dear);
    const Counts got = copies_of(kind, large, 100);
    assert_int_equal(got.streams, 100);
    assert_true(kind.streaming());
}

void small_payloads_are_never_streamed(void **) {
    for (const StoreKind::Rule rule : {StoreKind::Rule::stream, StoreKind::Rule::learn}) {
        StoreKind kind(rule, always_dear);
        assert_int_equal(copies_of(kind, StoreKind::smallest_streamed - 1, 200).copies, 200);
    }
}

void cheap_stores_stay_ordinary(void **) {
    StoreKind kind(StoreKind::Rule::learn, never_dear);
    assert_int_equal(copies_of(kind, large, 300).copies, 300);
    assert_int_equal(copies_of(kind, StoreKind::smallest_streamed, 300).copies, 300);
}

// One ordinary store in so many goes on: the machine may change.
void dear_stores_are_streamed_but_tried_again(void **) {
    StoreKind kind(StoreKind::Rule::learn, always_dear);
    assert_false(kind.streaming());
    copies_of(kind, large, 4); // a single slow copy may be an interrupt
    assert_true(kind.streaming());
    const Counts got = copies_of(kind, large, 640);
    assert_int_equal(got.copies, 10);
    assert_int_equal(got.streams, 630);
}

void payloads_of_middling_size_learn_too(void **) {
    StoreKind kind(StoreKind::Rule::learn, always_dear);
    copies_of(kind, StoreKind::smallest_streamed, 100);
    assert_true(kind.streaming());
}

void the_clock_counts(void **) {
    assert_true(StoreKind::ticks_per_ns() > 0.001);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_stores_if_that_is_the_rule),
        cmocka_unit_test(streaming_if_that_is_the_rule),
        cmocka_unit_test(small_payloads_are_never_streamed),
        cmocka_unit_test(cheap_stores_stay_ordinary),
        cmocka_unit_test(dear_stores_are_streamed_but_tried_again),
        cmocka_unit_test(payloads_of_middling_size_learn_too),
        cmocka_unit_test(the_clock_counts),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
