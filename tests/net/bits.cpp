// Prints a number that shows every bit of some reductions: the scripts of this folder compare it between ways in which
// the ranks reach each other.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "xcoll.h"

namespace {

void succeed(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        std::fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        std::exit(1);
    }
}

// Of many magnitudes, so that every order of additions has bits of its own; as bfloat16 the upper halves.
std::vector<float> inputs(int rank, size_t count) {
    std::vector<float> all(count);
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits = static_cast<uint32_t>(i) * 2654435761u + static_cast<uint32_t>(rank + 1) * 40503u;
        bits = (bits ^ bits >> 15) * 2246822519u;
        all[i] = static_cast<float>(static_cast<int>(bits & 0xffff) - 0x8000) / static_cast<float>(1 << (bits >> 28));
    }
    return all;
}

uint64_t digest(uint64_t hash, const std::vector<float> &data) {
    const auto *bytes = reinterpret_cast<const unsigned char *>(data.data());
    for (size_t i = 0; i < data.size() * sizeof(float); ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}

} // namespace

int main() {
    xcoll_comm_t world = XCOLL_COMM_NULL;
    int rank = 0, size = 0;
    succeed(xcoll_init(&world));
    succeed(xcoll_comm_rank(world, &rank));
    succeed(xcoll_comm_size(world, &size));
    uint64_t hash = 0;
    for (const size_t part : {size_t{1}, size_t{50}, size_t{3000}, size_t{100'000}}) {
        const size_t count = part * static_cast<size_t>(size);
        const std::vector<float> send = inputs(rank, count);
        std::vector<float> recv(count), mine(part);
        succeed(xcoll_allreduce(send.data(), recv.data(), count, XCOLL_FLOAT32, XCOLL_SUM, world));
        hash = digest(hash, recv);
        succeed(xcoll_allreduce(send.data(), recv.data(), count, XCOLL_BFLOAT16, XCOLL_AVG, world));
        hash = digest(hash, recv);
        succeed(xcoll_reduce(send.data(), recv.data(), count, XCOLL_FLOAT32, XCOLL_SUM, 0, world));
        hash = digest(hash, recv);
        succeed(xcoll_reduce_scatter(send.data(), mine.data(), part, XCOLL_FLOAT32, XCOLL_SUM, world));
        succeed(xcoll_gather(mine.data(), part, recv.data(), XCOLL_FLOAT32, 0, world));
        hash = digest(hash, recv);
    }
    if (rank == 0) {
        std::printf("%016llx\n", static_cast<unsigned long long>(hash));
    }
    succeed(xcoll_comm_free(&world));
    succeed(xcoll_finalize());
    return 0;
}
