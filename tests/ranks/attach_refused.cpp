// ranks: 2 3 5
//
// A rank that may not read other processes, as in a container with a filter: nobody lends it private memory, everything
// works as without, and xcoll_comm_describe says who may not and what to look at.
#include "filter.h"
#include "lent_bytes.h"

namespace {

constexpr int skipped = 77;

} // namespace

int main() {
    const char *number = std::getenv("XCOLL_LOCAL_RANK");
    ranks::check(number != nullptr, "xcollrun tells the rank");
    const bool is_last = std::atoi(number) == std::atoi(std::getenv("XCOLL_LOCAL_SIZE")) - 1;
    if (is_last && !filter::forbid({.number = SYS_process_vm_readv})) {
        std::puts("this system takes no filter of system calls");
        return skipped;
    }
    setenv("XCOLL_CMA", "on", 1);
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    int rank = 0, size = 0;
    ranks::succeed(xcoll_init(&comm));
    ranks::succeed(xcoll_comm_rank(comm, &rank));
    ranks::speaker = rank;
    ranks::succeed(xcoll_comm_size(comm, &size));
    const std::string text = lent_bytes::described(comm), last = "rank " + std::to_string(size - 1) + " cannot read";
    ranks::check(text.find(last) != std::string::npos, "describe tells who cannot read the others' memory");
    if (rank == size - 1) {
        ranks::check(text.find("yama") != std::string::npos && text.find("not permitted") != std::string::npos,
                     "describe tells why, and what to look at");
    }
    const auto ranks = static_cast<size_t>(size);
    std::vector<uint8_t> send(lent_bytes::large, static_cast<uint8_t>(rank)), recv(lent_bytes::large * ranks);
    ranks::succeed(xcoll_allgather(send.data(), send.size(), recv.data(), XCOLL_UINT8, comm));
    for (size_t i = 0; i < recv.size(); ++i) {
        ranks::check(recv[i] == i / lent_bytes::large, "the result is wrong");
    }
    ranks::check(lent_bytes::times_lent(comm) == 0, "nothing was lent");
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_finalize());
    return 0;
}
