// ranks: 1 2 3 5 8
// timeout: 120
//
// Groups and ragged parts that lie in many pieces are lent piece by piece where the readers reach them, in the
// symmetric heap or by the kernel: the library says so, everything arrives however either side cuts its pieces, and
// when a call has returned nobody uses the caller's buffers any more.
#include "buffer.h"
#include "lent_bytes.h"

using lent_bytes::times_lent;
using ranks::Buffer;
using ranks::Rank;

namespace {

// Bytes of the runs that the two sides of an all-to-all cut their parts into, with a byte between them, and a unit that
// is a multiple of both; a part is some units.
struct Cut {
    size_t sent_run, received_run, unit, units;
};
// The second gives a system call more pieces than the kernel takes, on both sides.
constexpr Cut cuts[] = {{1000, 800, 4000, 20}, {600, 250, 3000, 220}};

constexpr size_t gathers = 5, in_place = 4;

uint8_t value(size_t call, size_t from, size_t to, size_t i, int turn) {
    return static_cast<uint8_t>((i + 1) * 2654435761u >> 9 ^
                                (call * 7 + from * 89 + to * 31 + static_cast<size_t>(turn)));
}

// A group of ragged all-gathers, one of them in place, and an all-to-all of strided parts; some parts are empty.
class Scene {
public:
    Scene(const Rank &rank, xcoll_comm_t comm, xcoll_comm_t heap, const Cut &cut)
        : comm_(comm), cut_(cut), me_(static_cast<size_t>(rank.rank())), ranks_(static_cast<size_t>(rank.size())) {
        for (size_t k = 0; k < gathers; ++k) {
            counts_[k].resize(ranks_);
            places_[k].resize(ranks_);
            size_t at = 3;
            for (size_t p = 0; p < ranks_; ++p) {
                counts_[k][p] = (k + p) % 4 == 3 ? 0 : 9001 + 13 * k * p;
                places_[k][p] = at;
                at += counts_[k][p] + 5;
            }
            shards_.emplace_back(counts_[k][me_] + 1, heap);
            full_.emplace_back(at, heap);
        }
        lay_out(sent_, cut.sent_run, [this](size_t p) { return part(me_, p); });
        lay_out(received_, cut.received_run, [this](size_t p) { return part(p, me_); });
        send_ = Buffer<uint8_t>(sent_.extent, heap);
        recv_ = Buffer<uint8_t>(received_.extent, heap);
    }
    ~Scene() {
        for (Side *side : {&sent_, &received_}) {
            for (xcoll_dtype_t &type : side->types) {
                ranks::succeed(xcoll_type_free(&type));
            }
        }
    }
    Scene(const Scene &) = delete;
    Scene &operator=(const Scene &) = delete;

