// UCC at its defaults. Started by xcollrun, of which it takes nothing but its rank: the ranks meet by files in the
// folder of the benchmark's socket. `ucc [blocking|persistent]`; blocking: each call makes its request, posts it,
// drives UCC until it is done and forgets it, as Open MPI and PyTorch do for each of theirs. UCC has no scans. `ucc
// version` tells which it is.
#include <ucc/api/ucc.h>

#include <sched.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "ordinary.h"

namespace {

ucc_lib_h library;
ucc_context_h context;
ucc_team_h team;
int rank_here, ranks;
bool persistent;

void must(ucc_status_t status) {
    if (status < 0) {
        std::fprintf(stderr, "bench: UCC: %s\n", ucc_status_string(status));
        std::exit(1);
    }
}

// One all-gather before there is a team: each rank leaves a file and reads those of all.
class Meeting {
public:
    Meeting(const void *mine, void *all, size_t bytes) : all_(static_cast<char *>(all)), bytes_(bytes), number_(++met) {
        const std::string name = file_of(rank_here), unfinished = name + ".part";
        std::ofstream(unfinished, std::ios::binary)
            .write(static_cast<const char *>(mine), static_cast<std::streamsize>(bytes));
        if (std::rename(unfinished.c_str(), name.c_str()) != 0) {
            std::perror(("bench: UCC: " + name).c_str());
            std::exit(1);
        }
    }

    ucc_status_t test() {
        for (; next_ < ranks; ++next_) {
            std::ifstream file(file_of(next_), std::ios::binary);
            if (!file) {
                sched_yield();
                return UCC_INPROGRESS;
            }
            file.read(all_ + static_cast<size_t>(next_) * bytes_, static_cast<std::streamsize>(bytes_));
        }
        return UCC_OK;
    }

private:
    std::string file_of(int rank) const {
        const std::string socket = std::getenv("BENCH_SOCKET"), job = std::getenv("BENCH_JOB");
        return socket.substr(0, socket.rfind('/')) + "/ucc-" + job + "-" + std::to_string(number_) + "-" +
               std::to_string(rank);
    }

    static int met;
    char *all_;
    size_t bytes_;
    int number_, next_ = 0;
};

int Meeting::met;

ucc_oob_coll_t meetings() {
    ucc_oob_coll_t oob = {};
    oob.allgather = [](void *mine, void *all, size_t bytes, void *, void **meeting) {
        *meeting = new Meeting(mine, all, bytes);
        return UCC_OK;
    };
    oob.req_test = [](void *meeting) { return static_cast<Meeting *>(meeting)->test(); };
    oob.req_free = [](void *meeting) {
        delete static_cast<Meeting *>(meeting);
        return UCC_OK;
    };
    oob.n_oob_eps = static_cast<uint32_t>(ranks);
    oob.oob_ep = static_cast<uint32_t>(rank_here);
    return oob;
}

void make_context() {
    ucc_lib_config_h library_config;
    must(ucc_lib_config_read(nullptr, nullptr, &library_config));
    ucc_lib_params_t library_params = {};
    library_params.mask = UCC_LIB_PARAM_FIELD_THREAD_MODE;
    library_params.thread_mode = UCC_THREAD_SINGLE;
    must(ucc_init(&library_params, library_config, &library));
    ucc_lib_config_release(library_config);

    ucc_context_config_h config;
    must(ucc_context_config_read(library, nullptr, &config));
    must(ucc_context_config_modify(config, nullptr, "ESTIMATED_NUM_EPS", std::to_string(ranks).c_str()));
    ucc_context_params_t params = {};
    params.mask = UCC_CONTEXT_PARAM_FIELD_OOB;
    params.oob = meetings();
    must(ucc_context_create(library, &params, config, &context));
    ucc_context_config_release(config);
}

void make_team() {
    ucc_team_params_t params = {};
    params.mask = UCC_TEAM_PARAM_FIELD_EP | UCC_TEAM_PARAM_FIELD_EP_RANGE | UCC_TEAM_PARAM_FIELD_OOB;
    params.oob = meetings();
    params.ep = static_cast<uint64_t>(rank_here);
    params.ep_range = UCC_COLLECTIVE_EP_RANGE_CONTIG;
    must(ucc_team_create_post(&context, 1, &params, &team));
    ucc_status_t status;
    while ((status = ucc_team_create_test(team)) == UCC_INPROGRESS) {
        must(ucc_context_progress(context));
    }
    must(status);
}

// Of vectors whose parts are told one by one.
struct Parts {
    std::vector<ucc_count_t> counts;
    std::vector<ucc_aint_t> at;

