// ranks: 1 2 3 5 8
//
// Uneven calls, one like the other but for counts, places and buffers, do what the first one did: whether a rank gives
// nothing, as much as fits a head or a slot, or more than its peers can read in one piece; in place; persistent;
// refused; and where two ranks differ in what they expect of each other.
#include <algorithm>
#include <numeric>

#include "ranks.h"

using ranks::Rank;

namespace {

// Enough for the library to know the call, and for every size to meet every other one.
constexpr int times = 40;
constexpr int untouched = -1;

// 6 numbers fill what a head has room for, 4096 are the most that go in one piece without setting up more.
size_t count_of(int turn, int which) {
    constexpr size_t counts[] = {1, 6, 0, 7, 3, 22, 511, 512, 4096, 4097, 9000};
    return counts[static_cast<size_t>(turn * 5 + which * 3 + turn / 7) % std::size(counts)];
}
int value(int turn, int from, int to, size_t i) {
    return turn * 100'000 + from * 10'000 + to * 1'000 + static_cast<int>(i % 1'000);
}

// The parts of one side, in the reverse order of ranks, with a gap behind each.
struct Side {
    std::vector<size_t> counts, places;
    std::vector<int> data;

    explicit Side(std::vector<size_t> of) : counts(std::move(of)), places(counts.size()) {
        size_t next = 0;
        for (size_t p = counts.size(); p-- > 0;) {
            places[p] = next;
            next += counts[p] + 1;
        }
        data.assign(next, untouched);
    }
    int *part(size_t p) {
        return data.data() + places[p];
    }
    void fill(size_t p, int turn, int from, int to) {
        for (size_t i = 0; i < counts[p]; ++i) {
            part(p)[i] = value(turn, from, to, i);
        }
    }
    void check(size_t p, int turn, int from, int to, const char *name) {
        for (size_t i = 0; i < counts[p]; ++i) {
            if (part(p)[i] != value(turn, from, to, i)) {
                ranks::wrong(std::string(name) + ", turn " + std::to_string(turn) + ": a wrong number from rank " +
                             std::to_string(from));
            }
        }
        ranks::check(part(p)[counts[p]] == untouched, "a number behind a part was overwritten");
    }
};

template <class Count> Side side(const Rank &rank, Count count) {
    std::vector<size_t> counts;
    for (int p = 0; p < rank.size(); ++p) {
        counts.push_back(count(p));
    }
    return Side(counts);
}
size_t own(const Rank &rank) {
    return static_cast<size_t>(rank.rank());
}

void gather_to_all(const Rank &rank, xcoll_comm_t comm, int turn) {
    Side all = side(rank, [&](int p) { return count_of(turn, p); });
    Side mine({all.counts[own(rank)]});
    mine.fill(0, turn, rank.rank(), 0);
    const bool in_place = turn % 4 == 3;
    if (in_place) {
        all.fill(own(rank), turn, rank.rank(), 0);
    }
    ranks::succeed(xcoll_allgatherv(in_place ? XCOLL_IN_PLACE : mine.part(0), mine.counts[0], all.data.data(),
                                    all.counts.data(), all.places.data(), XCOLL_INT32, comm));
    for (int p = 0; p < rank.size(); ++p) {
        all.check(static_cast<size_t>(p), turn, p, 0, "allgatherv");
    }
}

// In place both ranks of a pair give the same number.
void exchange(const Rank &rank, xcoll_comm_t comm, int turn) {
    const bool in_place = turn % 4 == 3;
    const auto count = [&](int from, int to) {
        return in_place ? count_of(turn, std::min(from, to) + 3 * std::max(from, to)) : count_of(turn, from + 3 * to);
    };
    Side out = side(rank, [&](int p) { return count(rank.rank(), p); });
    Side in = side(rank, [&](int p) { return count(p, rank.rank()); });
    for (int p = 0; p < rank.size(); ++p) {
        (in_place ? in : out).fill(static_cast<size_t>(p), turn, rank.rank(), p);
    }
    ranks::succeed(xcoll_alltoallv(in_place ? XCOLL_IN_PLACE : out.data.data(), out.counts.data(), out.places.data(),
                                   in.data.data(), in.counts.data(), in.places.data(), XCOLL_INT32, comm));
    for (int p = 0; p < rank.size(); ++p) {
        in.check(static_cast<size_t>(p), turn, p, rank.rank(), "alltoallv");
    }
}

