// ranks: 1 2 3 5
// timeout: 120
//
// Operators of users combine items of types that users made, opaque ones and others whose items lie together: in the
// order of ranks, whole, counted in items, by the name that the caller gave the type. Of any size, in every reduction
// and form. Ranks whose items differ are told.
#include <algorithm>

#include "ranks.h"

using ranks::Rank;

namespace {

struct Type {
    xcoll_dtype_t handle;
    size_t bytes;
};

// What a function was called with.
struct Seen {
    xcoll_dtype_t dtype;
    size_t bytes, items = 0;
};

// An item is a row of maps x -> ax + b modulo a prime, of two bytes each: to combine them is associative and not
// commutative. Its last byte is a mark, so that an item which is cut or moved is noticed.
constexpr unsigned prime = 251;
constexpr unsigned char mark = 255;
void combine_maps(const unsigned char *first, unsigned char *second) {
    const unsigned a = first[0] * second[0] % prime, b = (second[0] * first[1] + second[1]) % prime;
    second[0] = static_cast<unsigned char>(a);
    second[1] = static_cast<unsigned char>(b);
}
xcoll_result_t combine(const void *in, void *inout, size_t count, xcoll_dtype_t dtype, void *context) {
    Seen &seen = *static_cast<Seen *>(context);
    if (dtype != seen.dtype) {
        return XCOLL_ERR_TYPE;
    }
    const auto *a = static_cast<const unsigned char *>(in);
    auto *b = static_cast<unsigned char *>(inout);
    for (size_t i = 0; i < count; ++i, a += seen.bytes, b += seen.bytes) {
        if (a[seen.bytes - 1] != mark || b[seen.bytes - 1] != mark) {
            return XCOLL_ERR_ARGUMENT;
        }
        for (size_t k = 0; k + 2 < seen.bytes; k += 2) {
            combine_maps(a + k, b + k);
        }
    }
    seen.items += count;
    return XCOLL_SUCCESS;
}

using Bytes = std::vector<unsigned char>;
Bytes input(int rank, const Type &type, size_t count) {
    Bytes bytes(type.bytes * count, 0);
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<unsigned char>((i * 7 + static_cast<size_t>(rank) * 31 + i / 251) % (prime - 2) + 1);
    }
    for (size_t last = type.bytes - 1; last < bytes.size(); last += type.bytes) {
        bytes[last] = mark;
    }
    return bytes;
}
Bytes combined(int ranks_, const Type &type, size_t count) {
    Seen seen{type.handle, type.bytes};
    Bytes all = input(ranks_ - 1, type, count);
    for (int p = ranks_ - 2; p >= 0; --p) {
        const Bytes lower = input(p, type, count);
        ranks::succeed(combine(lower.data(), all.data(), count, type.handle, &seen));
    }
    return all;
}
Bytes part(const Bytes &all, size_t first, size_t bytes) {
    const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
    return {begin, begin + static_cast<ptrdiff_t>(bytes)};
}

struct Trial {
    const Rank &rank;
    xcoll_comm_t comm;
    Type type;
    xcoll_op_t op;
    Seen *seen;
};

void every_reduction(const Trial &t, size_t count) {
    const int size = t.rank.size(), self = t.rank.rank(), root = size - 1;
    const size_t bytes = t.type.bytes * count;
    const Bytes send = input(self, t.type, count), wanted = combined(size, t.type, count);
    Bytes recv(bytes);
    ranks::succeed(xcoll_allreduce(send.data(), recv.data(), count, t.type.handle, t.op, t.comm));
    ranks::check(recv == wanted, "allreduce of items");
    recv = send;
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, recv.data(), count, t.type.handle, t.op, t.comm));
    ranks::check(recv == wanted, "allreduce of items in place");
    ranks::succeed(xcoll_reduce(send.data(), recv.data(), count, t.type.handle, t.op, root, t.comm));
    ranks::check(self != root || recv == wanted, "reduce of items");
    ranks::succeed(xcoll_scan(send.data(), recv.data(), count, t.type.handle, t.op, t.comm));
    ranks::check(recv == combined(self + 1, t.type, count), "scan of items");
    ranks::succeed(xcoll_exscan(send.data(), recv.data(), count, t.type.handle, t.op, t.comm));
    ranks::check(self == 0 || recv == combined(self, t.type, count), "exscan of items");
}

