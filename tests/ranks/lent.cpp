// ranks: 1 2 3 5 8
// timeout: 120
//
// Large operations on memory of symmetric heaps, which the library does not copy: when a call returns, with any code,
// nobody uses the caller's buffers any more, and everything has arrived.
#include <functional>

#include "buffer.h"

using ranks::Buffer;
using ranks::Rank;

namespace {

// Whose buffers lie in heaps: the results differ in nothing.
enum class Where { all, some, send, none };
constexpr Where everywhere[] = {Where::all, Where::some, Where::send, Where::none};

class Scene {
public:
    Scene(const Rank &rank, xcoll_comm_t comm, size_t count, Where where)
        : comm_(comm), rank_(rank.rank()), size_(rank.size()), count_(count), own_(static_cast<size_t>(rank.rank())),
          // Places in the heaps that no other rank has.
          hole_(1 + own_ * 5000, comm), send_(count * ranks(), heap(where, false)),
          recv_(count * ranks(), heap(where, true)) {
    }
    // Each operation is called again and again, on input that is overwritten as soon as it returns.
    void run() {
        for (turn_ = 0; turn_ < 4; ++turn_) {
            const int root = turn_ % size_;
            every("allreduce", count_, true,
                  [&] { return xcoll_allreduce(send_.data(), recv_.data(), count_, XCOLL_UINT32, XCOLL_SUM, comm_); });
            every("reduce", count_, rank_ == root, [&] {
                return xcoll_reduce(send_.data(), recv_.data(), count_, XCOLL_UINT32, XCOLL_SUM, root, comm_);
            });
            in_place("allreduce in place", [&] {
                return xcoll_allreduce(XCOLL_IN_PLACE, recv_.data(), count_, XCOLL_UINT32, XCOLL_SUM, comm_);
            });
            blocks(
                "reduce_scatter", count_, true, [&](int, size_t i) { return total(own_ * count_ + i); },
                [&] {
                    return xcoll_reduce_scatter(send_.data(), recv_.data(), count_, XCOLL_UINT32, XCOLL_SUM, comm_);
                });
            blocks(
                "allgather", count_ * ranks(), true, [&](int p, size_t i) { return value(p, i % count_); },
                [&] { return xcoll_allgather(send_.data(), count_, recv_.data(), XCOLL_UINT32, comm_); });
            blocks(
                "alltoall", count_ * ranks(), true,
                [&](int p, size_t i) { return value(p, own_ * count_ + i % count_); },
                [&] { return xcoll_alltoall(send_.data(), recv_.data(), count_, XCOLL_UINT32, comm_); });
            blocks(
                "gather", count_ * ranks(), rank_ == root, [&](int p, size_t i) { return value(p, i % count_); },
                [&] { return xcoll_gather(send_.data(), count_, recv_.data(), XCOLL_UINT32, root, comm_); });
            blocks(
                "scatter", count_, true, [&](int, size_t i) { return value(root, own_ * count_ + i); },
                [&] { return xcoll_scatter(send_.data(), recv_.data(), count_, XCOLL_UINT32, root, comm_); });
            bcast(root);
        }
    }

private:
    using Run = std::function<xcoll_result_t()>;
    using Wanted = std::function<uint32_t(int, size_t)>;

    xcoll_comm_t heap(Where where, bool is_recv) const {
        const bool mine =
            where == Where::all || (where == Where::some && rank_ % 2 == 0) || (where == Where::send && !is_recv);
        return mine ? comm_ : XCOLL_COMM_NULL;
    }
    size_t ranks() const {
        return static_cast<size_t>(size_);
    }
    uint32_t value(int from, size_t i) const {
        return static_cast<uint32_t>((i + 1) * 2654435761u + static_cast<size_t>(from) * 40503u) ^
               static_cast<uint32_t>(turn_ + calls_ * 7);
    }
    uint32_t total(size_t i) const {
        uint32_t sum = 0;
        for (int p = 0; p < size_; ++p) {
            sum += value(p, i);
        }
        return sum;
    }
    void fill(const Buffer<uint32_t> &buffer) const {
        for (size_t i = 0; i < buffer.size(); ++i) {
            buffer[i] = value(rank_, i);
        }
    }
    static void scribble(const Buffer<uint32_t> &buffer) {
        std::fill(buffer.begin(), buffer.end(), 0xdeadbeef);
    }
    void expect(const char *name, size_t i, uint32_t wanted) const {
        if (recv_[i] != wanted) {
            ranks::wrong(std::string(name) + " of " + std::to_string(count_) + " elements: element " +
                         std::to_string(i) + " is wrong");
        }
    }
    // wanted(p, i): element i of the result, in the block of rank p if there are blocks.
    void blocks(const char *name, size_t results, bool receives, const Wanted &wanted, const Run &call) {
        ++calls_;
        fill(send_);
        ranks::succeed(call());
        scribble(send_);
        for (size_t i = 0; receives && i < results; ++i) {
            expect(name, i, wanted(static_cast<int>(i / count_), i));
        }
        scribble(recv_);
    }
    void every(const char *name, size_t results, bool receives, const Run &call) {
        blocks(
            name, results, receives, [&](int, size_t i) { return total(i); }, call);
    }
    void in_place(const char *name, const Run &call) {
        ++calls_;
        fill(recv_);
        ranks::succeed(call());
        for (size_t i = 0; i < count_; ++i) {
            expect(name, i, total(i));
        }
        scribble(recv_);
    }
    void bcast(int root) {
        ++calls_;
        fill(recv_);
        ranks::succeed(xcoll_bcast(recv_.data(), count_, XCOLL_UINT32, root, comm_));
        for (size_t i = 0; i < count_; ++i) {
            expect("bcast", i, value(root, i));
        }
        scribble(recv_);
    }

