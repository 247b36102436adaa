// ranks: 1 2 3 5 7 8
//
// Types that users make, nested at random, against a list of where each element lies: what arrives is what was sent,
// element by element, whatever the types at the two ends, and nothing is written beside it.
#include <algorithm>

#include "made_types.h"

using ranks::Rank;

namespace {

using Made = made::Type;

const Made element = made::predefined(XCOLL_INT32);

// Memory for items of a type, with an edge around it. What was not sent there is -1.
class Buffer {
public:
    Buffer(const Made &type, ptrdiff_t bytes)
        : memory_(static_cast<size_t>(2 * edge + bytes) + type.reach(1), char(-1)) {
    }
    char *data() {
        return memory_.data() + edge;
    }
    int32_t &at(const Made &type, size_t k, ptrdiff_t offset = 0) {
        return *reinterpret_cast<int32_t *>(data() + type.place(k) + offset);
    }
    // Takes the value out; what is left in the end was not meant to be written.
    void expect(const Made &type, size_t k, int32_t value, const char *what, ptrdiff_t offset = 0) {
        int32_t &found = at(type, k, offset);
        if (found != value) {
            ranks::wrong(std::string(what) + ": element " + std::to_string(k) + " is " + std::to_string(found) +
                         " instead of " + std::to_string(value));
        }
        found = -1;
    }
    void expect_empty(const char *what) const {
        ranks::check(std::all_of(memory_.begin(), memory_.end(), [](char byte) { return byte == char(-1); }), what);
    }

private:
    static constexpr ptrdiff_t edge = 64;
    std::vector<char> memory_;
};

int32_t value_of(int from, int to, size_t k) {
    return (from * 16 + to) * 100'000 + static_cast<int32_t>(k) + 1;
}

// The type of one end, and the plain one that has as many elements.
struct Side {
    Made type;
    size_t count;
    ptrdiff_t bytes() const {
        return type.extent * static_cast<ptrdiff_t>(count);
    }
};
Side plain(const Side &of) {
    return {element, of.count * of.type.places.size()};
}

void bcasts(const Rank &rank, xcoll_comm_t comm, const Side &made, int root) {
    // Neighbours use different types.
    const Side mine = (rank.rank() + root) % 2 ? plain(made) : made;
    const size_t elements = made.count * made.type.places.size();
    Buffer buffer(mine.type, mine.bytes());
    for (size_t k = 0; k < elements && rank.rank() == root; ++k) {
        buffer.at(mine.type, k) = value_of(root, 0, k);
    }
    ranks::succeed(xcoll_bcast(buffer.data(), mine.count, mine.type.handle, root, comm));
    for (size_t k = 0; k < elements; ++k) {
        buffer.expect(mine.type, k, value_of(root, 0, k), "bcast");
    }
    buffer.expect_empty("bcast wrote between the elements");
}

void alltoalls(const Rank &rank, xcoll_comm_t comm, const Side &sent, const Side &received) {
    const int size = rank.size();
    const size_t elements = sent.count * sent.type.places.size();
    Buffer send(sent.type, sent.bytes() * size), recv(received.type, received.bytes() * size);
    for (int p = 0; p < size; ++p) {
        for (size_t k = 0; k < elements; ++k) {
            send.at(sent.type, k, p * sent.bytes()) = value_of(rank.rank(), p, k);
        }
    }
    ranks::succeed(xcoll_alltoall_typed(send.data(), sent.count, sent.type.handle, recv.data(), received.count,
                                        received.type.handle, comm));
    for (int p = 0; p < size; ++p) {
        for (size_t k = 0; k < elements; ++k) {
            recv.expect(received.type, k, value_of(p, rank.rank(), k), "alltoall_typed", p * received.bytes());
        }
    }
    recv.expect_empty("alltoall_typed wrote between the elements");
}

void allgathers(const Rank &rank, xcoll_comm_t comm, const Side &sent, const Side &received) {
    const size_t elements = sent.count * sent.type.places.size();
    Buffer send(sent.type, sent.bytes()), recv(received.type, received.bytes() * rank.size());
    for (size_t k = 0; k < elements; ++k) {
        send.at(sent.type, k) = value_of(rank.rank(), 0, k);
    }
    ranks::succeed(xcoll_allgather_typed(send.data(), sent.count, sent.type.handle, recv.data(), received.count,
                                         received.type.handle, comm));
    for (int p = 0; p < rank.size(); ++p) {
        for (size_t k = 0; k < elements; ++k) {
            recv.expect(received.type, k, value_of(p, 0, k), "allgather_typed", p * received.bytes());
        }
    }
    recv.expect_empty("allgather_typed wrote between the elements");
}

// Rank r's part has r items more than that of rank 0.
void gathers_and_scatters(const Rank &rank, xcoll_comm_t comm, const Side &of, int root) {
    const Made &type = of.type;
    const auto count_of = [&](int p) { return of.count + static_cast<size_t>(p); };
    std::vector<size_t> counts;
    std::vector<ptrdiff_t> begins;
    ptrdiff_t total = 0;
    for (int p = 0; p < rank.size(); ++p) {
        counts.push_back(count_of(p));
        begins.push_back(total);
        total += type.extent * static_cast<ptrdiff_t>(counts.back());
    }
    const size_t mine = counts[static_cast<size_t>(rank.rank())], each = type.places.size();
    const ptrdiff_t my_bytes = type.extent * static_cast<ptrdiff_t>(mine);
    Buffer part(type, my_bytes), all(type, total), back(type, my_bytes);
    for (size_t k = 0; k < mine * each; ++k) {
        part.at(type, k) = value_of(rank.rank(), 1, k);
    }
    ranks::succeed(xcoll_gatherv(part.data(), mine, all.data(), counts.data(), nullptr, type.handle, root, comm));
    ranks::succeed(xcoll_scatterv(all.data(), counts.data(), nullptr, back.data(), mine, type.handle, root, comm));
    for (int p = 0; p < rank.size() && rank.rank() == root; ++p) {
        for (size_t k = 0; k < counts[static_cast<size_t>(p)] * each; ++k) {
            all.expect(type, k, value_of(p, 1, k), "gatherv", begins[static_cast<size_t>(p)]);
        }
    }
    all.expect_empty("gatherv wrote between the elements");
    for (size_t k = 0; k < mine * each; ++k) {
        back.expect(type, k, value_of(rank.rank(), 1, k), "scatterv");
    }
    back.expect_empty("scatterv wrote between the elements");
}

void random_types(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    const uint64_t first = ranks::first_seed();
    for (uint64_t seed = first; seed < first + 60; ++seed) {
        made::Random random(seed);
        Side made = {made::any_of(random, element, 1 + random() % 12), 1 + random() % 4};
        made.count *= seed % 10 == 9 ? 1000 : 1; // beyond a slot
        const int root = static_cast<int>(seed % static_cast<uint64_t>(rank.size()));
        bcasts(rank, comm, made, root);
        alltoalls(rank, comm, made, made);
        alltoalls(rank, comm, made, plain(made));
        alltoalls(rank, comm, plain(made), made);
        allgathers(rank, comm, made, plain(made));
        allgathers(rank, comm, rank.rank() % 2 ? made : plain(made), made);
        gathers_and_scatters(rank, comm, made, root);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

// Every other rank has made types, so that small messages are read in two ways.
void made_types_meet_plain_elements(const Rank &rank, xcoll_comm_t comm) {
    const auto n = static_cast<size_t>(rank.size());
    for (const size_t elements : {size_t{1}, size_t{2}, size_t{7}, size_t{1000}, size_t{30'000}}) {
        const Made spread = made::resized(element, 12);
        const Side mine = {rank.rank() % 2 ? spread : element, elements};
        Buffer send(mine.type, mine.bytes() * rank.size()), recv(mine.type, mine.bytes() * rank.size());
        Buffer part(mine.type, mine.bytes());
        for (size_t k = 0; k < elements * n; ++k) {
            send.at(mine.type, k) = value_of(rank.rank(), static_cast<int>(k / elements), k % elements);
        }
        ranks::succeed(xcoll_alltoall(send.data(), recv.data(), elements, mine.type.handle, comm));
        for (size_t k = 0; k < elements * n; ++k) {
            recv.expect(mine.type, k, value_of(static_cast<int>(k / elements), rank.rank(), k % elements), "alltoall");
        }
        recv.expect_empty("alltoall wrote between the elements");
        for (int root = 0; root < rank.size(); ++root) {
            ranks::succeed(xcoll_scatter(send.data(), part.data(), elements, mine.type.handle, root, comm));
            for (size_t k = 0; k < elements; ++k) {
                part.expect(mine.type, k, value_of(root, rank.rank(), k), "scatter");
            }
            part.expect_empty("scatter wrote between the elements");
        }
    }
}

// Column p of every rank's matrix becomes a row of rank p's.
void a_matrix_is_transposed(const Rank &rank, xcoll_comm_t comm) {
    const auto n = static_cast<size_t>(rank.size());
    std::vector<double> matrix(n * n), rows(n * n, -1);
    for (size_t i = 0; i < n * n; ++i) {
        matrix[i] = static_cast<double>(i) + 1000 * rank.rank();
    }
    xcoll_dtype_t column = 0, columns = 0;
    ranks::succeed(xcoll_type_vector(n, 1, static_cast<ptrdiff_t>(n), XCOLL_FLOAT64, &column));
    ranks::succeed(xcoll_type_resized(column, sizeof(double), &columns));
    ranks::succeed(xcoll_alltoall_typed(matrix.data(), 1, columns, rows.data(), n, XCOLL_FLOAT64, comm));
    for (size_t p = 0; p < n; ++p) {
        for (size_t i = 0; i < n; ++i) {
            const double wanted = static_cast<double>(i * n + static_cast<size_t>(rank.rank()) + 1000 * p);
            ranks::check(rows[p * n + i] == wanted, "a column came as something else");
        }
    }
    ranks::succeed(xcoll_type_free(&column));
    ranks::succeed(xcoll_type_free(&columns));
}

void a_freed_type_lives_on_in_calls(const Rank &rank, xcoll_comm_t comm) {
    xcoll_dtype_t every_other = 0;
    int32_t data[6] = {1, -1, 2, -1, 3, -1}, gone[6] = {-1, -1, -1, -1, -1, -1};
    int32_t *const buf = rank.rank() == 0 ? data : gone;
    xcoll_request_t request = XCOLL_REQUEST_NULL, once = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_type_vector(3, 1, 2, XCOLL_INT32, &every_other));
    const xcoll_dtype_t old = every_other;
    ranks::succeed(xcoll_bcast_init(buf, 1, every_other, 0, comm, &request));
    ranks::succeed(xcoll_ibcast(buf, 1, every_other, 0, comm, &once));
    ranks::succeed(xcoll_type_free(&every_other));
    ranks::check(every_other == 0, "a freed type leaves 0");
    ranks::succeed(xcoll_wait(&once));
    // Its place is taken by another one, which is another type all the same.
    xcoll_dtype_t other = 0;
    ranks::succeed(xcoll_type_opaque(64, &other));
    ranks::check(other != old, "a new type has the number of one that was freed");
    for (int round = 1; round <= 3; ++round) {
        data[4] = round;
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        ranks::check(std::equal(data, data + 6, buf), "a persistent broadcast of a freed type brought something else");
    }
    ranks::succeed(xcoll_request_free(&request));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_bcast(data, 1, old, 0, comm));
    ranks::expect_message({"xcoll_bcast", "dtype"});
    ranks::succeed(xcoll_type_free(&other));
}

void made_types_are_not_reduced(const Rank &rank, xcoll_comm_t comm) {
    xcoll_dtype_t made = 0;
    std::vector<float> data(200), other(200);
    const std::vector<size_t> counts(static_cast<size_t>(rank.size()));
    ranks::succeed(xcoll_type_vector(2, 1, 2, XCOLL_FLOAT32, &made));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_allreduce(data.data(), other.data(), 1, made, XCOLL_SUM, comm));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_reduce(data.data(), other.data(), 1, made, XCOLL_SUM, 0, comm));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_reduce_scatter(data.data(), other.data(), 1, made, XCOLL_SUM, comm));
    ranks::expect(XCOLL_ERR_TYPE,
                  xcoll_reduce_scatterv(data.data(), other.data(), counts.data(), made, XCOLL_SUM, comm));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_scan(data.data(), other.data(), 1, made, XCOLL_SUM, comm));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_exscan(data.data(), other.data(), 1, made, XCOLL_SUM, comm));
    ranks::succeed(xcoll_type_free(&made));
}