void parts_for_all(const Trial &t, size_t count) {
    const auto size = static_cast<size_t>(t.rank.size()), self = static_cast<size_t>(t.rank.rank());
    const size_t bytes = t.type.bytes * count;
    const Bytes send = input(t.rank.rank(), t.type, count * size), all = combined(t.rank.size(), t.type, count * size);
    Bytes recv(bytes);
    ranks::succeed(xcoll_reduce_scatter(send.data(), recv.data(), count, t.type.handle, t.op, t.comm));
    ranks::check(recv == part(all, self * bytes, bytes), "reduce_scatter of items");
    // The first rank gets nothing, the last one twice as much, and in place.
    std::vector<size_t> counts(size, count);
    if (size > 1) {
        counts.back() += count;
        counts.front() = 0;
    }
    size_t before = 0;
    for (size_t p = 0; p < self; ++p) {
        before += counts[p] * t.type.bytes;
    }
    Bytes both = send;
    ranks::succeed(xcoll_reduce_scatterv(XCOLL_IN_PLACE, both.data(), counts.data(), t.type.handle, t.op, t.comm));
    const size_t mine = counts[self] * t.type.bytes;
    ranks::check(part(both, 0, mine) == part(all, before, mine), "reduce_scatterv of items");
}

void every_form(const Trial &t, size_t count) {
    const Bytes send = input(t.rank.rank(), t.type, count), wanted = combined(t.rank.size(), t.type, count);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    Bytes recv(send.size()), other(send.size());
    ranks::succeed(xcoll_iallreduce(send.data(), recv.data(), count, t.type.handle, t.op, t.comm, &request));
    ranks::succeed(xcoll_wait(&request));
    ranks::check(recv == wanted, "iallreduce of items");
    ranks::succeed(xcoll_allreduce_init(send.data(), recv.data(), count, t.type.handle, t.op, t.comm, &request));
    ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_RECV, other.data()));
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_request_free(&request));
    ranks::check(other == wanted, "a persistent allreduce of items");
    recv.assign(recv.size(), 0);
    ranks::succeed(xcoll_allreduce_enqueue(send.data(), recv.data(), count, t.type.handle, t.op, t.comm, nullptr));
    ranks::check(recv == wanted, "allreduce_enqueue of items");
    recv.assign(recv.size(), 0);
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(send.data(), recv.data(), count, t.type.handle, t.op, t.comm));
    ranks::succeed(xcoll_group_end());
    ranks::check(recv == wanted, "allreduce of items in a group");
}

void locally(const Trial &t) {
    constexpr size_t count = 5;
    const Bytes in = input(0, t.type, count);
    Bytes inout = input(1, t.type, count);
    t.seen->items = 0;
    ranks::succeed(xcoll_reduce_local(in.data(), inout.data(), count, t.type.handle, t.op));
    ranks::check(inout == combined(2, t.type, count) && t.seen->items == count, "a local reduction of items");
}

