// ranks: 2 3 5 8
//
// Blocking operations with one root, many in a row, while those who take the data take their time: the others, who wait
// for nobody, run ahead, and overwrite nothing that is still wanted.
#include "ranks.h"

using ranks::Rank;

namespace {

// Several times as many as may be in flight.
constexpr uint64_t burst_of(size_t bytes) {
    return bytes < 64'000 ? 200 : 40;
}

// Inline, in slots, in the ring, in more than one piece.
constexpr size_t sizes[] = {8, 1000, 20'000, 300'000};

unsigned char value(int from, int to, uint64_t number, size_t i) {
    return static_cast<unsigned char>(static_cast<uint64_t>(from * 31 + to * 7) + number * 13 + i);
}

using Bytes = std::vector<unsigned char>;

class Bursts {
public:
    Bursts(const Rank &rank, xcoll_comm_t comm, size_t bytes, int root)
        : rank_(rank.rank()), size_(rank.size()), root_(root), bytes_(bytes), burst_(burst_of(bytes)), comm_(comm),
          all_(bytes * static_cast<size_t>(size_)), one_(bytes) {
    }
    void gather() {
        for (uint64_t n = 0; n < burst_; ++n) {
            write(one_.data(), rank_, root_, n);
            dawdle(rank_ == root_, n);
            ranks::succeed(xcoll_gather(one_.data(), bytes_, all_.data(), XCOLL_UINT8, root_, comm_));
            for (int p = 0; p < size_ && rank_ == root_; ++p) {
                check(part(p), p, root_, n);
            }
        }
    }
    void scatter() {
        for (uint64_t n = 0; n < burst_; ++n) {
            for (int p = 0; p < size_ && rank_ == root_; ++p) {
                write(part(p), root_, p, n);
            }
            dawdle(rank_ != root_, n);
            ranks::succeed(xcoll_scatter(all_.data(), one_.data(), bytes_, XCOLL_UINT8, root_, comm_));
            check(one_.data(), root_, rank_, n);
        }
    }
    void bcast() {
        for (uint64_t n = 0; n < burst_; ++n) {
            if (rank_ == root_) {
                write(one_.data(), root_, root_, n);
            }
            dawdle(rank_ != root_, n);
            ranks::succeed(xcoll_bcast(one_.data(), bytes_, XCOLL_UINT8, root_, comm_));
            check(one_.data(), root_, root_, n);
        }
    }
    // Rank 0 alone gives, now to the last rank, which is slow, then to another one.
    void gather_from_one() {
        std::vector<size_t> counts(static_cast<size_t>(size_));
        counts[0] = bytes_;
        for (uint64_t n = 0; n < burst_; ++n) {
            const int to = n % 4 == 0 ? size_ - 1 : 1;
            write(one_.data(), 0, to, n);
            dawdle(rank_ == size_ - 1, n);
            const size_t mine = rank_ == 0 ? bytes_ : 0;
            ranks::succeed(
                xcoll_gatherv(one_.data(), mine, all_.data(), counts.data(), nullptr, XCOLL_UINT8, to, comm_));
            if (rank_ == to) {
                check(all_.data(), 0, to, n);
            }
        }
    }

private:
    unsigned char *part(int p) {
        return all_.data() + static_cast<size_t>(p) * bytes_;
    }
    void write(unsigned char *to, int from, int reader, uint64_t n) const {
        for (size_t i = 0; i < bytes_; ++i) {
            to[i] = value(from, reader, n, i);
        }
    }
    void check(const unsigned char *got, int from, int reader, uint64_t n) const {
        for (size_t i = 0; i < bytes_; ++i) {
            ranks::check(got[i] == value(from, reader, n, i), "a wrong result: another operation's data");
        }
    }
    static void dawdle(bool takes, uint64_t n) {
        if (takes && n % 16 == 0) {
            usleep(2000);
        }
    }

    int rank_, size_, root_;
    size_t bytes_;
    uint64_t burst_;
    xcoll_comm_t comm_;
    Bytes all_, one_;
};

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const size_t bytes : sizes) {
        Bursts bursts(rank, comm, bytes, static_cast<int>(bytes) % rank.size());
        bursts.gather();
        bursts.scatter();
        bursts.bcast();
        bursts.gather_from_one();
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
