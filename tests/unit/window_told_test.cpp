// Readers tell a writer that asks what copying its payload has cost them, and it chooses how to copy by that.
#include "cmocka_cpp.h"

#include <array>

#include "window_ranks.h"

using namespace window_ranks;

namespace {

constexpr Fingerprint some_call{1, 2};

// Three ranks; what copying a line costs, by the way that it goes: its writer, and each of the two that read it.
struct CostOfWays {
    std::array<uint64_t, ways> writer, fast, slow;
};

// Rank 0 shows large payloads, and the others complete the operations whenever they all may.
void show_some(const std::vector<std::shared_ptr<Window>> &windows, CopyWay &writing, uint64_t operations,
               const CostOfWays &costs) {
    constexpr size_t bytes = CopyWay::smallest_large, lines = bytes / line_bytes;
    for (uint64_t n = windows[0]->done() + 1; operations > 0; ++n, --operations) {
        CopyOfMessage message = windows[0]->begin_copy(writing, n, bytes);
        const auto way = static_cast<size_t>(message.way);
        if (message.is_timed) {
            message.ticks = costs.writer[way] * lines;
            message.bytes = bytes;
        }
        writing.end(message);
        windows[0]->begin_head(n, some_call).asks = message.asks;
        windows[0]->announce(n);
        for (const size_t reader : {size_t{1}, size_t{2}}) {
            assert_int_equal(windows[reader]->is_asked(0, n), message.asks);
            if (message.asks) {
                windows[reader]->tell(0, n, (reader == 1 ? costs.fast : costs.slow)[way] * lines, bytes);
            }
        }
        for (const auto &window : windows) {
            window->complete(n);
        }
        windows[0]->look_at_everyone();
    }
}

void the_slowest_reader_tells_the_writer_how_to_copy(void **) {
    const Ranks ranks(3);
    const auto windows = ranks.open();
    CopyWay writing(CopyWay::Rule::learn, CopyUse::writing, 1, ticks);
    // plain, string, stream
    show_some(windows, writing, 2000, {{5, 1000, 2}, {4, 4, 50}, {100, 100, 50}});
    assert_int_equal(static_cast<int>(writing.way_of(CopyWay::smallest_large)), static_cast<int>(Way::stream));
    show_some(windows, writing, 10'000, {{5, 1000, 2}, {4, 4, 50}, {4, 4, 50}});
    assert_int_equal(static_cast<int>(writing.way_of(CopyWay::smallest_large)), static_cast<int>(Way::plain));
}

// Only when all have completed an operation has everybody told; and nobody is asked anew before.
void a_writer_that_has_asked_waits_for_all_readers(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    CopyWay writing(CopyWay::Rule::learn, CopyUse::writing, 1, ticks);
    const auto asks = [&](uint64_t n) { return windows[0]->begin_copy(writing, n, slot_bytes).asks; };
    assert_true(asks(1));
    windows[1]->tell(0, 1, 500, slot_bytes);
    windows[0]->complete(1);
    assert_false(asks(2));
    assert_int_equal(writing.asked(), 1);
    windows[1]->complete(1);
    windows[0]->look_at_everyone();
    assert_false(asks(3)); // it knows now
    assert_int_equal(writing.asked(), 0);
}

// A writer that has heard nothing asks again after twice as many messages, but for a trial that comes just before.
void what_was_told_to_others_or_of_other_operations_is_not_heard(void **) {
    struct Case {
        int writer;
        uint64_t n;
        int messages_until_asked;
    };
    for (const auto &[writer, n, messages_until_asked] : {Case{0, 1, 32}, Case{1, 1, 63}, Case{0, 2, 63}}) {
        const Ranks ranks(3);
        const auto windows = ranks.open();
        CopyWay writing(CopyWay::Rule::learn, CopyUse::writing, 1, ticks);
        assert_true(windows[0]->begin_copy(writing, 1, slot_bytes).asks);
        windows[2]->tell(writer, n, 500, slot_bytes);
        for (const auto &window : windows) {
            window->complete(1);
        }
        windows[0]->look_at_everyone();
        windows[0]->begin_copy(writing, 2, slot_bytes);
        int messages = 2;
        while (!writing.begin(slot_bytes).asks) {
            ++messages;
        }
        assert_int_equal(messages, messages_until_asked);
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_reader_tells_the_writer_how_to_copy),
        cmocka_unit_test(a_writer_that_has_asked_waits_for_all_readers),
        cmocka_unit_test(what_was_told_to_others_or_of_other_operations_is_not_heard),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
