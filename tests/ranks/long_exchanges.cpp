// ranks: 2 3
// timeout: 120
//
// Exchanges that no slot takes in one piece, of every two lengths that make a difference: whoever gives more, however
// often their slots are swapped on the way, and whatever was exchanged before.
#include "ranks.h"

using ranks::Rank;

namespace {

// Of slots of 128 KiB, in bytes: less than one, one, between one and five, and a byte more than some of them; pairs of
// them within a factor of two, and beyond it.
constexpr size_t kib = 1024;
constexpr size_t lengths[] = {70'001,        100 * kib, 128 * kib,     128 * kib + 1, 200'003,  256 * kib,
                              256 * kib + 1, 300'007,   384 * kib + 1, 500'009,       600 * kib};

uint8_t value(int turn, size_t from, size_t i) {
    return static_cast<uint8_t>((i + 1) * 2654435761u >> 9 ^ from * 89u ^ static_cast<size_t>(turn) * 57u);
}

class Exchanges {
public:
    Exchanges(const Rank &rank, const std::string &settings)
        : comm_(rank.open(settings)), ranks_(static_cast<size_t>(rank.size())), me_(static_cast<size_t>(rank.rank())) {
    }
    // Through the same cells as long ones before: what these said of their slots holds no more.
    void short_ones_after_long_ones() {
        constexpr int more_than_cells = 32;
        constexpr size_t few = 200, some = 20'000, many = 200'000;
        for (const auto &[even, odd] : {std::pair{few, some}, {some, few}, {few, few}}) {
            for (int turn = 0; turn < more_than_cells; ++turn) {
                give(many, many);
                to_all();
            }
            for (int turn = 0; turn < more_than_cells; ++turn) {
                give(even, odd);
                to_all();
                to_each();
            }
        }
    }
    void run() {
        short_ones_after_long_ones();
        for (const size_t even : lengths) {
            for (const size_t odd : lengths) {
                give(even, odd);
                to_each();
                to_all();
                if (turn_ % 3 == 0) {
                    ranks::succeed(xcoll_barrier(comm_)); // the next ones go through the other slots
                }
            }
        }
        ranks::succeed(xcoll_comm_free(&comm_));
    }

private:
    void give(size_t even, size_t odd) {
        ++turn_;
        counts_.clear();
        places_.clear();
        size_t all = 0;
        for (size_t p = 0; p < ranks_; ++p) {
            counts_.push_back(p % 2 ? odd : even);
            places_.push_back(all);
            all += counts_[p];
        }
        recv_.assign(all, 0);
        send_.resize(counts_[me_]);
        for (size_t i = 0; i < send_.size(); ++i) {
            send_[i] = value(turn_, me_, i);
        }
    }
    // The same bytes for everybody.
    void to_each() {
        const std::vector<size_t> counts(ranks_, send_.size()), places(ranks_, 0);
        ranks::succeed(xcoll_alltoallv(send_.data(), counts.data(), places.data(), recv_.data(), counts_.data(),
                                       places_.data(), XCOLL_UINT8, comm_));
        check("alltoallv");
    }
    void to_all() {
        ranks::succeed(xcoll_allgatherv(send_.data(), send_.size(), recv_.data(), counts_.data(), places_.data(),
                                        XCOLL_UINT8, comm_));
        check("allgatherv");
    }
    void check(const char *name) {
        for (size_t p = 0; p < ranks_; ++p) {
            for (size_t i = 0; i < counts_[p]; ++i) {
                if (recv_[places_[p] + i] != value(turn_, p, i)) {
                    ranks::wrong(std::string(name) + ": byte " + std::to_string(i) + " of " +
                                 std::to_string(counts_[p]) + " from rank " + std::to_string(p) + " is wrong");
                }
            }
        }
        std::fill(recv_.begin(), recv_.end(), 0);
    }

    xcoll_comm_t comm_;
    size_t ranks_, me_;
    int turn_ = 0;
    std::vector<size_t> counts_, places_;
    std::vector<uint8_t> send_, recv_;
};

void test(Rank &rank) {
    Exchanges(rank, "LEND=1G;CMA=off").run();
    Exchanges(rank, "").run();
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
