// ranks: 1 2 3 5 7 8 13
// timeout: 120
//
// Communicators made from communicators: by color and key, of some of the ranks, of others' children, many of them, and
// freed while a peer is still at work.
#include <malloc.h>

#include <optional>

#include "own_memory.h"

using ranks::Rank;

namespace {

// It is a communicator of `size` ranks in which this is `rank`, and it works.
void expect_works(xcoll_comm_t comm, int rank, int size) {
    int actual_rank = -1, actual_size = -1;
    ranks::succeed(xcoll_comm_rank(comm, &actual_rank));
    ranks::succeed(xcoll_comm_size(comm, &actual_size));
    ranks::check(actual_rank == rank, "split gave another rank");
    ranks::check(actual_size == size, "split gave another size");
    ranks::succeed(xcoll_comm_local_rank(comm, &actual_rank));
    ranks::succeed(xcoll_comm_local_size(comm, &actual_size));
    ranks::check(actual_rank == rank && actual_size == size, "all ranks are on this machine");
    int64_t sum[2] = {rank, 1};
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, sum, 2, XCOLL_INT64, XCOLL_SUM, comm));
    ranks::check(sum[0] == int64_t{size} * (size - 1) / 2 && sum[1] == size, "allreduce on it has a wrong result");
    int root = rank;
    ranks::succeed(xcoll_bcast(&root, 1, XCOLL_INT32, size - 1, comm));
    ranks::check(root == size - 1, "bcast on it has a wrong result");
}

void free_comm(xcoll_comm_t &comm) {
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::check(comm == XCOLL_COMM_NULL, "a freed communicator is not NULL");
}

void by_color(const Rank &rank, xcoll_comm_t world) {
    for (int colors = 1; colors <= 4; ++colors) {
        xcoll_comm_t comm = XCOLL_COMM_NULL;
        const int color = rank.rank() % colors;
        ranks::succeed(xcoll_comm_split(world, color, 0, &comm));
        expect_works(comm, rank.rank() / colors, (rank.size() - color + colors - 1) / colors);
        free_comm(comm);
    }
}

// Keys count, then ranks; they may be negative and as large as they like.
void by_key(const Rank &rank, xcoll_comm_t world) {
    const int size = rank.size();
    xcoll_comm_t reversed = XCOLL_COMM_NULL, by_halves = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_split(world, 7, -rank.rank(), &reversed));
    expect_works(reversed, size - 1 - rank.rank(), size);
    // Odd ranks first, each kind in the order of ranks.
    ranks::succeed(xcoll_comm_split(world, 2'000'000'000, rank.rank() % 2 ? INT32_MIN : INT32_MAX, &by_halves));
    const int odd = size / 2;
    expect_works(by_halves, rank.rank() % 2 ? rank.rank() / 2 : odd + rank.rank() / 2, size);
    free_comm(reversed);
    free_comm(by_halves);
}

void some_take_no_part(const Rank &rank, xcoll_comm_t world) {
    xcoll_comm_t comm = world;
    const bool joins = rank.rank() != rank.size() - 1;
    ranks::succeed(xcoll_comm_split(world, joins ? 0 : XCOLL_UNDEFINED, 0, &comm));
    ranks::check((comm != XCOLL_COMM_NULL) == joins, "XCOLL_UNDEFINED and a communicator exclude each other");
    if (joins) {
        expect_works(comm, rank.rank(), rank.size() - 1);
    }
    free_comm(comm); // NULL is fine
    comm = world;
    ranks::succeed(xcoll_comm_split(world, XCOLL_UNDEFINED, 5, &comm));
    ranks::check(comm == XCOLL_COMM_NULL, "nobody takes part");
}

// Halves of halves, until everybody is alone; the parents are freed in between.
// From parent to child and back; who is not in the child has no rank there.
void ranks_are_translated(const Rank &rank, xcoll_comm_t world) {
    constexpr int colors = 2;
    const int size = rank.size(), color = rank.rank() % colors;
    xcoll_comm_t half = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_split(world, color, -rank.rank(), &half)); // the highest first
    const int last = size - 1 - (size - 1 - color) % colors;
    int there = 0, back = 0;
    for (int r = 0; r < size; ++r) {
        const bool is_in = r % colors == color;
        ranks::succeed(xcoll_comm_translate_rank(world, r, half, &there));
        ranks::check(there == (is_in ? (last - r) / colors : XCOLL_UNDEFINED), "a rank has another number there");
        if (is_in) {
            ranks::succeed(xcoll_comm_translate_rank(half, there, world, &back));
            ranks::check(back == r, "a rank that was translated back is another one");
        }
    }
    ranks::succeed(xcoll_comm_translate_rank(world, XCOLL_NO_RANK, half, &there));
    ranks::check(there == XCOLL_NO_RANK, "nobody is somebody there");
    for (const int none : {-1, size}) {
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_comm_translate_rank(world, none, half, &there));
        ranks::expect_message({"is not a rank of from", "expected 0 to " + std::to_string(size - 1)});
        ranks::check(there == XCOLL_UNDEFINED, "what is no rank has one there");
    }
    free_comm(half);
}

void children_of_children(const Rank &rank, xcoll_comm_t world) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(world, &comm));
    int me = rank.rank(), size = rank.size();
    while (size > 1) {
        const int half = size / 2;
        const bool upper = me >= half;
        xcoll_comm_t child = XCOLL_COMM_NULL;
        ranks::succeed(xcoll_comm_split(comm, upper, me, &child));
        free_comm(comm);
        comm = child;
        me -= upper ? half : 0;
        size = upper ? size - half : half;
        expect_works(comm, me, size);
    }
    free_comm(comm);
}

