// xcoll-perf: how long the operations take here.
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "tools/shared/command_line.h"
#include "tools/shared/library.h"
#include "tools/xcoll-perf/measure.h"
#include "tools/xcoll-perf/options.h"
#include "tools/xcoll-perf/report.h"

using namespace xcoll::perf;
using xcoll::tools::Mistake;
using xcoll::tools::must;

namespace {

// Sizes do not matter to an operation without a count.
std::vector<uint64_t> sizes_of(const Operation &operation, const Options &options) {
    return operation.shape == OP_BARRIER ? std::vector<uint64_t>{0} : options.sizes;
}

// What every rank does; rank 0 prints. Returns how many elements were wrong.
long measure_all(const Options &options, const Member &member) {
    long wrong = 0;
    Report report(options, member.size);
    const bool prints = member.rank == 0;
    if (prints) {
        report.begin();
    }
    for (const Operation *operation : options.operations) {
        for (const uint64_t size : sizes_of(*operation, options)) {
            for (const Form form : options.forms) {
                for (const Loop loop : options.loops) {
                    const Task task{operation, options.type, options.reduction, form, size / options.type->bytes};
                    const Result result = measure(task, member, loop, options.seconds, options.check);
                    wrong += options.check ? result.wrong : 0;
                    if (prints) {
                        report.add(task, loop, result);
                    }
                }
            }
        }
    }
    if (prints) {
        report.end();
    }
    return wrong;
}

Member member_of(xcoll_comm_t comm) {
    Member member{comm, 0, 1};
    must(xcoll_comm_rank(comm, &member.rank));
    must(xcoll_comm_size(comm, &member.size));
    return member;
}

long run_processes(const Options &options) {
    xcoll_comm_t world;
    must(xcoll_init(&world));
    const long wrong = measure_all(options, member_of(world));
    must(xcoll_comm_free(&world));
    must(xcoll_finalize());
    return wrong;
}

long run_threads(const Options &options) {
    std::vector<xcoll_comm_t> comms(static_cast<size_t>(options.threads));
    must(xcoll_comm_create_threads(options.threads, comms.data()));
    std::mutex mutex;
    std::exception_ptr first;
    long wrong = 0;
    std::vector<std::thread> threads;
    for (xcoll_comm_t &comm : comms) {
        threads.emplace_back([&] {
            try {
                const long here = measure_all(options, member_of(comm));
                const std::lock_guard lock(mutex);
                wrong = here; // the same on all ranks
            } catch (const std::exception &) {
                const std::lock_guard lock(mutex);
                first = first ? first : std::current_exception();
                xcoll_comm_abort(comm, "a rank of xcoll-perf failed"); // the others must not wait
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (xcoll_comm_t &comm : comms) {
        xcoll_comm_free(&comm);
    }
    if (first) {
        std::rethrow_exception(first);
    }
    return wrong;
}

int run(const Options &options) {
    if (options.threads > 0 && std::getenv("XCOLL_SIZE")) {
        throw Mistake("-t is for use without a launcher: this job has its ranks already");
    }
    const long wrong = options.threads > 0 ? run_threads(options) : run_processes(options);
    if (wrong > 0) {
        throw std::runtime_error(std::to_string(wrong) + " elements are wrong: this is a defect, please report it");
    }
    return 0;
}

} // namespace

int main(int count, char **arguments) {
    return with_options(count, arguments, run);
}
