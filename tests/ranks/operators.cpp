// ranks: 1 2 3 5 7 8
//
// Operators that users make: combined in the order of ranks, known by their names, alive as long as a call needs them.
#include <algorithm>
#include <atomic>

#include "ranks.h"

using ranks::Rank;

namespace {

// Affine maps x -> ax + b modulo a prime, one in each element: to combine them is associative and not commutative.
constexpr uint64_t prime = 65'521;
struct Map {
    uint32_t a, b;
    bool operator==(const Map &) const = default;
};
Map compose(const Map &first, const Map &second) {
    return {static_cast<uint32_t>(uint64_t{first.a} * second.a % prime),
            static_cast<uint32_t>((uint64_t{second.a} * first.b + second.b) % prime)};
}
uint64_t pack(const Map &map) {
    return uint64_t{map.a} << 32 | map.b;
}
Map unpack(uint64_t word) {
    return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word)};
}
xcoll_result_t compose_all(const void *in, void *inout, size_t count, xcoll_dtype_t dtype, void *) {
    if (dtype != XCOLL_UINT64) {
        return XCOLL_ERR_TYPE;
    }
    const auto *a = static_cast<const uint64_t *>(in);
    auto *b = static_cast<uint64_t *>(inout);
    for (size_t i = 0; i < count; ++i) {
        b[i] = pack(compose(unpack(a[i]), unpack(b[i])));
    }
    return XCOLL_SUCCESS;
}
Map input(int rank, size_t i) {
    return {static_cast<uint32_t>((i * 7 + static_cast<size_t>(rank) * 13 + 2) % prime),
            static_cast<uint32_t>((i * 3 + static_cast<size_t>(rank) * 5 + 1) % prime)};
}
std::vector<uint64_t> inputs(int rank, size_t count) {
    std::vector<uint64_t> values(count);
    for (size_t i = 0; i < count; ++i) {
        values[i] = pack(input(rank, i));
    }
    return values;
}
uint64_t composed(int ranks_, size_t i) {
    Map map = input(0, i);
    for (int p = 1; p < ranks_; ++p) {
        map = compose(map, input(p, i));
    }
    return pack(map);
}

void destroy(void *context) {
    ++*static_cast<std::atomic<int> *>(context);
}

void in_the_order_of_ranks(const Rank &rank, xcoll_comm_t comm) {
    const auto n = static_cast<size_t>(rank.size());
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_op_create(compose_all, nullptr, nullptr, "compose", XCOLL_OP_NONCOMMUTATIVE, &op));
    for (const size_t count : {size_t{1}, size_t{100}, size_t{3000}, size_t{70'000}}) {
        const std::vector<uint64_t> send = inputs(rank.rank(), count * n);
        std::vector<uint64_t> recv(count);
        ranks::succeed(xcoll_allreduce(send.data(), recv.data(), count, XCOLL_UINT64, op, comm));
        for (size_t i = 0; i < count; ++i) {
            ranks::check(recv[i] == composed(rank.size(), i), "allreduce composed in another order");
        }
        ranks::succeed(xcoll_reduce_scatter(send.data(), recv.data(), count, XCOLL_UINT64, op, comm));
        for (size_t i = 0; i < count; ++i) {
            const size_t at = static_cast<size_t>(rank.rank()) * count + i;
            ranks::check(recv[i] == composed(rank.size(), at), "reduce_scatter composed in another order");
        }
        ranks::succeed(xcoll_scan(send.data(), recv.data(), count, XCOLL_UINT64, op, comm));
        for (size_t i = 0; i < count; ++i) {
            ranks::check(recv[i] == composed(rank.rank() + 1, i), "scan composed in another order");
        }
    }
    // Partial results of a tensor [4, n], split along its rows' elements.
    const int64_t shape[2] = {4, static_cast<int64_t>(n)};
    xcoll_tensor_t tensor;
    ranks::succeed(xcoll_tensor_defaults(&tensor, sizeof tensor));
    tensor.dtype = XCOLL_UINT64;
    tensor.ndim = 2;
    tensor.shape = shape;
    tensor.op = op;
    const std::vector<uint64_t> send = inputs(rank.rank(), 4 * n);
    std::vector<uint64_t> column(4), all(4 * n);
    ranks::succeed(xcoll_reshard(send.data(), column.data(), &tensor, XCOLL_PARTIAL, 1, comm));
    ranks::succeed(xcoll_reshard(send.data(), all.data(), &tensor, XCOLL_PARTIAL, XCOLL_REPLICATED, comm));
    for (size_t i = 0; i < 4 * n; ++i) {
        ranks::check(all[i] == composed(rank.size(), i), "reshard composed in another order");
        if (i % n == static_cast<size_t>(rank.rank())) {
            ranks::check(column[i / n] == all[i], "reshard composed its part in another order");
        }
    }
    ranks::succeed(xcoll_op_free(&op));
    ranks::check(op == 0, "a freed operator leaves 0");
}

void a_freed_operator_lives_on_in_calls(const Rank &rank, xcoll_comm_t comm) {
    std::atomic<int> ends = 0;
    xcoll_op_t op = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_op_create(compose_all, &ends, destroy, "compose", 0, &op));
    const xcoll_op_t old = op;
    const std::vector<uint64_t> send = inputs(rank.rank(), 10);
    std::vector<uint64_t> recv(10);
    ranks::succeed(xcoll_allreduce_init(send.data(), recv.data(), 10, XCOLL_UINT64, op, comm, &request));
    ranks::succeed(xcoll_op_free(&op));
    ranks::check(ends == 0, "an operator ended while a request uses it");
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::check(recv[9] == composed(rank.size(), 9), "a freed operator did something else");
    ranks::succeed(xcoll_request_free(&request));
    ranks::check(ends == 1, "the end of an operator is told once");
    ranks::expect(XCOLL_ERR_OP, xcoll_allreduce(send.data(), recv.data(), 10, XCOLL_UINT64, old, comm));
    xcoll_op_t copy = old;
    ranks::expect(XCOLL_ERR_OP, xcoll_op_free(&copy));
}