    void fill(const struct call *call) {
        const enum op op = call->variant->op;
        counts.clear();
        at.clear();
        ucc_aint_t next = 0;
        for (int p = 0; p < ranks; ++p) {
            const int part = op == OP_ALLTOALLV ? rank_here + p : p;
            counts.push_back(op == OP_SCATTER ? call->count : uneven(call->count, part));
            at.push_back(next);
            next += counts.back();
        }
    }
} parts;

ucc_datatype_t type_of(enum dtype dtype) {
    return dtype == DTYPE_F32 ? UCC_DT_FLOAT32 : UCC_DT_BFLOAT16;
}

// What UCC is asked for in one call.
class Arguments {
public:
    Arguments(const struct call *call, int root, size_t skipped = 0)
        : call_(call), type_(type_of(call->dtype)), all_(call->count * static_cast<size_t>(ranks)),
          send_(static_cast<char *>(const_cast<void *>(call->send)) + skipped * dtype_size(call->dtype)),
          recv_(static_cast<char *>(call->recv) + skipped * static_cast<size_t>(ranks) * dtype_size(call->dtype)) {
        args_.op = UCC_OP_SUM;
        args_.root = static_cast<uint64_t>(root);
        flag(UCC_COLL_ARGS_FLAG_IN_PLACE, call->send == call->recv);
        flag(UCC_COLL_ARGS_FLAG_PERSISTENT, persistent);
        describe();
    }

    ucc_coll_req_h request() {
        ucc_coll_req_h made;
        must(ucc_collective_init(&args_, &made, team));
        return made;
    }

private:
    void describe() {
        const size_t count = call_->count;
        switch (call_->variant->op) {
        case OP_BARRIER:
            args_.coll_type = UCC_COLL_TYPE_BARRIER;
            break;
        case OP_BCAST:
            args_.coll_type = UCC_COLL_TYPE_BCAST;
            args_.src.info = vector(recv_, count);
            break;
        case OP_ALLREDUCE:
            of_vectors(UCC_COLL_TYPE_ALLREDUCE, count, count);
            break;
        case OP_REDUCE:
            of_vectors(UCC_COLL_TYPE_REDUCE, count, count);
            break;
        case OP_REDUCE_SCATTER:
            of_vectors(UCC_COLL_TYPE_REDUCE_SCATTER, all_, count);
            break;
        case OP_ALLTOALL:
            of_vectors(UCC_COLL_TYPE_ALLTOALL, all_, all_);
            break;
        case OP_GATHER:
            of_vectors(UCC_COLL_TYPE_GATHER, count, all_);
            break;
        case OP_SCATTER: // for processors there is only this, so PyTorch calls it too
            of_vectors(UCC_COLL_TYPE_SCATTERV, 0, count);
            args_.src.info_v = vector_in_parts(send_);
            break;
        case OP_ALLGATHERV:
            of_vectors(UCC_COLL_TYPE_ALLGATHERV, parts.counts[static_cast<size_t>(rank_here)], 0);
            args_.dst.info_v = vector_in_parts(recv_);
            break;
        case OP_ALLTOALLV:
            args_.coll_type = UCC_COLL_TYPE_ALLTOALLV;
            args_.src.info_v = vector_in_parts(send_);
            args_.dst.info_v = vector_in_parts(recv_);
            break;
        default: // an all-gather, or one of a group, which UCC does not know
            of_vectors(UCC_COLL_TYPE_ALLGATHER, count, all_);
        }
    }

