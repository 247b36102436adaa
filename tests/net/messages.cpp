// What ranks on several machines do with each other: run by the scripts of this folder, with the algorithm of allreduce
// in the settings. The argument is the number of ranks on each machine.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "demand.h"

namespace {

int size_;

struct Type {
    xcoll_dtype_t dtype;
    const char *name;
    size_t bytes;
    bool floating;
};
constexpr Type types[] = {
    {XCOLL_INT8, "int8", 1, false},        {XCOLL_UINT8, "uint8", 1, false},    {XCOLL_INT16, "int16", 2, false},
    {XCOLL_UINT16, "uint16", 2, false},    {XCOLL_INT32, "int32", 4, false},    {XCOLL_UINT32, "uint32", 4, false},
    {XCOLL_INT64, "int64", 8, false},      {XCOLL_UINT64, "uint64", 8, false},  {XCOLL_FLOAT16, "float16", 2, true},
    {XCOLL_BFLOAT16, "bfloat16", 2, true}, {XCOLL_FLOAT32, "float32", 4, true}, {XCOLL_FLOAT64, "float64", 8, true},
};

// A small whole number in any of the types.
void store(const Type &type, void *at, int number) {
    const double wide = number;
    const auto single = static_cast<float>(number);
    uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    if (type.dtype == XCOLL_FLOAT64) {
        std::memcpy(at, &wide, sizeof wide);
    } else if (type.dtype == XCOLL_FLOAT32) {
        std::memcpy(at, &single, sizeof single);
    } else if (type.dtype == XCOLL_BFLOAT16) {
        bits >>= 16;
        std::memcpy(at, &bits, 2);
    } else if (type.dtype == XCOLL_FLOAT16) {
        bits = number == 0 ? 0 : ((bits >> 23) - 112) << 10 | (bits >> 13 & 0x3ff);
        std::memcpy(at, &bits, 2);
    } else {
        const int64_t integer = number;
        std::memcpy(at, &integer, type.bytes);
    }
}

std::vector<char> numbers(const Type &type, size_t count, int base, int factor) {
    std::vector<char> data(count * type.bytes);
    for (size_t i = 0; i < count; ++i) {
        store(type, data.data() + i * type.bytes, factor * (base + static_cast<int>(i % 7)));
    }
    return data;
}

void allreduce_every_type(xcoll_comm_t comm) {
    const int sum_of_ranks = size_ * (size_ - 1) / 2;
    for (const Type &type : types) {
        for (const size_t bytes : {size_t{0}, size_t{8}, size_t{1000}, size_t{40'000}, size_t{1} << 22}) {
            const size_t count = bytes / type.bytes;
            const std::string what = std::string("allreduce of ") + std::to_string(count) + " x " + type.name;
            // Sums of (rank + i % 7): sum_of_ranks + size * (i % 7).
            std::vector<char> expected(count * type.bytes);
            for (size_t i = 0; i < count; ++i) {
                store(type, expected.data() + i * type.bytes, sum_of_ranks + size_ * static_cast<int>(i % 7));
            }
            const std::vector<char> send = numbers(type, count, rank_, 1);
            std::vector<char> recv(count * type.bytes);
            succeed(xcoll_allreduce(send.data(), recv.data(), count, type.dtype, XCOLL_SUM, comm), what);
            demand(recv == expected, what + " is wrong");
            recv = send;
            succeed(xcoll_allreduce(XCOLL_IN_PLACE, recv.data(), count, type.dtype, XCOLL_SUM, comm),
                    what + " in place");
            demand(recv == expected, what + " in place is wrong");
        }
        const std::vector<char> send = numbers(type, 100, rank_, 1), expected = numbers(type, 100, size_ - 1, 1);
        std::vector<char> recv(send.size());
        succeed(xcoll_allreduce(send.data(), recv.data(), 100, type.dtype, XCOLL_MAX, comm), "max");
        demand(recv == expected, std::string("max of ") + type.name + " is wrong");
    }
}

void broadcast(xcoll_comm_t comm) {
    const Type &type = types[4];
    for (int root = 0; root < size_; ++root) {
        for (const size_t count : {size_t{0}, size_t{1}, size_t{5000}, size_t{1} << 20}) {
            const std::vector<char> expected = numbers(type, count, root, 3);
            std::vector<char> buffer = rank_ == root ? expected : std::vector<char>(expected.size());
            succeed(xcoll_bcast(buffer.data(), count, type.dtype, root, comm), "bcast");
            demand(buffer == expected, "bcast is wrong");
        }
    }
}

void several_requests_at_once(xcoll_comm_t comm) {
    constexpr size_t requests = 12;
    std::vector<std::vector<int32_t>> data;
    std::vector<xcoll_request_t> pending(requests);
    for (size_t i = 0; i < requests; ++i) {
        data.emplace_back(i % 3 == 0 ? 100'000 : i + 1, rank_ + static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < requests; ++i) {
        succeed(
            xcoll_iallreduce(XCOLL_IN_PLACE, data[i].data(), data[i].size(), XCOLL_INT32, XCOLL_SUM, comm, &pending[i]),
            "iallreduce");
    }
    succeed(xcoll_waitall(requests, pending.data()), "waitall");
    for (size_t i = 0; i < requests; ++i) {
        const int32_t expected = size_ * (size_ - 1) / 2 + size_ * static_cast<int32_t>(i);
        demand(data[i] == std::vector<int32_t>(data[i].size(), expected), "iallreduce is wrong");
    }
}

void children(xcoll_comm_t comm) {
    xcoll_comm_t copy = XCOLL_COMM_NULL, part = XCOLL_COMM_NULL;
    succeed(xcoll_comm_dup(comm, &copy), "dup");
    succeed(xcoll_comm_split(comm, rank_ % 2, -rank_, &part), "split");
    int part_size = 0;
    succeed(xcoll_comm_size(part, &part_size), "size");
    int32_t one = 1, all = 0, some = 0;
    succeed(xcoll_allreduce(&one, &all, 1, XCOLL_INT32, XCOLL_SUM, copy), "allreduce on a dup");
    succeed(xcoll_allreduce(&one, &some, 1, XCOLL_INT32, XCOLL_SUM, part), "allreduce on a split");
    demand(all == size_ && some == part_size, "sums on children are wrong");
    succeed(xcoll_comm_free(&part), "free");
    succeed(xcoll_comm_free(&copy), "free");
}

void mismatch(xcoll_comm_t comm) {
    for (const size_t count : {size_t{10}, size_t{1} << 19}) {
        std::vector<float> data(count, 1.0f);
        const size_t mine = rank_ == size_ - 1 ? count - 1 : count;
        const xcoll_result_t result =
            xcoll_allreduce(XCOLL_IN_PLACE, data.data(), mine, XCOLL_FLOAT32, XCOLL_SUM, comm);
        demand(result == XCOLL_ERR_MISMATCH, "mismatched counts returned " + std::string(xcoll_error_name(result)));
        demand(std::strstr(xcoll_last_error(), "rank ") != nullptr, "the message names no rank");
        float one = 1, sum = 0;
        succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_FLOAT32, XCOLL_SUM, comm), "allreduce after a mismatch");
        demand(sum == static_cast<float>(size_), "allreduce after a mismatch is wrong");
    }
}

} // namespace

int main(int argc, char **argv) {
    xcoll_comm_t world = XCOLL_COMM_NULL;
    succeed(xcoll_init(&world), "init");
    succeed(xcoll_comm_rank(world, &rank_), "rank");
    succeed(xcoll_comm_size(world, &size_), "size");
    int local_size = 0;
    succeed(xcoll_comm_local_size(world, &local_size), "local size");
    demand(argc == 2 && local_size == std::atoi(argv[1]),
           "there are " + std::to_string(local_size) + " ranks on this machine");
    succeed(xcoll_barrier(world), "barrier");
    allreduce_every_type(world);
    broadcast(world);
    several_requests_at_once(world);
    children(world);
    mismatch(world);
    succeed(xcoll_barrier(world), "barrier");
    succeed(xcoll_comm_free(&world), "free");
    succeed(xcoll_finalize(), "finalize");
    return 0;
}
