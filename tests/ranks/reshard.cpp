// ranks: 1 2 3 5 7 8
// timeout: 120
//
// Tensors split anew: every element of every rank's part, against a list of who has what. Any shape, any two
// dimensions, any parts (uneven, empty, overlapping), any strides; copies that are added up; calls that differ.
#include <algorithm>
#include <random>

#include "tensors.h"

using namespace tensors;
using ranks::Rank;

namespace {

constexpr float untouched = -5;
constexpr size_t edge = 8; // of elements around what is received, that nothing may touch

enum class Form { blocking, request, persistent, stream, group };

using Floats = std::vector<float>;

void call(Form form, const Floats &send_, Floats &recv_, const xcoll_tensor_t &tensor, const Case &c,
          xcoll_comm_t comm) {
    const float *send = send_.data();
    float *recv = recv_.data() + edge;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    switch (form) {
    case Form::blocking:
        ranks::succeed(xcoll_reshard(send, recv, &tensor, c.from_dim, c.to_dim, comm));
        break;
    case Form::request:
        ranks::succeed(xcoll_ireshard(send, recv, &tensor, c.from_dim, c.to_dim, comm, &request));
        ranks::succeed(xcoll_wait(&request));
        break;
    case Form::persistent: {
        xcoll_tensor_t passing = tensor;
        auto other_send = std::make_unique<Floats>(send_), other_recv = std::make_unique<Floats>(recv_);
        ranks::succeed(xcoll_reshard_init(other_send->data(), other_recv->data() + edge, &passing, c.from_dim, c.to_dim,
                                          comm, &request));
        std::memset(static_cast<void *>(&passing), 0x55, sizeof passing);
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_SEND, const_cast<float *>(send)));
        ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_RECV, recv));
        other_send.reset();
        other_recv.reset();
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        ranks::succeed(xcoll_request_free(&request));
        break;
    }
    case Form::stream:
        ranks::succeed(xcoll_reshard_enqueue(send, recv, &tensor, c.from_dim, c.to_dim, comm, nullptr));
        break;
    case Form::group:
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_reshard(send, recv, &tensor, c.from_dim, c.to_dim, comm));
        ranks::succeed(xcoll_barrier(comm));
        ranks::succeed(xcoll_group_end());
    }
}

void reshard(const Rank &rank, xcoll_comm_t comm, const Case &c, Form form, const std::string &name) {
    const int ranks_ = rank.size();
    std::vector<Part> before;
    for (int p = 0; p < ranks_; ++p) {
        before.push_back(part_of(c, true, p, ranks_, true));
    }
    const Part &mine = before[static_cast<size_t>(rank.rank())];
    const Part after = part_of(c, false, rank.rank(), ranks_, true);
    Floats send(mine.reach(), untouched), recv(after.reach() + 2 * edge, untouched);
    for_each(mine, [&](const Indices &at, size_t place) { send[place] = value(at, rank.rank()); });
    const Tensor tensor(c, XCOLL_FLOAT32, mine, after);
    call(form, send, recv, *tensor.get(), c, comm);
    for_each(after, [&](const Indices &at, size_t place) {
        float &found = recv[edge + place];
        if (found != wanted(c, before, at)) {
            ranks::wrong(name + ": place " + std::to_string(place) + " has " + std::to_string(found) + " instead of " +
                         std::to_string(wanted(c, before, at)));
        }
        found = untouched;
    });
    ranks::check(std::count(recv.begin(), recv.end(), untouched) == static_cast<ptrdiff_t>(recv.size()),
                 "reshard wrote beside its part");
}

void random_tensors(const Rank &rank, xcoll_comm_t comm) {
    const uint64_t first = ranks::first_seed();
    for (uint64_t seed = first; seed < first + 150; ++seed) {
        std::mt19937_64 random(seed);
        Case c = random_case(random, rank.size());
        constexpr xcoll_op_t ops[] = {0, 0, XCOLL_SUM, XCOLL_MAX};
        c.op = ops[random() % 4];
        reshard(rank, comm, c, static_cast<Form>(seed % 5), "case " + std::to_string(seed));
    }
}