    void of_vectors(ucc_coll_type_t collective, size_t sent, size_t received) {
        args_.coll_type = collective;
        args_.src.info = vector(send_, sent);
        args_.dst.info = vector(recv_, received);
    }

    ucc_coll_buffer_info_t vector(void *at, size_t count) const {
        return {at, count, type_, UCC_MEMORY_TYPE_HOST};
    }

    ucc_coll_buffer_info_v_t vector_in_parts(void *at) {
        flag(UCC_COLL_ARGS_FLAG_COUNT_64BIT, true);
        flag(UCC_COLL_ARGS_FLAG_DISPLACEMENTS_64BIT, true);
        return {at, parts.counts.data(), parts.at.data(), type_, UCC_MEMORY_TYPE_HOST};
    }

    void flag(uint64_t bit, bool set) {
        if (set) {
            args_.mask |= UCC_COLL_ARGS_FIELD_FLAGS;
            args_.flags |= bit;
        }
    }

    const struct call *call_;
    ucc_datatype_t type_;
    size_t all_;
    char *send_, *recv_;
    ucc_coll_args_t args_ = {};
};

void run(ucc_coll_req_h request) {
    must(ucc_collective_post(request));
    ucc_status_t status;
    while ((status = ucc_collective_test(request)) == UCC_INPROGRESS) {
        must(ucc_context_progress(context));
    }
    must(status);
}

size_t calls_of(const struct call *call) {
    return call->variant->op == OP_GROUP ? group_calls : 1;
}

// Made before the clock runs: for each root those of all calls.
std::vector<std::vector<ucc_coll_req_h>> kept;

void forget_kept() {
    for (const auto &of_root : kept) {
        for (ucc_coll_req_h request : of_root) {
            must(ucc_collective_finalize(request));
        }
    }
    kept.clear();
}

void keep(const struct call *call) {
    forget_kept();
    kept.resize(static_cast<size_t>(ranks));
    for (int root = 0; root < ranks; ++root) {
        for (size_t k = 0; k < calls_of(call); ++k) {
            kept[static_cast<size_t>(root)].push_back(Arguments(call, root, k * call->count).request());
        }
    }
}

} // namespace

int contender_begin(int argc, char **argv) {
    if (argc > 1 && std::strcmp(argv[1], "version") == 0) {
        std::puts(ucc_get_version_string());
        std::exit(0);
    }
    persistent = argc > 1 && std::strcmp(argv[1], "persistent") == 0;
    return told_by_launcher("XCOLL_RANK");
}

void contender_init(int *rank, int *size) {
    *rank = rank_here = told_by_launcher("XCOLL_RANK");
    *size = ranks = told_by_launcher("XCOLL_SIZE");
    check_ranks(ranks);
    make_context();
    make_team();
}

const struct variant *contender_variants(void) {
    return ordinary_variants(1u << OP_SCAN | 1u << OP_EXSCAN | OPS_OF_MPI_ALONE);
}

void *contender_alloc(enum memory, size_t bytes) {
    return private_memory(bytes);
}

void contender_prepare(const struct call *call) {
    parts.fill(call);
    if (persistent) {
        keep(call);
    }
}

void contender_run(const struct call *call, int root) {
    if (persistent) {
        for (ucc_coll_req_h request : kept[static_cast<size_t>(root)]) {
            run(request);
        }
        return;
    }
    for (size_t k = 0; k < calls_of(call); ++k) {
        ucc_coll_req_h request = Arguments(call, root, k * call->count).request();
        run(request);
        must(ucc_collective_finalize(request));
    }
}

void contender_finalize(void) {
    forget_kept();
    while (ucc_team_destroy(team) == UCC_INPROGRESS) {
        must(ucc_context_progress(context));
    }
    must(ucc_context_destroy(context));
    must(ucc_finalize(library));
}
