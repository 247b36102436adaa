// Random programs of several ranks against a reference: who gets which message, when all is started before anything is
// waited for. The tasks of users' calls run in a random order.
#include "post_ranks.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include "base/task.h"
#include "coll/point_to_point.h"

using namespace post_ranks;

namespace {

struct Call {
    bool is_send;
    int peer, tag;
    size_t bytes; // of a receive: its room
    int number;   // of the message, for its contents
    bool is_refused = false;
};
using Program = std::vector<std::vector<Call>>; // by rank, in the order in which they are started

size_t some_size(std::mt19937 &random) {
    static constexpr size_t limits[] = {1, 41, 100, 4097, 17000, 60000, 400000};
    return random() % limits[random() % std::size(limits)];
}

// Every message has its receive; a rank starts its calls in any order. Few tags, so that many messages fit a receive.
// What a receive does not name is not named by any other receive of that rank either: then each gets what the order of
// the sends gives it, whatever the schedule.
Program make_program(std::mt19937 &random, int ranks, int messages) {
    Program program(static_cast<size_t>(ranks));
    for (int number = 0; number < messages; ++number) {
        const int from = static_cast<int>(random() % static_cast<unsigned>(ranks));
        const int to = static_cast<int>(random() % static_cast<unsigned>(ranks));
        const int tag = static_cast<int>(random() % 3);
        program[static_cast<size_t>(from)].push_back({true, to, tag, some_size(random), number});
        program[static_cast<size_t>(to)].push_back({false, from, tag, 400000, -1});
    }
    for (std::vector<Call> &calls : program) {
        std::shuffle(calls.begin(), calls.end(), random);
    }
    return program;
}

// A peer or source that is no_rank makes it nothing.
struct Messages {
    int to = no_rank, send_tag = any_tag;
    const void *send = nullptr;
    size_t send_bytes = 0;
    int source = no_rank, recv_tag = any_tag;
    void *recv = nullptr;
    size_t room = 0;
};

Task exchange(TaskHome &, Post &post, Messages what, Post::Status *status) {
    PointToPoint steps(&post);
    if (what.to != no_rank) {
        steps.send(what.to, what.send_tag, what.send, what.send_bytes);
    }
    if (what.source != no_rank && !steps.receive_now(what.source, what.recv_tag, what.recv, what.room)) {
        steps.receive(what.source, what.recv_tag, what.recv, what.room);
    }
    while (!steps.advance()) {
        co_await steps.obstacle();
    }
    steps.finish(*status);
}

// One call as a user's request.
struct Running {
    Running(Post &post, const Call &call_, int rank_) : call(call_), rank(rank_), buffer(call_.bytes, 'x') {
        parking.patience = -1;
        if (call.is_refused) {
            refuse_message(&post, op());
            return;
        }
        if (call.is_send) {
            buffer = pattern(call.bytes, call.number);
        }
        Messages what;
        if (call.is_send) {
            what = {.to = call.peer, .send_tag = call.tag, .send = buffer.data(), .send_bytes = buffer.size()};
        } else {
            what = {.source = call.peer, .recv_tag = call.tag, .recv = buffer.data(), .room = buffer.size()};
        }
        task = exchange(home, post, what, &status);
        task.start();
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
    Op op() const {
        Op op;
        op.kind = call.is_send ? Kind::send : Kind::recv;
        op.to = op.from = call.peer;
        op.tag = op.recv_tag = call.tag;
        return op;
    }
    bool is_over() const {
        return call.is_refused || task.done();
    }
    void step() {
        if (!is_over() && parking.until.reached()) {
            parking.resume();
        }
    }

    Call call;
    int rank;
    std::vector<char> buffer;
    Post::Status status{};
    FramePool frames;
    Parking parking;
    TaskHome home{&frames, &parking};
    Task task;
};

xcoll_result_t result_of(const Running &one) {
    try {
        one.task.rethrow();
    } catch (const Failure &failure) {
        return failure.result();
    }
    return XCOLL_SUCCESS;
}

// A sender hears of it if it has waited.
void check_declined(const std::deque<Running> &all, const std::set<int> &declined) {
    for (const Running &one : all) {
        if (!one.call.is_send || one.call.is_refused) {
            continue;
        }
        const xcoll_result_t result = result_of(one);
        if (declined.count(one.call.number) == 0) {
            assert_int_equal(result, XCOLL_SUCCESS);
        } else if (result != XCOLL_SUCCESS || one.call.bytes > post_letter) {
            assert_int_equal(result, XCOLL_ERR_MISMATCH);
        }
    }
}

// The k-th receive of a rank from one source and with one tag gets that source's k-th message with it, or hears that
// there is none; one that was refused takes it away.
void check(const Program &program, const std::deque<Running> &all) {
    std::map<std::vector<int>, std::deque<const Call *>> sent; // by source, destination, tag
    for (size_t from = 0; from < program.size(); ++from) {
        for (const Call &call : program[from]) {
            if (call.is_send) {
                sent[{static_cast<int>(from), call.peer, call.tag}].push_back(&call);
            }
        }
    }
    std::set<int> declined;
    for (const Running &one : all) {
        if (one.call.is_send) {
            continue;
        }
        if (one.call.is_refused) {
            auto &queue = sent[{one.call.peer, one.rank, one.call.tag}];
            assert_false(queue.empty());
            declined.insert(queue.front()->number);
            queue.pop_front();
            continue;
        }
        const xcoll_result_t result = result_of(one);
        auto &queue = sent[{one.status.source, one.rank, one.status.tag}];
        assert_false(queue.empty());
        assert_int_equal(result, queue.front()->is_refused ? XCOLL_ERR_MISMATCH : XCOLL_SUCCESS);
        if (queue.front()->is_refused) {
            queue.pop_front();
            continue;
        }
        assert_true(one.call.peer == any_source || one.call.peer == one.status.source);
        assert_true(one.call.tag == any_tag || one.call.tag == one.status.tag);
        assert_int_equal(one.status.bytes, queue.front()->bytes);
        assert_got(one.buffer, pattern(one.status.bytes, queue.front()->number));
        queue.pop_front();
    }
    check_declined(all, declined);
}

// Whoever is chosen goes first: starts its next call, resumes a task, or lets its messages move.
void run(const Ranks &r, const Program &program, std::mt19937 &random, bool driven, std::deque<Running> &all) {
    std::vector<size_t> started(program.size());
    size_t unstarted = 0;
    for (const std::vector<Call> &calls : program) {
        unstarted += calls.size();
    }
    constexpr size_t too_long = 20'000'000;
    for (size_t events = 0;; ++events) {
        const size_t rank = random() % program.size();
        Post &post = r[static_cast<int>(rank)];
        if (started[rank] < program[rank].size() && random() % 4 == 0) {
            all.emplace_back(post, program[rank][started[rank]++], static_cast<int>(rank));
            --unstarted;
        } else if (!all.empty()) {
            all[random() % all.size()].step();
        }
        if (driven) {
            post.progress();
        }
        if (unstarted == 0 && events % 64 == 0 &&
            std::all_of(all.begin(), all.end(), [](const Running &one) { return one.is_over(); })) {
            return;
        }
        if (events > too_long) {
            throw std::runtime_error("stuck");
        }
    }
}

void play(int ranks, int messages, Kinship kinship, size_t budget, bool driven, unsigned seed,
          const std::function<void(Program &)> &change) {
    std::mt19937 random(seed);
    Ranks r(ranks, kinship, budget);
    Program program = make_program(random, ranks, messages);
    change(program);
    std::deque<Running> all;
    run(r, program, random, driven, all);
    r.settle(); // nobody waits for the last of what was refused
    check(program, all);
    for (int rank = 0; rank < ranks; ++rank) {
        assert_int_equal(r[rank].in_flight(), 0);
        assert_int_equal(r[rank].aside_bytes(), 0);
    }
}

// Without progress(): what the tasks are parked on is enough, whoever of them moves the messages.
void whatever_was_started_comes_to_an_end(void **) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const int ranks = 1 + static_cast<int>(seed % 5);
        play(ranks, 20 + static_cast<int>(seed * 3), seed % 2 ? Kinship::apart : Kinship::together,
             seed % 3 ? size_t{64} << 20 : 0, seed % 4 == 0, seed, [](Program &) {});
    }
}