// [seq, heads, width] and [batch, heads, seq, width]; there and back.
void sequence_and_heads(const Rank &rank, xcoll_comm_t comm) {
    for (const int64_t heads : {8, 7, 3}) {
        for (const int64_t sequence : {16, 19}) {
            for (const int64_t gap : {0, 5}) {
                Case c{{sequence, heads, 6}, 0, 1, {}, {}, {}, {}};
                c.row_gap = gap;
                reshard(rank, comm, c, Form::blocking, "heads of [seq, heads, width]");
                std::swap(c.from_dim, c.to_dim);
                reshard(rank, comm, c, Form::group, "sequence of [seq, heads, width]");
                c.shape = {2, heads, sequence, 6};
                c.to_dim = 2;
                reshard(rank, comm, c, Form::request, "sequence of [batch, heads, seq, width]");
                std::swap(c.from_dim, c.to_dim);
                reshard(rank, comm, c, Form::persistent, "heads of [batch, heads, seq, width]");
            }
        }
    }
}

// Fewer key heads than ranks: each rank gets the one that its query heads need, and gives its gradient back.
void grouped_queries(const Rank &rank, xcoll_comm_t comm) {
    const int ranks_ = rank.size();
    for (const int64_t key_heads : {1, 2, 3}) {
        Indices first, count;
        for (int p = 0; p < ranks_; ++p) {
            const int64_t begin = p * key_heads / ranks_, end = ((p + 1) * key_heads + ranks_ - 1) / ranks_;
            first.push_back(begin);
            count.push_back(end - begin);
        }
        const Case forth{{17, key_heads, 4}, 0, 1, {}, {}, first, count};
        reshard(rank, comm, forth, Form::blocking, "keys to those who need them");
        for (const xcoll_op_t op : {XCOLL_SUM, XCOLL_MAX}) {
            const Case back{{17, key_heads, 4}, 1, 0, first, count, {}, {}, op};
            reshard(rank, comm, back, Form::blocking, "gradients of keys");
        }
        const Case same{{17, key_heads, 4}, 1, 0, first, count, {}, {}};
        reshard(rank, comm, same, Form::blocking, "the lowest holder's keys");
    }
}

// Parts of every length from none on: in the order of ranks, in the opposite order, and each across those before.
void sums_dealt_out(const Rank &rank, xcoll_comm_t comm) {
    const int ranks_ = rank.size();
    for (const bool upwards : {true, false}) {
        for (const int64_t across : {0, 2}) {
            Indices first(static_cast<size_t>(ranks_)), count = first;
            int64_t next = 0, end = 0;
            for (int i = 0; i < ranks_; ++i) {
                const auto p = static_cast<size_t>(upwards ? i : ranks_ - 1 - i);
                first[p] = std::max<int64_t>(next - across, 0);
                count[p] = 3 * (i % 4);
                next = first[p] + count[p];
                end = std::max(end, next);
            }
            for (const int to_dim : {0, 1}) {
                Case c{{7, 7}, XCOLL_PARTIAL, to_dim, {}, {}, first, count, XCOLL_SUM};
                c.shape[static_cast<size_t>(to_dim)] = end + 1; // the last is nobody's
                reshard(rank, comm, c, Form::blocking, "sums dealt out");
                c.row_gap = 5;
                reshard(rank, comm, c, Form::persistent, "sums dealt out of what has gaps");
            }
        }
    }
}