void names_must_match(const Rank &rank, xcoll_comm_t comm) {
    xcoll_op_t op = 0;
    uint64_t one = 1, two = 0;
    const char *name = rank.rank() == 0 ? "first" : "second";
    ranks::succeed(xcoll_op_create(compose_all, nullptr, nullptr, name, 0, &op));
    if (rank.size() > 1) {
        const std::vector<std::string> said = {"operator of the user's with the hash",
                                               "is \"" + std::string(name) + '"'};
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_allreduce(&one, &two, 1, XCOLL_UINT64, op, comm));
        ranks::expect_message(said);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_iallreduce(&one, &two, 1, XCOLL_UINT64, op, comm, &request));
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_wait(&request));
        ranks::expect_message(said);
    }
    ranks::succeed(xcoll_op_free(&op));
}

void a_function_may_refuse(const Rank &rank, xcoll_comm_t comm) {
    xcoll_op_t op = 0;
    int32_t one = 1, two = 0;
    ranks::succeed(xcoll_op_create(compose_all, nullptr, nullptr, "compose", 0, &op));
    const xcoll_result_t got = xcoll_allreduce(&one, &two, 1, XCOLL_INT32, op, comm);
    ranks::expect(rank.size() == 1 ? XCOLL_SUCCESS : XCOLL_ERR_OP, got);
    ranks::expect(XCOLL_ERR_OP, xcoll_reduce_local(&one, &two, 1, XCOLL_INT32, op));
    ranks::expect_message({"compose"});
    ranks::succeed(xcoll_op_free(&op));
}

// What a function tries that is to be refused, and what it may do.
struct Nosy {
    xcoll_comm_t comm, other;
    xcoll_request_t plan = XCOLL_REQUEST_NULL;
    std::atomic<xcoll_request_t> current = XCOLL_REQUEST_NULL; // whichever thread moves it
    std::atomic<int> times = 0;

