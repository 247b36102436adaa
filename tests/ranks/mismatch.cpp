// ranks: 2 3 5 8
// env: XCOLL_TIMEOUT=40
// timeout: 120
//
// One rank calls something else. Everybody who waits for it learns what it called, nobody hangs or gets numbers that
// mean nothing, and the communicator goes on with the next operation as if nothing had been.
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <thread>

#include "ranks.h"

using ranks::Rank;

namespace {

enum class Kind { allreduce, bcast, barrier, split };
struct Call {
    Kind kind;
    xcoll_dtype_t dtype = XCOLL_FLOAT32;
    xcoll_op_t op = XCOLL_SUM;
    size_t count = 0;
    int root = 0;
    std::string text; // how messages name it
};

constexpr size_t large = 150'000;

std::vector<Call> deviations() {
    return {
        {Kind::allreduce, XCOLL_FLOAT32, XCOLL_MAX, 100, 0, "allreduce(max, 100 x float32)"},
        {Kind::allreduce, XCOLL_INT32, XCOLL_SUM, 100, 0, "allreduce(sum, 100 x int32)"},
        {Kind::allreduce, XCOLL_FLOAT32, XCOLL_SUM, 101, 0, "allreduce(sum, 101 x float32)"},
        {Kind::allreduce, XCOLL_FLOAT32, XCOLL_SUM, 0, 0, "allreduce(sum, 0 x float32)"},
        {Kind::allreduce, XCOLL_FLOAT32, XCOLL_SUM, large, 0, "allreduce(sum, 150000 x float32)"},
        {Kind::bcast, XCOLL_FLOAT32, 0, 100, 0, "bcast(root 0, 100 x float32)"},
        {Kind::bcast, XCOLL_INT8, 0, large, 1, "bcast(root 1, 150000 x int8)"},
        {Kind::barrier, 0, 0, 0, 0, "barrier"},
        {Kind::split, 0, 0, 0, 0, "split"},
    };
}

// With buffers large enough for anything that a peer might take it for.
struct Buffers {
    std::vector<double> send = std::vector<double>(large), recv = std::vector<double>(large);
};

xcoll_result_t start(const Call &call, xcoll_comm_t comm, Buffers &buffers, xcoll_request_t *request) {
    switch (call.kind) {
    case Kind::allreduce:
        return xcoll_iallreduce(buffers.send.data(), buffers.recv.data(), call.count, call.dtype, call.op, comm,
                                request);
    case Kind::bcast:
        return xcoll_ibcast(buffers.recv.data(), call.count, call.dtype, call.root, comm, request);
    default:
        return xcoll_ibarrier(comm, request);
    }
}

xcoll_result_t block(const Call &call, xcoll_comm_t comm, Buffers &buffers) {
    xcoll_comm_t child = XCOLL_COMM_NULL;
    switch (call.kind) {
    case Kind::allreduce:
        return xcoll_allreduce(buffers.send.data(), buffers.recv.data(), call.count, call.dtype, call.op, comm);
    case Kind::bcast:
        return xcoll_bcast(buffers.recv.data(), call.count, call.dtype, call.root, comm);
    case Kind::barrier:
        return xcoll_barrier(comm);
    case Kind::split:
        break;
    }
    const xcoll_result_t result = xcoll_comm_split(comm, 0, 0, &child);
    ranks::check((child == XCOLL_COMM_NULL) == (result != XCOLL_SUCCESS), "split made a communicator and failed");
    xcoll_comm_free(&child);
    return result;
}

xcoll_result_t run(const Call &call, xcoll_comm_t comm, Buffers &buffers, bool immediate) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    xcoll_result_t result;
    if (immediate && call.kind != Kind::split) {
        ranks::succeed(start(call, comm, buffers, &request));
        result = xcoll_wait(&request);
        ranks::check(request == XCOLL_REQUEST_NULL, "a request that failed is not NULL");
    } else {
        result = block(call, comm, buffers);
    }
    return result;
}