    xcoll_comm_t comm_;
    int rank_, size_, turn_ = 0, calls_ = 0;
    size_t count_, own_;
    Buffer<char> hole_;
    Buffer<uint32_t> send_, recv_;
};

// A rank's function refuses; the others hear of it, and all go on.
xcoll_result_t refuse(const void *, void *, size_t, xcoll_dtype_t, void *context) {
    return *static_cast<const int *>(context) == 0 ? XCOLL_ERR_ARGUMENT : XCOLL_SUCCESS;
}

void a_failing_operator_ends_the_call_everywhere(const Rank &rank, xcoll_comm_t comm) {
    constexpr size_t count = 60'000;
    int self = rank.rank();
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_op_create(refuse, &self, nullptr, "refuses", 0, &op));
    const Buffer<uint32_t> values(count, comm);
    for (int turn = 0; turn < 3 && rank.size() > 1; ++turn) {
        const xcoll_result_t result = xcoll_allreduce(XCOLL_IN_PLACE, values.data(), count, XCOLL_UINT32, op, comm);
        ranks::check(result == (self == 0 ? XCOLL_ERR_OP : XCOLL_ERR_MISMATCH), "every rank is told");
    }
    std::fill(values.begin(), values.end(), 1u);
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, values.data(), count, XCOLL_UINT32, XCOLL_SUM, comm));
    ranks::check(values[count - 1] == static_cast<uint32_t>(rank.size()), "and the communicator goes on");
    ranks::succeed(xcoll_op_free(&op));
}

// Several at once, ended in another order; more bytes than the rings have room for.
void many_are_in_flight_at_once(const Rank &rank, xcoll_comm_t comm) {
    constexpr size_t count = 50'000, most = 12;
    std::vector<Buffer<float>> sends, recvs;
    std::vector<xcoll_request_t> requests(most);
    for (size_t k = 0; k < most; ++k) {
        const bool private_here = k % 4 == 3 && rank.rank() == 0;
        sends.emplace_back(count, private_here ? XCOLL_COMM_NULL : comm);
        recvs.emplace_back(count, comm);
        std::fill(sends[k].begin(), sends[k].end(), static_cast<float>(k + 1));
        ranks::succeed(k % 2 ? xcoll_iallreduce(sends[k].data(), recvs[k].data(), count, XCOLL_FLOAT32, XCOLL_MAX, comm,
                                                &requests[k])
                             : xcoll_ibcast(sends[k].data(), count, XCOLL_FLOAT32, static_cast<int>(k) % rank.size(),
                                            comm, &requests[k]));
    }
    for (size_t k = most; k-- > 0;) {
        ranks::succeed(xcoll_wait(&requests[k]));
        const Buffer<float> &got = k % 2 ? recvs[k] : sends[k];
        ranks::check(got[0] == static_cast<float>(k + 1) && got[count - 1] == static_cast<float>(k + 1), "the result");
        std::fill(sends[k].begin(), sends[k].end(), -1.0f);
    }
}

void test(Rank &rank) {
    for (const char *settings : {"LEND=32K", "CMA=off", "CMA=on", "ALLREDUCE=two_shot"}) {
        xcoll_comm_t comm = rank.open(settings);
        for (const Where where : everywhere) {
            for (const size_t count : {size_t{8191}, size_t{30'001}, size_t{200'000}}) {
                Scene(rank, comm, count / static_cast<size_t>(rank.size()) + 8192, where).run();
            }
        }
        many_are_in_flight_at_once(rank, comm);
        a_failing_operator_ends_the_call_everywhere(rank, comm);
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
