// ranks: 1 2 3 5 7 8 13
//
// Every algorithm of allreduce gives every rank the same bits, whatever the ranks' buffers are aligned to and whether
// they lie in symmetric heaps; those that work through shared memory give the same bits as each other, so that the
// choice of one never shows.
#include <map>

#include "buffer.h"
#include "values.h"

using namespace values;
using ranks::Rank;

namespace {

uint64_t digest(const unsigned char *bytes, size_t count) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}

struct Call {
    xcoll_dtype_t type;
    xcoll_op_t op;
    Flavour flavour;
    size_t bytes;
};
constexpr Call calls[] = {
    {XCOLL_FLOAT32, XCOLL_SUM, Flavour::any, 4},        {XCOLL_FLOAT32, XCOLL_SUM, Flavour::any, 1000},
    {XCOLL_FLOAT32, XCOLL_PROD, Flavour::any, 4000},    {XCOLL_FLOAT64, XCOLL_AVG, Flavour::any, 32},
    {XCOLL_FLOAT64, XCOLL_SUM, Flavour::any, 12'344},   {XCOLL_FLOAT16, XCOLL_SUM, Flavour::any, 1234},
    {XCOLL_FLOAT16, XCOLL_AVG, Flavour::any, 90'002},   {XCOLL_BFLOAT16, XCOLL_SUM, Flavour::any, 1300},
    {XCOLL_BFLOAT16, XCOLL_PROD, Flavour::any, 30},     {XCOLL_FLOAT32, XCOLL_SUM, Flavour::any, 700'000},
    {XCOLL_FLOAT32, XCOLL_SUM, Flavour::special, 2000}, {XCOLL_FLOAT64, XCOLL_PROD, Flavour::special, 3008},
    {XCOLL_FLOAT16, XCOLL_SUM, Flavour::special, 1500}, {XCOLL_BFLOAT16, XCOLL_MIN, Flavour::special, 1500},
    {XCOLL_FLOAT64, XCOLL_MAX, Flavour::special, 9000}, {XCOLL_FLOAT32, XCOLL_AVG, Flavour::special, 6004},
};

uint64_t run_call(const Rank &rank, xcoll_comm_t comm, const Call &call, bool in_place, bool in_heap) {
    const Type &t = type(call.type);
    const size_t offset = static_cast<size_t>(rank.rank()) * 3 % 16;
    const xcoll_comm_t heap = in_heap ? comm : XCOLL_COMM_NULL;
    const ranks::Buffer<unsigned char> send(call.bytes + 16, heap), recv(call.bytes + 16, heap);
    unsigned char *to = recv.data() + offset, *from = in_place ? to : send.data() + 16 - offset;
    fill(from, t.input(call.flavour, call.op, call.bytes, rank.rank()), call.bytes);
    ranks::succeed(xcoll_allreduce(from, to, call.bytes / t.bytes, t.handle, call.op, comm));
    return digest(to, call.bytes);
}

// What all ranks got, having seen that it is the same.
uint64_t agreed(const Rank &rank, uint64_t mine, const std::string &what) {
    rank.shared().numbers[rank.rank()] = mine;
    rank.meet();
    const uint64_t first = rank.shared().numbers[0];
    rank.meet();
    if (first != mine) {
        ranks::wrong("its bits are not those of rank 0: " + what);
    }
    return mine;
}

void compare(const Rank &rank, const std::string &groups, bool in_place) {
    std::map<size_t, uint64_t> of_window;
    for (const char *algorithm : {"auto", "one_shot", "streamed", "two_shot", "hierarchical", "ring", "doubling"}) {
        const std::string settings = std::string("ALLREDUCE=") + algorithm + ";LEND=5K;GROUPS=" + groups;
        const bool by_messages = std::strcmp(algorithm, "ring") == 0 || std::strcmp(algorithm, "doubling") == 0;
        xcoll_comm_t comm = rank.open(settings);
        for (size_t i = 0; i < std::size(calls); ++i) {
            const std::string what = settings + ", call " + std::to_string(i);
            const uint64_t bits = agreed(rank, run_call(rank, comm, calls[i], in_place, false), what);
            ranks::check(bits == run_call(rank, comm, calls[i], !in_place, true),
                         "the same call gave other bits the second time, in memory of heaps");
            ranks::check(bits == run_call(rank, comm, calls[i], in_place, rank.rank() % 2 == 0),
                         "the same call gave other bits the third time, in memory of some heaps");
            if (!by_messages && of_window.emplace(i, bits).first->second != bits) {
                ranks::wrong("its bits are not those of the other algorithms: " + what);
            }
        }
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

void test(Rank &rank) {
    compare(rank, "none", false);
    if (rank.size() > 2) {
        compare(rank, "2,2", true);
        compare(rank, "1,2,3", false);
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
