// The areas that two ranks hand to and fro: who may write to which, and that a message finds its own.
#include "cmocka_cpp.h"

#include <set>
#include <vector>

#include "base/frame_pool.h"
#include "coll/window_algorithms.h"
#include "run/runners.h"
#include "sim/world.h"
#include "window_ranks.h"

using namespace window_ranks;

namespace {

constexpr size_t plenty = size_t{64} << 20, some_bytes = 5000;

void each_rank_begins_with_one_of_its_own(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    std::set<char *> areas;
    for (const auto &window : windows) {
        const uint64_t place = window->batons().give(some_bytes);
        assert_true(Batons::is_one(place));
        assert_int_equal(window->batons().give(some_bytes), 0);
        char *const area = window->place(0, 1, place);
        assert_ptr_equal(area, windows[0]->place(1, 7, place)); // whoever asks, for whatever operation
        assert_true(areas.insert(area).second);
    }
}

void the_one_that_was_read_last_is_written_first(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    Batons &mine = windows[0]->batons(), &theirs = windows[1]->batons();
    const uint64_t message = theirs.give(some_bytes);
    assert_true(mine.give(some_bytes) != message);
    mine.keep(message);
    assert_int_equal(mine.give(some_bytes), message);
    assert_int_equal(mine.give(some_bytes), 0);
    theirs.keep(message);
    assert_int_equal(theirs.give(some_bytes), message);
}

void what_lies_elsewhere_is_none(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    Batons &mine = windows[0]->batons();
    assert_true(mine.give(some_bytes) != 0);
    for (const uint64_t place : {uint64_t{0}, uint64_t{64}, windows[0]->node().ring().take(64, *windows[0], 1)}) {
        assert_false(Batons::is_one(place));
        mine.keep(place);
        assert_int_equal(mine.give(some_bytes), 0);
    }
}

void a_longer_message_goes_elsewhere_and_the_baton_stays(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    Batons &mine = windows[0]->batons();
    assert_int_equal(mine.give(baton_bytes + 1), 0);
    assert_true(mine.give(baton_bytes) != 0);
}

void they_lie_apart_from_slots(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    for (int p = 0; p < 2; ++p) {
        const char *const area = windows[0]->place(p, 1, windows[static_cast<size_t>(p)]->batons().give(baton_bytes));
        for (int owner = 0; owner < 2; ++owner) {
            for (uint64_t n = 0; n < 2 * slot_count; ++n) {
                const char *const slot = windows[0]->slot(owner, n);
                assert_true(slot + windows[0]->slot_room() <= area || area + baton_bytes <= slot);
            }
        }
    }
}

void there_are_none_where_slots_are_narrow(void **) {
    const Ranks poor(2), more(3, plenty);
    assert_int_equal(poor.open()[0]->batons().give(some_bytes), 0);
    assert_int_equal(more.open()[0]->batons().give(some_bytes), 0);
}

// One broadcast of a rank.
class Broadcast {
public:
    Broadcast(Team &team, int root, size_t bytes, uint64_t n) : team_(team), n_(n), buffer_(bytes) {
        op_.kind = Kind::bcast;
        op_.dtype = Dtype::uint8;
        op_.root = root;
        op_.count = bytes;
        op_.send = op_.recv = buffer_.data();
        call_ = fingerprint(op_);
        task_ = exchange_streams(home_, team, op_, call_, n);
        task_.start();
    }
    bool ends() {
        poll(task_, parking_);
        return task_.done();
    }
    uint64_t place() const {
        return team_.window->head(team_.rank, n_).place.offset;
    }
    const Fingerprint &call() const {
        return call_;
    }

private:
    Team &team_;
    uint64_t n_;
    std::vector<char> buffer_;
    Op op_;
    Fingerprint call_{};
    FramePool frames_;
    Parking parking_;
    TaskHome home_{&frames_, &parking_};
    Task task_;
};

// Its writer may still be at it until then.
void a_baton_is_kept_when_its_message_is_read_to_the_end(void **) {
    constexpr size_t bytes = size_t{64} << 10;
    sim::World world(2, plenty);
    sim::Simulator unused(2, {}, 0);
    sim::Group group(world, unused, sim::first_ranks(2), one_group(2), sim::Fabric::window);
    group.make();
    Window &writer = *group.team(0).window;
    Team &reader = group.team(1);
    Broadcast message(reader, 0, bytes, 1);

    Head &head = writer.begin_head(1, message.call());
    const uint64_t place = writer.batons().give(bytes), base = Window::counter_base(writer.my_cell(1));
    head.has_room = head.inlined = 0;
    head.flows = 1;
    head.place = {base, place, {baton_bytes}, {bytes}};
    writer.announce(1);
    assert_false(message.ends());
    Broadcast own(reader, 1, bytes, 2), another(reader, 1, bytes, 3);
    assert_true(own.ends() && another.ends());
    assert_true(Batons::is_one(own.place()) && own.place() != place);
    assert_false(Batons::is_one(another.place()));

    writer.publish(writer.my_cell(1).in, base + bytes / line_bytes);
    assert_true(message.ends());
    Broadcast answer(reader, 1, bytes, 4);
    assert_int_equal(answer.place(), place);
    group.free();
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(each_rank_begins_with_one_of_its_own),
        cmocka_unit_test(the_one_that_was_read_last_is_written_first),
        cmocka_unit_test(what_lies_elsewhere_is_none),
        cmocka_unit_test(a_longer_message_goes_elsewhere_and_the_baton_stays),
        cmocka_unit_test(they_lie_apart_from_slots),
        cmocka_unit_test(there_are_none_where_slots_are_narrow),
        cmocka_unit_test(a_baton_is_kept_when_its_message_is_read_to_the_end),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
