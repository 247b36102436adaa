// Broadcast, barrier and words by messages, many operations at once, and threads.
#include "cmocka_cpp.h"

#include <string>
#include <thread>
#include <vector>

#include "run/runners.h"
#include "transport_allreduce.h"

using namespace ranks;

namespace {

void broadcasts_reach_everybody_from_any_root(void **) {
    for (const int ranks : {1, 2, 3, 5, 8}) {
        Ranks r(ranks);
        uint64_t n = 0;
        for (const size_t count : {size_t{0}, size_t{1}, size_t{5000}, size_t{1'100'003}}) {
            for (int root = 0; root<ranks; root += count> 5000 ? ranks - 1 + (ranks == 1) : 1) {
                ++n;
                const Bytes data = numbers(Dtype::uint8, count, root);
                std::vector<Bytes> buffers(static_cast<size_t>(ranks), Bytes(count));
                buffers[static_cast<size_t>(root)] = data;
                All all;
                for (int rank = 0; rank < ranks; ++rank) {
                    const Op call = bcast(buffers[static_cast<size_t>(rank)].data(), count, Dtype::uint8, root);
                    all.emplace_back(r.team(rank), bcast_tree, call, fingerprint(call), n);
                }
                run(all, static_cast<uint32_t>(n));
                for (const Running &one : all) {
                    assert_string_equal(text(one.error()), "");
                }
                for (const Bytes &buffer : buffers) {
                    assert_true(buffer == data);
                }
            }
        }
    }
}

void everybody_learns_everybodys_words(void **) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
        Ranks r(ranks);
        uint64_t n = 0;
        for (const size_t bytes : {size_t{0}, size_t{1}, size_t{40}, size_t{10000}}) {
            ++n;
            std::vector<Bytes> mine, got;
            Bytes expected;
            All all;
            for (int rank = 0; rank < ranks; ++rank) {
                mine.push_back(numbers(Dtype::uint8, bytes, rank));
                expected.insert(expected.end(), mine.back().begin(), mine.back().end());
                got.emplace_back(bytes * static_cast<size_t>(ranks));
            }
            for (int rank = 0; rank < ranks; ++rank) {
                Op call = plain(Kind::words);
                call.dtype = Dtype::uint8;
                call.count = bytes;
                call.send = mine[static_cast<size_t>(rank)].data();
                call.recv = got[static_cast<size_t>(rank)].data();
                all.emplace_back(r.team(rank), words_exchange, call, fingerprint(call), n);
            }
            run(all, static_cast<uint32_t>(n));
            for (int rank = 0; rank < ranks; ++rank) {
                assert_string_equal(text(all[static_cast<size_t>(rank)].error()), "");
                assert_true(got[static_cast<size_t>(rank)] == expected);
            }
        }
    }
}

void nobody_leaves_a_barrier_before_all_have_come(void **) {
    const Op call = plain(Kind::barrier);
    for (int ranks = 1; ranks <= 9; ++ranks) {
        for (int late = 0; late < ranks; ++late) {
            Ranks r(ranks);
            All all;
            for (int rank = 0; rank < ranks; ++rank) {
                if (rank != late) {
                    all.emplace_back(r.team(rank), barrier_dissemination, call, fingerprint(call), 1);
                }
            }
            for (int round = 0; round < 100; ++round) {
                for (Running &one : all) {
                    one.step();
                    assert_false(one.done());
                }
            }
            all.emplace_back(r.team(late), barrier_dissemination, call, fingerprint(call), 1);
            run(all, static_cast<uint32_t>(late));
            for (const Running &one : all) {
                assert_string_equal(text(one.error()), "");
            }
        }
    }
}

// Operations of all kinds at once, each rank free to get on with any of them.
void many_operations_are_in_flight_at_once(void **) {
    constexpr int ranks = 5;
    constexpr uint64_t operations = 24;
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        Ranks r(ranks);
        std::vector<std::vector<Bytes>> inputs, results;
        std::vector<Bytes> expected;
        All all;
        for (uint64_t n = 1; n <= operations; ++n) {
            const size_t count = n % 5 == 0 ? 30000 : n * 3;
            inputs.push_back(inputs_of(ranks, Dtype::int32, count));
            results.emplace_back(ranks, Bytes(4 * count));
            const bool is_bcast = n % 4 == 3;
            expected.push_back(is_bcast ? inputs.back()[1]
                                        : ring_result(inputs.back(), Operator::sum, Dtype::int32, count));
            for (int rank = 0; rank < ranks; ++rank) {
                const auto i = static_cast<size_t>(rank);
                if (is_bcast) {
                    results.back()[i] = inputs.back()[i];
                }
                char *buffer = results.back()[i].data();
                const Op call = is_bcast
                                    ? bcast(buffer, count, Dtype::int32, 1)
                                    : allreduce(inputs.back()[i].data(), buffer, count, Dtype::int32, Operator::sum);
                const Algorithm algorithm = is_bcast ? bcast_tree : n % 2 ? allreduce_ring : allreduce_doubling;
                all.emplace_back(r.team(rank), algorithm, call, fingerprint(call), n);
            }
        }
        run(all, seed);
        for (const Running &one : all) {
            assert_string_equal(text(one.error()), "");
        }
        for (size_t n = 0; n < operations; ++n) {
            for (const Bytes &result : results[n]) {
                assert_true(result == expected[n]);
            }
        }
    }
}

class Yielding : public Watch {
public:
    explicit Yielding(Transport &transport) : transport_(transport) {
    }
    bool drive() override {
        return transport_.progress();
    }
    void check(const Until &, int64_t) override {
    }
    void sleep(const Until &until, int64_t nanoseconds) override {
        transport_.sleep(until, nanoseconds);
    }

private:
    Transport &transport_;
};

// For ThreadSanitizer: real threads, blocking runs.
void threads_run_all_algorithms(void **) {
    constexpr int ranks = 3;
    Ranks r(ranks);
    std::string wrong[ranks];
    const auto work = [&](int rank) {
        Yielding watch(r.transport(rank));
        FramePool frames;
        Parking parking;
        TaskHome home{&frames, &parking};
        for (uint64_t n = 1; n <= 40; ++n) {
            const size_t count = n % 8 == 0 ? 70'000 : n;
            std::vector<int32_t> data(count, rank + 1), sum(count);
            const bool is_bcast = n % 4 == 3;
            const int root = static_cast<int>(n % ranks);
            const Op call = is_bcast ? bcast(data.data(), count, Dtype::int32, root)
                                     : allreduce(data.data(), sum.data(), count, Dtype::int32, Operator::sum);
            const Algorithm algorithm = is_bcast ? bcast_tree : n % 2 ? allreduce_ring : allreduce_doubling;
            const Fingerprint print = fingerprint(call);
            Task task = algorithm(home, r.team(rank), call, print, n);
            run_to_end(task, parking, watch, patience_crowded);
            const std::vector<int32_t> expected(count, is_bcast ? root + 1 : ranks * (ranks + 1) / 2);
            if ((is_bcast ? data : sum) != expected) {
                wrong[rank] = "operation " + std::to_string(n);
            }
        }
    };
    std::thread one(work, 1), two(work, 2);
    work(0);
    one.join();
    two.join();
    for (const std::string &text : wrong) {
        assert_string_equal(text.c_str(), "");
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(broadcasts_reach_everybody_from_any_root),
        cmocka_unit_test(everybody_learns_everybodys_words),
        cmocka_unit_test(nobody_leaves_a_barrier_before_all_have_come),
        cmocka_unit_test(many_operations_are_in_flight_at_once),
        cmocka_unit_test(threads_run_all_algorithms),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
