// Sleeping and being woken, between threads and between processes. A sleeper would sleep for an hour: a test that ends
// has lost no wake-up.
#include "cmocka_cpp.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <thread>
#include <vector>

#include "fabric/doorbell.h"

using namespace xcoll;

namespace {

constexpr int64_t an_hour = 3'600'000'000'000;

struct Node {
    static constexpr int most = 4;
    Sleepers sleepers;
    Bed bed[most];
    Bed *beds[most] = {&bed[0], &bed[1], &bed[2], &bed[3]};
    Signal signals[most];
    Doorbell of(int rank) {
        return {&sleepers, beds, most, rank, Doorbell::enable_barriers()};
    }
};

void what_is_ready_is_not_slept_for(void **) {
    Node node;
    int asked = 0;
    node.of(0).sleep([&] { return ++asked > 0; }, 1, an_hour);
    assert_int_equal(asked, 1);
    assert_int_equal(node.sleepers.count.load(), 0);
    assert_int_equal(node.bed[0].awaited.load(), Bed::nobody);
}

void a_short_sleep_ends_by_itself(void **) {
    Node node;
    node.of(0).sleep([] { return false; }, 1, 1000);
    node.of(0).sleep([] { return false; }, -1, 1000);
    assert_int_equal(node.sleepers.count.load(), 0);
    assert_int_equal(node.bed[0].awaited.load(), Bed::nobody);
}

// Two that wait for each other in turn: each publishes while the other one is lying down, dozing or getting up.
void ping_pong(Node &node, int me, int other, uint64_t rounds, bool anybody) {
    const Doorbell doorbell = node.of(me);
    for (uint64_t round = 1; round <= rounds; ++round) {
        if (me < other) {
            doorbell.publish(node.signals[me], round);
        }
        while (!node.signals[other].reached(round)) {
            doorbell.sleep([&] { return node.signals[other].reached(round); }, anybody ? -1 : other, an_hour);
        }
        if (me > other) {
            doorbell.publish(node.signals[me], round);
        }
    }
}

void threads_wake_each_other(void **) {
    for (const bool anybody : {false, true}) {
        Node node;
        std::thread one(ping_pong, std::ref(node), 0, 1, 3000, anybody);
        ping_pong(node, 1, 0, 3000, anybody);
        one.join();
        assert_int_equal(node.sleepers.count.load(), 0);
    }
}

void processes_wake_each_other(void **) {
    void *memory = mmap(nullptr, sizeof(Node), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    Node &node = *new (memory) Node;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ping_pong(node, 0, 1, 3000, false);
        _exit(0);
    }
    ping_pong(node, 1, 0, 3000, false);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    munmap(memory, sizeof(Node));
}

// Several sleep for one.
void all_who_wait_for_a_rank_are_woken(void **) {
    Node node;
    std::vector<std::thread> threads;
    for (int rank = 1; rank < Node::most; ++rank) {
        threads.emplace_back([&node, rank] {
            for (uint64_t round = 1; round <= 500; ++round) {
                while (!node.signals[0].reached(round)) {
                    node.of(rank).sleep([&] { return node.signals[0].reached(round); }, 0, an_hour);
                }
                node.of(rank).publish(node.signals[rank], round);
            }
        });
    }
    const Doorbell doorbell = node.of(0);
    for (uint64_t round = 1; round <= 500; ++round) {
        doorbell.publish(node.signals[0], round);
        for (int rank = 1; rank < Node::most; ++rank) {
            while (!node.signals[rank].reached(round)) {
                doorbell.sleep([&] { return node.signals[rank].reached(round); }, rank, an_hour);
            }
        }
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    assert_int_equal(node.sleepers.count.load(), 0);
}

// The second thread of a rank finds the bed taken and only naps; neither oversleeps.
void two_threads_of_a_rank_may_sleep_at_once(void **) {
    Node node;
    const auto sleep_until = [&](uint64_t value) {
        while (!node.signals[0].reached(value)) {
            node.of(1).sleep([&] { return node.signals[0].reached(value); }, 0, an_hour);
        }
    };
    for (uint64_t round = 1; round <= 50; ++round) {
        std::thread one(sleep_until, round), two(sleep_until, round);
        std::this_thread::yield();
        node.of(0).publish(node.signals[0], round);
        one.join();
        two.join();
    }
    assert_int_equal(node.sleepers.count.load(), 0);
    assert_int_equal(node.bed[1].awaited.load(), Bed::nobody);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_is_ready_is_not_slept_for),    cmocka_unit_test(a_short_sleep_ends_by_itself),
        cmocka_unit_test(threads_wake_each_other),           cmocka_unit_test(processes_wake_each_other),
        cmocka_unit_test(all_who_wait_for_a_rank_are_woken), cmocka_unit_test(two_threads_of_a_rank_may_sleep_at_once),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
