// ranks: 1 2 3 5
//
// Messages of elements that do not lie together: they arrive as plain ones and the other way round, of any length, and
// what lies between them, or behind a message that was shorter than its receive, is left alone.
#include "ranks.h"

using ranks::Rank;

namespace {

// Of every four numbers the first and the last are elements.
constexpr size_t period = 4, elements = 2, places[elements] = {0, period - 1};
constexpr int untouched = -1;
constexpr size_t item_counts[] = {0, 1, 2, 3, 33, 1000, 20'011};

int number_of(int rank, size_t element) {
    return rank * 1'000'000 + static_cast<int>(element);
}

std::vector<int> spread(int rank, size_t items) {
    std::vector<int> numbers(period * items, untouched);
    for (size_t e = 0; e < elements * items; ++e) {
        numbers[e / elements * period + places[e % elements]] = number_of(rank, e);
    }
    return numbers;
}

std::vector<int> packed(int rank, size_t items) {
    std::vector<int> numbers(elements * items);
    for (size_t e = 0; e < numbers.size(); ++e) {
        numbers[e] = number_of(rank, e);
    }
    return numbers;
}

struct Ring {
    xcoll_comm_t comm;
    xcoll_dtype_t type;
    int rank, next, previous;
};

// One side is of the type, the other one plain.
void to_and_from_plain_ones(const Ring &ring, size_t items) {
    constexpr int tag = 3;
    const std::vector<int> from = spread(ring.rank, items), wanted = packed(ring.previous, items);
    std::vector<int> plain(elements * items, untouched), back(period * items, untouched);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_isend(from.data(), items, ring.type, ring.next, tag, ring.comm, &request));
    ranks::succeed(xcoll_recv(plain.data(), plain.size(), XCOLL_INT32, ring.previous, tag, ring.comm));
    ranks::succeed(xcoll_wait(&request));
    ranks::check(plain == wanted, "elements that lay apart have not arrived as plain ones");
    ranks::succeed(xcoll_irecv(back.data(), items, ring.type, ring.previous, tag, ring.comm, &request));
    const std::vector<int> mine = packed(ring.rank, items);
    ranks::succeed(xcoll_send(mine.data(), mine.size(), XCOLL_INT32, ring.next, tag, ring.comm));
    ranks::succeed(xcoll_wait(&request));
    ranks::check(back == spread(ring.previous, items), "plain elements have not arrived where the type has them");
}

// Both sides are of the type, and the receiver has room for more.
void shorter_than_their_receive(const Ring &ring, size_t items) {
    constexpr int tag = 4;
    constexpr size_t more = 5;
    const std::vector<int> from = spread(ring.rank, items);
    std::vector<int> to(period * (items + more), untouched), wanted = spread(ring.previous, items);
    wanted.resize(to.size(), untouched);
    ranks::succeed(xcoll_sendrecv(from.data(), items, ring.next, tag, to.data(), items + more, ring.previous, tag,
                                  ring.type, ring.comm));
    ranks::check(to == wanted, "a message has written elsewhere than where its elements belong");
}

void test(Rank &rank) {
    const int size = rank.size(), self = rank.rank();
    xcoll_dtype_t type = 0;
    ranks::succeed(xcoll_type_vector(elements, 1, period - 1, XCOLL_INT32, &type));
    const Ring ring{rank.open(), type, self, (self + 1) % size, (self + size - 1) % size};
    for (const size_t items : item_counts) {
        shorter_than_their_receive(ring, items);
        to_and_from_plain_ones(ring, items);
    }
    xcoll_comm_t comm = ring.comm;
    ranks::succeed(xcoll_type_free(&type));
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