void opaque_items_match_opaque_items(const Rank &rank, xcoll_comm_t comm) {
    struct Particle {
        double place[3];
        char name[5];
    };
    xcoll_dtype_t particle = 0;
    ranks::succeed(xcoll_type_opaque(sizeof(Particle), &particle));
    std::vector<Particle> mine(7), all(7 * static_cast<size_t>(rank.size()));
    std::memset(static_cast<void *>(mine.data()), rank.rank() + 1, mine.size() * sizeof(Particle));
    ranks::succeed(xcoll_allgather(mine.data(), mine.size(), all.data(), particle, comm));
    for (size_t i = 0; i < all.size() * sizeof(Particle); ++i) {
        const auto wanted = static_cast<char>(i / (7 * sizeof(Particle)) + 1);
        ranks::check(reinterpret_cast<const char *>(all.data())[i] == wanted, "an opaque item came as something else");
    }
    const auto n = static_cast<size_t>(rank.size());
    std::vector<Particle> dealt(n), came(n);
    for (size_t p = 0; p < n; ++p) {
        dealt[p] = {{static_cast<double>(rank.rank()), static_cast<double>(p), 0}, "dust"};
    }
    ranks::succeed(xcoll_alltoall(dealt.data(), came.data(), 1, particle, comm));
    for (size_t p = 0; p < n; ++p) {
        const bool right = came[p].place[0] == static_cast<double>(p) && came[p].place[1] == rank.rank();
        ranks::check(right, "an opaque item came from another rank, or was for another one");
    }
    ranks::succeed(xcoll_scatter(dealt.data(), came.data(), 1, particle, 0, comm));
    ranks::check(came[0].place[1] == rank.rank(), "an opaque item of a scatter was for another rank");
    const bool opaque = rank.rank() == 0;
    if (rank.size() > 1) {
        ranks::expect(XCOLL_ERR_MISMATCH, opaque ? xcoll_alltoall(all.data(), all.data(), 1, particle, comm)
                                                 : xcoll_alltoall(all.data(), all.data(), 32, XCOLL_INT8, comm));
    }
    ranks::succeed(xcoll_type_free(&particle));
}

