// ranks: 2 13 64
// timeout: 240
//
// However many ranks there are, all of them together take 64 MiB of shared memory by default, whatever they call on
// private buffers and on as many communicators as a program usually has.
#include "own_memory.h"

using ranks::Rank;

namespace {

void use(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    for (const size_t count : {size_t{1}, size_t{1000}, size_t{10'000}, size_t{100'000}}) {
        std::vector<float> mine(count, 1), sum(count);
        ranks::succeed(xcoll_allreduce(mine.data(), sum.data(), count, XCOLL_FLOAT32, XCOLL_SUM, comm));
        ranks::check(sum[count - 1] == static_cast<float>(size), "the sum is wrong");
        ranks::succeed(xcoll_bcast(sum.data(), count, XCOLL_FLOAT32, 0, comm));
        const size_t part = std::max(count / size, size_t{1});
        std::vector<float> parts(part * size, 1), got(part * size);
        ranks::succeed(xcoll_alltoall(parts.data(), got.data(), part, XCOLL_FLOAT32, comm));
        ranks::succeed(xcoll_allgather(mine.data(), part, got.data(), XCOLL_FLOAT32, comm));
        ranks::check(got.back() == 1, "the parts are wrong");
    }
    for (const size_t count : {size_t{1}, size_t{1000}, size_t{100'000}}) {
        std::vector<float> sent(count, 1), got(count);
        ranks::succeed(xcoll_sendrecv(sent.data(), count, (rank.rank() + 1) % rank.size(), 0, got.data(), count,
                                      XCOLL_ANY_SOURCE, XCOLL_ANY_TAG, XCOLL_FLOAT32, comm));
        ranks::check(got.back() == 1, "a message is wrong");
    }
}

void test(Rank &rank) {
    xcoll_comm_t world = rank.open(), copies[8] = {};
    for (xcoll_comm_t &copy : copies) {
        ranks::succeed(xcoll_comm_dup(world, &copy));
    }
    use(rank, world);
    use(rank, copies[7]);
    uint64_t all = ranks::belongings().shared_bytes;
    ranks::check(all > 0, "no shared memory was found");
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, &all, 1, XCOLL_UINT64, XCOLL_SUM, world));
    constexpr uint64_t budget = uint64_t{64} << 20;
    if (all > budget) {
        ranks::wrong("the ranks have " + std::to_string(all >> 10) + " KiB of shared memory, expected at most " +
                     std::to_string(budget >> 10));
    }
    for (xcoll_comm_t &copy : copies) {
        ranks::succeed(xcoll_comm_free(&copy));
    }
    ranks::succeed(xcoll_comm_free(&world));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
