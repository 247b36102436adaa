// ranks: 1 2 3 5 8
//
// Memory of xcoll_mem_alloc: whom it belongs to, where it lies, and how long it lives.
#include <algorithm>
#include <cstdint>
#include <thread>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr size_t page = 4096;

char *take(xcoll_comm_t comm, size_t bytes) {
    void *memory = nullptr;
    ranks::succeed(xcoll_mem_alloc(comm, bytes, &memory));
    return static_cast<char *>(memory);
}

void memory_is_zero_aligned_and_apart(xcoll_comm_t comm) {
    std::vector<char *> pieces;
    const size_t sizes[] = {1, page, page + 1, 100'000, size_t{3} << 20};
    for (const size_t bytes : sizes) {
        char *piece = take(comm, bytes);
        ranks::check(reinterpret_cast<uintptr_t>(piece) % page == 0, "aligned to a page");
        for (size_t i = 0; i < bytes; i += 512) {
            ranks::check(piece[i] == 0, "zero");
        }
        std::memset(piece, 1 + static_cast<int>(pieces.size()), bytes);
        pieces.push_back(piece);
    }
    for (size_t k = 0; k < pieces.size(); ++k) {
        ranks::check(pieces[k][0] == static_cast<char>(k + 1) && pieces[k][sizes[k] - 1] == static_cast<char>(k + 1),
                     "pieces do not share memory");
        ranks::succeed(xcoll_mem_free(comm, pieces[k]));
    }
    char *again = take(comm, 100'000);
    ranks::check(again[0] == 0 && again[99'999] == 0, "memory that was given back is zero when it comes again");
    ranks::succeed(xcoll_mem_free(comm, again));
}

// After equal sequences of calls the peers' memory is found from one's own.
void peers_find_each_others_memory(xcoll_comm_t comm, int rank, int size) {
    char *hole = take(comm, 5 * page);
    auto *numbers = reinterpret_cast<int *>(take(comm, 1000 * sizeof(int)));
    ranks::succeed(xcoll_mem_free(comm, hole));
    auto *others = reinterpret_cast<int *>(take(comm, 2 * page));
    for (int i = 0; i < 1000; ++i) {
        numbers[i] = rank * 1000 + i;
        others[i] = -numbers[i];
    }
    ranks::succeed(xcoll_barrier(comm));
    for (int p = 0; p < size; ++p) {
        void *there = nullptr, *middle = nullptr;
        ranks::succeed(xcoll_mem_peer(comm, numbers, p, &there));
        ranks::succeed(xcoll_mem_peer(comm, others + 500, p, &middle));
        ranks::check(p != rank || there == numbers, "the own memory is where it is");
        ranks::check(static_cast<int *>(there)[999] == p * 1000 + 999, "the peer's memory");
        ranks::check(*static_cast<int *>(middle) == -(p * 1000 + 500), "the middle of the peer's memory");
        int own = 0;
        void *none = &own;
        ranks::succeed(xcoll_mem_peer(comm, &own, p, &none));
        ranks::check(none == (p == rank ? &own : nullptr), "other memory cannot be reached");
    }
    ranks::succeed(xcoll_barrier(comm));
    ranks::succeed(xcoll_mem_free(comm, numbers));
    ranks::succeed(xcoll_mem_free(comm, others));
}

int32_t sum_of_ranks(xcoll_comm_t comm, int32_t *values, size_t count, int rank) {
    std::fill(values, values + count, rank + 1);
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, values, count, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::check(std::count(values, values + count, values[0]) == static_cast<ptrdiff_t>(count), "all alike");
    return values[0];
}

// One heap for all communicators of a rank, longer than any of them.
void memory_outlives_communicators(const Rank &rank) {
    constexpr size_t count = 40'000;
    xcoll_comm_t world = rank.open(), half = XCOLL_COMM_NULL, same = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_split(world, rank.rank() % 2, 0, &half));
    ranks::succeed(xcoll_comm_dup(world, &same));
    auto *values = reinterpret_cast<int32_t *>(take(half, count * sizeof(int32_t)));
    const int32_t all = rank.size() * (rank.size() + 1) / 2;
    ranks::check(sum_of_ranks(world, values, count, rank.rank()) == all, "memory of a part serves the whole");
    ranks::succeed(xcoll_comm_free(&half));
    ranks::check(sum_of_ranks(same, values, count, rank.rank()) == all, "and longer than the part");
    ranks::succeed(xcoll_comm_free(&same));
    ranks::succeed(xcoll_comm_free(&world));
    ranks::check(values[count - 1] == all, "and longer than all");
    values[0] = 7;
    // In another job's communicator it is memory like any other.
    xcoll_comm_t next = rank.open();
    ranks::check(sum_of_ranks(next, values, count, rank.rank()) == all, "in another job");
    ranks::succeed(xcoll_mem_free(next, values));
    ranks::succeed(xcoll_comm_free(&next));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_mem_free(XCOLL_COMM_NULL, values));
}

void any_thread_may_take_and_give(xcoll_comm_t comm) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([comm, t] {
            for (size_t i = 0; i < 50; ++i) {
                const size_t bytes = 1 + i * 997;
                char *piece = take(comm, bytes);
                std::memset(piece, t, bytes);
                ranks::check(piece[0] == t && piece[bytes - 1] == t, "pieces of threads are apart");
                ranks::succeed(xcoll_mem_free(comm, piece));
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}

void a_full_heap_is_an_error_and_not_the_end(const Rank &rank) {
    xcoll_comm_t comm = rank.open("HEAP=1M");
    char *large = take(comm, 600'000), *small = take(comm, 300'000);
    void *more = nullptr;
    ranks::expect(XCOLL_ERR_NO_MEMORY, xcoll_mem_alloc(comm, 300'000, &more));
    ranks::succeed(xcoll_mem_free(comm, large));
    char *again = take(comm, 500'000);
    ranks::check(again == large, "the first gap that is large enough");
    ranks::succeed(xcoll_mem_free(comm, small));
    ranks::succeed(xcoll_mem_free(comm, again));
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    memory_is_zero_aligned_and_apart(comm);
    peers_find_each_others_memory(comm, rank.rank(), rank.size());
    any_thread_may_take_and_give(comm);
    ranks::succeed(xcoll_comm_free(&comm));
    memory_outlives_communicators(rank);
    if (rank.is_thread()) {
        a_full_heap_is_an_error_and_not_the_end(rank);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