void receives_that_name_no_source_or_tag_get_every_message_once(void **) {
    for (unsigned seed = 100; seed < 140; ++seed) {
        const int ranks = 2 + static_cast<int>(seed % 4);
        play(ranks, 150, seed % 2 ? Kinship::apart : Kinship::together, 0, true, seed, [&](Program &program) {
            for (size_t rank = 0; rank < program.size(); ++rank) {
                for (Call &call : program[rank]) {
                    call.peer = !call.is_send && (rank + seed) % 3 < 2 ? any_source : call.peer;
                    call.tag = !call.is_send && (rank + seed) % 3 > 0 ? any_tag : call.tag;
                }
            }
        });
    }
}

// Calls of either side, in a random place of the order; sometimes of both. Nobody is parked on them, so the ranks are
// driven.
void what_is_refused_stands_in_its_place(void **) {
    for (unsigned seed = 200; seed < 240; ++seed) {
        const int ranks = 1 + static_cast<int>(seed % 5);
        std::mt19937 random(seed);
        play(ranks, 20 + static_cast<int>(seed % 40) * 3, seed % 2 ? Kinship::apart : Kinship::together,
             seed % 3 ? size_t{64} << 20 : 0, true, seed, [&](Program &program) {
                 for (std::vector<Call> &calls : program) {
                     for (Call &call : calls) {
                         call.is_refused = random() % 4 == 0;
                     }
                 }
             });
    }
}