    static void refused(xcoll_result_t result, const ranks::Location &where = ranks::Location::current()) {
        ranks::expect(XCOLL_ERR_STATE, result, where);
        ranks::expect_message({"function of an operator"}, where);
    }
    void try_all() {
        int32_t in = 1, out = 0;
        int done = 0, rank = -1;
        size_t index = 0;
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        xcoll_comm_t made = XCOLL_COMM_NULL, kept = comm;
        for (const xcoll_comm_t on : {comm, other}) {
            refused(xcoll_barrier(on));
            refused(xcoll_allreduce(&in, &out, 1, XCOLL_INT32, XCOLL_SUM, on));
            refused(xcoll_send(&in, 1, XCOLL_INT32, 0, 0, on));
            refused(xcoll_iallreduce(&in, &out, 1, XCOLL_INT32, XCOLL_SUM, on, &request));
            refused(xcoll_allreduce_init(&in, &out, 1, XCOLL_INT32, XCOLL_SUM, on, &request));
            refused(xcoll_barrier_enqueue(on, nullptr));
            refused(xcoll_comm_dup(on, &made));
            refused(xcoll_comm_split(on, 0, 0, &made));
        }
        refused(xcoll_comm_free(&kept));
        refused(xcoll_comm_abort(comm, "by a nosy function"));
        refused(xcoll_init(&made));
        refused(xcoll_group_start());
        refused(xcoll_group_end());
        refused(xcoll_start(&plan));
        if (xcoll_request_t mine = current; mine != XCOLL_REQUEST_NULL) {
            refused(xcoll_wait(&mine));
            refused(xcoll_test(&mine, &done));
            refused(xcoll_waitany(1, &mine, &index));
            refused(xcoll_wait_part(mine, 0));
            refused(xcoll_request_free(&mine));
        }
        ranks::check(request == XCOLL_REQUEST_NULL && made == XCOLL_COMM_NULL && kept == comm, "refused, but done");
        ranks::succeed(xcoll_comm_rank(comm, &rank));
        ranks::succeed(xcoll_reduce_local(&in, &out, 1, XCOLL_INT32, XCOLL_SUM));
        ++times;
    }
    static xcoll_result_t combine(const void *in, void *inout, size_t count, xcoll_dtype_t dtype, void *context) {
        static_cast<Nosy *>(context)->try_all();
        return compose_all(in, inout, count, dtype, nullptr);
    }
};

void a_function_may_not_start_or_wait(const Rank &rank, xcoll_comm_t comm) {
    Nosy nosy{comm, XCOLL_COMM_NULL};
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_comm_dup(comm, &nosy.other));
    ranks::succeed(xcoll_barrier_init(comm, &nosy.plan));
    ranks::succeed(xcoll_op_create(Nosy::combine, &nosy, nullptr, "nosy", 0, &op));
    for (const size_t count : {size_t{1}, size_t{3000}, size_t{70'000}}) {
        const std::vector<uint64_t> send = inputs(rank.rank(), count);
        std::vector<uint64_t> recv(count);
        ranks::succeed(xcoll_allreduce(send.data(), recv.data(), count, XCOLL_UINT64, op, comm));
        ranks::check(recv[count - 1] == composed(rank.size(), count - 1), "a nosy function combined something else");
        recv.assign(count, 0);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_iallreduce(send.data(), recv.data(), count, XCOLL_UINT64, op, comm, &request));
        nosy.current = request;
        ranks::succeed(xcoll_barrier(nosy.other)); // moves the request as well
        ranks::succeed(xcoll_wait(&request));
        nosy.current = XCOLL_REQUEST_NULL;
        ranks::check(recv[count - 1] == composed(rank.size(), count - 1), "a nosy function combined something else");
    }
    ranks::check(rank.size() == 1 || nosy.times > 0, "the function was never called");
    uint64_t x = pack({2, 3}), y = pack({5, 7});
    ranks::succeed(xcoll_reduce_local(&x, &y, 1, XCOLL_UINT64, op));
    ranks::succeed(xcoll_start(&nosy.plan)); // everything works again
    ranks::succeed(xcoll_wait(&nosy.plan));
    ranks::succeed(xcoll_request_free(&nosy.plan));
    ranks::succeed(xcoll_op_free(&op));
    ranks::succeed(xcoll_comm_free(&nosy.other));
}

void each_rank_multiplies_first(const Rank &rank, xcoll_comm_t comm) {
    const float scalar = static_cast<float>(rank.rank() + 1);
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_op_create_premul(&scalar, XCOLL_FLOAT32, 0, &op));
    std::vector<float> send(5000, 2), recv(5000);
    ranks::succeed(xcoll_allreduce(send.data(), recv.data(), send.size(), XCOLL_FLOAT32, op, comm));
    const auto wanted = static_cast<float>(rank.size() * (rank.size() + 1));
    ranks::check(std::count(recv.begin(), recv.end(), wanted) == 5000, "a premultiplied sum is another one");
    double wide = 1;
    ranks::expect(XCOLL_ERR_TYPE, xcoll_allreduce(&wide, &wide, 1, XCOLL_FLOAT64, op, comm));
    ranks::expect_message({"float32", "float64"});
    ranks::expect(XCOLL_ERR_OP, xcoll_reduce_local(send.data(), recv.data(), 1, XCOLL_FLOAT32, op));
    ranks::succeed(xcoll_op_free(&op));
}

