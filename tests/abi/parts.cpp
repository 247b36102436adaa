// ranks: 1 3
//
// Wrong arguments of messages and of calls with a part for each rank: the code, and a message that says what is wrong
// and what was expected. All ranks make the same mistakes; the communicator stays usable.
#include "mistakes.h"

using mistakes::make;
using ranks::Rank;

namespace {

constexpr size_t huge = SIZE_MAX / 2;

void messages(const Rank &rank, xcoll_comm_t comm) {
    int data[4] = {};
    const int size = rank.size(), self = rank.rank();
    const std::string last = "expected 0 to " + std::to_string(size - 1);
    const auto sends = [&](const void *buf, size_t count, int peer, int tag) {
        return [=] { return xcoll_send(buf, count, XCOLL_INT32, peer, tag, comm); };
    };
    const auto receives = [&](void *buf, size_t count, int peer, int tag) {
        return [=] { return xcoll_recv(buf, count, XCOLL_INT32, peer, tag, comm); };
    };
    make({
        {"xcoll_send", sends(data, 1, size, 0), XCOLL_ERR_ARGUMENT, {"peer", "is not a rank", last}},
        {"xcoll_send", sends(data, 1, -1, 0), XCOLL_ERR_ARGUMENT, {"peer -1", last}},
        {"xcoll_send", sends(data, 1, XCOLL_ANY_SOURCE, 0), XCOLL_ERR_ARGUMENT, {"peer", last}},
        {"xcoll_send", sends(data, 1, self, -1), XCOLL_ERR_ARGUMENT, {"tag -1 is negative"}},
        {"xcoll_send", sends(data, 1, self, XCOLL_ANY_TAG), XCOLL_ERR_ARGUMENT, {"tag", "is negative"}},
        {"xcoll_send", sends(nullptr, 1, self, 0), XCOLL_ERR_ARGUMENT, {"buf is NULL"}},
        {"xcoll_send", sends(XCOLL_IN_PLACE, 1, self, 0), XCOLL_ERR_ARGUMENT, {"buf", "XCOLL_IN_PLACE"}},
        {"xcoll_send", sends(data, huge, self, 0), XCOLL_ERR_ARGUMENT, {"count"}},
        {"xcoll_recv", receives(data, 1, size, 0), XCOLL_ERR_ARGUMENT, {"peer", last, "XCOLL_ANY_SOURCE"}},
        {"xcoll_recv", receives(data, 1, self, -1), XCOLL_ERR_ARGUMENT, {"tag -1", "XCOLL_ANY_TAG"}},
        {"xcoll_recv", receives(nullptr, 1, self, 0), XCOLL_ERR_ARGUMENT, {"buf is NULL"}},
    });
    // Of nothing.
    ranks::succeed(xcoll_sendrecv(nullptr, 0, self, 0, nullptr, 0, self, 0, XCOLL_INT32, comm));
}

void uneven_parts(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int> send(3 * size), recv(3 * size);
    const std::vector<size_t> twos(size, 2), many(size, huge);
    std::vector<size_t> others(size, 2);
    others[static_cast<size_t>(rank.rank())] = 3;
    const auto exchange = [&](const int *from, const size_t *out, int *to, const size_t *in) {
        return xcoll_alltoallv(from, out, nullptr, to, in, nullptr, XCOLL_INT32, comm);
    };
    const char *name = "xcoll_alltoallv";
    int *const in = recv.data();
    const size_t *const two = twos.data();
    make({
        {name, [&] { return exchange(send.data(), nullptr, in, two); }, XCOLL_ERR_ARGUMENT, {"sendcounts is NULL"}},
        {name, [&] { return exchange(send.data(), two, in, nullptr); }, XCOLL_ERR_ARGUMENT, {"recvcounts is NULL"}},
        {name, [&] { return exchange(send.data(), many.data(), in, two); }, XCOLL_ERR_ARGUMENT, {"sendcounts[0]"}},
        {name, [&] { return exchange(nullptr, two, in, two); }, XCOLL_ERR_ARGUMENT, {"send is NULL"}},
        {name, [&] { return exchange(send.data(), two, nullptr, two); }, XCOLL_ERR_ARGUMENT, {"recv is NULL"}},
        {name, [&] { return exchange(in + 1, two, in, two); }, XCOLL_ERR_ARGUMENT, {"send", "recv", "overlap"}},
        {name,
         [&] { return exchange(send.data(), others.data(), in, two); },
         XCOLL_ERR_ARGUMENT,
         {"sends 12 bytes to itself and receives 8"}},
    });
    const auto reduce = [&](int *to) {
        return xcoll_reduce_scatterv(send.data(), to, two, XCOLL_INT32, XCOLL_SUM, comm);
    };
    make({
        {"xcoll_reduce_scatterv", [&] { return reduce(&send[1]); }, XCOLL_ERR_ARGUMENT, {"send", "recv", "overlap"}},
        {"xcoll_reduce_scatterv",
         [&] { return xcoll_reduce_scatterv(send.data(), in, nullptr, XCOLL_INT32, XCOLL_SUM, comm); },
         XCOLL_ERR_ARGUMENT,
         {"recvcounts is NULL"}},
    });
    ranks::succeed(reduce(&send[2 * static_cast<size_t>(rank.rank())])); // where its own part lies
}

// A rank's own part may lie where it arrives; no part where another one does.
void parts_where_others_arrive(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    if (size == 1) {
        return;
    }
    std::vector<int> data(3 * size);
    const std::vector<size_t> twos(size, 2);
    int *const all = data.data(), *const other = all + 2 * ((static_cast<size_t>(rank.rank()) + 1) % size) + 1;
    const size_t *const two = twos.data();
    const auto refused = [&](const char *name, const std::function<xcoll_result_t()> &call) {
        make({{name, call, XCOLL_ERR_ARGUMENT, {"send", "recv", "overlap"}}});
    };
    refused("xcoll_alltoallv",
            [&] { return xcoll_alltoallv(all + 2, two, nullptr, all, two, nullptr, XCOLL_INT32, comm); });
    refused("xcoll_allgatherv", [&] { return xcoll_allgatherv(other, 2, all, two, nullptr, XCOLL_INT32, comm); });
    refused("xcoll_gatherv",
            [&] { return xcoll_gatherv(other, 2, all, two, nullptr, XCOLL_INT32, rank.rank(), comm); });
    refused("xcoll_scatterv",
            [&] { return xcoll_scatterv(all, two, nullptr, other, 2, XCOLL_INT32, rank.rank(), comm); });
}

// Where there is nothing that it would stand for; each rank is its own root.
void no_place_to_be_in(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    const int root = rank.rank();
    std::vector<int> data(size);
    const std::vector<size_t> ones(size, 1);
    int *const in = data.data();
    const size_t *const one = ones.data();
    void *const place = XCOLL_IN_PLACE;
    for (void *recv : {place, static_cast<void *>(in)}) {
        make({
            {"xcoll_scatter",
             [&] { return xcoll_scatter(place, recv, 1, XCOLL_INT32, root, comm); },
             XCOLL_ERR_ARGUMENT,
             {"send is XCOLL_IN_PLACE"}},
            {"xcoll_scatterv",
             [&] { return xcoll_scatterv(place, one, nullptr, recv, 1, XCOLL_INT32, root, comm); },
             XCOLL_ERR_ARGUMENT,
             {"send is XCOLL_IN_PLACE"}},
        });
    }
    for (const void *send : {static_cast<const void *>(place), static_cast<const void *>(in)}) {
        make({
            {"xcoll_gather",
             [&] { return xcoll_gather(send, 1, place, XCOLL_INT32, root, comm); },
             XCOLL_ERR_ARGUMENT,
             {"recv is XCOLL_IN_PLACE"}},
            {"xcoll_gatherv",
             [&] { return xcoll_gatherv(send, 1, place, one, nullptr, XCOLL_INT32, root, comm); },
             XCOLL_ERR_ARGUMENT,
             {"recv is XCOLL_IN_PLACE"}},
            {"xcoll_alltoall",
             [&] { return xcoll_alltoall(send, place, 1, XCOLL_INT32, comm); },
             XCOLL_ERR_ARGUMENT,
             {"recv is XCOLL_IN_PLACE"}},
            {"xcoll_reduce_scatter",
             [&] { return xcoll_reduce_scatter(send, place, 1, XCOLL_INT32, XCOLL_SUM, comm); },
             XCOLL_ERR_ARGUMENT,
             {"recv is XCOLL_IN_PLACE"}},
        });
    }
    ranks::succeed(xcoll_scatter(place, place, 0, XCOLL_INT32, 0, comm));
}

void parts_of_types(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int> send(size), recv(size);
    const std::vector<size_t> counts(size, 1), places(size, 0);
    const std::vector<xcoll_dtype_t> types(size, XCOLL_INT32);
    const auto gather = [&](const size_t *displacements, const xcoll_dtype_t *of) {
        return [=, &recv, &send, &counts] {
            return xcoll_allgatherw(send.data(), 1, XCOLL_INT32, recv.data(), counts.data(), displacements, of, comm);
        };
    };
    const auto typed = [&](size_t sent, xcoll_dtype_t sendtype, size_t received, xcoll_dtype_t recvtype) {
        return [=, &recv, &send] {
            return xcoll_allgather_typed(send.data(), sent, sendtype, recv.data(), received, recvtype, comm);
        };
    };
    make({
        {"xcoll_allgatherw", gather(places.data(), nullptr), XCOLL_ERR_ARGUMENT, {"recvtypes is NULL"}},
        {"xcoll_allgatherw", gather(nullptr, types.data()), XCOLL_ERR_ARGUMENT, {"rdispls_bytes is NULL"}},
        {"xcoll_allgather_typed",
         typed(1, XCOLL_INT32, 1, XCOLL_FLOAT32),
         XCOLL_ERR_TYPE,
         {"sendtype", "recvtype", "int32", "float32", "expected the same base type"}},
        {"xcoll_allgather_typed",
         typed(1, XCOLL_INT32, 2, XCOLL_INT32),
         XCOLL_ERR_ARGUMENT,
         {"sendcount", "recvcount", "1 elements", "2: expected equal parts"}},
    });
}

// What is sent in place is told by the other side alone.
void sent_in_place(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int> data(2 * size), one(2);
    const std::vector<size_t> counts(size, 1), places(size, 0);
    const std::vector<xcoll_dtype_t> types(size, XCOLL_INT32);
    xcoll_dtype_t pair = 0;
    ranks::succeed(xcoll_type_vector(1, 2, 2, XCOLL_INT32, &pair));
    const auto in_place = [&](int root, void *otherwise) { return rank.rank() == root ? XCOLL_IN_PLACE : otherwise; };
    for (const xcoll_dtype_t none : {xcoll_dtype_t{0}, xcoll_dtype_t{XCOLL_FLOAT64}}) {
        ranks::succeed(xcoll_allgather_typed(XCOLL_IN_PLACE, huge, none, data.data(), 1, pair, comm));
        ranks::succeed(xcoll_alltoall_typed(XCOLL_IN_PLACE, huge, none, data.data(), 1, pair, comm));
        ranks::succeed(xcoll_allgatherw(XCOLL_IN_PLACE, huge, none, data.data(), counts.data(), places.data(),
                                        types.data(), comm));
        for (int root = 0; root < rank.size(); ++root) {
            const bool is_root = rank.rank() == root;
            ranks::succeed(xcoll_gather_typed(in_place(root, one.data()), is_root ? huge : 2, is_root ? none : types[0],
                                              data.data(), 1, pair, root, comm));
            ranks::succeed(xcoll_scatter_typed(data.data(), 1, pair, in_place(root, one.data()), is_root ? huge : 2,
                                               is_root ? none : types[0], root, comm));
        }
    }
    ranks::succeed(xcoll_type_free(&pair));
}

void types_where_none_may_be(const Rank &, xcoll_comm_t comm) {
    xcoll_dtype_t pair = 0, nothing = 0;
    int data[2] = {}, sums[2] = {};
    ranks::succeed(xcoll_type_vector(1, 2, 2, XCOLL_INT32, &pair));
    ranks::succeed(xcoll_type_vector(0, 2, 2, XCOLL_INT32, &nothing));
    const uint64_t count = 1;
    std::vector<uint64_t> counts(64);
    make({
        {"xcoll_allreduce",
         [&] { return xcoll_allreduce(data, sums, 1, pair, XCOLL_SUM, comm); },
         XCOLL_ERR_TYPE,
         {"dtype", "was made by the user: expected a predefined type"}},
        {"xcoll_scan",
         [&] { return xcoll_scan(data, sums, 1, XCOLL_INT32, XCOLL_AVG, comm); },
         XCOLL_ERR_OP,
         {"op avg is not defined for scans"}},
        {"xcoll_allgather_dyn",
         [&] { return xcoll_allgather_dyn(data, &count, sums, counts.data(), 1, 0, nothing, comm); },
         XCOLL_ERR_TYPE,
         {"dtype", "without bytes"}},
    });
    ranks::succeed(xcoll_type_free(&pair));
    ranks::succeed(xcoll_type_free(&nothing));
}

void test(Rank &rank) {
    mistakes::make_all(rank, {messages, uneven_parts, parts_where_others_arrive, no_place_to_be_in, parts_of_types,
                              sent_in_place, types_where_none_may_be});
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
