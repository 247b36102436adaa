// ranks: 1 2 3 5
//
// The root of a gather that gives recv as send, and that of a scatter that gives send as recv, is in place, whichever
// rank it is and whatever the size: its own part lies, and stays, where it belongs.
#include "ranks.h"

using ranks::Rank;

namespace {

// One part for each rank; those of the _v calls lie in reverse order, with a gap before each.
struct Whole {
    Whole(const Rank &rank, size_t length) : part(length), counts(static_cast<size_t>(rank.size()), length) {
        for (size_t r = 0; r < counts.size(); ++r) {
            places.push_back((counts.size() - 1 - r) * (part + 1) + 1);
        }
        data.assign(counts.size() * (part + 1), -1);
    }
    void fill(size_t at, size_t r) {
        std::fill_n(data.begin() + static_cast<ptrdiff_t>(at), part, static_cast<int>(r));
    }
    void expect(size_t at, size_t r, const char *what) const {
        ranks::check(std::vector<int>(part, static_cast<int>(r)) ==
                         std::vector<int>(data.begin() + static_cast<ptrdiff_t>(at),
                                          data.begin() + static_cast<ptrdiff_t>(at + part)),
                     what);
    }
    size_t part;
    std::vector<size_t> counts, places;
    std::vector<int> data;
};

void gathers(const Rank &rank, xcoll_comm_t comm, int root, size_t part) {
    const auto own = static_cast<size_t>(rank.rank());
    const bool is_root = rank.rank() == root;
    const std::vector<int> mine(part, rank.rank());
    Whole even(rank, part), uneven(rank, part);
    even.fill(own * part, own);
    uneven.fill(uneven.places[own], own);
    ranks::succeed(
        xcoll_gather(is_root ? even.data.data() : mine.data(), part, even.data.data(), XCOLL_INT32, root, comm));
    ranks::succeed(xcoll_gatherv(is_root ? uneven.data.data() : mine.data(), part, uneven.data.data(),
                                 uneven.counts.data(), uneven.places.data(), XCOLL_INT32, root, comm));
    for (size_t r = 0; is_root && r < even.counts.size(); ++r) {
        even.expect(r * part, r, "a gather into what its root sends");
        uneven.expect(uneven.places[r], r, "a gatherv into what its root sends");
    }
}

void scatters(const Rank &rank, xcoll_comm_t comm, int root, size_t part) {
    const auto own = static_cast<size_t>(rank.rank());
    const bool is_root = rank.rank() == root;
    Whole even(rank, part), uneven(rank, part), mine(rank, part);
    for (size_t r = 0; is_root && r < even.counts.size(); ++r) {
        even.fill(r * part, r);
        uneven.fill(uneven.places[r], r);
    }
    const std::vector<int> evenly(even.data), unevenly(uneven.data);
    ranks::succeed(
        xcoll_scatter(even.data.data(), is_root ? even.data.data() : mine.data.data(), part, XCOLL_INT32, root, comm));
    if (!is_root) {
        mine.expect(0, own, "a scatter from where its root receives");
    }
    ranks::succeed(xcoll_scatterv(uneven.data.data(), uneven.counts.data(), uneven.places.data(),
                                  is_root ? uneven.data.data() : mine.data.data(), part, XCOLL_INT32, root, comm));
    if (!is_root) {
        mine.expect(0, own, "a scatterv from where its root receives");
    }
    ranks::succeed(xcoll_barrier(comm));
    ranks::check(even.data == evenly && uneven.data == unevenly, "what the root of a scatter sends was changed");
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const size_t part : {size_t{0}, size_t{3}, size_t{700}, size_t{40000}, size_t{200000}}) {
        for (int root = 0; root < rank.size(); ++root) {
            gathers(rank, comm, root, part);
            scatters(rank, comm, root, part);
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