void a_ring_of_sendrecvs_does_not_lock_up(void **) {
    for (const Kinship kinship : {Kinship::together, Kinship::apart}) {
        for (const size_t bytes : {size_t{0}, size_t{100}, size_t{5000}, size_t{1} << 20}) {
            constexpr int ranks = 5;
            Ranks r(ranks, kinship);
            std::vector<std::vector<char>> data, got;
            std::deque<FramePool> frames(ranks);
            std::deque<Parking> parkings(ranks);
            std::deque<TaskHome> homes;
            std::vector<Task> tasks;
            std::vector<Post::Status> statuses(ranks);
            for (int rank = 0; rank < ranks; ++rank) {
                const auto i = static_cast<size_t>(rank);
                data.push_back(pattern(bytes, rank));
                got.emplace_back(bytes);
                homes.push_back({&frames[i], &parkings[i]});
                const Messages shift{(rank + 1) % ranks,         1, data[i].data(), bytes,
                                     (rank + ranks - 1) % ranks, 1, got[i].data(),  bytes};
                tasks.push_back(exchange(homes[i], r[rank], shift, &statuses[i]));
                tasks.back().start();
            }
            for (int event = 0; event < 100000; ++event) {
                const auto i = static_cast<size_t>(event % ranks);
                r[event % ranks].progress();
                if (!tasks[i].done() && parkings[i].until.reached()) {
                    parkings[i].resume();
                }
            }
            for (int rank = 0; rank < ranks; ++rank) {
                const auto i = static_cast<size_t>(rank);
                assert_true(tasks[i].done());
                tasks[i].rethrow();
                const int left = (rank + ranks - 1) % ranks;
                assert_status(statuses[i], left, 1, bytes);
                assert_got(got[i], data[static_cast<size_t>(left)]);
            }
        }
    }
}

// The send's buffer must be free when the caller hears of the receive's error.
void an_exchange_that_is_cut_short_has_ended_both_ways(void **) {
    Ranks r(2);
    FramePool frames;
    Parking parking;
    TaskHome home{&frames, &parking};
    const std::vector<char> data = pattern(100000, 1);
    std::vector<char> got(data.size());
    char small = 0;
    Post::Status status{};
    r[1].send(0, 1, "too long", 8);
    Task task = exchange(home, r[0], {1, 1, data.data(), data.size(), 1, 1, &small, 1}, &status);
    task.start();
    for (int i = 0; i < 10; ++i) {
        r.progress();
    }
    assert_false(task.done());
    const Post::Ticket in = r[1].recv(0, 1, got.data(), got.size());
    for (int i = 0; i < 1000 && !task.done(); ++i) {
        r.progress();
        if (parking.until.reached()) {
            parking.resume();
        }
    }
    assert_true(task.done());
    xcoll_result_t result = XCOLL_SUCCESS;
    try {
        task.rethrow();
    } catch (const Failure &failure) {
        result = failure.result();
    }
    assert_int_equal(result, XCOLL_ERR_TRUNCATE);
    assert_status(status, 1, 1, 8);
    r.finish(1, in);
    assert_got(got, data);
}

void no_rank_is_nobody(void **) {
    Ranks r(1);
    FramePool frames;
    Parking parking;
    TaskHome home{&frames, &parking};
    Post::Status status{};
    Task both = exchange(home, r[0], {no_rank, 1, nullptr, 5, no_rank, 1, nullptr, 5}, &status);
    both.start();
    assert_true(both.done());
    assert_status(status, no_rank, any_tag, 0);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(whatever_was_started_comes_to_an_end),
        cmocka_unit_test(receives_that_name_no_source_or_tag_get_every_message_once),
        cmocka_unit_test(what_is_refused_stands_in_its_place),
        cmocka_unit_test(a_ring_of_sendrecvs_does_not_lock_up),
        cmocka_unit_test(an_exchange_that_is_cut_short_has_ended_both_ways),
        cmocka_unit_test(no_rank_is_nobody),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
