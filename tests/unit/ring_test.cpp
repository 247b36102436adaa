// The payload ring: what is handed out is nobody else's until everyone has completed its operation.
#include "cmocka_cpp.h"

#include <algorithm>
#include <deque>
#include <random>

#include "turns.h"
#include "window_ranks.h"

using namespace window_ranks;

namespace {

constexpr uint64_t first = 4096;

struct Piece {
    uint64_t begin, end;
    size_t comm;
    uint64_t n;
};

void complete(const std::vector<std::shared_ptr<Window>> &windows, uint64_t n) {
    for (const auto &window : windows) {
        window->complete(n);
    }
}

void pieces_follow_each_other_in_whole_lines(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    Ring ring(first, 65'536);
    assert_int_equal(ring.bytes(), 65'536);
    assert_int_equal(ring.take(100, *windows[0], 1), first);
    assert_int_equal(ring.take(64, *windows[0], 2), first + 128);
    assert_int_equal(ring.take(1, *windows[0], 3), first + 192);
    assert_int_equal(ring.take(1, *windows[0], 4), first + 256);
}

void a_piece_is_free_when_all_ranks_have_completed_its_operation(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    Ring ring(first, 4096);
    assert_int_equal(ring.take(4096, *windows[0], 1), first);
    assert_int_equal(ring.take(64, *windows[0], 2), 0);
    windows[0]->complete(1);
    assert_int_equal(ring.take(64, *windows[0], 2), 0);
    windows[1]->complete(1);
    assert_int_not_equal(ring.take(64, *windows[0], 2), 0);
}

void a_piece_larger_than_the_ring_never_fits(void **) {
    const Ranks ranks(1);
    const auto windows = ranks.open();
    Ring ring(first, 4096);
    assert_int_equal(ring.take(4097, *windows[0], 1), 0);
    assert_int_equal(ring.take(4096, *windows[0], 1), first);
}

// The end of the ring that is too small for a message is skipped; a message that fits exactly fits.
void messages_go_round(void **) {
    const Ranks ranks(1);
    const auto windows = ranks.open();
    Ring ring(first, 1024);
    assert_int_equal(ring.take(384, *windows[0], 1), first);
    assert_int_equal(ring.take(384, *windows[0], 2), first + 384);
    assert_int_equal(ring.take(384, *windows[0], 3), 0); // 256 left at the end, none at the front
    windows[0]->complete(1);
    assert_int_equal(ring.take(384, *windows[0], 3), first);
    assert_int_equal(ring.take(64, *windows[0], 4), 0); // exactly full
    windows[0]->complete(2);
    assert_int_equal(ring.take(384, *windows[0], 4), first + 384);
}

void holders_of_several_communicators_are_kept_apart(void **) {
    const Ranks ranks(2);
    const auto one = ranks.open(), other = ranks.open();
    Ring ring(first, 1024);
    ring.take(512, *one[0], 1);
    ring.take(512, *other[0], 1);
    complete(other, 1); // the younger one
    assert_int_equal(ring.take(64, *other[0], 2), 0);
    complete(one, 1);
    assert_int_not_equal(ring.take(1024, *other[0], 2), 0);
}

void what_a_freed_communicator_held_is_free(void **) {
    const Ranks ranks(2);
    auto one = ranks.open();
    const auto other = ranks.open();
    Ring ring(first, 1024);
    ring.take(1024, *one[0], 1);
    assert_int_equal(ring.take(64, *other[0], 1), 0);
    ring.forget(*one[0]);
    assert_int_not_equal(ring.take(64, *other[0], 1), 0);
}

void too_many_small_messages_are_as_good_as_a_full_ring(void **) {
    const Ranks ranks(1);
    const auto windows = ranks.open();
    Ring ring(first, size_t{1} << 20);
    uint64_t taken = 0;
    while (ring.take(64, *windows[0], 1) != 0 && taken < 100'000) {
        ++taken;
    }
    assert_true(taken >= 100 && taken < 100'000);
    windows[0]->complete(1);
    assert_int_not_equal(ring.take(64, *windows[0], 2), 0);
}

void threads_of_a_rank_share_it(void **) {
    const Ranks ranks(1);
    const auto mine = ranks.open(), others = ranks.open();
    constexpr int pieces = 200; // fewer than the ring can tell apart
    Ring ring(first, size_t{pieces} * line_bytes);
    std::vector<uint64_t> places[2];
    turns::take(pieces, [&](int me) {
        places[me].push_back(ring.take(line_bytes, me == 0 ? *mine[0] : *others[0], places[me].size() + 1));
    });
    places[0].insert(places[0].end(), places[1].begin(), places[1].end());
    std::sort(places[0].begin(), places[0].end());
    assert_true(std::adjacent_find(places[0].begin(), places[0].end()) == places[0].end());
}

// Random sizes on random communicators: no two pieces that are held overlap, and all lie in the ring.
void no_two_pieces_overlap(void **) {
    const Ranks ranks(2);
    const std::vector<std::vector<std::shared_ptr<Window>>> comms = {ranks.open(), ranks.open(), ranks.open()};
    constexpr size_t ring_bytes = 65'536;
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        Ring ring(first, ring_bytes);
        std::vector<uint64_t> next(comms.size());
        for (size_t c = 0; c < comms.size(); ++c) {
            next[c] = comms[c][0]->done() + 1;
        }
        std::deque<Piece> held;
        int refused = 0, granted = 0;
        for (int step = 0; step < 2000; ++step) {
            const size_t c = random() % comms.size();
            const size_t bytes = random() % (random() % 8 == 0 ? 40'000 : 4000) + 1;
            const uint64_t begin = ring.take(bytes, *comms[c][0], next[c]);
            if (begin != 0) {
                ++granted;
                assert_true(begin >= first && begin + bytes <= first + ring_bytes);
                for (const Piece &piece : held) {
                    assert_true(begin >= piece.end || begin + bytes <= piece.begin);
                }
                held.push_back({begin, begin + bytes, c, next[c]++});
            } else {
                ++refused;
            }
            // The oldest of a random communicator ends; that of its cells is far ahead.
            const size_t ends = random() % comms.size();
            const auto oldest =
                std::find_if(held.begin(), held.end(), [&](const Piece &piece) { return piece.comm == ends; });
            if (oldest != held.end() && (begin == 0 || random() % 2)) {
                complete(comms[ends], oldest->n);
                held.erase(oldest);
            }
        }
        assert_true(refused > 10 && granted > 500);
        for (const Piece &piece : held) {
            complete(comms[piece.comm], piece.n);
        }
        for (const auto &comm : comms) {
            ring.forget(*comm[0]);
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(pieces_follow_each_other_in_whole_lines),
        cmocka_unit_test(a_piece_is_free_when_all_ranks_have_completed_its_operation),
        cmocka_unit_test(a_piece_larger_than_the_ring_never_fits),
        cmocka_unit_test(messages_go_round),
        cmocka_unit_test(holders_of_several_communicators_are_kept_apart),
        cmocka_unit_test(what_a_freed_communicator_held_is_free),
        cmocka_unit_test(too_many_small_messages_are_as_good_as_a_full_ring),
        cmocka_unit_test(threads_of_a_rank_share_it),
        cmocka_unit_test(no_two_pieces_overlap),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
