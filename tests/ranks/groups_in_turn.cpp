// ranks: 1 2 3 5 7 8 13
//
// Groups of several operations on one communicator: they give what the calls give alone, in all forms of groups at
// once, in one stage or in two, also beside a request; a call that does not match is lost with those that it is joined
// with and with the stages behind it, is told by what and where it is, and what comes after the group matches again.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr int untouched = -1;
// In one line, in a slot, in the ring.
constexpr std::array<size_t, 4> counts{0, 5, 500, 60'000};

struct Place {
    xcoll_comm_t comm;
    int rank, size;
};

// Sums, gathered parts and what a root says, of which the last stage adds up the first one's.
class Calls {
public:
    Calls(const Place &where, size_t count)
        : where_(where), count_(count), numbers_(count, where.rank + 1), sums_(count, untouched),
          largest_(count, untouched), told_(numbers_), parts_(count * static_cast<size_t>(where.size), untouched),
          others_(parts_), totals_(count, untouched) {
    }
    void first_stage(size_t count_of_largest) {
        ranks::succeed(xcoll_allgather(numbers_.data(), count_, parts_.data(), XCOLL_INT32, where_.comm));
        ranks::succeed(xcoll_allreduce(numbers_.data(), sums_.data(), count_, XCOLL_INT32, XCOLL_SUM, where_.comm));
        ranks::succeed(
            xcoll_allreduce(numbers_.data(), largest_.data(), count_of_largest, XCOLL_INT32, XCOLL_MAX, where_.comm));
        ranks::succeed(xcoll_bcast(told_.data(), count_, XCOLL_INT32, where_.size - 1, where_.comm));
        ranks::succeed(xcoll_allgather(numbers_.data(), count_, others_.data(), XCOLL_INT32, where_.comm));
    }
    void second_stage() {
        ranks::succeed(xcoll_barrier(where_.comm));
        ranks::succeed(xcoll_allreduce(sums_.data(), totals_.data(), count_, XCOLL_INT32, XCOLL_SUM, where_.comm));
    }
    void expect_first(const std::string &how, bool came = true) const {
        const int size = where_.size;
        expect(sums_, came ? size * (size + 1) / 2 : untouched, "the sum, " + how);
        expect(told_, size, "what the root says, " + how);
        for (const auto *gathered : {&parts_, &others_}) {
            for (size_t i = 0; i < gathered->size(); ++i) {
                ranks::check((*gathered)[i] == static_cast<int>(i / count_) + 1, ("a part, " + how).c_str());
            }
        }
    }
    void expect_largest(bool came, const std::string &how) const {
        expect(largest_, came ? where_.size : untouched, "the largest, " + how);
    }
    void expect_second(bool came, const std::string &how) const {
        const int size = where_.size;
        expect(totals_, came ? size * (size * (size + 1) / 2) : untouched, "the second stage, " + how);
    }

private:
    static void expect(const std::vector<int> &all, int wanted, const std::string &what) {
        ranks::check(std::all_of(all.begin(), all.end(), [&](int one) { return one == wanted; }), what.c_str());
    }
    Place where_;
    size_t count_;
    std::vector<int> numbers_, sums_, largest_, told_, parts_, others_, totals_;
};

enum class End { blocking, immediate, persistent };

xcoll_result_t end_group(End end) {
    if (end == End::blocking) {
        return xcoll_group_end();
    }
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (end == End::immediate) {
        ranks::succeed(xcoll_group_iend(&request));
        return xcoll_wait(&request);
    }
    ranks::succeed(xcoll_group_end_init(&request));
    ranks::succeed(xcoll_start(&request));
    const xcoll_result_t result = xcoll_wait(&request);
    ranks::succeed(xcoll_request_free(&request));
    return result;
}

// Each rank ends its group in another way, in turns.
End end_of(const Place &where, int turn) {
    return static_cast<End>((where.rank + turn) % 3);
}

void they_give_what_the_calls_give_alone(const Place &where, size_t count, bool beside_a_request) {
    for (int turn = 0; turn < 3; ++turn) {
        Calls calls(where, count);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        int one = 1, sum = 0;
        if (beside_a_request) {
            ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, where.comm, &request));
        }
        ranks::succeed(xcoll_group_start());
        calls.first_stage(count);
        ranks::succeed(xcoll_group_then());
        calls.second_stage();
        ranks::succeed(end_group(end_of(where, turn)));
        const std::string how = "turn " + std::to_string(turn);
        calls.expect_first(how);
        calls.expect_largest(true, how);
        calls.expect_second(true, how);
        ranks::succeed(xcoll_wait(&request));
        ranks::check(!beside_a_request || sum == where.size, "the request beside the group has gone wrong");
    }
}

// One of the first stage does not match; the second one does not begin.
void one_that_does_not_match_is_lost_with_the_stages_behind(const Place &where, size_t count) {
    if (where.size == 1 || count == 0) {
        return; // nobody to disagree with, nothing to disagree on
    }
    for (int turn = 0; turn < 3; ++turn) {
        Calls calls(where, count);
        ranks::succeed(xcoll_group_start());
        calls.first_stage(where.rank == 0 ? count - 1 : count);
        ranks::succeed(xcoll_group_then());
        calls.second_stage();
        ranks::expect(XCOLL_ERR_MISMATCH, end_group(end_of(where, turn)));
        const bool is_joined = count < 1000; // with the sum of as many
        const std::string mine = std::to_string(where.rank == 0 ? count - 1 : count);
        if (is_joined) {
            ranks::expect_message({"a group of 2 reductions, of which number 2 differs", "max, " + mine + " x int32"});
        } else {
            ranks::expect_message({"max", std::to_string(count - 1), std::to_string(count)});
        }
        const std::string how = "beside one that does not match, turn " + std::to_string(turn);
        calls.expect_first(how, !is_joined);
        calls.expect_largest(false, how);
        calls.expect_second(false, how);
        calls = Calls(where, count);
        ranks::succeed(xcoll_group_start());
        calls.first_stage(count);
        ranks::succeed(xcoll_group_end());
        calls.expect_first("after one that does not match");
    }
}

void test(Rank &rank) {
    const Place where{rank.open(), rank.rank(), rank.size()};
    for (const size_t count : counts) {
        for (const bool beside_a_request : {false, true}) {
            they_give_what_the_calls_give_alone(where, count, beside_a_request);
        }
        one_that_does_not_match_is_lost_with_the_stages_behind(where, count);
    }
    xcoll_comm_t comm = where.comm;
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
