// ranks: 1 2 3 5
// timeout: 200
//
// Thousands of operations in flight at once, many more than there are cells, waited for in any order: each request ends
// with its own result, whether its operation began at its start or stood in line; and all end if one aborts.
#include <algorithm>
#include <random>

#include "ranks.h"
#include "values.h"

using ranks::Rank;

namespace {

constexpr int many = 5000;

// What one operation works on. Few are long, and go in slots, in the ring or in several steps.
class Work {
public:
    Work(int number, const Rank &rank)
        : number_(number), me_(rank.rank()), size_(rank.size()), root_(number % rank.size()), count_(count_of(number)),
          in_(count_), out_(count_) {
        for (size_t i = 0; i < count_; ++i) {
            in_[i] = value(me_, i);
        }
    }
    void start(xcoll_comm_t comm) {
        switch (number_ % kinds) {
        case 0:
            ranks::succeed(xcoll_iallreduce(in_.data(), out_.data(), count_, XCOLL_INT64, XCOLL_SUM, comm, &request));
            break;
        case 1:
            ranks::succeed(xcoll_ibcast(in_.data(), count_, XCOLL_INT64, root_, comm, &request));
            break;
        case 2:
            ranks::succeed(
                xcoll_ireduce(in_.data(), out_.data(), count_, XCOLL_INT64, XCOLL_SUM, root_, comm, &request));
            break;
        default:
            ranks::succeed(xcoll_ibarrier(comm, &request));
        }
    }
    void check() const {
        const int kind = number_ % kinds;
        for (size_t i = 0; i < count_; ++i) {
            if (kind == 0 || (kind == 2 && me_ == root_)) {
                ranks::check(out_[i] == sum(i), "a sum is another's, or none");
            } else if (kind == 1) {
                ranks::check(in_[i] == value(root_, i), "what came from a root is another's");
            }
        }
    }

    xcoll_request_t request = XCOLL_REQUEST_NULL;

private:
    static constexpr int kinds = 4;

    static size_t count_of(int number) {
        constexpr size_t sizes[] = {1, 3, 8, 9, 100, 500};
        constexpr int rarely = 499;
        constexpr size_t long_one = 40'000;
        return number % rarely == 0 ? long_one : sizes[values::mix(static_cast<uint64_t>(number)) % std::size(sizes)];
    }
    int64_t value(int rank, size_t i) const {
        return number_ * int64_t{1000} + rank * int64_t{7} + static_cast<int64_t>(i % 50);
    }
    int64_t sum(size_t i) const {
        int64_t of_all = 0;
        for (int rank = 0; rank < size_; ++rank) {
            of_all += value(rank, i);
        }
        return of_all;
    }

    int number_, me_, size_, root_;
    size_t count_;
    std::vector<int64_t> in_, out_;
};

std::vector<Work> start_many(const Rank &rank, xcoll_comm_t comm) {
    std::vector<Work> works;
    works.reserve(many);
    for (int number = 0; number < many; ++number) {
        works.emplace_back(number, rank).start(comm);
    }
    return works;
}

void each_has_its_own_result(const Rank &rank, xcoll_comm_t comm, std::mt19937_64 &dice) {
    std::vector<Work> works = start_many(rank, comm);
    std::vector<Work *> order;
    for (Work &work : works) {
        order.push_back(&work);
    }
    std::shuffle(order.begin(), order.end(), dice);
    for (Work *work : order) {
        ranks::succeed(xcoll_wait(&work->request));
        work->check();
    }
}

// The last rank begins when the first one tells it that thousands stand in line there.
void messages_pass_the_line(const Rank &rank, xcoll_comm_t comm) {
    const int last = rank.size() - 1;
    int told = 0;
    if (rank.rank() == last && last > 0) {
        ranks::succeed(xcoll_recv(&told, 1, XCOLL_INT32, 0, 0, comm));
        ranks::check(told == last, "the message is another's");
    }
    std::vector<Work> works = start_many(rank, comm);
    if (rank.rank() == 0 && last > 0) {
        ranks::succeed(xcoll_send(&last, 1, XCOLL_INT32, last, 0, comm));
    }
    for (Work &work : works) {
        ranks::succeed(xcoll_wait(&work.request));
        work.check();
    }
}

void those_in_line_end_with_their_communicator(Rank &rank) {
    xcoll_comm_t comm = rank.open("");
    std::vector<Work> works = start_many(rank, comm);
    if (rank.rank() == rank.size() - 1) {
        ranks::succeed(xcoll_comm_abort(comm, "enough"));
    }
    bool has_ended_early = false;
    for (Work &work : works) {
        const xcoll_result_t result = xcoll_wait(&work.request);
        ranks::check(result == XCOLL_SUCCESS || result == XCOLL_ERR_ABORTED, "another error than that of the abort");
        has_ended_early |= result != XCOLL_SUCCESS;
    }
    ranks::check(has_ended_early || rank.size() > 1, "nothing was aborted");
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open("");
    std::mt19937_64 dice(ranks::first_seed() + static_cast<uint64_t>(rank.rank()));
    each_has_its_own_result(rank, comm, dice);
    messages_pass_the_line(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
    those_in_line_end_with_their_communicator(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
