// threads
// ranks: 1 2 3 8
//
// Communicators whose ranks find each other through the caller's allgather: processes that nobody launched, threads
// of one process, and several threads of several processes.
#include <algorithm>

#include "exchange.h"

using exchange::Board;
using exchange::Seat;

namespace {

void use(xcoll_comm_t comm, int rank, int size) {
    int actual = -1;
    ranks::succeed(xcoll_comm_rank(comm, &actual));
    ranks::check(actual == rank, "comm_create gave another rank");
    ranks::succeed(xcoll_comm_size(comm, &actual));
    ranks::check(actual == size, "comm_create gave another size");
    for (const size_t count : {size_t{1}, size_t{1000}, size_t{100'000}}) {
        std::vector<int> data(count, rank + 1);
        ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::check(std::count(data.begin(), data.end(), size * (size + 1) / 2) == static_cast<ptrdiff_t>(count),
                     "allreduce has a wrong result");
        ranks::succeed(xcoll_bcast(data.data(), count, XCOLL_INT32, size - 1, comm));
    }
    xcoll_comm_t child = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_split(comm, 0, -rank, &child));
    ranks::succeed(xcoll_barrier(child));
    ranks::succeed(xcoll_comm_free(&child));
}

void create_and_use(Board *board, int rank) {
    ranks::speaker = rank;
    Seat seat{board, rank};
    // Twice at once: one process may have any number of them.
    xcoll_comm_t first = exchange::create(seat);
    const int calls = seat.calls;
    xcoll_comm_t second = exchange::create(seat);
    ranks::check(board->size == 1 || seat.calls == 2 * calls,
                 "the allgather is called another time than inside comm_create");
    use(first, rank, board->size);
    use(second, rank, board->size);
    ranks::succeed(xcoll_comm_free(&first));
    use(second, rank, board->size);
    ranks::succeed(xcoll_comm_free(&second));
    ranks::check(board->size == 1 || seat.calls == 2 * calls, "the allgather is called outside comm_create");
}

void run_process(Board *board, int first_rank, int threads) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) {
        others.emplace_back(create_and_use, board, first_rank + i);
    }
    create_and_use(board, first_rank);
    for (std::thread &other : others) {
        other.join();
    }
}

void test(int processes, int threads) {
    Board *board = Board::create(processes * threads);
    exchange::in_processes(processes, [&](int process) { run_process(board, process * threads, threads); });
    board->destroy();
}

// The job of xcoll_init is this process alone, whatever else it has.
void alone() {
    exchange::in_processes(1, [](int) {
        xcoll_comm_t worlds[3] = {};
        for (xcoll_comm_t &world : worlds) {
            ranks::succeed(xcoll_init(&world));
            use(world, 0, 1);
        }
        ranks::check(worlds[0] != worlds[1] && worlds[1] != worlds[2],
                     "xcoll_init hands out a fresh communicator each time");
        for (xcoll_comm_t &world : worlds) {
            ranks::succeed(xcoll_finalize());
            use(world, 0, 1); // still valid
        }
        ranks::expect(XCOLL_ERR_STATE, xcoll_finalize());
        for (xcoll_comm_t &world : worlds) {
            ranks::succeed(xcoll_comm_free(&world));
        }
        ranks::succeed(xcoll_init(&worlds[0]));
        use(worlds[0], 0, 1);
        ranks::succeed(xcoll_finalize());
        ranks::succeed(xcoll_comm_free(&worlds[0]));
    });
}

xcoll_result_t refuse(void *, const void *, void *, size_t) {
    return XCOLL_ERR_TRANSPORT;
}

// What the callback returns comes back to the caller, on every rank.
void an_error_of_the_callback_is_reported() {
    Board *board = Board::create(2);
    exchange::in_processes(2, [&](int rank) {
        Seat seat{board, rank};
        xcoll_comm_config_t config = exchange::config(seat);
        config.allgather = refuse;
        auto comm = reinterpret_cast<xcoll_comm_t>(1);
        const xcoll_result_t result = xcoll_comm_create(&config, &comm);
        ranks::check(result != XCOLL_SUCCESS, "an error of the callback was ignored");
        ranks::check(comm == XCOLL_COMM_NULL, "a failed comm_create leaves NULL");
        ranks::expect_message({"allgather", "returned " + std::to_string(XCOLL_ERR_TRANSPORT)});
    });
    board->destroy();
}

// By everybody, at once: the ranks are not those of the callback, or not as many.
void a_wrong_rank_or_size_is_named() {
    constexpr int size = 3;
    struct Claimed {
        int rank, size;
        const char *words;
    };
    constexpr Claimed wrong[] = {{0, size, "rank 0 in the place of rank 2"}, {2, size + 1, "config.size"}};
    for (const Claimed &claimed : wrong) {
        Board *board = Board::create(size);
        exchange::in_processes(size, [&](int rank) {
            Seat seat{board, rank};
            xcoll_comm_config_t config = exchange::config(seat);
            config.rank = rank == 2 ? claimed.rank : rank;
            config.size = rank == 2 ? claimed.size : size;
            xcoll_comm_t comm = XCOLL_COMM_NULL;
            ranks::expect(XCOLL_ERR_BOOTSTRAP, xcoll_comm_create(&config, &comm));
            ranks::expect_message({claimed.words});
        });
        board->destroy();
    }
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]);
    test(size, 1);
    if (ranks::strangers_can_be_seen) {
        test(1, size);
    }
    if (size > 1 && ranks::strangers_can_be_seen) {
        test(size, 2);
        test(2, size);
    } else if (size == 1) {
        alone();
        an_error_of_the_callback_is_reported();
        a_wrong_rank_or_size_is_named();
    }
    return 0;
}
