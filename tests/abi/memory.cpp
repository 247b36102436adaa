// ranks: 1 2
//
// Every wrong argument of the functions of memory: the code, a message that names what is wrong, and no memory.
#include "mistakes.h"

namespace {

constexpr size_t page = 4096;

void of_memory_that_is_handed_out(xcoll_comm_t comm) {
    void *piece = nullptr, *none = &piece;
    ranks::succeed(xcoll_mem_alloc(comm, 2 * page, &piece));
    const char *alloc = "xcoll_mem_alloc", *free = "xcoll_mem_free";
    mistakes::make({
        {alloc, [&] { return xcoll_mem_alloc(comm, 1, nullptr); }, XCOLL_ERR_ARGUMENT, {"ptr"}},
        {alloc, [&] { return xcoll_mem_alloc(XCOLL_COMM_NULL, 1, &none); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {alloc, [&] { return xcoll_mem_alloc(comm, size_t{1} << 40, &none); }, XCOLL_ERR_NO_MEMORY, {"1099511627776"}},
        {alloc, [&] { return xcoll_mem_alloc(comm, SIZE_MAX, &none); }, XCOLL_ERR_NO_MEMORY, {"XCOLL_HEAP"}},
        {free, [&] { return xcoll_mem_free(comm, &none); }, XCOLL_ERR_ARGUMENT, {"ptr"}},
        {free, [&] { return xcoll_mem_free(comm, static_cast<char *>(piece) + page); }, XCOLL_ERR_ARGUMENT, {"ptr"}},
    });
    ranks::check(none == nullptr, "a pointer after an error");
    ranks::succeed(xcoll_mem_free(comm, piece));
    mistakes::make({{free, [&] { return xcoll_mem_free(comm, piece); }, XCOLL_ERR_ARGUMENT, {"once"}}});
    // No memory, and nothing to free, are no mistakes.
    none = &piece;
    ranks::succeed(xcoll_mem_alloc(comm, 0, &none));
    ranks::check(none == nullptr, "no bytes are no memory");
    ranks::succeed(xcoll_mem_free(comm, nullptr));
    ranks::succeed(xcoll_mem_free(XCOLL_COMM_NULL, nullptr));
}

void of_memory_of_the_callers(xcoll_comm_t comm) {
    char own[64];
    const auto take = [&](void *ptr, size_t bytes, uint32_t flags) {
        return xcoll_mem_register(comm, ptr, bytes, flags);
    };
    const auto drop = [&] { return xcoll_mem_deregister(comm, own); };
    const char *in = "xcoll_mem_register", *out = "xcoll_mem_deregister";
    mistakes::make({
        {in, [&] { return take(nullptr, 1, 0); }, XCOLL_ERR_ARGUMENT, {"ptr"}},
        {in, [&] { return take(own, 0, 0); }, XCOLL_ERR_ARGUMENT, {"bytes is 0"}},
        {in, [&] { return take(own, sizeof own, 2); }, XCOLL_ERR_ARGUMENT, {"flags is 0x2"}},
        {in, [&] { return xcoll_mem_register(XCOLL_COMM_NULL, own, 1, 0); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {out, drop, XCOLL_ERR_ARGUMENT, {"registered"}},
    });
    ranks::succeed(take(own, sizeof own, 0));
    mistakes::make({{in, [&] { return take(own, 1, 0); }, XCOLL_ERR_ARGUMENT, {"already"}}});
    ranks::succeed(drop());
    mistakes::make({{out, drop, XCOLL_ERR_ARGUMENT, {"registered"}}});
}

void of_peers(xcoll_comm_t comm, int size) {
    int own = 0;
    void *peer = &own;
    const auto find = [&](const void *ptr, int rank) { return xcoll_mem_peer(comm, ptr, rank, &peer); };
    const char *name = "xcoll_mem_peer";
    mistakes::make({
        {name, [&] { return find(&own, size); }, XCOLL_ERR_ARGUMENT, {"rank is " + std::to_string(size)}},
        {name, [&] { return find(&own, -1); }, XCOLL_ERR_ARGUMENT, {"rank is -1"}},
        {name, [&] { return find(nullptr, 0); }, XCOLL_ERR_ARGUMENT, {"ptr"}},
        {name, [&] { return xcoll_mem_peer(comm, &own, 0, nullptr); }, XCOLL_ERR_ARGUMENT, {"peer"}},
    });
    ranks::check(peer == nullptr, "an address after an error");
}

void test(ranks::Rank &rank) {
    xcoll_comm_t comm = rank.open();
    of_memory_that_is_handed_out(comm);
    of_memory_of_the_callers(comm);
    of_peers(comm, rank.size());
    mistakes::expect_usable(comm, rank.size());
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
