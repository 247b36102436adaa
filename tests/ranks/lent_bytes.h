// Every collective that may lend its buffers instead of copying them, on private memory: whether it did, and whether
// the results are right.
#pragma once

#include "ranks.h"

namespace lent_bytes {

// Above XCOLL_LEND, not a multiple of anything.
inline constexpr size_t large = 70'001;

// Pages of its own, which are gone with it: whoever touches them then is ended by a signal.
class Pages {
public:
    explicit Pages(size_t bytes) : bytes_(bytes) {
        memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ranks::check(memory_ != MAP_FAILED, "mmap failed");
    }
    ~Pages() {
        munmap(memory_, bytes_);
    }
    Pages(const Pages &) = delete;
    Pages &operator=(const Pages &) = delete;
    template <class T> T *as() const {
        return static_cast<T *>(memory_);
    }

private:
    size_t bytes_;
    void *memory_;
};

// What xcoll_comm_describe says.
inline std::string described(xcoll_comm_t comm) {
    size_t length = 0;
    ranks::succeed(xcoll_comm_describe(comm, nullptr, &length));
    std::string text(length, '\0');
    ranks::succeed(xcoll_comm_describe(comm, text.data(), &length));
    return text;
}
inline uint64_t times_lent(xcoll_comm_t comm) {
    const std::string text = described(comm);
    const char *found = std::strstr(text.c_str(), "\"lending\": {");
    found = found ? std::strstr(found, "\"operations\": ") : nullptr;
    ranks::check(found != nullptr, "describe tells how often buffers were lent");
    return std::strtoull(found + std::strlen("\"operations\": "), nullptr, 10);
}

// Whether results are written where they lie; what only moves is lent in any case.
enum class Reductions { lend, copy };

// What every rank gives and gets, byte by byte, at addresses that are aligned to nothing.
class Bytes {
public:
    Bytes(const ranks::Rank &rank, xcoll_comm_t comm, Reductions reductions)
        : comm_(comm), rank_(rank.rank()), size_(rank.size()), reduces_(size_ > 1 && reductions == Reductions::lend),
          send_(large * ranks() + 3), recv_(large * ranks() + 5) {
        for (size_t i = 0; i < large * ranks(); ++i) {
            send()[i] = value(rank_, i);
        }
    }
    void run() {
        const bool any = size_ > 1;
        for (int root = 0; root < size_; root += 2) {
            const bool is_root = rank_ == root;
            lends("allgather", any, [&] { return xcoll_allgather(send(), large, recv(), XCOLL_UINT8, comm_); });
            blocks(true, [](int p, size_t i) { return value(p, i); });
            lends("alltoall", any, [&] { return xcoll_alltoall(send(), recv(), large, XCOLL_UINT8, comm_); });
            blocks(true, [&](int p, size_t i) { return value(p, own() * large + i); });
            lends("gather", !is_root, [&] { return xcoll_gather(send(), large, recv(), XCOLL_UINT8, root, comm_); });
            blocks(is_root, [](int p, size_t i) { return value(p, i); });
            lends("scatter", any && is_root,
                  [&] { return xcoll_scatter(send(), recv(), large, XCOLL_UINT8, root, comm_); });
            piece(true, [&](size_t i) { return value(root, own() * large + i); });
            lends("bcast", any && is_root,
                  [&] { return xcoll_bcast(is_root ? send() : recv(), large, XCOLL_UINT8, root, comm_); });
            piece(!is_root, [&](size_t i) { return value(root, i); });
            lends("allreduce", reduces_,
                  [&] { return xcoll_allreduce(send(), recv(), large, XCOLL_UINT8, XCOLL_SUM, comm_); });
            piece(true, [&](size_t i) { return total(i); });
            lends("reduce", reduces_,
                  [&] { return xcoll_reduce(send(), recv(), large, XCOLL_UINT8, XCOLL_SUM, root, comm_); });
            piece(is_root, [&](size_t i) { return total(i); });
            lends("reduce_scatter", reduces_,
                  [&] { return xcoll_reduce_scatter(send(), recv(), large, XCOLL_UINT8, XCOLL_SUM, comm_); });
            piece(true, [&](size_t i) { return total(own() * large + i); });
        }
        ragged();
        in_place();
    }

private:
    size_t ranks() const {
        return static_cast<size_t>(size_);
    }
    size_t own() const {
        return static_cast<size_t>(rank_);
    }
    uint8_t *send() const {
        return send_.as<uint8_t>() + 3;
    }
    uint8_t *recv() const {
        return recv_.as<uint8_t>() + 5;
    }
    static uint8_t value(int from, size_t i) {
        return static_cast<uint8_t>((i + 1) * 2654435761u >> 11 ^ static_cast<size_t>(from) * 89u);
    }
    uint8_t total(size_t i) const {
        unsigned sum = 0;
        for (int p = 0; p < size_; ++p) {
            sum += value(p, i);
        }
        return static_cast<uint8_t>(sum);
    }
    template <class Call> void lends(const char *name, bool lends, Call call) {
        name_ = name;
        std::memset(recv(), 0xee, large * ranks());
        const uint64_t before = times_lent(comm_);
        ranks::succeed(call());
        const uint64_t lent = times_lent(comm_) - before;
        if (lent != (lends ? 1 : 0)) {
            ranks::wrong(std::string(name) + (lends ? " copied this rank's buffer" : " lent what it must not"));
        }
    }
    template <class Wanted> void piece(bool receives, Wanted wanted) const {
        for (size_t i = 0; receives && i < large; ++i) {
            if (recv()[i] != wanted(i)) {
                ranks::wrong(std::string(name_) + ": byte " + std::to_string(i) + " is wrong");
            }
        }
    }
    template <class Wanted> void blocks(bool receives, Wanted wanted) const {
        for (int p = 0; receives && p < size_; ++p) {
            for (size_t i = 0; i < large; ++i) {
                if (recv()[static_cast<size_t>(p) * large + i] != wanted(p, i)) {
                    ranks::wrong(std::string(name_) + ": byte " + std::to_string(i) + " of rank " + std::to_string(p) +
                                 " is wrong");
                }
            }
        }
    }
    // Rank p gives some bytes less for each rank before it; the last one gives so little that it is copied.
    void ragged() {
        std::vector<size_t> counts(ranks()), places(ranks());
        for (size_t p = 0; p < ranks(); ++p) {
            counts[p] = p + 1 < ranks() ? large - 7 * p : 100;
            places[p] = p * large;
        }
        lends("allgatherv", rank_ + 1 < size_, [&] {
            return xcoll_allgatherv(send(), counts[own()], recv(), counts.data(), places.data(), XCOLL_UINT8, comm_);
        });
        for (int p = 0; p < size_; ++p) {
            for (size_t i = 0; i < counts[static_cast<size_t>(p)]; ++i) {
                if (recv()[places[static_cast<size_t>(p)] + i] != value(p, i)) {
                    ranks::wrong("allgatherv: byte " + std::to_string(i) + " of rank " + std::to_string(p) +
                                 " is wrong");
                }
            }
        }
    }
    void in_place() {
        lends("alltoall in place", false, [&] {
            std::memcpy(recv(), send(), large * ranks());
            return xcoll_alltoall(XCOLL_IN_PLACE, recv(), large, XCOLL_UINT8, comm_);
        });
        blocks(true, [&](int p, size_t i) { return value(p, own() * large + i); });
        lends("allreduce in place", reduces_, [&] {
            std::memcpy(recv(), send(), large);
            return xcoll_allreduce(XCOLL_IN_PLACE, recv(), large, XCOLL_UINT8, XCOLL_SUM, comm_);
        });
        piece(true, [&](size_t i) { return total(i); });
    }

    xcoll_comm_t comm_;
    int rank_, size_;
    bool reduces_;
    const char *name_ = "";
    Pages send_, recv_;
};

} // namespace lent_bytes