void gather_to_root(const Rank &rank, xcoll_comm_t comm, int turn) {
    const int root = turn / 3 % rank.size();
    const bool is_root = rank.rank() == root, in_place = is_root && turn % 4 == 3;
    Side all = side(rank, [&](int p) { return count_of(turn, p); });
    Side mine({all.counts[own(rank)]});
    mine.fill(0, turn, rank.rank(), 0);
    if (in_place) {
        all.fill(own(rank), turn, root, 0);
    }
    ranks::succeed(xcoll_gatherv(in_place ? XCOLL_IN_PLACE : mine.part(0), mine.counts[0],
                                 is_root ? all.data.data() : nullptr, is_root ? all.counts.data() : nullptr,
                                 is_root ? all.places.data() : nullptr, XCOLL_INT32, root, comm));
    for (int p = 0; is_root && p < rank.size(); ++p) {
        all.check(static_cast<size_t>(p), turn, p, 0, "gatherv");
    }
}

void scatter_from_root(const Rank &rank, xcoll_comm_t comm, int turn) {
    const int root = turn / 3 % rank.size();
    const bool is_root = rank.rank() == root, in_place = is_root && turn % 4 == 3;
    Side all = side(rank, [&](int p) { return count_of(turn, p); });
    Side mine({all.counts[own(rank)]});
    for (int p = 0; p < rank.size(); ++p) {
        all.fill(static_cast<size_t>(p), turn, root, p);
    }
    ranks::succeed(xcoll_scatterv(is_root ? all.data.data() : nullptr, is_root ? all.counts.data() : nullptr,
                                  is_root ? all.places.data() : nullptr, in_place ? XCOLL_IN_PLACE : mine.data.data(),
                                  mine.counts[0], XCOLL_INT32, root, comm));
    if (!in_place) {
        mine.check(0, turn, root, rank.rank(), "scatterv");
    }
}