// More levels than a view has directions, and every item still whole.
void deeply_nested(const Rank &rank, xcoll_comm_t comm) {
    Made made = element;
    for (int level = 0; level < 6; ++level) {
        made = made::vector_of(made, 2, 1, 2 + level % 2);
    }
    bcasts(rank, comm, {made, 3}, 0);
    alltoalls(rank, comm, {made, 3}, plain({made, 3}));
    xcoll_dtype_t beyond = 0;
    ranks::expect(XCOLL_ERR_UNSUPPORTED, xcoll_type_vector(1'000'000, 1, 9, made.handle, &beyond));
    ranks::expect_message({"pieces"});
}

void nothing_in_it(const Rank &, xcoll_comm_t comm) {
    xcoll_dtype_t empty = 0;
    size_t bytes = 1;
    ranks::succeed(xcoll_type_indexed(0, nullptr, nullptr, XCOLL_INT16, &empty));
    ranks::succeed(xcoll_type_extent(empty, &bytes));
    ranks::check(bytes == 0, "an empty type has an extent");
    char byte = 5;
    ranks::succeed(xcoll_bcast(&byte, 3, empty, 0, comm));
    ranks::check(byte == 5, "a broadcast of nothing wrote something");
    ranks::succeed(xcoll_type_free(&empty));
}

void test(Rank &rank) {
    random_types(rank, "");
    random_types(rank, "BCAST=tree");
    xcoll_comm_t comm = rank.open();
    for (void (*part)(const Rank &, xcoll_comm_t) :
         {made_types_meet_plain_elements, a_matrix_is_transposed, a_freed_type_lives_on_in_calls,
          made_types_are_not_reduced, opaque_items_match_opaque_items, deeply_nested, nothing_in_it}) {
        part(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
