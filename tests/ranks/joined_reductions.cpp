// ranks: 1 2 3 5 7 8 13
//
// Small reductions of a group are joined, and give the bits that each gives alone: whatever their types, operators,
// sizes and addresses, in place or not, in all forms of groups, at each level of determinism, and again and again.
#include <array>

#include "buffer.h"
#include "values.h"

using namespace values;
using ranks::Rank;

namespace {

enum class What { allreduce, reduce, reduce_scatter, reduce_scatterv, scan, exscan };
struct Call {
    What what;
    xcoll_dtype_t type;
    xcoll_op_t op;
    size_t count; // of one part where there are parts
    bool in_place = false;
};
// Some have to be rounded, some have no elements, and one is too large to be joined.
constexpr Call calls[] = {
    {What::allreduce, XCOLL_FLOAT32, XCOLL_SUM, 2},         {What::allreduce, XCOLL_INT8, XCOLL_MAX, 3},
    {What::allreduce, XCOLL_FLOAT64, XCOLL_AVG, 5, true},   {What::reduce, XCOLL_FLOAT16, XCOLL_SUM, 31},
    {What::allreduce, XCOLL_BFLOAT16, XCOLL_SUM, 77},       {What::scan, XCOLL_FLOAT32, XCOLL_PROD, 9, true},
    {What::reduce_scatter, XCOLL_FLOAT16, XCOLL_AVG, 7},    {What::allreduce, XCOLL_FLOAT32, XCOLL_SUM, 0},
    {What::allreduce, XCOLL_FLOAT32, XCOLL_SUM, 20'000},    {What::exscan, XCOLL_BFLOAT16, XCOLL_SUM, 11},
    {What::reduce_scatterv, XCOLL_FLOAT32, XCOLL_SUM, 6},   {What::allreduce, XCOLL_FLOAT16, XCOLL_PROD, 400},
    {What::reduce_scatter, XCOLL_FLOAT64, XCOLL_SUM, 3},    {What::reduce, XCOLL_FLOAT64, XCOLL_MIN, 13, true},
    {What::allreduce, XCOLL_FLOAT32, XCOLL_SUM, 130, true}, {What::allreduce, XCOLL_FLOAT8_E4M3, XCOLL_SUM, 19},
};
constexpr size_t some = std::size(calls);

// Its buffers, twice: for the call alone, and for the same in a group.
class Pair {
public:
    Pair(const Rank &rank, const Call &call, size_t number)
        : call_(call), rank_(rank.rank()), size_(rank.size()), type_(values::type(call.type)),
          shift_((number + static_cast<size_t>(rank_)) % 5) {
        for (int p = 0; p < size_; ++p) {
            counts_.push_back(uneven() ? static_cast<size_t>(p) % 3 * call.count : call.count);
            total_ += has_parts() || p == 0 ? counts_.back() : 0;
        }
        for (Both &one : both_) {
            one.send.assign(total_ * type_.bytes + shift_, 0);
            one.recv.assign(one.send.size(), 0);
        }
    }
    void prepare(int turn) {
        const auto seed = static_cast<uint64_t>(turn);
        const auto input = type_.input(Flavour::any, call_.op, 64 + seed, rank_);
        for (Both &one : both_) {
            std::fill(one.recv.begin(), one.recv.end(), garbage);
            fill((in_place() ? one.recv : one.send).data() + shift_, input, total_ * type_.bytes);
        }
    }
    xcoll_result_t run(bool in_group, xcoll_comm_t comm) {
        Both &one = both_[in_group];
        const void *send = in_place() ? XCOLL_IN_PLACE : one.send.data() + shift_;
        void *recv = one.recv.data() + shift_;
        const int root = size_ - 1;
        switch (call_.what) {
        case What::allreduce:
            return xcoll_allreduce(send, recv, call_.count, call_.type, call_.op, comm);
        case What::reduce:
            return xcoll_reduce(send, recv, call_.count, call_.type, call_.op, root, comm);
        case What::reduce_scatter:
            return xcoll_reduce_scatter(send, recv, call_.count, call_.type, call_.op, comm);
        case What::reduce_scatterv:
            return xcoll_reduce_scatterv(send, recv, counts_.data(), call_.type, call_.op, comm);
        case What::scan:
            return xcoll_scan(send, recv, call_.count, call_.type, call_.op, comm);
        default:
            return xcoll_exscan(send, recv, call_.count, call_.type, call_.op, comm);
        }
    }
    void check(const std::string &how) const {
        if (both_[false].recv != both_[true].recv) {
            ranks::wrong("not what the call gives alone: " + how);
        }
    }

private:
    struct Both {
        std::vector<unsigned char> send, recv;
    };
    static constexpr unsigned char garbage = 0xee;
    bool uneven() const {
        return call_.what == What::reduce_scatterv;
    }
    bool has_parts() const {
        return uneven() || call_.what == What::reduce_scatter;
    }
    bool in_place() const {
        return call_.in_place && (call_.what != What::reduce || rank_ == size_ - 1);
    }
    const Call &call_;
    int rank_, size_;
    const Type &type_;
    size_t shift_, total_ = 0;
    std::vector<size_t> counts_; // of the parts
    std::array<Both, 2> both_;
};

enum class End { blocking, immediate, persistent };

void run_group(std::vector<Pair> &pairs, End end, xcoll_comm_t comm, xcoll_request_t &plan) {
    if (!plan) {
        ranks::succeed(xcoll_group_start());
        for (Pair &pair : pairs) {
            ranks::succeed(pair.run(true, comm));
        }
        ranks::succeed(end == End::blocking    ? xcoll_group_end()
                       : end == End::immediate ? xcoll_group_iend(&plan)
                                               : xcoll_group_end_init(&plan));
    }
    if (end == End::persistent) {
        ranks::succeed(xcoll_start(&plan));
    }
    ranks::succeed(xcoll_wait(&plan));
}

void they_give_the_bits_that_they_give_alone(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    for (const size_t number : {size_t{1}, size_t{2}, size_t{7}, some, 4 * some}) {
        std::vector<Pair> pairs;
        for (size_t k = 0; k < number; ++k) {
            pairs.emplace_back(rank, calls[k % some], k);
        }
        // Each rank ends its group in another way.
        const auto end = static_cast<End>((static_cast<size_t>(rank.rank()) + number) % 3);
        xcoll_request_t plan = XCOLL_REQUEST_NULL;
        for (int turn = 0; turn < 5; ++turn) {
            for (Pair &pair : pairs) {
                pair.prepare(turn);
                ranks::succeed(pair.run(false, comm));
            }
            run_group(pairs, end, comm, plan);
            for (size_t k = 0; k < number; ++k) {
                pairs[k].check(settings + ": call " + std::to_string(k) + " of " + std::to_string(number) + ", turn " +
                               std::to_string(turn));
            }
        }
        ranks::succeed(xcoll_request_free(&plan));
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

void they_are_one_operation(const Rank &rank) {
    xcoll_comm_t comm = rank.open("ALLREDUCE=one_shot");
    for (int turn = 0; turn < 4; ++turn) {
        float mine[64], sums[64];
        uint64_t before = 0, after = 0;
        std::fill(std::begin(mine), std::end(mine), 1);
        ranks::succeed(xcoll_comm_sequence(comm, &before));
        ranks::succeed(xcoll_group_start());
        for (int k = 0; k < 64; ++k) {
            ranks::succeed(xcoll_allreduce(&mine[k], &sums[k], 1, XCOLL_FLOAT32, XCOLL_SUM, comm));
        }
        ranks::succeed(xcoll_group_end());
        ranks::succeed(xcoll_comm_sequence(comm, &after));
        ranks::check(after == before + 1, "64 small reductions of a group are more than one operation");
        ranks::check(std::count(std::begin(sums), std::end(sums), static_cast<float>(rank.size())) == 64,
                     "a wrong sum");
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    they_are_one_operation(rank);
    for (const char *settings : {"", "DETERMINISM=size", "DETERMINISM=layout", "ALLREDUCE=one_shot", "GROUPS=1,2"}) {
        they_give_the_bits_that_they_give_alone(rank, settings);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
