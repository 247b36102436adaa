// Gloo, over TCP as PyTorch uses it. Started by xcollrun, of which it takes nothing but its rank: the ranks meet in the
// folder of the benchmark's socket. It has no scan and no reduce-scatter in the form that it has of the others.
#include <gloo/allgather.h>
#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

#include <memory>
#include <string>
#include <vector>

#include "ordinary.h"
#include "vec.h"

namespace {

std::shared_ptr<gloo::transport::Device> device; // has a thread
std::shared_ptr<gloo::rendezvous::Context> context;
uint32_t tag; // of the last call: each has one of its own

struct Parts {
    std::vector<int64_t> sent, received;
    std::vector<size_t> gathered;
} parts;

void add(float *sum, const float *a, const float *b, size_t count) {
    gloo::sum<float>(sum, a, b, count);
}

void add(uint16_t *sum, const uint16_t *a, const uint16_t *b, size_t count) {
    vec_sum(reinterpret_cast<char *>(sum), reinterpret_cast<const char *>(a), reinterpret_cast<const char *>(b),
            count * sizeof *sum, DTYPE_BF16, STORE_CACHED);
}

template <class Element> void add_elements(void *sum, const void *a, const void *b, size_t count) {
    add(static_cast<Element *>(sum), static_cast<const Element *>(a), static_cast<const Element *>(b), count);
}

// One call on buffers of `Element`.
template <class Element> class Caller {
public:
    Caller(const void *send, void *recv, size_t count)
        : send_(static_cast<Element *>(const_cast<void *>(send))), recv_(static_cast<Element *>(recv)), count_(count) {
    }

    void call(enum op op, int root) {
        switch (op) {
        case OP_BCAST:
            run<gloo::BroadcastOptions>(gloo::broadcast, [&](auto &options) {
                options.setRoot(root);
                options.setOutput(recv_, count_);
            });
            break;
        case OP_ALLREDUCE:
            run<gloo::AllreduceOptions>(gloo::allreduce, [&](auto &options) {
                if (send_ != recv_) {
                    options.setInput(send_, count_);
                }
                options.setOutput(recv_, count_);
                options.setReduceFunction(add_elements<Element>);
            });
            break;
        case OP_REDUCE:
            run<gloo::ReduceOptions>(gloo::reduce, [&](auto &options) {
                options.setInput(send_, count_);
                options.setOutput(recv_, count_);
                options.setRoot(root);
                options.setReduceFunction(add_elements<Element>);
            });
            break;
        case OP_GATHER:
            run<gloo::GatherOptions>(gloo::gather, [&](auto &options) {
                options.setInput(send_, count_);
                if (context->rank == root) {
                    options.setOutput(recv_, all());
                }
                options.setRoot(root);
            });
            break;
        case OP_SCATTER:
            scatter(root);
            break;
        default:
            call_of_all(op);
        }
    }

private:
    void scatter(int root) {
        std::vector<Element *> blocks;
        for (int rank = 0; rank < context->size; ++rank) {
            blocks.push_back(send_ + static_cast<size_t>(rank) * count_);
        }
        run<gloo::ScatterOptions>(gloo::scatter, [&](auto &options) {
            if (context->rank == root) {
                options.setInputs(blocks, count_);
            }
            options.setOutput(recv_, count_);
            options.setRoot(root);
        });
    }

    void gather_to_all(Element *send, Element *recv) {
        run<gloo::AllgatherOptions>(gloo::allgather, [&](auto &options) {
            options.setInput(send, count_);
            options.setOutput(recv, all());
        });
    }

    void call_of_all(enum op op) {
        switch (op) {
        case OP_BARRIER:
            run<gloo::BarrierOptions>(gloo::barrier, [](auto &) {});
            break;
        case OP_ALLGATHER:
            gather_to_all(send_, recv_);
            break;
        case OP_ALLTOALL:
            run<gloo::AlltoallOptions>(gloo::alltoall, [&](auto &options) {
                options.setInput(send_, all());
                options.setOutput(recv_, all());
            });
            break;
        case OP_ALLGATHERV:
            run<gloo::AllgathervOptions>(gloo::allgatherv, [&](auto &options) {
                options.setInput(send_, parts.gathered[static_cast<size_t>(context->rank)]);
                options.setOutput(recv_, parts.gathered);
            });
            break;
        case OP_ALLTOALLV:
            run<gloo::AlltoallvOptions>(gloo::alltoallv, [&](auto &options) {
                options.setInput(send_, parts.sent);
                options.setOutput(recv_, parts.received);
            });
            break;
        default: // Gloo knows no groups
            for (size_t k = 0; k < group_calls; ++k) {
                gather_to_all(send_ + k * count_, recv_ + k * all());
            }
        }
    }

    template <class Options, class Fill> void run(void (*collective)(Options &), const Fill &fill) {
        Options options(context);
        fill(options);
        options.setTag(++tag);
        collective(options);
    }
    template <class Options, class Fill> void run(void (*collective)(const Options &), const Fill &fill) {
        Options options(context);
        fill(options);
        options.setTag(++tag);
        collective(options);
    }

    size_t all() const {
        return count_ * static_cast<size_t>(context->size);
    }

    Element *send_, *recv_;
    size_t count_;
};

} // namespace

// Made before the rank is pinned: the thread that moves the data may run on any core, as it would elsewhere.
int contender_begin(int, char **) {
    device = gloo::transport::tcp::CreateDevice("127.0.0.1");
    return told_by_launcher("XCOLL_RANK");
}

void contender_init(int *rank, int *size) {
    *rank = told_by_launcher("XCOLL_RANK");
    *size = told_by_launcher("XCOLL_SIZE");
    check_ranks(*size);
    const std::string socket = std::getenv("BENCH_SOCKET"), job = std::getenv("BENCH_JOB");
    gloo::rendezvous::FileStore folder(socket.substr(0, socket.rfind('/')));
    gloo::rendezvous::PrefixStore store("gloo-" + job, folder);
    context = std::make_shared<gloo::rendezvous::Context>(*rank, *size);
    context->connectFullMesh(store, device);
}

const struct variant *contender_variants(void) {
    return ordinary_variants(1u << OP_REDUCE_SCATTER | 1u << OP_SCAN | 1u << OP_EXSCAN | OPS_OF_MPI_ALONE);
}

void *contender_alloc(enum memory, size_t bytes) {
    return private_memory(bytes);
}

void contender_prepare(const struct call *call) {
    parts = {};
    for (int p = 0; p < context->size; ++p) {
        const size_t pair = uneven(call->count, context->rank + p);
        parts.sent.push_back(static_cast<int64_t>(pair));
        parts.received.push_back(static_cast<int64_t>(pair));
        parts.gathered.push_back(uneven(call->count, p));
    }
}

void contender_run(const struct call *call, int root) {
    if (call->dtype == DTYPE_F32) {
        Caller<float>(call->send, call->recv, call->count).call(call->variant->op, root);
    } else {
        Caller<uint16_t>(call->send, call->recv, call->count).call(call->variant->op, root);
    }
}

void contender_finalize(void) {
    context.reset();
    device.reset();
}
