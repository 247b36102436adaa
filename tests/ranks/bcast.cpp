// ranks: 1 2 3 5 7 8 13
//
// bcast from every root, in bursts without anything between them, and what barrier separates.
#include "ranks.h"
#include "values.h"

using namespace values;
using ranks::Rank;

namespace {

constexpr size_t guard = 16;
constexpr unsigned char guard_byte = 0xa5;

void bcast(const Rank &rank, xcoll_comm_t comm, const Type &t, size_t count, int root,
           std::vector<unsigned char> &memory) {
    const size_t bytes = count * t.bytes, offset = count % 8;
    memory.assign(std::max(memory.size(), bytes + 2 * guard), guard_byte);
    unsigned char *buf = memory.data() + guard - offset;
    const Tile wanted = t.input(Flavour::any, XCOLL_SUM, count, root);
    if (rank.rank() == root) {
        fill(buf, wanted, bytes);
    }
    ranks::succeed(xcoll_bcast(buf, count, t.handle, root, comm));
    if (first_difference(t, buf, wanted, count) != all_equal) {
        ranks::wrong("bcast of " + std::to_string(count) + " x " + t.name + " from " + std::to_string(root) +
                     " brought something else");
    }
    ranks::check(buf[-1] == guard_byte && buf[bytes] == guard_byte, "bcast wrote beside its buffer");
}

void every_root_and_size(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    std::vector<unsigned char> memory;
    std::vector<size_t> sizes = {0, 1, 8, 31, 32, 33, 4095, 4096, 4097, 65'536, 100'003};
    for (int root = 0; root < rank.size(); ++root) {
        for (const size_t size : sizes) {
            bcast(rank, comm, type(XCOLL_UINT8), size, root, memory);
        }
        bcast(rank, comm, types[static_cast<size_t>(root) % std::size(types)], 1000, root, memory);
    }
    int root = 0;
    for (size_t kib = 128; kib <= 2048; kib *= 2) {
        for (const size_t bytes : {kib * 1024, kib * 1024 + 8}) {
            bcast(rank, comm, type(XCOLL_FLOAT64), bytes / 8, root, memory);
            root = (root + 1) % rank.size();
        }
    }
    bcast(rank, comm, type(XCOLL_FLOAT16), 3'000'001, root, memory);
    ranks::succeed(xcoll_comm_free(&comm));
}

// A root of small broadcasts waits for nobody, so it runs as far ahead as it may; its messages arrive all the same.
void bursts(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    for (int i = 0; i < 300; ++i) {
        const int root = i / 100 % rank.size();
        const size_t count = i % 3 == 0 ? 1 : i % 3 == 1 ? 100 : 3000; // in the head, in a slot, in the ring
        std::vector<int64_t> data(count, rank.rank() == root ? i : -1);
        ranks::succeed(xcoll_bcast(data.data(), count, XCOLL_INT64, root, comm));
        ranks::check(std::count(data.begin(), data.end(), i) == static_cast<ptrdiff_t>(count),
                     "a burst of broadcasts got mixed up");
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// Whoever leaves the barrier finds that everybody has entered it.
void a_barrier_separates(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    std::atomic<uint64_t> &entered = rank.shared().numbers[0];
    if (rank.rank() == 0) {
        entered = 0;
    }
    rank.meet();
    const auto size = static_cast<uint64_t>(rank.size());
    for (uint64_t round = 1; round <= 200; ++round) {
        if (round % 16 == random_bits(round, 0, 0) % size) {
            std::this_thread::yield();
        }
        entered.fetch_add(1, std::memory_order_relaxed);
        ranks::succeed(xcoll_barrier(comm));
        ranks::check(entered.load(std::memory_order_relaxed) >= round * size,
                     "somebody left a barrier that not everybody had entered");
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    for (const char *settings : {"", "BCAST=tree;BARRIER=dissemination"}) {
        every_root_and_size(rank, settings);
        bursts(rank, settings);
        a_barrier_separates(rank, settings);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
