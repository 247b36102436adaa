// ranks: 1 2 3 5 8
//
// A call that is like the one before does what the first one did: with other buffers, in place, refused, beside a
// request, in a group, and where one rank calls something else or changes its arithmetic.
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <functional>
#include <numeric>

#include "ranks.h"

using ranks::Rank;

namespace {

// Enough for the library to know the call.
constexpr int times = 5;

// One kind of call: blocks of `count` numbers go out and come in, and this is what comes.
struct Kind {
    const char *name;
    std::function<xcoll_result_t(const int *send, int *recv, size_t count, int root, xcoll_comm_t comm)> call;
    // Of rank r's block b, element i is input(r, b, i). What comes in block b on a rank, nothing for -1.
    std::function<int(const Rank &rank, int root, int turn, size_t b, size_t i)> result;
    bool sends_blocks, receives_blocks; // one for each rank
};

int input(int turn, int rank, size_t block, size_t i) {
    return turn * 1000 + rank * 100 + static_cast<int>(block) * 10 + static_cast<int>(i % 10);
}
// Of ranks below `end`.
int sum(int turn, int end, size_t block, size_t i) {
    int total = 0;
    for (int r = 0; r < end; ++r) {
        total += input(turn, r, block, i);
    }
    return total;
}
constexpr int nothing = -1;

const std::vector<Kind> &kinds() {
    static const std::vector<Kind> all = {
        {"allreduce",
         [](auto send, auto recv, size_t count, int, auto comm) {
             return xcoll_allreduce(send, recv, count, XCOLL_INT32, XCOLL_SUM, comm);
         },
         [](const Rank &rank, int, int turn, size_t, size_t i) { return sum(turn, rank.size(), 0, i); }, false, false},
        {"reduce",
         [](auto send, auto recv, size_t count, int root, auto comm) {
             return xcoll_reduce(send, recv, count, XCOLL_INT32, XCOLL_SUM, root, comm);
         },
         [](const Rank &rank, int root, int turn, size_t, size_t i) {
             return rank.rank() == root ? sum(turn, rank.size(), 0, i) : nothing;
         },
         false, false},
        {"reduce_scatter",
         [](auto send, auto recv, size_t count, int, auto comm) {
             return xcoll_reduce_scatter(send, recv, count, XCOLL_INT32, XCOLL_SUM, comm);
         },
         [](const Rank &rank, int, int turn, size_t, size_t i) {
             return sum(turn, rank.size(), static_cast<size_t>(rank.rank()), i);
         },
         true, false},
        {"scan",
         [](auto send, auto recv, size_t count, int, auto comm) {
             return xcoll_scan(send, recv, count, XCOLL_INT32, XCOLL_SUM, comm);
         },
         [](const Rank &rank, int, int turn, size_t, size_t i) { return sum(turn, rank.rank() + 1, 0, i); }, false,
         false},
        {"exscan",
         [](auto send, auto recv, size_t count, int, auto comm) {
             return xcoll_exscan(send, recv, count, XCOLL_INT32, XCOLL_SUM, comm);
         },
         [](const Rank &rank, int, int turn, size_t, size_t i) {
             return rank.rank() > 0 ? sum(turn, rank.rank(), 0, i) : nothing;
         },
         false, false},
        {"allgather",
         [](auto send, auto recv, size_t count, int, auto comm) {
             return xcoll_allgather(send, count, recv, XCOLL_INT32, comm);
         },
         [](const Rank &, int, int turn, size_t b, size_t i) { return input(turn, static_cast<int>(b), 0, i); }, false,
         true},
        {"gather",
         [](auto send, auto recv, size_t count, int root, auto comm) {
             return xcoll_gather(send, count, recv, XCOLL_INT32, root, comm);
         },
         [](const Rank &rank, int root, int turn, size_t b, size_t i) {
             return rank.rank() == root ? input(turn, static_cast<int>(b), 0, i) : nothing;
         },
         false, true},
        {"scatter",
         [](auto send, auto recv, size_t count, int root, auto comm) {
             return xcoll_scatter(send, recv, count, XCOLL_INT32, root, comm);
         },
         [](const Rank &rank, int root, int turn, size_t, size_t i) {
             return input(turn, root, static_cast<size_t>(rank.rank()), i);
         },
         true, false},
        {"alltoall",
         [](auto send, auto recv, size_t count, int, auto comm) {
             return xcoll_alltoall(send, recv, count, XCOLL_INT32, comm);
         },
         [](const Rank &rank, int, int turn, size_t b, size_t i) {
             return input(turn, static_cast<int>(b), static_cast<size_t>(rank.rank()), i);
         },
         true, true},
    };
    return all;
}

void check_turn(const Rank &rank, const Kind &kind, xcoll_comm_t comm, size_t count, int root, int turn) {
    const auto ranks = static_cast<size_t>(rank.size());
    const size_t in = kind.receives_blocks ? ranks : 1;
    std::vector<int> send(count * ranks), recv(count * in, nothing); // new ones each time
    for (size_t at = 0; at < send.size(); ++at) {
        send[at] = input(turn, rank.rank(), at / std::max<size_t>(count, 1), at % std::max<size_t>(count, 1));
    }
    ranks::succeed(kind.call(send.data(), recv.data(), count, root, comm));
    for (size_t at = 0; at < recv.size(); ++at) {
        if (recv[at] != kind.result(rank, root, turn, at / count, at % count)) {
            ranks::wrong(std::string(kind.name) + " of " + std::to_string(count) + ", time " + std::to_string(turn) +
                         ": a wrong result");
        }
    }
}

void gives_the_same_each_time(const Rank &rank, xcoll_comm_t comm) {
    for (const Kind &kind : kinds()) {
        for (const size_t count :
             {size_t{1}, size_t{3}, size_t{8}, size_t{9}, size_t{0}, size_t{500}, size_t{20'000}}) {
            for (int root = 0; root < std::min(rank.size(), 2); ++root) {
                for (int turn = 0; turn < times; ++turn) {
                    check_turn(rank, kind, comm, count, root, turn);
                }
            }
        }
    }
    for (int turn = 0; turn < times * rank.size(); ++turn) {
        const int root = turn / times;
        int data = rank.rank() == root ? turn : nothing;
        ranks::succeed(xcoll_bcast(&data, 1, XCOLL_INT32, root, comm));
        ranks::check(data == turn, "bcast: a wrong result");
        ranks::succeed(xcoll_barrier(comm));
    }
}

// Two variants and more than are remembered: roots and sizes that take turns.
void gives_the_same_by_turns(const Rank &rank, xcoll_comm_t comm) {
    constexpr size_t counts[] = {1, 3, 8, 9, 500};
    for (const Kind &kind : kinds()) {
        for (const size_t variants : {size_t{2}, size_t{4}, size_t{5}}) {
            for (int turn = 0; turn < times * static_cast<int>(variants); ++turn) {
                check_turn(rank, kind, comm, counts[static_cast<size_t>(turn) % variants],
                           turn % std::min(rank.size(), 2), turn);
            }
        }
    }
}

void add_up(const Rank &rank, xcoll_comm_t comm, int turn, bool in_place) {
    int mine = rank.rank() + turn, all = in_place ? mine : nothing;
    ranks::succeed(xcoll_allreduce(in_place ? XCOLL_IN_PLACE : &mine, &all, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::check(all == rank.size() * (rank.size() - 1) / 2 + rank.size() * turn, "a wrong sum");
}
void get_used_to_it(const Rank &rank, xcoll_comm_t comm) {
    for (int turn = 0; turn < times; ++turn) {
        add_up(rank, comm, turn, turn % 2 != 0);
    }
}

void refuses_bad_buffers(const Rank &rank, xcoll_comm_t comm) {
    get_used_to_it(rank, comm);
    int numbers[2] = {1, 1};
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_allreduce(nullptr, numbers, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::expect_message({"send", "xcoll_allreduce"});
    ranks::expect(XCOLL_ERR_ARGUMENT,
                  xcoll_allreduce(reinterpret_cast<char *>(numbers) + 1, numbers, 1, XCOLL_INT32, XCOLL_SUM, comm));
    get_used_to_it(rank, comm);
    // One rank alone: its number is taken, and the others are told.
    if (rank.size() > 1) {
        int all = 0;
        const bool bad = rank.rank() == 1;
        ranks::expect(bad ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH,
                      xcoll_allreduce(numbers, bad ? nullptr : &all, 1, XCOLL_INT32, XCOLL_SUM, comm));
    }
    get_used_to_it(rank, comm);
}

void notices_that_a_type_was_freed(const Rank &rank, xcoll_comm_t comm) {
    xcoll_dtype_t pair;
    ranks::succeed(xcoll_type_opaque(8, &pair));
    for (int turn = 0; turn < times; ++turn) {
        int data[2] = {turn, rank.rank()};
        ranks::succeed(xcoll_bcast(data, 1, pair, 0, comm));
        ranks::check(data[1] == 0, "bcast: a wrong result");
    }
    const xcoll_dtype_t freed = pair;
    ranks::succeed(xcoll_type_free(&pair));
    int data[2] = {};
    ranks::expect(XCOLL_ERR_TYPE, xcoll_bcast(data, 1, freed, 0, comm));
    get_used_to_it(rank, comm);
}

void names_who_calls_something_else(const Rank &rank, xcoll_comm_t comm) {
    if (rank.size() == 1) {
        return;
    }
    get_used_to_it(rank, comm);
    int numbers[2] = {1, 1}, all[2];
    const size_t count = rank.rank() == 0 ? 2 : 1;
    const xcoll_result_t result = xcoll_allreduce(numbers, all, count, XCOLL_INT32, XCOLL_SUM, comm);
    ranks::expect(XCOLL_ERR_MISMATCH, result);
    ranks::expect_message({"allreduce(sum, 1 x int32)", "allreduce(sum, 2 x int32)"});
    get_used_to_it(rank, comm);
}

#if defined(__x86_64__)
void notices_other_arithmetic(const Rank &rank, xcoll_comm_t comm) {
    if (rank.size() == 1) {
        return;
    }
    constexpr unsigned flush_to_zero = 0x8000;
    constexpr int turns = 8;
    const unsigned usual = _mm_getcsr();
    int mismatches = 0;
    for (int turn = 0; turn < times + turns; ++turn) {
        if (turn == times && rank.rank() == 0) {
            _mm_setcsr(usual | flush_to_zero);
        }
        float mine = 1, all = 0;
        const xcoll_result_t result = xcoll_allreduce(&mine, &all, 1, XCOLL_FLOAT32, XCOLL_SUM, comm);
        ranks::check(result == XCOLL_SUCCESS || result == XCOLL_ERR_MISMATCH, "another error than a mismatch");
        mismatches += result == XCOLL_ERR_MISMATCH;
    }
    ranks::check(mismatches == turns, "ranks that treat denormal numbers differently add them up");
    _mm_setcsr(usual);
    for (int turn = 0; turn < turns; ++turn) {
        float mine = 1, all = 0;
        xcoll_allreduce(&mine, &all, 1, XCOLL_FLOAT32, XCOLL_SUM, comm);
    }
    get_used_to_it(rank, comm);
}
#else
void notices_other_arithmetic(const Rank &, xcoll_comm_t) {
}
#endif

void waits_its_turn_behind_a_request(const Rank &rank, xcoll_comm_t comm) {
    get_used_to_it(rank, comm);
    int mine = 1, all = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_iallreduce(&mine, &all, 1, XCOLL_INT32, XCOLL_SUM, comm, &request));
    get_used_to_it(rank, comm);
    ranks::succeed(xcoll_wait(&request));
    ranks::check(all == rank.size(), "a wrong sum of a request");
}

void is_recorded_in_a_group(const Rank &rank, xcoll_comm_t comm) {
    const auto ranks = static_cast<size_t>(rank.size());
    std::vector<int> all(ranks, nothing);
    for (int turn = 0; turn < times; ++turn) {
        ranks::succeed(xcoll_allgather(&turn, 1, all.data(), XCOLL_INT32, comm));
    }
    const int mine = rank.rank();
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allgather(&mine, 1, all.data(), XCOLL_INT32, comm));
    ranks::check(all[0] == times - 1, "a call in a group was run at once");
    ranks::succeed(xcoll_group_end());
    for (size_t r = 0; r < ranks; ++r) {
        ranks::check(all[r] == static_cast<int>(r), "a wrong part in a group");
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    gives_the_same_each_time(rank, comm);
    gives_the_same_by_turns(rank, comm);
    notices_that_a_type_was_freed(rank, comm);
    refuses_bad_buffers(rank, comm);
    names_who_calls_something_else(rank, comm);
    notices_other_arithmetic(rank, comm);
    waits_its_turn_behind_a_request(rank, comm);
    is_recorded_in_a_group(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
