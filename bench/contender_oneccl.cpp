// oneCCL through its C++ interface for processors. Intel MPI starts its ranks, and hands the address at which they meet
// from rank 0 to the others, as oneCCL's own examples do. It has no gather, scatter and scan for processors.
#include <mpi.h>
#include <oneapi/ccl.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "ordinary.h"

namespace {

std::optional<ccl::communicator> world;
std::vector<size_t> gathered, exchanged; // in uneven parts

ccl::datatype type_of(enum dtype dtype) {
    return dtype == DTYPE_F32 ? ccl::datatype::float32 : ccl::datatype::bfloat16;
}

void run(const struct call *call, int root) {
    const ccl::datatype type = type_of(call->dtype);
    const size_t count = call->count;
    void *send = const_cast<void *>(call->send), *recv = call->recv;
    const auto sum = ccl::reduction::sum;
    switch (call->variant->op) {
    case OP_BARRIER:
        ccl::barrier(*world).wait();
        break;
    case OP_BCAST:
        ccl::broadcast(recv, count, type, root, *world).wait();
        break;
    case OP_ALLREDUCE:
        ccl::allreduce(send, recv, count, type, sum, *world).wait();
        break;
    case OP_REDUCE:
        ccl::reduce(send, recv, count, type, sum, root, *world).wait();
        break;
    case OP_REDUCE_SCATTER:
        ccl::reduce_scatter(send, recv, count, type, sum, *world).wait();
        break;
    case OP_ALLGATHER:
        ccl::allgather(send, recv, count, type, *world).wait();
        break;
    case OP_ALLTOALL:
        ccl::alltoall(send, recv, count, type, *world).wait();
        break;
    case OP_ALLGATHERV:
        ccl::allgatherv(send, gathered[static_cast<size_t>(world->rank())], recv, gathered, type, *world).wait();
        break;
    case OP_ALLTOALLV:
        ccl::alltoallv(send, exchanged, recv, exchanged, type, *world).wait();
        break;
    default: // its groups are for graphics processors
        for (size_t k = 0; k < group_calls; ++k) {
            const size_t at = k * count * dtype_size(call->dtype);
            ccl::allgather(static_cast<char *>(send) + at,
                           static_cast<char *>(recv) + at * static_cast<size_t>(world->size()), count, type, *world)
                .wait();
        }
    }
}

// oneCCL throws, and the core that calls us is C.
void or_end(const std::function<void()> &body) {
    try {
        body();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench: oneCCL: %s\n", error.what());
        std::exit(1);
    }
}

void connect(int rank, int size) {
    ccl::init();
    ccl::shared_ptr_class<ccl::kvs> store;
    ccl::kvs::address_type address;
    if (rank == 0) {
        store = ccl::create_main_kvs();
        address = store->get_address();
    }
    MPI_Bcast(address.data(), static_cast<int>(address.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank != 0) {
        store = ccl::create_kvs(address);
    }
    world.emplace(ccl::create_communicator(size, rank, store));
}

} // namespace

int contender_begin(int, char **) {
    const char *rank = std::getenv("PMI_RANK");
    if (rank == nullptr) {
        std::fprintf(stderr, "bench: PMI_RANK is not set; start this with Intel MPI's mpiexec.hydra\n");
        std::exit(1);
    }
    return std::atoi(rank);
}

void contender_init(int *rank, int *size) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    check_ranks(*size);
    or_end([&] { connect(*rank, *size); });
}

const struct variant *contender_variants(void) {
    return ordinary_variants(1u << OP_GATHER | 1u << OP_SCATTER | 1u << OP_SCAN | 1u << OP_EXSCAN | OPS_OF_MPI_ALONE);
}

void *contender_alloc(enum memory, size_t bytes) {
    return private_memory(bytes);
}

void contender_prepare(const struct call *call) {
    gathered.clear();
    exchanged.clear();
    for (int p = 0; p < world->size(); ++p) {
        gathered.push_back(uneven(call->count, p));
        exchanged.push_back(uneven(call->count, world->rank() + p));
    }
}

void contender_run(const struct call *call, int root) {
    or_end([&] { run(call, root); });
}

void contender_finalize(void) {
    world.reset();
    MPI_Finalize();
}