// A duplicate has an order of its own: operations on it and on the original do not meet.
void duplicates(const Rank &rank, xcoll_comm_t world) {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(world, &comm));
    uint64_t number = 99;
    ranks::succeed(xcoll_comm_sequence(comm, &number));
    ranks::check(number == 0, "a fresh communicator has started operations");
    int one = 1, two = 2;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(
        xcoll_iallreduce(XCOLL_IN_PLACE, &one, 1, XCOLL_INT32, XCOLL_SUM, rank.rank() % 2 ? comm : world, &request));
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, &two, 1, XCOLL_INT32, XCOLL_SUM, rank.rank() % 2 ? world : comm));
    ranks::succeed(xcoll_wait(&request));
    // Odd ranks gave 1 to the duplicate and 2 to the original, even ones the other way round.
    const int odd = rank.size() / 2, even = rank.size() - odd;
    const int original = odd * 2 + even, duplicate = odd + even * 2;
    ranks::check(one == (rank.rank() % 2 ? duplicate : original), "an operation met another communicator's");
    ranks::check(two == (rank.rank() % 2 ? original : duplicate), "an operation met another communicator's");
    ranks::succeed(xcoll_comm_sequence(comm, &number));
    ranks::check(number == 1, "the number of operations is wrong");
    free_comm(comm);
}

// They would not be of the same ranks.
void no_split_of_the_others(const Rank &rank, xcoll_comm_t world) {
    if (rank.size() == 1) {
        return;
    }
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::expect(XCOLL_ERR_MISMATCH,
                  rank.rank() == 0 ? xcoll_comm_dup(world, &comm) : xcoll_comm_split(world, 5, 0, &comm));
    ranks::expect_message({"called dup", "called split"});
    ranks::check(comm == XCOLL_COMM_NULL, "a communicator of a call that did not match");
}

// Whoever is done frees it, though others are still reading the results.
void freed_at_once(const Rank &rank, xcoll_comm_t world) {
    for (int round = 0; round < 20; ++round) {
        xcoll_comm_t comm = XCOLL_COMM_NULL;
        ranks::succeed(xcoll_comm_dup(world, &comm));
        std::vector<int> data(20'000, rank.rank() == 0 ? round : -1);
        ranks::succeed(xcoll_bcast(data.data(), round % 2 ? 10 : data.size(), XCOLL_INT32, 0, comm));
        free_comm(comm);
        ranks::check(data[9] == round, "a broadcast was lost because its root freed the communicator");
    }
}

struct InUse {
    size_t memory = mallinfo2().uordblks;
    ranks::Belongings others = ranks::belongings();
};

// Thousands of communicators, one after the other and some at once, take no more memory and files than the first few.
void many(const Rank &rank, xcoll_comm_t world) {
    const int rounds = rank.size() == 2 ? 10'000 : 100;
    // A leak of one word per communicator would show. A thread sees what all others have, so not there; and where an
    // allocator of its own comes with a sanitizer, mallinfo2() wakes that of the C library in each thread that asks.
    const bool looks_for_leaks = !rank.is_thread() && rounds == 10'000;
    std::optional<InUse> after_some;
    for (int round = 0; round < rounds; ++round) {
        // Once more than can ever wait for a peer that is slow to free its own, so that no later round is the first
        // to need so much.
        constexpr int most = 12;
        xcoll_comm_t comms[most] = {};
        const int at_once = round == rounds / 20 ? most : round % 10 == 0 ? 3 : 1;
        for (int i = 0; i < at_once; ++i) {
            ranks::succeed(xcoll_comm_dup(world, &comms[i]));
        }
        if (round % 7 == 0) {
            ranks::succeed(xcoll_barrier(comms[0]));
        }
        for (xcoll_comm_t &comm : comms) {
            ranks::succeed(xcoll_comm_free(&comm));
        }
        if (looks_for_leaks && round == rounds / 10) {
            after_some.emplace();
        }
    }
    const size_t slack = 64 * 1024;
    if (after_some) {
        const InUse now;
        ranks::check(now.memory < after_some->memory + slack,
                     "memory grows with every communicator that was made and freed");
        ranks::check(now.others.shared_bytes <= after_some->others.shared_bytes,
                     "shared memory grows with every communicator that was made and freed");
        ranks::check(now.others.files <= after_some->others.files,
                     "a communicator that was made and freed leaves an open file behind");
    }
}

// As many at once as a program could want.
void many_at_once(const Rank &, xcoll_comm_t world) {
    std::vector<xcoll_comm_t> comms(100);
    for (xcoll_comm_t &comm : comms) {
        ranks::succeed(xcoll_comm_dup(world, &comm));
    }
    for (xcoll_comm_t comm : comms) {
        int one = 1;
        ranks::succeed(xcoll_bcast(&one, 1, XCOLL_INT32, 0, comm));
    }
    for (xcoll_comm_t &comm : comms) {
        free_comm(comm);
    }
}

// Children inherit what their parents were told.
void settings_are_inherited(const Rank &rank) {
    xcoll_comm_t comm = rank.open("ALLREDUCE=ring;TIMEOUT=77"), child = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_split(comm, rank.rank() % 2, 0, &child));
    free_comm(comm);
    expect_works(child, rank.rank() / 2, (rank.size() - rank.rank() % 2 + 1) / 2);
    free_comm(child);
}

void test(Rank &rank) {
    xcoll_comm_t world = rank.open();
    by_color(rank, world);
    by_key(rank, world);
    some_take_no_part(rank, world);
    ranks_are_translated(rank, world);
    children_of_children(rank, world);
    duplicates(rank, world);
    no_split_of_the_others(rank, world);
    freed_at_once(rank, world);
    settings_are_inherited(rank);
    many(rank, world);
    many_at_once(rank, world);
    free_comm(world);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