void expect_usable(const Rank &rank, xcoll_comm_t comm, const std::string &after) {
    for (const size_t count : {size_t{1}, size_t{100}, size_t{30'000}}) {
        std::vector<int> data(count, rank.rank() + 1);
        const xcoll_result_t result = xcoll_allreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_INT32, XCOLL_SUM, comm);
        if (result != XCOLL_SUCCESS || data[count - 1] != rank.size() * (rank.size() + 1) / 2 ||
            data[0] != data[count - 1]) {
            ranks::wrong("the communicator is not usable after " + after + ": " + xcoll_error_name(result) + " " +
                         xcoll_last_error());
        }
    }
    xcoll_result_t error = XCOLL_ERR_INTERNAL;
    ranks::succeed(xcoll_comm_get_async_error(comm, &error));
    ranks::check(error == XCOLL_SUCCESS, "a mismatch is no fatal error");
}

bool goes_by_messages(const std::string &settings) {
    return settings.find("BCAST=tree") != std::string::npos;
}

// Whoever waited for nobody learns of the mismatch when a message of the other call comes in, so at one of its next
// operations; that one fails for all. Messages are remembered for 32 operations.
void let_everybody_learn_of_it(xcoll_comm_t comm) {
    for (int i = 0; i < 36; ++i) {
        int data = 1;
        const xcoll_result_t result = xcoll_allreduce(XCOLL_IN_PLACE, &data, 1, XCOLL_INT32, XCOLL_SUM, comm);
        ranks::check(result == XCOLL_SUCCESS || result == XCOLL_ERR_MISMATCH, "a mismatch turned into another error");
    }
}

// Whether this rank finds out by itself, by the design of the algorithm: it reads every rank's head.
bool reads_every_head(const Call &usual, const std::string &settings) {
    return (usual.kind == Kind::allreduce || usual.kind == Kind::barrier) &&
           settings.find("GROUPS") == std::string::npos && settings.find("ring") == std::string::npos &&
           settings.find("doubling") == std::string::npos;
}

void check_result(const Rank &rank, xcoll_result_t result, const Call &usual, const Call &other, int offender,
                  const std::string &what, const std::string &settings) {
    if (result != XCOLL_SUCCESS && result != XCOLL_ERR_MISMATCH) {
        ranks::wrong(what + " gave " + xcoll_error_name(result) + ": " + xcoll_last_error());
    }
    // Nobody can have the sum of all, or know that all have come.
    if (usual.kind != Kind::bcast && rank.rank() != offender && result == XCOLL_SUCCESS) {
        ranks::wrong(what + " was not noticed");
    }
    if (result == XCOLL_ERR_MISMATCH && reads_every_head(usual, settings)) {
        ranks::expect_message({usual.text, other.text});
        if (rank.rank() != offender) {
            ranks::expect_message({"rank " + std::to_string(rank.rank()) + " called " + usual.text,
                                   "rank " + std::to_string(offender) + " called " + other.text});
        }
    }
}

void deviate(const Rank &rank, const std::string &settings, const Call &usual) {
    xcoll_comm_t comm = rank.open(settings);
    Buffers buffers;
    bool immediate = false;
    for (const Call &other : deviations()) {
        if (other.text == usual.text) {
            continue;
        }
        for (int offender = 0; offender < rank.size(); offender += std::max(1, rank.size() - 2)) {
            immediate = !immediate;
            const bool mine = offender == rank.rank();
            const std::string what = std::string(mine ? "(offender) " : "") + usual.text + " against " + other.text +
                                     " of rank " + std::to_string(offender) +
                                     (immediate ? ", requests, " : ", blocking, ") + settings;
            check_result(rank, run(mine ? other : usual, comm, buffers, immediate), usual, other, offender, what,
                         settings);
            if (goes_by_messages(settings)) {
                let_everybody_learn_of_it(comm);
            }
            expect_usable(rank, comm, what);
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// A call that is refused for its arguments counts as another call.
void a_refused_call_is_a_mismatch(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    int data = 1;
    for (int offender = 0; offender < rank.size(); ++offender) {
        if (rank.rank() == offender) {
            ranks::expect(XCOLL_ERR_TYPE, xcoll_allreduce(XCOLL_IN_PLACE, &data, 1, 0, XCOLL_SUM, comm));
        } else {
            ranks::expect(XCOLL_ERR_MISMATCH, xcoll_allreduce(XCOLL_IN_PLACE, &data, 1, XCOLL_INT32, XCOLL_SUM, comm));
        }
        expect_usable(rank, comm, "a refused call");
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// Nothing moves, what a rank gives to itself neither.
void where_it_is_refused_nothing_moves(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    const auto size = static_cast<size_t>(rank.size());
    constexpr int untouched = -3;
    for (const size_t count : {size_t{1}, size_t{3'000}, size_t{100'000}}) {
        for (const bool in_group : {false, true}) {
            std::vector<int> mine(count, 1), all(count * size, untouched), to_all(count * size, 2),
                from_all(count * size, untouched);
            const void *sent = rank.rank() == 0 ? nullptr : to_all.data();
            if (in_group) {
                ranks::succeed(xcoll_group_start());
                ranks::succeed(xcoll_allgather(mine.data(), count, all.data(), XCOLL_INT32, comm));
            }
            const xcoll_result_t alone = xcoll_alltoall(sent, from_all.data(), count, XCOLL_INT32, comm);
            const xcoll_result_t result = in_group ? xcoll_group_end() : alone;
            ranks::expect(rank.rank() == 0 ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, result);
            for (const auto *received : {&all, &from_all}) {
                const auto found = static_cast<size_t>(std::count(received->begin(), received->end(), untouched));
                ranks::check(found == received->size(), "something has moved where calls do not match");
            }
            expect_usable(rank, comm, "a refused exchange");
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// Nor what the root has moved already while it waited for the others.
void what_moved_early_is_put_back(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    const auto size = static_cast<size_t>(rank.size());
    const int root = rank.size() - 1;
    constexpr int untouched = -3;
    for (const size_t count : {size_t{3'000}, size_t{30'000}, size_t{400'000}}) {
        for (const bool immediate : {false, true}) {
            for (const bool is_right : {false, true}) {
                std::vector<int> mine(count, rank.rank()), all(count * size, untouched);
                xcoll_request_t request = XCOLL_REQUEST_NULL;
                if (rank.rank() == 0) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(3));
                }
                const void *sent = rank.rank() == 0 && !is_right ? nullptr : mine.data();
                const xcoll_result_t started =
                    immediate ? xcoll_igather(sent, count, all.data(), XCOLL_INT32, root, comm, &request)
                              : xcoll_gather(sent, count, all.data(), XCOLL_INT32, root, comm);
                const xcoll_result_t result = started == XCOLL_SUCCESS ? xcoll_wait(&request) : started;
                if (rank.rank() == root) {
                    ranks::expect(is_right ? XCOLL_SUCCESS : XCOLL_ERR_MISMATCH, result);
                    for (size_t i = 0; i < all.size(); ++i) {
                        ranks::check(all[i] == (is_right ? static_cast<int>(i / count) : untouched),
                                     is_right ? "a root that waited has a wrong result"
                                              : "a root that waited has kept what it moved");
                    }
                } else if (rank.rank() == 0) {
                    ranks::expect(is_right ? XCOLL_SUCCESS : XCOLL_ERR_ARGUMENT, result);
                }
                expect_usable(rank, comm, "a gather to a root that waited");
            }
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// Some in flight are wrong, all others are right.
void among_others_in_flight(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    constexpr int count = 12;
    for (int offender = 0; offender < rank.size(); ++offender) {
        std::vector<std::vector<int>> data;
        xcoll_request_t requests[count] = {};
        for (int i = 0; i < count; ++i) {
            data.emplace_back(i % 3 == 0 ? 3 : 5000, 1);
            const bool wrong = i % 5 == 1 && rank.rank() == offender;
            ranks::succeed(xcoll_iallreduce(XCOLL_IN_PLACE, data.back().data(), data.back().size(), XCOLL_INT32,
                                            wrong ? XCOLL_PROD : XCOLL_SUM, comm, &requests[i]));
        }
        for (int i = count - 1; i >= 0; --i) {
            ranks::expect(i % 5 == 1 ? XCOLL_ERR_MISMATCH : XCOLL_SUCCESS, xcoll_wait(&requests[i]));
            ranks::check(i % 5 == 1 || data[static_cast<size_t>(i)].back() == rank.size(),
                         "a wrong call spoilt another one's result");
        }
        expect_usable(rank, comm, "several wrong calls in flight");
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// Of which only the sum is the same.
void parts_of_a_reduction_must_match(const Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const size_t part : {size_t{1}, size_t{400}, size_t{40'000}}) {
        for (int offender = 0; offender < rank.size(); ++offender) {
            std::vector<size_t> counts(static_cast<size_t>(rank.size()), part);
            counts[rank.rank() == offender ? 0 : 1] += part;
            std::vector<int> send(part * (counts.size() + 1), 1), recv(2 * part);
            ranks::expect(XCOLL_ERR_MISMATCH,
                          xcoll_reduce_scatterv(send.data(), recv.data(), counts.data(), XCOLL_INT32, XCOLL_SUM, comm));
            ranks::expect_message({"recvcounts with the hash"});
            expect_usable(rank, comm, "a reduction into other parts");
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

#if defined(__x86_64__)
// Ranks that treat denormal numbers differently, or round otherwise, would get different sums. What is no arithmetic on
// floats has nothing to do with it.
void different_modes_are_noticed(const Rank &rank, unsigned flags, const char *words) {
    xcoll_comm_t comm = rank.open();
    const unsigned mode = _mm_getcsr();
    std::vector<float> data(large, 1);
    const auto reduce = [&](size_t count) {
        return xcoll_allreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_FLOAT32, XCOLL_MAX, comm);
    };
    for (int offender = 0; offender < rank.size(); ++offender) {
        if (rank.rank() == offender) {
            _mm_setcsr(mode | flags);
        }
        ranks::expect(XCOLL_ERR_MISMATCH, reduce(large));
        ranks::expect_message({"allreduce(max, 150000 x float32)", words, "rank " + std::to_string(offender)});
        for (int i = 0; i < 16; ++i) {
            ranks::succeed(xcoll_barrier(comm));
            ranks::expect(XCOLL_ERR_MISMATCH, reduce(1));
        }
        _mm_setcsr(mode);
        for (int i = 0; i < 16; ++i) {
            ranks::succeed(reduce(1));
        }
        ranks::succeed(reduce(large));
    }
    ranks::succeed(xcoll_comm_free(&comm));
}
#endif

void test(Rank &rank) {
#if defined(__x86_64__)
    constexpr unsigned flush_denormals = 0x8040, round_down = 0x2000;
    different_modes_are_noticed(rank, flush_denormals, "denormals flushed");
    different_modes_are_noticed(rank, round_down, "not rounded to nearest");
#endif
    where_it_is_refused_nothing_moves(rank, "");
    what_moved_early_is_put_back(rank, "");
    parts_of_a_reduction_must_match(rank);
    const Call sum{Kind::allreduce, XCOLL_FLOAT32, XCOLL_SUM, 100, 0, "allreduce(sum, 100 x float32)"};
    const Call large_sum{Kind::allreduce, XCOLL_FLOAT32, XCOLL_SUM, large - 1, 0, "allreduce(sum, 149999 x float32)"};
    const Call bcast{Kind::bcast, XCOLL_FLOAT32, 0, 100, 0, "bcast(root 0, 100 x float32)"};
    const Call large_bcast{Kind::bcast, XCOLL_FLOAT32, 0, large, 1, "bcast(root 1, 150000 x float32)"};
    const Call barrier{Kind::barrier, 0, 0, 0, 0, "barrier"};
    for (const std::string settings :
         {"", "ALLREDUCE=two_shot", "ALLREDUCE=streamed", "ALLREDUCE=hierarchical;GROUPS=2,2",
          "ALLREDUCE=ring;BCAST=tree;BARRIER=dissemination", "ALLREDUCE=doubling;BCAST=tree"}) {
        deviate(rank, settings, sum);
        deviate(rank, settings, large_sum);
        deviate(rank, settings, bcast);
        deviate(rank, settings, large_bcast);
        deviate(rank, settings, barrier);
        a_refused_call_is_a_mismatch(rank, settings);
        among_others_in_flight(rank, settings);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