void with(const Trial &t) {
    locally(t);
    every_form(t, 3);
    for (const size_t bytes : {size_t{1}, size_t{100}, size_t{9000}, size_t{300'000}, size_t{3} << 20}) {
        const size_t count = (bytes + t.type.bytes - 1) / t.type.bytes;
        every_reduction(t, count);
        parts_for_all(t, count);
    }
    every_form(t, (size_t{1} << 20) / t.type.bytes + 1);
    every_reduction(t, 0);
}

void of_each_size(const Rank &rank, xcoll_comm_t comm) {
    for (const size_t bytes : {size_t{3}, size_t{12}, size_t{40}, size_t{5000}, size_t{100'001}}) {
        Type type{0, bytes};
        ranks::succeed(xcoll_type_opaque(bytes, &type.handle));
        Seen seen{type.handle, bytes};
        xcoll_op_t op = 0;
        ranks::succeed(xcoll_op_create(combine, &seen, nullptr, "maps", XCOLL_OP_NONCOMMUTATIVE, &op));
        with({rank, comm, type, op, &seen});
        ranks::succeed(xcoll_op_free(&op));
        ranks::succeed(xcoll_type_free(&type.handle));
    }
}

// Three numbers that lie together.
void of_other_types(const Rank &rank, xcoll_comm_t comm) {
    Type type{0, 3 * sizeof(int32_t)};
    ranks::succeed(xcoll_type_vector(3, 1, 1, XCOLL_INT32, &type.handle));
    Seen seen{type.handle, type.bytes};
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_op_create(combine, &seen, nullptr, "maps", 0, &op));
    every_reduction({rank, comm, type, op, &seen}, 100);
    // Items with gaps are none that a function could be handed in a row.
    xcoll_dtype_t apart = 0, resized = 0, late = 0;
    const size_t one = 1;
    const ptrdiff_t behind = 1;
    ranks::succeed(xcoll_type_vector(2, 1, 2, XCOLL_INT32, &apart));
    ranks::succeed(xcoll_type_resized(type.handle, 16, &resized));
    ranks::succeed(xcoll_type_indexed(1, &one, &behind, XCOLL_INT32, &late));
    int64_t data[8] = {}, sums[8] = {};
    for (xcoll_dtype_t *gaps : {&apart, &resized, &late}) {
        ranks::expect(XCOLL_ERR_TYPE, xcoll_allreduce(data, sums, 1, *gaps, op, comm));
        ranks::expect_message({"dtype", "made by the user", "lie together"});
        ranks::succeed(xcoll_type_free(gaps));
    }
    ranks::expect(XCOLL_ERR_TYPE, xcoll_allreduce(data, sums, 1, type.handle, XCOLL_SUM, comm));
    ranks::expect_message({"dtype", "made by the user", "sum", "xcoll_op_create"});
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_allreduce(data, sums, SIZE_MAX / 32, type.handle, op, comm));
    ranks::expect_message({"count"});
    ranks::succeed(xcoll_op_free(&op));
    ranks::succeed(xcoll_type_free(&type.handle));
}

// Rank 0 has items of another size or base type, alike in their bytes.
void items_must_match(const Rank &rank, xcoll_comm_t comm) {
    if (rank.size() == 1) {
        return;
    }
    const auto expect_mismatch = [&](xcoll_dtype_t type, size_t bytes, size_t count) {
        Seen seen{type, bytes};
        xcoll_op_t op = 0;
        ranks::succeed(xcoll_op_create(combine, &seen, nullptr, "maps", 0, &op));
        const Bytes send = input(rank.rank(), {type, bytes}, count);
        Bytes recv(send.size());
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_allreduce(send.data(), recv.data(), count, type, op, comm));
        ranks::expect_message({"bytes of a type of the user's"});
        const xcoll_result_t reduced = xcoll_reduce(send.data(), recv.data(), count, type, op, 0, comm);
        ranks::check(rank.rank() != 0 || reduced == XCOLL_ERR_MISMATCH, "items of other ranks were reduced");
        ranks::succeed(xcoll_barrier(comm));
        ranks::succeed(xcoll_op_free(&op));
    };
    xcoll_dtype_t type = 0;
    const bool is_first = rank.rank() == 0;
    ranks::succeed(xcoll_type_opaque(is_first ? 12 : 4, &type));
    expect_mismatch(type, is_first ? 12 : 4, 5);
    expect_mismatch(type, is_first ? 12 : 4, is_first ? 5 : 15);
    ranks::succeed(xcoll_type_free(&type));
    ranks::succeed(is_first ? xcoll_type_opaque(12, &type) : xcoll_type_vector(3, 1, 1, XCOLL_INT32, &type));
    expect_mismatch(type, 12, 5);
    ranks::succeed(xcoll_type_free(&type));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (void (*of)(const Rank &, xcoll_comm_t) : {of_each_size, of_other_types, items_must_match}) {
        of(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
