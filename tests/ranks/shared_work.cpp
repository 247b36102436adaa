// ranks: 2 3 5 8 13
//
// Where everybody combines a piece of the message for all, the pieces are even, however short the message is, and
// whatever is left for its last block.
#include "ranks.h"

using ranks::Rank;

namespace {

// Counts what it combines, and adds.
xcoll_result_t add_and_count(const void *in, void *inout, size_t count, xcoll_dtype_t, void *combined) {
    const auto *from = static_cast<const uint32_t *>(in);
    auto *to = static_cast<uint32_t *>(inout);
    for (size_t i = 0; i < count; ++i) {
        to[i] += from[i];
    }
    *static_cast<size_t *>(combined) += count;
    return XCOLL_SUCCESS;
}

void nobody_combines_more_than_its_share(Rank &rank) {
    constexpr size_t per_line = 64 / sizeof(uint32_t), block = (size_t{64} << 10) / sizeof(uint32_t);
    const auto size = static_cast<size_t>(rank.size());
    xcoll_comm_t comm = rank.open("ALLREDUCE=two_shot;REDUCE=two_shot;LEND=64M");
    size_t combined = 0;
    xcoll_op_t add;
    ranks::succeed(xcoll_op_create(add_and_count, &combined, nullptr, "add_and_count", 0, &add));
    for (const size_t count :
         {size_t{1}, size * per_line, size * per_line * 4, size_t{1000}, block / 2, 3 * block + 1000}) {
        const std::vector<uint32_t> send(count, static_cast<uint32_t>(rank.rank() + 1));
        std::vector<uint32_t> recv(count);
        for (const int root : {-1, 0, rank.size() - 1}) {
            combined = 0;
            ranks::succeed(root < 0 ? xcoll_allreduce(send.data(), recv.data(), count, XCOLL_UINT32, add, comm)
                                    : xcoll_reduce(send.data(), recv.data(), count, XCOLL_UINT32, add, root, comm));
            if (root < 0 || root == rank.rank()) {
                const bool is_sum = recv.front() == size * (size + 1) / 2 && recv.back() == recv.front();
                ranks::check(is_sum, "wrong sum");
            }
            // Whole lines of each block.
            const size_t blocks = (count + block - 1) / block, share = (count + size - 1) / size + blocks * per_line;
            ranks::check(combined <= (size - 1) * share, "one rank has combined more than its share");
        }
    }
    ranks::succeed(xcoll_op_free(&add));
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, nobody_combines_more_than_its_share);
}