    void run(bool lends) {
        xcoll_request_t plan = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_group_start());
        describe();
        ranks::succeed(xcoll_group_end_init(&plan));
        for (int turn = 0; turn < 3; ++turn) {
            if (turn == 2) {
                send_ = send_.elsewhere();
                ranks::succeed(xcoll_request_rebind(plan, gathers, XCOLL_SLOT_SEND, send_.data()));
            }
            fill(turn);
            const uint64_t before = times_lent(comm_);
            ranks::succeed(xcoll_start(&plan));
            ranks::succeed(xcoll_wait(&plan));
            ranks::check(times_lent(comm_) - before == (lends ? 1 : 0), "a group is lent, or must not be");
            scribble();
            check(turn);
        }
        ranks::succeed(xcoll_request_free(&plan));
        fill(3);
        const uint64_t before = times_lent(comm_);
        exchange();
        ranks::check(ranks_ < 2 || times_lent(comm_) - before == (lends ? 1 : 0), "a strided all-to-all is lent");
        scribble();
        check_exchange(3);
    }

private:
    struct Side {
        size_t run = 0, extent = 0;
        std::vector<size_t> ones, places;
        std::vector<xcoll_dtype_t> types;
    };
    size_t part(size_t from, size_t to) const {
        return (from + to) % 3 == 2 && from != to ? 0 : cut_.unit * (cut_.units + from * 2 + to);
    }
    template <class Bytes> static void spread(Side &side, size_t ranks, Bytes bytes) {
        size_t at = 1;
        for (size_t p = 0; p < ranks; ++p) {
            const size_t runs = bytes(p) / side.run;
            side.ones.push_back(runs > 0 ? 1 : 0);
            side.places.push_back(at);
            xcoll_dtype_t type = 0;
            ranks::succeed(xcoll_type_vector(runs > 0 ? runs : 1, side.run, static_cast<ptrdiff_t>(side.run + 1),
                                             XCOLL_UINT8, &type));
            side.types.push_back(type);
            at += runs * (side.run + 1);
        }
        side.extent = at;
    }
    template <class Bytes> void lay_out(Side &side, size_t run, Bytes bytes) const {
        side.run = run;
        spread(side, ranks_, bytes);
    }
    // Of byte i of what goes to or comes from p.
    static size_t place(const Side &side, size_t p, size_t i) {
        return side.places[p] + i / side.run * (side.run + 1) + i % side.run;
    }
    void exchange() const {
        ranks::succeed(xcoll_alltoallw(send_.data(), sent_.ones.data(), sent_.places.data(), sent_.types.data(),
                                       recv_.data(), received_.ones.data(), received_.places.data(),
                                       received_.types.data(), comm_));
    }
    void describe() const {
        for (size_t k = 0; k < gathers; ++k) {
            ranks::succeed(xcoll_allgatherv(k == in_place ? XCOLL_IN_PLACE : shards_[k].data(), counts_[k][me_],
                                            full_[k].data(), counts_[k].data(), places_[k].data(), XCOLL_UINT8, comm_));
        }
        exchange();
    }
    void fill(int turn) const {
        for (size_t k = 0; k < gathers; ++k) {
            std::fill(full_[k].begin(), full_[k].end(), uint8_t{0xee});
            uint8_t *to = k == in_place ? full_[k].data() + places_[k][me_] : shards_[k].data();
            for (size_t i = 0; i < counts_[k][me_]; ++i) {
                to[i] = value(k, me_, 0, i, turn);
            }
        }
        std::fill(recv_.begin(), recv_.end(), uint8_t{0xee});
        for (size_t p = 0; p < ranks_; ++p) {
            for (size_t i = 0; i < part(me_, p); ++i) {
                send_[place(sent_, p, i)] = value(gathers, me_, p, i, turn);
            }
        }
    }
    // What only goes out is the caller's again.
    void scribble() const {
        std::fill(send_.begin(), send_.end(), uint8_t{0xdd});
        for (const Buffer<uint8_t> &shard : shards_) {
            std::fill(shard.begin(), shard.end(), uint8_t{0xdd});
        }
    }
    void check(int turn) const {
        for (size_t k = 0; k < gathers; ++k) {
            std::vector<uint8_t> wanted(full_[k].size(), 0xee);
            for (size_t p = 0; p < ranks_; ++p) {
                for (size_t i = 0; i < counts_[k][p]; ++i) {
                    wanted[places_[k][p] + i] = value(k, p, 0, i, turn);
                }
            }
            ranks::check(std::equal(wanted.begin(), wanted.end(), full_[k].begin()), "an all-gather of the group");
        }
        check_exchange(turn);
    }
    void check_exchange(int turn) const {
        std::vector<uint8_t> wanted(recv_.size(), 0xee);
        for (size_t p = 0; p < ranks_; ++p) {
            for (size_t i = 0; i < part(p, me_); ++i) {
                wanted[place(received_, p, i)] = value(gathers, p, me_, i, turn);
            }
        }
        ranks::check(std::equal(wanted.begin(), wanted.end(), recv_.begin()), "the all-to-all");
    }

    xcoll_comm_t comm_;
    Cut cut_;
    size_t me_, ranks_;
    std::vector<size_t> counts_[gathers], places_[gathers];
    std::vector<Buffer<uint8_t>> shards_, full_;
    Side sent_, received_;
    Buffer<uint8_t> send_, recv_;
};

