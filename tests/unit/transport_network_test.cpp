// The library's side of messages between machines, over a plug-in that is part of the test.
#include "cmocka_cpp.h"

#include <atomic>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fabric/net.h"
#include "transport_network_job.h"

using namespace ranks;

namespace {

constexpr size_t long_message = 100'000; // stays with its sender until it is fetched

void algorithms_do_not_mind_a_network_that_reorders(void **) {
    for (uint32_t seed = 1; seed <= 5; ++seed) {
        Job job(5, seed);
        constexpr uint64_t operations = 20;
        std::deque<std::vector<int32_t>> send, recv;
        All all;
        for (uint64_t n = 1; n <= operations; ++n) {
            const size_t count = n % 4 == 0 ? 60'000 : n * 7;
            for (int rank = 0; rank < 5; ++rank) {
                send.emplace_back(count, rank * 1000 + static_cast<int>(n));
                recv.emplace_back(count);
                const bool is_bcast = n % 5 == 2;
                const Op call =
                    is_bcast ? bcast(send.back().data(), count, Dtype::int32, 3)
                             : allreduce(send.back().data(), recv.back().data(), count, Dtype::int32, Operator::sum);
                const Algorithm algorithm = is_bcast ? bcast_tree : n % 2 ? allreduce_ring : allreduce_doubling;
                all.emplace_back(job.ranks.team(rank), algorithm, call, fingerprint(call), n);
            }
        }
        run(all, seed);
        size_t i = 0;
        for (const Running &one : all) {
            assert_string_equal(text(one.error()), "");
            const bool is_bcast = one.op.kind == Kind::bcast;
            const int32_t expected = is_bcast ? 3000 + static_cast<int>(one.n) : 10'000 + 5 * static_cast<int>(one.n);
            assert_true((is_bcast ? send : recv)[i] == std::vector<int32_t>(one.op.count, expected));
            ++i;
        }
        assert_true(job.fabric.fetched > 0);
        assert_int_equal(job.fabric.dropped, 0);
    }
}

void a_mismatch_gives_everybody_their_buffers_back(void **) {
    for (int wrong = 0; wrong < 4; ++wrong) {
        for (const Algorithm algorithm : {allreduce_ring, allreduce_doubling}) {
            Job job(4, static_cast<uint32_t>(wrong) + 1);
            {
                std::vector<std::vector<float>> buffers(4, std::vector<float>(100'000));
                All all;
                for (int rank = 0; rank < 4; ++rank) {
                    float *buffer = buffers[static_cast<size_t>(rank)].data();
                    const Op call =
                        allreduce(buffer, buffer, rank == wrong ? 90'000 : 100'000, Dtype::float32, Operator::sum);
                    all.emplace_back(job.ranks.team(rank), algorithm, call, fingerprint(call), 1);
                }
                // A sender that leaves waits until its peers have let go of its buffers, so they run at the same time.
                std::vector<std::thread> threads;
                std::atomic<int> undone{4};
                for (Running &one : all) {
                    threads.emplace_back([&] {
                        while (!one.done()) {
                            one.step();
                        }
                        --undone;
                        while (undone > 0) {
                            one.team.transport->progress();
                            std::this_thread::yield();
                        }
                    });
                }
                for (std::thread &thread : threads) {
                    thread.join();
                }
                for (const Running &one : all) {
                    assert_int_equal(result(one.error()), XCOLL_ERR_MISMATCH);
                }
            }
            const std::vector<float> ones(100'000, 1);
            std::vector<std::vector<float>> sums(4, ones);
            All all;
            for (int rank = 0; rank < 4; ++rank) {
                float *sum = sums[static_cast<size_t>(rank)].data();
                const Op call = allreduce(ones.data(), sum, ones.size(), Dtype::float32, Operator::sum);
                all.emplace_back(job.ranks.team(rank), algorithm, call, fingerprint(call), 2);
            }
            run(all, 5);
            for (const Running &one : all) {
                assert_string_equal(text(one.error()), "");
            }
            for (const std::vector<float> &sum : sums) {
                assert_true(sum == std::vector<float>(100'000, 4));
            }
        }
    }
}

void messages_wait_for_a_communicator_that_is_yet_to_be_made(void **) {
    Job job(2);
    std::vector<char> first = pattern(10, 1), second = pattern(long_message, 2), got(10), got_long(long_message);
    // Rank 0 is faster than rank 1, which knows what is to come.
    job.nets[1]->expect(7);
    const std::unique_ptr<Transport> fast = [&] {
        job.nets[0]->expect(7);
        return job.nets[0]->open(7, 0, job.members);
    }();
    fast->begin(envelope(1));
    const Ticket out1 = fast->send(1, envelope(1), first.data(), first.size());
    const Ticket out2 = fast->send(1, envelope(1), second.data(), second.size());
    settle(job.ranks);
    const std::unique_ptr<Transport> slow = job.nets[1]->open(7, 1, job.members);
    slow->begin(envelope(1));
    const Ticket in1 = slow->recv(0, envelope(1), got.data(), got.size());
    const Ticket in2 = slow->recv(0, envelope(1), got_long.data(), got_long.size());
    settle(job.ranks);
    for (const Ticket &ticket : {in1, in2}) {
        assert_true(ticket.until().reached());
        slow->finish(ticket);
    }
    for (const Ticket &ticket : {out1, out2}) {
        assert_true(ticket.until().reached());
        fast->finish(ticket);
    }
    assert_true(got == first);
    assert_true(got_long == second);
}

void messages_for_a_freed_communicator_are_dropped(void **) {
    Job job(2);
    job.nets[0]->expect(1);
    job.nets[1]->expect(1);
    const std::unique_ptr<Transport> stays = job.nets[0]->open(1, 0, job.members);
    job.nets[1]->open(1, 1, job.members).reset();
    stays->begin(envelope(1));
    const std::vector<char> data = pattern(long_message, 1);
    const Ticket out = stays->send(1, envelope(1), data.data(), data.size());
    settle(job.ranks);
    assert_true(out.until().reached());
    stays->finish(out);
    assert_int_equal(job.fabric.dropped, 1);
}

void numbers_of_communicators_are_used_once(void **) {
    Job job(2);
    assert_int_equal(job.nets[0]->first_id(), 0);
    std::set<uint64_t> all{job.nets[0]->first_id()};
    for (int time = 0; time < 3; ++time) {
        for (int r = 0; r < 2; ++r) {
            assert_true(all.insert(Net::id(r, job.nets[static_cast<size_t>(r)]->give_number())).second);
        }
    }
}

void what_waits_for_a_dead_peer_fails(void **) {
    Job job(3);
    const Ranks &r = job.ranks;
    begin(r, 1);
    std::vector<char> buffer(long_message), other(1);
    const Ticket in = r.transport(0).recv(2, envelope(1), buffer.data(), buffer.size());
    const Ticket out = r.transport(0).send(2, envelope(1), buffer.data(), buffer.size());
    const Ticket alive = r.transport(0).recv(1, envelope(1), other.data(), 1);
    fake::kill(job.fabric, 2);
    std::string text;
    assert_int_equal(result_of(r, 0, in, &text), XCOLL_ERR_PEER_DEAD);
    assert_non_null(std::strstr(text.c_str(), "the connection to rank 2 has failed (it was unplugged)"));
    assert_int_equal(result_of(r, 0, out), XCOLL_ERR_PEER_DEAD);
    // And what comes later.
    assert_int_equal(result_of(r, 0, r.transport(0).recv(2, envelope(1), buffer.data(), 1)), XCOLL_ERR_PEER_DEAD);
    assert_int_equal(result_of(r, 0, r.transport(0).send(2, envelope(1), buffer.data(), 1)), XCOLL_ERR_PEER_DEAD);
    // The others go on.
    assert_false(alive.until().reached());
    const Ticket answer = r.transport(1).send(0, envelope(1), "a", 1);
    assert_int_equal(result_of(r, 0, alive), XCOLL_SUCCESS);
    assert_int_equal(result_of(r, 1, answer), XCOLL_SUCCESS);
}

void a_communicator_made_after_a_death_knows_of_it(void **) {
    Job job(2);
    fake::kill(job.fabric, 1);
    settle(job.ranks);
    job.open(1, 0);
    job.ranks.transport(0).begin(envelope(1));
    char got;
    assert_int_equal(result_of(job.ranks, 0, job.ranks.transport(0).recv(1, envelope(1), &got, 1)),
                     XCOLL_ERR_PEER_DEAD);
}
void nothing_touches_buffers_after_cancelling(void **) {
    Job job(2);
    const Ranks &r = job.ranks;
    begin(r, 1);
    std::vector<char> data = pattern(long_message, 1), got(long_message, 'g');
    const Ticket out = r.transport(0).send(1, envelope(1), data.data(), data.size());
    r.transport(1).recv(0, envelope(1), got.data(), got.size());
    r.transport(1).cancel_all();
    const std::vector<char> seen = got;
    assert_int_equal(result_of(r, 0, out), XCOLL_SUCCESS); // it was dropped there
    assert_true(got == seen);
    assert_int_equal(job.fabric.dropped, 1);
}

// Takes three seconds: that is how long a peer may keep a buffer that is wanted back.
void a_peer_that_never_takes_a_message_is_cut_off(void **) {
    Job job(2);
    const Ranks &r = job.ranks;
    begin(r, 1);
    std::vector<char> data = pattern(long_message, 1);
    r.transport(0).send(1, envelope(1), data.data(), data.size());
    r.transport(0).cancel_all(); // rank 1 makes no progress
    assert_null(job.fabric.endpoints[1]->inbox.front().remote);
}

// One thread moves the messages of another one's communicator: for ThreadSanitizer.
void threads_drive_communicators_of_one_net(void **) {
    Job job(2);
    job.fabric.reorders = false;
    const std::vector<std::unique_ptr<Transport>> &t = job.transports;
    for (uint32_t id = 1; id <= 2; ++id) {
        job.open(id); // t[2 * id] is rank 0's, t[2 * id + 1] rank 1's
    }
    const auto work = [&](uint32_t id, int &good) {
        Transport &a = *t[2 * id], &b = *t[2 * id + 1];
        for (uint64_t n = 1; n <= 100; ++n) {
            const std::vector<char> data = pattern(n * 50, static_cast<int>(id));
            std::vector<char> got(data.size());
            a.begin(envelope(n));
            b.begin(envelope(n));
            const Ticket out = a.send(1, envelope(n), data.data(), data.size());
            const Ticket in = b.recv(0, envelope(n), got.data(), got.size());
            while (!in.until().reached() || !out.until().reached()) {
                a.progress();
                b.progress();
            }
            a.finish(out);
            b.finish(in);
            a.end(envelope(n));
            b.end(envelope(n));
            good += got == data;
        }
    };
    int good[2] = {};
    std::thread other(work, 2, std::ref(good[1]));
    work(1, good[0]);
    other.join();
    assert_int_equal(good[0], 100);
    assert_int_equal(good[1], 100);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_do_not_mind_a_network_that_reorders),
        cmocka_unit_test(a_mismatch_gives_everybody_their_buffers_back),
        cmocka_unit_test(messages_wait_for_a_communicator_that_is_yet_to_be_made),
        cmocka_unit_test(messages_for_a_freed_communicator_are_dropped),
        cmocka_unit_test(numbers_of_communicators_are_used_once),
        cmocka_unit_test(what_waits_for_a_dead_peer_fails),
        cmocka_unit_test(a_communicator_made_after_a_death_knows_of_it),
        cmocka_unit_test(nothing_touches_buffers_after_cancelling),
        cmocka_unit_test(a_peer_that_never_takes_a_message_is_cut_off),
        cmocka_unit_test(threads_drive_communicators_of_one_net),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