// What rank `from` adds to number i of the sum.
int added(int turn, int from, size_t i) {
    return turn + 100 * from + static_cast<int>(i % 1'000);
}
xcoll_result_t reduce_to_each(const Rank &rank, xcoll_comm_t comm, int turn, const std::vector<size_t> &counts) {
    std::vector<int> all(std::accumulate(counts.begin(), counts.end(), size_t{0}) + 1), mine(counts[own(rank)] + 1);
    for (size_t i = 0; i < all.size(); ++i) {
        all[i] = added(turn, rank.rank(), i);
    }
    mine.back() = untouched;
    const bool in_place = turn % 4 == 3;
    const xcoll_result_t result =
        xcoll_reduce_scatterv(in_place ? XCOLL_IN_PLACE : all.data(), in_place ? all.data() : mine.data(),
                              counts.data(), XCOLL_INT32, XCOLL_SUM, comm);
    const size_t before = std::accumulate(counts.begin(), counts.begin() + rank.rank(), size_t{0});
    for (size_t i = 0; result == XCOLL_SUCCESS && i < counts[own(rank)]; ++i) {
        int sum = 0;
        for (int p = 0; p < rank.size(); ++p) {
            sum += added(turn, p, before + i);
        }
        ranks::check((in_place ? all : mine)[i] == sum, "reduce_scatterv: a wrong sum");
    }
    ranks::check(mine.back() == untouched, "a number behind a sum was overwritten");
    return result;
}
void reduce_to_each(const Rank &rank, xcoll_comm_t comm, int turn) {
    std::vector<size_t> counts;
    for (int p = 0; p < rank.size(); ++p) {
        counts.push_back(count_of(turn, p));
    }
    ranks::succeed(reduce_to_each(rank, comm, turn, counts));
}

// Others than in the calls before, on one rank alone, and together as many.
void names_other_counts_of_sums(const Rank &rank, xcoll_comm_t comm) {
    std::vector<size_t> counts(static_cast<size_t>(rank.size()), 3);
    for (int turn = 0; turn < 5; ++turn) {
        ranks::succeed(reduce_to_each(rank, comm, turn, counts));
    }
    if (rank.rank() == rank.size() - 1) {
        counts.front() = 2;
        counts.back() = 4;
    }
    ranks::expect(XCOLL_ERR_MISMATCH, reduce_to_each(rank, comm, 0, counts));
}

void gives_what_each_turn_asks(const Rank &rank, xcoll_comm_t comm) {
    using Turn = void (*)(const Rank &, xcoll_comm_t, int);
    for (const Turn call :
         {Turn(gather_to_all), Turn(exchange), Turn(gather_to_root), Turn(scatter_from_root), Turn(reduce_to_each)}) {
        for (int turn = 0; turn < times; ++turn) {
            call(rank, comm, turn);
        }
    }
    // More kinds and roots in turn than are remembered.
    for (int turn = 0; turn < times; ++turn) {
        gather_to_all(rank, comm, turn);
        scatter_from_root(rank, comm, turn);
        exchange(rank, comm, turn);
        reduce_to_each(rank, comm, turn);
        gather_to_root(rank, comm, turn);
    }
}

// Two that are under way together, so that who waits for one moves the other.
void gives_the_same_at_every_start(const Rank &rank, xcoll_comm_t comm) {
    for (int turn = 0; turn < times; turn += 2) {
        Side all = side(rank, [&](int p) { return count_of(turn, p); });
        Side in = side(rank, [&](int p) { return count_of(turn, p + 3 * rank.rank()); });
        Side out = side(rank, [&](int p) { return count_of(turn, rank.rank() + 3 * p); });
        xcoll_request_t requests[2];
        ranks::succeed(xcoll_allgatherv_init(XCOLL_IN_PLACE, all.counts[own(rank)], all.data.data(), all.counts.data(),
                                             all.places.data(), XCOLL_INT32, comm, &requests[0]));
        ranks::succeed(xcoll_alltoallv_init(out.data.data(), out.counts.data(), out.places.data(), in.data.data(),
                                            in.counts.data(), in.places.data(), XCOLL_INT32, comm, &requests[1]));
        for (int start = 0; start < 3; ++start) {
            all.fill(own(rank), turn + start, rank.rank(), 0);
            for (int p = 0; p < rank.size(); ++p) {
                out.fill(static_cast<size_t>(p), turn + start, rank.rank(), p);
            }
            ranks::succeed(xcoll_startall(2, requests));
            ranks::succeed(xcoll_wait(&requests[start % 2]));
            ranks::succeed(xcoll_wait(&requests[1 - start % 2]));
            for (int p = 0; p < rank.size(); ++p) {
                all.check(static_cast<size_t>(p), turn + start, p, 0, "persistent allgatherv");
                in.check(static_cast<size_t>(p), turn + start, p, rank.rank(), "persistent alltoallv");
            }
        }
        for (xcoll_request_t &request : requests) {
            ranks::succeed(xcoll_request_free(&request));
        }
    }
}

// So the root moves what it keeps while others catch up, and has most of it left when it has given all.
void keeps_more_than_it_gives(const Rank &rank) {
    xcoll_comm_t comm = rank.open("CMA=off;LEND=16M");  // all is copied
    constexpr size_t kept = 1'000'000, given = 300'000; // more than a half of the ring
    for (int turn = 0; turn < 2 * rank.size(); ++turn) {
        const int root = turn % rank.size();
        const auto count = [&](int p) { return p == root ? kept : given / static_cast<size_t>(rank.size() - 1); };
        Side all = side(rank, count);
        Side mine({count(rank.rank())});
        for (int p = 0; p < rank.size(); ++p) {
            all.fill(static_cast<size_t>(p), turn, root, p);
        }
        ranks::succeed(xcoll_scatterv(all.data.data(), all.counts.data(), all.places.data(), mine.data.data(),
                                      mine.counts[0], XCOLL_INT32, root, comm));
        mine.check(0, turn, root, rank.rank(), "a scatterv whose root keeps most");
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

void get_used_to_it(const Rank &rank, xcoll_comm_t comm) {
    for (int turn = 0; turn < 4; ++turn) {
        gather_to_all(rank, comm, 9 * turn);
    }
}

void refuses_bad_buffers(const Rank &rank, xcoll_comm_t comm) {
    get_used_to_it(rank, comm);
    const std::vector<size_t> counts(static_cast<size_t>(rank.size()), 1);
    std::vector<int> all(counts.size());
    const bool bad = rank.rank() == rank.size() - 1;
    const int mine = 1;
    const xcoll_result_t result =
        xcoll_allgatherv(bad ? nullptr : &mine, 1, all.data(), counts.data(), nullptr, XCOLL_INT32, comm);
    ranks::expect(bad ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, result);
    get_used_to_it(rank, comm);
}

// The first rank gives `given` to the last one and all others two elements to each, in a call of this kind that the
// last one makes with counts[0] = expected.
xcoll_result_t give(const Rank &rank, xcoll_comm_t comm, const std::string &kind, size_t given, size_t expected,
                    std::vector<int> &all) {
    const int last = rank.size() - 1;
    const bool bad = rank.rank() == last;
    std::vector<size_t> from(static_cast<size_t>(rank.size()), 2), to(from);
    from[0] = bad ? expected : given;
    if (kind == "gatherv" || kind == "allgatherv") {
        const std::vector<int> mine(from[own(rank)], 1);
        return kind == "gatherv"
                   ? xcoll_gatherv(mine.data(), mine.size(), all.data(), from.data(), nullptr, XCOLL_INT32, last, comm)
                   : xcoll_allgatherv(mine.data(), mine.size(), all.data(), from.data(), nullptr, XCOLL_INT32, comm);
    }
    to.back() = rank.rank() == 0 ? given : 2;
    const std::vector<int> mine(2 * to.size() + given, 1);
    if (kind == "scatterv") {
        return xcoll_scatterv(mine.data(), to.data(), nullptr, all.data(), bad ? expected : 2, XCOLL_INT32, 0, comm);
    }
    from[0] = bad ? expected : 2;
    return xcoll_alltoallv(mine.data(), to.data(), nullptr, all.data(), from.data(), nullptr, XCOLL_INT32, comm);
}

// The last rank expects another count of the first one than that gives, and gets nothing of anybody.
void names_who_expects_something_else(const Rank &rank, xcoll_comm_t comm, const std::string &kind, size_t given,
                                      size_t expected) {
    get_used_to_it(rank, comm);
    std::vector<int> all(2 * static_cast<size_t>(rank.size()) + std::max(given, expected), untouched);
    const xcoll_result_t result = give(rank, comm, kind, given, expected, all);
    if (rank.rank() == rank.size() - 1) {
        ranks::expect(XCOLL_ERR_MISMATCH, result);
        ranks::expect_message({"rank 0 sends " + std::to_string(given * sizeof all[0]) + " bytes",
                               "expects " + std::to_string(expected * sizeof all[0])});
        ranks::check(std::count(all.begin(), all.end(), untouched) == static_cast<ptrdiff_t>(all.size()),
                     ("something has moved in " + kind + " though two counts differ").c_str());
    }
    get_used_to_it(rank, comm);
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    gives_what_each_turn_asks(rank, comm);
    gives_the_same_at_every_start(rank, comm);
    keeps_more_than_it_gives(rank);
    refuses_bad_buffers(rank, comm);
    if (rank.size() > 1) {
        names_other_counts_of_sums(rank, comm);
    }
    constexpr size_t in_head = 2, in_piece = 1000, through_room = 1'000'000;
    for (const size_t given : {in_head, in_piece, through_room}) {
        for (const size_t expected : {given + 1, given - 1, size_t{0}}) {
            for (const char *kind : {"allgatherv", "gatherv", "alltoallv", "scatterv"}) {
                if (rank.size() > 1) {
                    names_who_expects_something_else(rank, comm, kind, given, expected);
                }
            }
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
