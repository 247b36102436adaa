// ranks: 1 2 3 5 8
//
// A persistent request does at every start what it did at the first: of every kind and size, beside others, waited for
// in any order, tested, after an error, and where a rank changes its arithmetic.
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <functional>

#include "ranks.h"

using ranks::Rank;

namespace {

// The first start is not like those behind it.
constexpr int times = 5;

struct Buffers {
    std::vector<int> send, recv;
};
using Make = std::function<xcoll_result_t(Buffers &buffers, size_t count, xcoll_comm_t comm, xcoll_request_t *request)>;

struct Kind {
    const char *name;
    Make make;
    // Element `at` of what comes, where rank r gives numbers r + turn; nothing for -1.
    std::function<int(const Rank &rank, int turn, size_t at, size_t count)> result;
};
constexpr int nothing = -1;

int given(int rank, int turn) {
    return rank + turn;
}
// Of ranks below `end`.
int sum(int end, int turn) {
    return end * (end - 1) / 2 + end * turn;
}

const std::vector<Kind> &kinds() {
    static const std::vector<Kind> all = {
        {"allreduce",
         [](auto &buffers, size_t count, auto comm, auto request) {
             return xcoll_allreduce_init(buffers.send.data(), buffers.recv.data(), count, XCOLL_INT32, XCOLL_SUM, comm,
                                         request);
         },
         [](const Rank &rank, int turn, size_t at, size_t count) {
             return at < count ? sum(rank.size(), turn) : nothing;
         }},
        {"reduce to the last rank",
         [](auto &buffers, size_t count, auto comm, auto request) {
             int size = 0;
             ranks::succeed(xcoll_comm_size(comm, &size));
             return xcoll_reduce_init(buffers.send.data(), buffers.recv.data(), count, XCOLL_INT32, XCOLL_SUM, size - 1,
                                      comm, request);
         },
         [](const Rank &rank, int turn, size_t at, size_t count) {
             return at < count && rank.rank() == rank.size() - 1 ? sum(rank.size(), turn) : nothing;
         }},
        {"scan",
         [](auto &buffers, size_t count, auto comm, auto request) {
             return xcoll_scan_init(buffers.send.data(), buffers.recv.data(), count, XCOLL_INT32, XCOLL_SUM, comm,
                                    request);
         },
         [](const Rank &rank, int turn, size_t at, size_t count) {
             return at < count ? sum(rank.rank() + 1, turn) : nothing;
         }},
        {"allgather",
         [](auto &buffers, size_t count, auto comm, auto request) {
             return xcoll_allgather_init(buffers.send.data(), count, buffers.recv.data(), XCOLL_INT32, comm, request);
         },
         [](const Rank &, int turn, size_t at, size_t count) { return given(static_cast<int>(at / count), turn); }},
        {"alltoall",
         [](auto &buffers, size_t count, auto comm, auto request) {
             return xcoll_alltoall_init(buffers.send.data(), buffers.recv.data(), count, XCOLL_INT32, comm, request);
         },
         [](const Rank &, int turn, size_t at, size_t count) { return given(static_cast<int>(at / count), turn); }},
        {"gather to rank 0",
         [](auto &buffers, size_t count, auto comm, auto request) {
             return xcoll_gather_init(buffers.send.data(), count, buffers.recv.data(), XCOLL_INT32, 0, comm, request);
         },
         [](const Rank &rank, int turn, size_t at, size_t count) {
             return rank.rank() == 0 ? given(static_cast<int>(at / count), turn) : nothing;
         }},
        {"scatter from rank 0",
         [](auto &buffers, size_t count, auto comm, auto request) {
             return xcoll_scatter_init(buffers.send.data(), buffers.recv.data(), count, XCOLL_INT32, 0, comm, request);
         },
         [](const Rank &, int turn, size_t at, size_t count) { return at < count ? given(0, turn) : nothing; }},
    };
    return all;
}

// A request with its buffers.
class Repeated {
public:
    Repeated(const Rank &rank, const Kind &kind, size_t count, xcoll_comm_t comm)
        : rank_(rank), kind_(kind), count_(count) {
        const size_t all = count * static_cast<size_t>(rank.size());
        buffers_.send.resize(all);
        buffers_.recv.resize(all);
        ranks::succeed(kind.make(buffers_, count, comm, &request_));
    }
    ~Repeated() {
        ranks::succeed(xcoll_request_free(&request_));
    }
    Repeated(const Repeated &) = delete;
    Repeated &operator=(const Repeated &) = delete;
    xcoll_request_t *request() {
        return &request_;
    }
    void start(int turn) {
        turn_ = turn;
        std::fill(buffers_.send.begin(), buffers_.send.end(), given(rank_.rank(), turn));
        std::fill(buffers_.recv.begin(), buffers_.recv.end(), nothing);
        ranks::succeed(xcoll_start(&request_));
    }
    void wait() {
        ranks::succeed(xcoll_wait(&request_));
        check();
    }
    void test_until_done() {
        for (int done = 0; done == 0;) {
            ranks::succeed(xcoll_test(&request_, &done));
        }
        check();
    }

private:
    void check() const {
        for (size_t at = 0; at < buffers_.recv.size(); ++at) {
            if (buffers_.recv[at] != kind_.result(rank_, turn_, at, count_)) {
                ranks::wrong(std::string(kind_.name) + " of " + std::to_string(count_) + ", start " +
                             std::to_string(turn_) + ": a wrong result");
            }
        }
    }
    const Rank &rank_;
    const Kind &kind_;
    const size_t count_;
    Buffers buffers_;
    xcoll_request_t request_ = XCOLL_REQUEST_NULL;
    int turn_ = 0;
};

void gives_the_same_at_each_start(const Rank &rank, xcoll_comm_t comm) {
    for (const Kind &kind : kinds()) {
        for (const size_t count : {size_t{1}, size_t{8}, size_t{9}, size_t{500}, size_t{20'000}, size_t{300'000}}) {
            Repeated repeated(rank, kind, count, comm);
            for (int turn = 0; turn < times; ++turn) {
                repeated.start(turn);
                turn % 3 == 2 ? repeated.test_until_done() : repeated.wait();
            }
        }
    }
}

// All started, and waited for from the last to the first, from the first to the last, and with a call between them.
void serves_many_in_any_order(const Rank &rank, xcoll_comm_t comm) {
    std::vector<std::unique_ptr<Repeated>> all;
    for (const Kind &kind : kinds()) {
        all.push_back(std::make_unique<Repeated>(rank, kind, all.size() % 2 == 0 ? 2 : 600, comm));
    }
    for (int turn = 0; turn < times * 2; ++turn) {
        for (const auto &repeated : all) {
            repeated->start(turn);
        }
        ranks::succeed(turn % 4 == 3 ? xcoll_barrier(comm) : XCOLL_SUCCESS);
        for (size_t i = 0; i < all.size(); ++i) {
            all[turn % 2 == 0 ? i : all.size() - 1 - i]->wait();
        }
        // One alone, as most are.
        all[static_cast<size_t>(turn) % all.size()]->start(turn);
        all[static_cast<size_t>(turn) % all.size()]->wait();
    }
}

void tells_of_each_mismatch_and_goes_on(const Rank &rank, xcoll_comm_t comm) {
    if (rank.size() == 1) {
        return;
    }
    Repeated repeated(rank, kinds()[0], 1, comm);
    Repeated other(rank, kinds()[0], 2, comm);
    for (int turn = 0; turn < times * 2; ++turn) {
        if (turn % 4 == 3) {
            xcoll_request_t *request = rank.rank() == 1 ? other.request() : repeated.request();
            ranks::succeed(xcoll_start(request));
            ranks::expect(XCOLL_ERR_MISMATCH, xcoll_wait(request));
            ranks::expect_message({"allreduce(sum, 1 x int32)", "allreduce(sum, 2 x int32)"});
        } else {
            repeated.start(turn);
            repeated.wait();
        }
    }
}

void notices_other_arithmetic(const Rank &rank, xcoll_comm_t comm) {
#if defined(__x86_64__)
    if (rank.size() == 1) {
        return;
    }
    constexpr unsigned flush_to_zero = 0x8000;
    constexpr int turns = 8; // it is looked at once in so many
    float mine = 1, all = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_allreduce_init(&mine, &all, 1, XCOLL_FLOAT32, XCOLL_SUM, comm, &request));
    const unsigned usual = _mm_getcsr();
    int mismatches = 0;
    for (int turn = 0; turn < turns * 3; ++turn) {
        if (rank.rank() == 0) {
            _mm_setcsr(turn >= turns && turn < turns * 2 ? usual | flush_to_zero : usual);
        }
        ranks::succeed(xcoll_start(&request));
        const xcoll_result_t result = xcoll_wait(&request);
        ranks::check(result == XCOLL_SUCCESS || result == XCOLL_ERR_MISMATCH, "another error than a mismatch");
        mismatches += result == XCOLL_ERR_MISMATCH;
    }
    ranks::check(mismatches > 0 && mismatches < turns * 2, "ranks that treat denormal numbers differently add them up");
    for (int turn = 0; turn < turns; ++turn) { // until all have looked
        ranks::succeed(xcoll_start(&request));
        xcoll_wait(&request);
    }
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_request_free(&request));
#else
    (void)rank, (void)comm;
#endif
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    gives_the_same_at_each_start(rank, comm);
    serves_many_in_any_order(rank, comm);
    tells_of_each_mismatch_and_goes_on(rank, comm);
    notices_other_arithmetic(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