void locally(const Rank &, xcoll_comm_t) {
    std::vector<float> a(1000, 3), b(1000, 4);
    ranks::succeed(xcoll_reduce_local(a.data(), b.data(), 1000, XCOLL_FLOAT32, XCOLL_PROD));
    ranks::check(std::count(b.begin(), b.end(), 12.0F) == 1000, "a local product is another one");
    ranks::succeed(xcoll_reduce_local(b.data(), b.data(), 1000, XCOLL_FLOAT32, XCOLL_SUM));
    ranks::check(std::count(b.begin(), b.end(), 24.0F) == 1000, "a local sum in place is another one");
    ranks::succeed(xcoll_reduce_local(nullptr, nullptr, 0, XCOLL_FLOAT32, XCOLL_SUM));
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_op_create(compose_all, nullptr, nullptr, "compose", 0, &op));
    uint64_t x = pack({2, 3}), y = pack({5, 7});
    ranks::succeed(xcoll_reduce_local(&x, &y, 1, XCOLL_UINT64, op));
    ranks::check(y == pack(compose({2, 3}, {5, 7})), "a local call of an operator has another order");
    ranks::succeed(xcoll_op_free(&op));
    ranks::expect(XCOLL_ERR_OP, xcoll_reduce_local(a.data(), b.data(), 1, XCOLL_FLOAT32, XCOLL_AVG));
    ranks::expect(XCOLL_ERR_OP, xcoll_reduce_local(a.data(), b.data(), 1, XCOLL_FLOAT32, XCOLL_BOR));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_reduce_local(a.data(), b.data(), 1, 0, XCOLL_SUM));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_reduce_local(nullptr, b.data(), 1, XCOLL_FLOAT32, XCOLL_SUM));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_reduce_local(a.data(), nullptr, 1, XCOLL_FLOAT32, XCOLL_SUM));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_reduce_local(a.data(), a.data() + 1, 2, XCOLL_FLOAT32, XCOLL_SUM));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_reduce_local(a.data(), b.data(), SIZE_MAX, XCOLL_FLOAT32, XCOLL_SUM));
}

void mistakes(const Rank &, xcoll_comm_t) {
    xcoll_op_t op = 1;
    const float scalar = 1;
    const auto refused = [&](xcoll_result_t wanted, xcoll_result_t got, const char *words,
                             const ranks::Location &where = ranks::Location::current()) {
        ranks::expect(wanted, got, where);
        ranks::expect_message({words}, where);
        ranks::check(op == 0, "an operator that was not made is not 0", where);
        op = 1;
    };
    refused(XCOLL_ERR_ARGUMENT, xcoll_op_create(nullptr, nullptr, nullptr, "x", 0, &op), "fn is NULL");
    refused(XCOLL_ERR_ARGUMENT, xcoll_op_create(compose_all, nullptr, nullptr, nullptr, 0, &op), "name is NULL");
    refused(XCOLL_ERR_ARGUMENT, xcoll_op_create(compose_all, nullptr, nullptr, "", 0, &op), "name is empty");
    refused(XCOLL_ERR_UNSUPPORTED, xcoll_op_create(compose_all, nullptr, nullptr, "x", 2, &op), "flags");
    refused(XCOLL_ERR_ARGUMENT, xcoll_op_create_premul(nullptr, XCOLL_FLOAT32, 0, &op), "scalar is NULL");
    refused(XCOLL_ERR_TYPE, xcoll_op_create_premul(&scalar, XCOLL_SUM, 0, &op), "dtype");
    refused(XCOLL_ERR_OP, xcoll_op_create_premul(&scalar, XCOLL_BOOL, 0, &op), "bool");
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_op_create(compose_all, nullptr, nullptr, "x", 0, nullptr));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_op_free(nullptr));
    op = XCOLL_SUM;
    ranks::expect(XCOLL_ERR_OP, xcoll_op_free(&op));
    op = 0;
    ranks::succeed(xcoll_op_free(&op));
    int data = 1;
    ranks::succeed(xcoll_op_create_premul(&scalar, XCOLL_FLOAT32, 0, &op));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_reduce_local(&data, &data, 1, op, XCOLL_SUM));
    ranks::expect_message({"swapped"});
    const xcoll_op_t freed = op;
    ranks::succeed(xcoll_op_free(&op));
    ranks::expect(XCOLL_ERR_OP, xcoll_reduce_local(&data, &data, 1, XCOLL_INT32, freed));
    ranks::expect_message({"freed before"});
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (void (*part)(const Rank &, xcoll_comm_t) :
         {in_the_order_of_ranks, a_freed_operator_lives_on_in_calls, names_must_match, a_function_may_refuse,
          a_function_may_not_start_or_wait, each_rank_multiplies_first, locally, mistakes}) {
        part(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