// Root 0 scatters and everybody sends everybody parts that differ, one part for each.
void ragged_blocks(const Rank &rank, xcoll_comm_t comm, xcoll_comm_t heap, bool lends) {
    const auto ranks = static_cast<size_t>(rank.size()), me = static_cast<size_t>(rank.rank());
    const auto bytes = [](size_t from, size_t to) { return size_t{70'001} + from * 100 + to; };
    std::vector<size_t> out(ranks), in(ranks);
    size_t sent = 0, received = 0;
    for (size_t p = 0; p < ranks; ++p) {
        sent += out[p] = bytes(me, p);
        received += in[p] = bytes(p, me);
    }
    const Buffer<uint8_t> send(sent, heap), recv(received, heap);
    for (const bool scatters : {false, true}) {
        for (size_t p = 0, at = 0; p < ranks; at += out[p++]) {
            for (size_t i = 0; i < out[p]; ++i) {
                send[at + i] = value(scatters, me, p, i, 0);
            }
        }
        const uint64_t before = times_lent(comm);
        ranks::succeed(
            scatters ? xcoll_scatterv(send.data(), out.data(), nullptr, recv.data(), bytes(0, me), XCOLL_UINT8, 0, comm)
                     : xcoll_alltoallv(send.data(), out.data(), nullptr, recv.data(), in.data(), nullptr, XCOLL_UINT8,
                                       comm));
        const bool gives = lends && (!scatters || me == 0);
        ranks::check(times_lent(comm) - before == (gives ? 1 : 0), "ragged blocks are lent, or must not be");
        std::fill(send.begin(), send.end(), uint8_t{0xdd});
        for (size_t p = 0, at = 0; p < (scatters ? 1 : ranks); at += in[p++]) {
            for (size_t i = 0; i < in[p]; ++i) {
                ranks::check(recv[at + i] == value(scatters, p, me, i, 0), "a byte of the ragged blocks");
            }
        }
    }
}

// Parts of one size that do not lie together, from the root and from everybody; they come together.
void strided_blocks(const Rank &rank, xcoll_comm_t comm, xcoll_comm_t heap, bool lends) {
    constexpr size_t runs = 80, run = 900, bytes = runs * run;
    const auto ranks = static_cast<size_t>(rank.size()), me = static_cast<size_t>(rank.rank());
    xcoll_dtype_t type = 0;
    size_t extent = 0;
    ranks::succeed(xcoll_type_vector(runs, run, run + 1, XCOLL_UINT8, &type));
    ranks::succeed(xcoll_type_extent(type, &extent));
    const Buffer<uint8_t> send(ranks * extent, heap), recv(ranks * bytes, heap);
    for (const bool scatters : {false, true}) {
        for (size_t p = 0; p < ranks; ++p) {
            for (size_t i = 0; i < bytes; ++i) {
                send[p * extent + i / run * (run + 1) + i % run] = value(scatters, me, p, i, 0);
            }
        }
        const uint64_t before = times_lent(comm);
        ranks::succeed(scatters ? xcoll_scatter_typed(send.data(), 1, type, recv.data(), bytes, XCOLL_UINT8, 0, comm)
                                : xcoll_alltoall_typed(send.data(), 1, type, recv.data(), bytes, XCOLL_UINT8, comm));
        const bool gives = lends && (!scatters || me == 0);
        ranks::check(times_lent(comm) - before == (gives ? 1 : 0), "strided blocks are lent, or must not be");
        std::fill(send.begin(), send.end(), uint8_t{0xdd});
        for (size_t p = 0; p < (scatters ? 1 : ranks); ++p) {
            for (size_t i = 0; i < bytes; ++i) {
                ranks::check(recv[p * bytes + i] == value(scatters, p, me, i, 0), "a byte of the strided blocks");
            }
        }
    }
    ranks::succeed(xcoll_type_free(&type));
}

// Rank 1 expects nothing of what rank 0 lends: both are told instead of waiting for each other.
void counts_that_differ_are_told(const Rank &rank, xcoll_comm_t comm, bool grouped) {
    constexpr size_t bytes = 80'001;
    const auto ranks = static_cast<size_t>(rank.size());
    std::vector<size_t> counts(ranks, bytes);
    counts[0] = rank.rank() == 1 ? 0 : bytes;
    const Buffer<uint8_t> send(bytes, comm), recv(2 * bytes * ranks, comm);
    const auto gather = [&](uint8_t *to) {
        return xcoll_allgatherv(send.data(), bytes, to, counts.data(), nullptr, XCOLL_UINT8, comm);
    };
    if (grouped) {
        ranks::succeed(xcoll_group_start());
        ranks::succeed(gather(recv.data() + bytes * ranks));
    }
    xcoll_result_t result = gather(recv.data());
    result = grouped ? xcoll_group_end() : result;
    ranks::check(result == XCOLL_ERR_MISMATCH || (rank.rank() > 1 && result == XCOLL_SUCCESS), "those two are told");
    if (rank.rank() == 1) {
        ranks::expect_message({"rank 0 sends", "expects 0"});
    }
    ranks::succeed(xcoll_barrier(comm));
}

void test(Rank &rank) {
    for (const char *settings : {"CMA=off", "CMA=on"}) {
        xcoll_comm_t comm = rank.open(settings);
        const std::string text = lent_bytes::described(comm);
        const bool reaches_all =
            text.find("\"private\": true") != std::string::npos || text.find("\"why_not\": null") != std::string::npos;
        for (const bool in_heap : {false, true}) {
            const bool lends = rank.size() > 1 && (in_heap || reaches_all);
            const xcoll_comm_t heap = in_heap ? comm : XCOLL_COMM_NULL;
            for (const Cut &cut : cuts) {
                Scene(rank, comm, heap, cut).run(lends);
            }
            ragged_blocks(rank, comm, heap, lends);
            strided_blocks(rank, comm, heap, lends);
        }
        // Heap here and memory of its own there: a list that names both, or copies.
        Scene(rank, comm, rank.rank() % 2 ? comm : XCOLL_COMM_NULL, cuts[0])
            .run(rank.size() > 1 && (rank.rank() % 2 || reaches_all));
        for (const bool grouped : {false, true}) {
            if (rank.size() > 1) {
                counts_that_differ_are_told(rank, comm, grouped);
            }
        }
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
