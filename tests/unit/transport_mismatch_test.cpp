// Algorithms by messages when the ranks disagree, or one of them gives up.
#include "cmocka_cpp.h"

#include <vector>

#include "coll/dynamic.h"
#include "coll/window_algorithms.h"
#include "transport_allreduce.h"

using namespace ranks;

namespace {

// One rank calls it with another count: everybody's result depends on everybody, so everybody fails; the next
// operation works.
void a_mismatched_call_fails_everywhere_and_harms_nothing_later(const Allreduce &algorithm) {
    for (int ranks = 2; ranks <= 7; ++ranks) {
        for (int wrong = 0; wrong < ranks; ++wrong) {
            Ranks r(ranks);
            std::vector<Bytes> buffers(static_cast<size_t>(ranks), Bytes(400'000));
            All all;
            for (int rank = 0; rank < ranks; ++rank) {
                char *buffer = buffers[static_cast<size_t>(rank)].data();
                const Op call =
                    allreduce(buffer, buffer, rank == wrong ? 90'000 : 100'000, Dtype::float32, Operator::sum);
                all.emplace_back(r.team(rank), algorithm.run, call, fingerprint(call), 1);
            }
            run(all, static_cast<uint32_t>(wrong));
            for (const Running &one : all) {
                assert_int_equal(result(one.error()), XCOLL_ERR_MISMATCH);
            }
            buffers = {}; // what still comes must not be written there
            check_allreduce(r, 2, algorithm, Operator::sum, Dtype::float32, 50'000);
            check_allreduce(r, 3, algorithm, Operator::sum, Dtype::float32, 3);
        }
    }
}

void a_mismatch_in_the_ring_fails_everywhere_and_harms_nothing_later(void **) {
    a_mismatched_call_fails_everywhere_and_harms_nothing_later(ring);
}

void a_mismatch_in_doubling_fails_everywhere_and_harms_nothing_later(void **) {
    a_mismatched_call_fails_everywhere_and_harms_nothing_later(doubling);
}

void ranks_that_call_different_operations_learn_of_it(void **) {
    Ranks r(4);
    All all;
    float value = 1, sum = 0;
    for (int rank = 0; rank < 4; ++rank) {
        if (rank == 2) {
            const Op call = plain(Kind::barrier);
            all.emplace_back(r.team(rank), barrier_dissemination, call, fingerprint(call), 1);
        } else {
            const Op call = allreduce(&value, &sum, 1, Dtype::float32, Operator::sum);
            all.emplace_back(r.team(rank), allreduce_ring, call, fingerprint(call), 1);
        }
    }
    run(all, 1);
    for (const Running &one : all) {
        assert_int_equal(result(one.error()), XCOLL_ERR_MISMATCH);
    }
}

// A call that turns out to be wrong only when its counts are read, between ranks that share no memory: the others learn
// of it as of any call that was refused, and the next operation works.
void a_call_refused_for_its_counts_is_told_as_such(void **) {
    for (int ranks = 2; ranks <= 7; ++ranks) {
        for (int wrong = 0; wrong < ranks; ++wrong) {
            Ranks r(ranks);
            const auto parts = static_cast<size_t>(ranks);
            std::vector<char> send(parts), recv(parts * parts);
            std::vector<uint64_t> given(parts, 1), found(parts * parts);
            std::deque<Dynamic> dynamics;
            All all;
            for (int rank = 0; rank < ranks; ++rank) {
                const size_t mine = static_cast<size_t>(rank) * parts;
                Op call;
                call.kind = Kind::alltoall_dyn;
                call.dtype = Dtype::uint8;
                call.count = 1;
                call.send = rank == wrong ? nullptr : send.data();
                call.recv = &recv[mine];
                call.dynamic = &dynamics.emplace_back(Dynamic{
                    .sendcounts = given.data(), .recvcounts = &found[mine], .most = 1, .item_bytes = 1, .extent = 1});
                all.emplace_back(r.team(rank), dynamic_messages, call, fingerprint(call), 1);
            }
            run(all, static_cast<uint32_t>(wrong));
            int told = 0;
            for (const Running &one : all) {
                const std::string words = text(one.error());
                if (one.team.rank == wrong) {
                    assert_int_equal(result(one.error()), XCOLL_ERR_ARGUMENT);
                    continue;
                }
                assert_int_equal(result(one.error()), XCOLL_ERR_MISMATCH);
                told += words.find(format("rank %d called", wrong)) != std::string::npos &&
                        words.find("was refused there") != std::string::npos;
            }
            assert_true(told > 0);
            check_allreduce(r, 2, ring, Operator::sum, Dtype::float32, 3);
        }
    }
}

// A communicator with a window as well: a rank that went there sends no message at all.
void a_rank_that_went_through_the_window_instead_is_noticed(void **) {
    for (const Algorithm by_messages : {allreduce_ring, allreduce_doubling}) {
        Ranks r(3);
        for (int rank = 0; rank < 3; ++rank) {
            r.team(rank).window = &r.window(rank);
        }
        std::vector<float> values(3, 1.0f), sums(3);
        {
            All all;
            for (int rank = 0; rank < 3; ++rank) {
                const auto i = static_cast<size_t>(rank);
                const Op call = rank == 1 ? plain(Kind::barrier)
                                          : allreduce(&values[i], &sums[i], 1, Dtype::float32, Operator::sum);
                all.emplace_back(r.team(rank), rank == 1 ? one_shot : by_messages, call, fingerprint(call), 1);
                all.back().completed = rank == 1; // window algorithms see to it themselves
            }
            run(all, 3);
            for (const Running &one : all) {
                assert_int_equal(result(one.error()), XCOLL_ERR_MISMATCH);
            }
        }
        // More operations than there are cells.
        for (uint64_t n = 2; n < 2 + 3 * cell_count; ++n) {
            check_allreduce(r, n, {by_messages, doubling_result}, Operator::max, Dtype::int32, 100);
        }
    }
}

// A rank gives up in the middle: its frame goes away, and with it its buffers.
void an_operation_can_be_dropped_at_any_moment(void **) {
    for (const Algorithm algorithm : {allreduce_ring, allreduce_doubling}) {
        for (int steps = 0; steps < 40; steps += 3) {
            Ranks r(4);
            All all;
            std::vector<Bytes> buffers(4, Bytes(1 << 20));
            for (int rank = 0; rank < 4; ++rank) {
                char *buffer = buffers[static_cast<size_t>(rank)].data();
                const Op call = allreduce(buffer, buffer, 1 << 18, Dtype::float32, Operator::sum);
                all.emplace_back(r.team(rank), algorithm, call, fingerprint(call), 1);
            }
            for (int i = 0; i < steps; ++i) {
                all[static_cast<size_t>(i % 4)].step();
            }
            all.pop_back();
            buffers.pop_back();
            run(all, static_cast<uint32_t>(steps));
            for (const Running &one : all) {
                assert_int_equal(result(one.error()), XCOLL_ERR_MISMATCH);
            }
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_mismatch_in_the_ring_fails_everywhere_and_harms_nothing_later),
        cmocka_unit_test(a_mismatch_in_doubling_fails_everywhere_and_harms_nothing_later),
        cmocka_unit_test(ranks_that_call_different_operations_learn_of_it),
        cmocka_unit_test(a_call_refused_for_its_counts_is_told_as_such),
        cmocka_unit_test(a_rank_that_went_through_the_window_instead_is_noticed),
        cmocka_unit_test(an_operation_can_be_dropped_at_any_moment),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
