// ranks: 1 2 3 5 7 8 13
// timeout: 120
//
// allreduce against a reference: every type with every operator, sizes around every boundary between the ways in which
// a payload travels, buffers at odd addresses, in place and not.
#include "ranks.h"
#include "values.h"

using namespace values;
using ranks::Rank;

namespace {

enum class Place { separate, in_place, same_address };
constexpr size_t guard = 64;
constexpr unsigned char guard_byte = 0xa5;

// Buffers that are reused, so that large cases cost no page faults.
struct Buffers {
    std::vector<unsigned char> send, recv;
};

struct Case {
    const Type &type;
    xcoll_op_t op;
    Flavour flavour;
    size_t count;
    Place place;
    size_t offset; // of both buffers from an aligned address
};

std::vector<int> cut(int ranks, const std::vector<int> &sizes) {
    std::vector<int> groups;
    for (size_t g = 0; g < sizes.size() && ranks > 0; ++g) {
        const bool last = g + 1 == sizes.size();
        groups.push_back(last ? ranks : std::min(ranks, sizes[g]));
        ranks -= groups.back();
    }
    return groups;
}

[[noreturn]] void differs(const Case &c, const std::string &settings, size_t element, const unsigned char *got,
                          const unsigned char *wanted) {
    std::string text = "allreduce of " + std::to_string(c.count) + " x " + c.type.name + ", operator " +
                       std::to_string(c.op & 0xff) + ", settings \"" + settings + "\": element " +
                       std::to_string(element) + " is";
    for (const unsigned char *bytes : {got, wanted}) {
        for (size_t i = c.type.bytes; i-- > 0;) {
            char digits[4];
            std::snprintf(digits, sizeof digits, "%s%02x", i + 1 == c.type.bytes ? " " : "", bytes[i]);
            text += digits;
        }
        text += bytes == got ? " instead of" : "";
    }
    ranks::wrong(text);
}

void run_case(const Rank &rank, xcoll_comm_t comm, const Case &c, const std::string &settings,
              const std::vector<int> &groups, Buffers &buffers) {
    const uint64_t seed = c.count * 64 + (c.op & 0xff) * 4 + static_cast<uint64_t>(c.flavour);
    const Tile mine = c.type.input(c.flavour, c.op, seed, rank.rank());
    const Tile wanted = c.type.result(c.flavour, c.op, seed, groups);
    const size_t bytes = c.count * c.type.bytes;
    buffers.send.resize(std::max(buffers.send.size(), bytes + 2 * guard));
    buffers.recv.resize(std::max(buffers.recv.size(), bytes + 2 * guard));
    unsigned char *recv = buffers.recv.data() + guard - c.offset;
    unsigned char *send = c.place == Place::separate ? buffers.send.data() + guard - c.offset : recv;
    std::memset(recv - guard + c.offset, guard_byte, guard - c.offset);
    std::memset(recv + bytes, guard_byte, guard);
    fill(send, mine, bytes);
    ranks::succeed(
        xcoll_allreduce(c.place == Place::in_place ? XCOLL_IN_PLACE : send, recv, c.count, c.type.handle, c.op, comm));
    const size_t element = first_difference(c.type, recv, wanted, c.count);
    if (element != all_equal) {
        differs(c, settings, element, recv + element * c.type.bytes, &wanted[element % period * c.type.bytes]);
    }
    ranks::check(recv[-1] == guard_byte || c.offset == guard, "something was written in front of the result");
    ranks::check(std::count(recv + bytes, recv + bytes + guard, guard_byte) == guard,
                 "something was written behind the result");
    if (c.place == Place::separate) {
        ranks::check(first_difference(c.type, send, mine, c.count) == all_equal, "the input was changed");
    }
}

// Every type with every operator; where floats do not add up exactly, the order of additions is the promised one.
void every_type_and_operator(const Rank &rank, const std::string &settings, const std::vector<int> &group_sizes,
                             bool any_order, Buffers &buffers) {
    const xcoll_comm_t comm = rank.open(settings);
    const std::vector<int> groups = cut(rank.size(), group_sizes);
    size_t turn = 0;
    for (const Type &type : types) {
        for (const xcoll_op_t op : operators) {
            if (!has_operator(type, op)) {
                continue;
            }
            for (const size_t count : {size_t{1}, 32 / type.bytes, size_t{77}, 9000 / type.bytes}) {
                const bool special = type.floating && (op == XCOLL_MIN || op == XCOLL_MAX || is_logical(op));
                const Flavour flavour = special && count != 1            ? Flavour::special
                                        : any_order && (turn++ & 1) == 0 ? Flavour::any
                                                                         : Flavour::exact;
                run_case(rank, comm, {type, op, flavour, count, Place(turn % 3), turn % 8}, settings, groups, buffers);
            }
        }
    }
    xcoll_comm_t last = comm;
    ranks::succeed(xcoll_comm_free(&last));
}

// Around the inline part of a head, the slot, and the places where messages begin to go in blocks.
void every_size(const Rank &rank, const std::string &settings, Buffers &buffers) {
    std::vector<size_t> sizes = {0,  1,  7,  8,    9,    31,   32,   33,   63,   64,     65,
                                 87, 88, 89, 4095, 4096, 4097, 8191, 8192, 8193, 100'003};
    for (size_t kib = 16; kib <= 2048; kib *= 2) {
        for (const size_t bytes : {kib * 1024 - 8, kib * 1024, kib * 1024 + 8}) {
            sizes.push_back(bytes);
        }
    }
    sizes.push_back((size_t{5} << 20) + 24);
    xcoll_comm_t comm = rank.open(settings);
    const std::vector<int> groups = {rank.size()};
    size_t turn = 0;
    for (const size_t bytes : sizes) {
        for (const xcoll_dtype_t handle : {XCOLL_UINT8, XCOLL_FLOAT64, XCOLL_BFLOAT16}) {
            const Type &t = type(static_cast<xcoll_dtype_t>(handle));
            const bool many = bytes > (size_t{256} << 10);
            if (many && turn++ % 3 != 0) {
                continue; // one type is enough where only the way matters
            }
            const Case c{t, XCOLL_SUM, Flavour::exact, bytes / t.bytes, Place(++turn % 3), turn % 3 ? 0 : turn % 16};
            run_case(rank, comm, c, settings, groups, buffers);
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    Buffers buffers;
    every_type_and_operator(rank, "", {rank.size()}, false, buffers);
    every_type_and_operator(rank, "GROUPS=none", {rank.size()}, true, buffers);
    every_type_and_operator(rank, "GROUPS=2,3", {2, 3}, true, buffers);
    every_size(rank, "", buffers);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
