// Tasks: in which order they run, what becomes of errors and of frames that are thrown away, and the runners.
#include "cmocka_cpp.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "run/runners.h"

using namespace xcoll;

namespace {

struct World {
    FramePool frames;
    Parking parking;
    TaskHome home{&frames, &parking};
    Signal a, b;
    std::string log;
    int alive = 0; // objects in frames
};

struct Counted {
    explicit Counted(World &in) : world(in) {
        ++world.alive;
    }
    ~Counted() {
        --world.alive;
    }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    World &world;
};

Task child(TaskHome &, World &w, bool fails) {
    const Counted counted(w);
    w.log += "c1 ";
    co_await Until{&w.a, 1, 0};
    w.log += "c2 ";
    if (fails) {
        throw std::runtime_error("the child's error");
    }
}

Task parent(TaskHome &home, World &w, bool fails) {
    const Counted counted(w);
    w.log += "p1 ";
    co_await child(home, w, fails);
    w.log += "p2 ";
    co_await Until{&w.b, 2, 1};
    w.log += "p3 ";
}

void a_task_does_nothing_before_it_is_started(void **) {
    World w;
    {
        const Task task = parent(w.home, w, false);
        assert_string_equal(w.log.c_str(), "");
    }
    assert_int_equal(w.alive, 0);
}

void a_child_runs_at_once_and_its_parent_goes_on_after_it(void **) {
    World w;
    Task task = parent(w.home, w, false);
    task.start();
    assert_string_equal(w.log.c_str(), "p1 c1 ");
    assert_true(w.parking.parked());
    assert_ptr_equal(w.parking.until.signal, &w.a);
    assert_int_equal(w.parking.until.owner, 0);
    assert_false(poll(task, w.parking));
    w.a.store(1);
    assert_true(poll(task, w.parking));
    assert_string_equal(w.log.c_str(), "p1 c1 c2 p2 ");
    assert_ptr_equal(w.parking.until.signal, &w.b);
    assert_int_equal(w.parking.until.owner, 1);
    w.b.store(1);
    assert_false(poll(task, w.parking)); // it waits for 2
    w.b.store(5);
    assert_true(poll(task, w.parking));
    assert_true(task.done());
    assert_false(w.parking.parked());
    assert_string_equal(w.log.c_str(), "p1 c1 c2 p2 p3 ");
    task.rethrow();
}

void poll_goes_as_far_as_the_signals_allow(void **) {
    World w;
    w.a.store(1);
    w.b.store(2);
    w.parking.patience = -1; // parks without looking
    Task task = parent(w.home, w, false);
    task.start();
    assert_string_equal(w.log.c_str(), "p1 c1 ");
    assert_true(poll(task, w.parking));
    assert_true(task.done());
}

void a_signal_that_is_there_is_no_wait(void **) {
    World w;
    w.a.store(3);
    w.b.store(2);
    Task task = parent(w.home, w, false);
    task.start();
    assert_true(task.done());
    assert_string_equal(w.log.c_str(), "p1 c1 c2 p2 p3 ");
}

void an_error_of_a_child_is_its_parents(void **) {
    World w;
    Task task = parent(w.home, w, true);
    task.start();
    w.a.store(1);
    poll(task, w.parking);
    assert_true(task.done());
    assert_string_equal(w.log.c_str(), "p1 c1 c2 ");
    std::string caught;
    try {
        task.rethrow();
    } catch (const std::runtime_error &error) {
        caught = error.what();
    }
    assert_string_equal(caught.c_str(), "the child's error");
}

void destroying_a_task_destroys_its_children(void **) {
    World w;
    {
        Task task = parent(w.home, w, false);
        task.start();
        assert_int_equal(w.alive, 2);
    }
    assert_int_equal(w.alive, 0);
}

void a_task_that_is_moved_stays_one(void **) {
    World w;
    Task task = parent(w.home, w, false);
    task.start();
    Task other = std::move(task);
    task = Task();
    assert_int_equal(w.alive, 2);
    w.a.store(1);
    w.b.store(2);
    poll(other, w.parking);
    assert_true(other.done());
    assert_int_equal(w.alive, 0);
}

Task leaf(TaskHome &, World &w) {
    co_await Until{&w.a, 1, 0};
}
Task many_children(TaskHome &home, World &w, int count) {
    for (int i = 0; i < count; ++i) {
        co_await leaf(home, w);
    }
}
void children_one_after_the_other_share_a_frame(void **) {
    World w;
    w.a.store(1);
    Task task = many_children(w.home, w, 1000);
    task.start();
    assert_true(task.done());
    // As large as a child's frame: the pool hands out the one that came back last.
    void *first = w.frames.take(200), *second = w.frames.take(200);
    assert_ptr_not_equal(first, second);
    w.frames.give(first, 200);
    assert_ptr_equal(w.frames.take(200), first);
    w.frames.give(first, 200);
    w.frames.give(second, 200);
}

void frames_of_any_size_come_and_go(void **) {
    FramePool pool;
    for (int round = 0; round < 3; ++round) {
        std::vector<void *> blocks;
        for (size_t bytes = 1; bytes < 5000; bytes += 37) {
            blocks.push_back(pool.take(bytes));
            std::memset(blocks.back(), 0x5a, bytes);
            assert_int_equal(reinterpret_cast<uintptr_t>(blocks.back()) % alignof(std::max_align_t), 0);
        }
        size_t bytes = 1;
        for (void *block : blocks) {
            pool.give(block, bytes);
            bytes += 37;
        }
    }
}

// ---- the wait function

struct FakeWatch final : Watch {
    Signal *signal = nullptr;
    int drives = 0, checks = 0, sleeps = 0;
    int moves = 0;               // drives that move something
    int reached_after = 1 << 30; // sleeps
    bool hopeless = false;
    bool drive() override {
        ++drives;
        return moves-- > 0;
    }
    void check(const Until &, int64_t waited_ns) override {
        ++checks;
        assert_true(waited_ns >= 0);
        if (hopeless) {
            throw std::runtime_error("hopeless");
        }
    }
    void sleep(const Until &until, int64_t nanoseconds) override {
        assert_ptr_equal(until.signal, signal);
        assert_true(nanoseconds > 0);
        if (++sleeps >= reached_after) {
            signal->store(1);
        }
    }
};

void a_wait_ends_when_the_signal_is_reached(void **) {
    Signal signal;
    FakeWatch watch;
    watch.signal = &signal;
    watch.reached_after = 3;
    wait({&signal, 1, 0}, watch, {10, 5, 5});
    assert_int_equal(watch.sleeps, 3);
    assert_true(watch.drives >= 10);
    wait({&signal, 1, 0}, watch, {0, 0, 0});
    assert_int_equal(watch.sleeps, 3);
}

void a_hopeless_wait_throws(void **) {
    Signal signal;
    FakeWatch watch;
    watch.signal = &signal;
    watch.hopeless = true;
    bool thrown = false;
    try {
        wait({&signal, 1, 0}, watch, {10, 5, 5});
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    assert_true(thrown);
    assert_int_equal(watch.checks, 1);
}

// Also while other operations keep it busy.
void a_hopeless_wait_throws_though_others_move(void **) {
    Signal signal;
    FakeWatch watch;
    watch.signal = &signal;
    watch.hopeless = true;
    watch.moves = 1 << 30;
    bool thrown = false;
    try {
        wait({&signal, 1, 0}, watch, {1, 0, 10});
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    assert_true(thrown);
    assert_int_equal(watch.sleeps, 0);
}

void a_task_runs_to_its_end_in_one_call(void **) {
    World w;
    w.b.store(2);
    FakeWatch watch;
    watch.signal = &w.a;
    watch.reached_after = 2;
    Task task = parent(w.home, w, false);
    run_to_end(task, w.parking, watch, {5, 5, 5});
    assert_true(task.done());
    assert_string_equal(w.log.c_str(), "p1 c1 c2 p2 p3 ");

    World other;
    other.a.store(1);
    Task failing = parent(other.home, other, true);
    bool thrown = false;
    try {
        run_to_end(failing, other.parking, watch, {5, 5, 5});
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    assert_true(thrown);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_task_does_nothing_before_it_is_started),
        cmocka_unit_test(a_child_runs_at_once_and_its_parent_goes_on_after_it),
        cmocka_unit_test(poll_goes_as_far_as_the_signals_allow),
        cmocka_unit_test(a_signal_that_is_there_is_no_wait),
        cmocka_unit_test(an_error_of_a_child_is_its_parents),
        cmocka_unit_test(destroying_a_task_destroys_its_children),
        cmocka_unit_test(a_task_that_is_moved_stays_one),
        cmocka_unit_test(children_one_after_the_other_share_a_frame),
        cmocka_unit_test(frames_of_any_size_come_and_go),
        cmocka_unit_test(a_wait_ends_when_the_signal_is_reached),
        cmocka_unit_test(a_hopeless_wait_throws),
        cmocka_unit_test(a_hopeless_wait_throws_though_others_move),
        cmocka_unit_test(a_task_runs_to_its_end_in_one_call),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