void partial_sums(const Rank &rank, xcoll_comm_t comm) {
    for (const int to_dim : std::initializer_list<int>{XCOLL_REPLICATED, 0, 1, 2}) {
        for (const int64_t gap : {0, 3}) {
            for (const xcoll_op_t op : {xcoll_op_t{0}, xcoll_op_t{XCOLL_SUM}, xcoll_op_t{XCOLL_MAX}}) {
                Case c{{9, 10, 11}, XCOLL_PARTIAL, to_dim, {}, {}, {}, {}, op};
                c.row_gap = gap;
                reshard(rank, comm, c, op == 0 ? Form::persistent : Form::blocking, "partial sums");
            }
        }
    }
    if ((rank.size() & (rank.size() - 1)) == 0) { // exact quotients
        reshard(rank, comm, {{8, 8}, XCOLL_PARTIAL, 1, {}, {}, {}, {}, XCOLL_AVG}, Form::blocking, "averages");
    }
    reshard(rank, comm, {{40, 100, 30}, XCOLL_PARTIAL, 1, {}, {}, {}, {}}, Form::group, "long partial sums");
    reshard(rank, comm, {{40, 100, 30}, XCOLL_PARTIAL, XCOLL_REPLICATED, {}, {}, {}, {}}, Form::request, "a long sum");
}

void long_ones(const Rank &rank, xcoll_comm_t comm) {
    Case c{{300, 24, 32}, 0, 1, {}, {}, {}, {}};
    reshard(rank, comm, c, Form::blocking, "a long tensor");
    c.row_gap = 7;
    reshard(rank, comm, c, Form::stream, "a long tensor with gaps");
    c = {{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 3, 12, {}, {}, {}, {}};
    c.row_gap = 1;
    reshard(rank, comm, c, Form::blocking, "sixteen dimensions");
}

void different_calls(const Rank &rank, xcoll_comm_t comm) {
    if (rank.size() == 1) {
        return;
    }
    std::vector<float> send(600), recv(600);
    const int64_t shapes[3][2] = {{12, 20}, {20, 12}, {12, 21}};
    for (int difference = 0; difference < 4; ++difference) {
        const bool odd = rank.rank() == 1;
        xcoll_tensor_t tensor;
        ranks::succeed(xcoll_tensor_defaults(&tensor, sizeof tensor));
        tensor.dtype = odd && difference == 3 ? XCOLL_INT32 : XCOLL_FLOAT32;
        tensor.ndim = 2;
        tensor.shape = shapes[odd && difference < 3 ? difference : 0];
        const int to_dim = odd && difference == 0 ? XCOLL_REPLICATED : 1;
        const xcoll_result_t got = xcoll_reshard(send.data(), recv.data(), &tensor, 0, to_dim, comm);
        if (rank.rank() == 1) {
            ranks::expect(XCOLL_ERR_MISMATCH, got);
            ranks::expect_message({"reshard(dim 0 to dim 1, ", difference == 0 ? "replicated" : "hash"});
        } else {
            ranks::expect(XCOLL_ERR_MISMATCH, got);
        }
    }
}

// Any value but 0 is true, and 1 once it was reduced: also where no rank but one has it.
void truth_values_become_0_or_1(const Rank &rank, xcoll_comm_t comm) {
    const int64_t length = rank.size();
    xcoll_tensor_t tensor;
    ranks::succeed(xcoll_tensor_defaults(&tensor, sizeof tensor));
    tensor.dtype = XCOLL_BOOL;
    tensor.ndim = 1;
    tensor.shape = &length;
    tensor.op = XCOLL_LOR;
    const unsigned char mine = rank.rank() % 2 == 0 ? 7 : 0;
    std::vector<unsigned char> all(static_cast<size_t>(length), 9);
    ranks::succeed(xcoll_reshard(&mine, all.data(), &tensor, 0, XCOLL_REPLICATED, comm));
    for (size_t p = 0; p < all.size(); ++p) {
        ranks::check(all[p] == (p % 2 == 0 ? 1 : 0), "a truth value that was reduced is neither 0 nor 1");
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (void (*part)(const Rank &, xcoll_comm_t) : {random_tensors, sequence_and_heads, grouped_queries, partial_sums,
                                                     sums_dealt_out, long_ones, different_calls}) {
        part(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
    comm = rank.open("GROUPS=2,2");
    grouped_queries(rank, comm);
    partial_sums(rank, comm);
    sums_dealt_out(rank, comm);
    truth_values_become_0_or_1(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
