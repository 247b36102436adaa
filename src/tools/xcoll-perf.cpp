// xcoll-perf: how long the operations take here.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "tools/shared/command_line.h"
#include "tools/shared/json.h"
#include "tools/shared/library.h"
#include "tools/shared/out_of_memory.h"
#include "tools/shared/progress.h"
#include "tools/shared/sizes.h"
#include "tools/shared/standard_descriptors.h"
#include "tools/shared/text.h"
#include "tools/shared/write_whole.h"
#include "tools/xcoll-perf/measure.h"
#include "tools/xcoll-perf/options.h"
#include "tools/xcoll-perf/plot.h"
#include "tools/xcoll-perf/report.h"

using namespace xcoll::perf;
using xcoll::tools::Mistake;
using xcoll::tools::must;

namespace {

// Sizes do not matter to an operation without a count.
std::vector<uint64_t> sizes_of(const Operation &operation, const Options &options) {
    return operation.shape == OP_BARRIER ? std::vector<uint64_t>{0} : options.sizes;
}

// Twice as large as any cache here, so that what was used a whole range ago is in none.
size_t range_of(const Options &options, xcoll_comm_t comm) {
    if (options.range > 0) {
        return options.range;
    }
    const auto described = xcoll::tools::Json::parse(xcoll::tools::description(comm));
    const xcoll::tools::Json &machine = described["machine"];
    const double largest = std::max(machine["l2_bytes"].number(), machine["l3_bytes"].number());
    if (largest == 0) {
        throw Mistake("--buffers cold: the system does not tell how large its caches are: expected --range");
    }
    return 2 * static_cast<size_t>(largest);
}

// Those that this communicator has: between machines, no messages of users.
std::vector<const Operation *> operations_of(const Options &options, const Member &member) {
    std::vector<const Operation *> served;
    const auto described = xcoll::tools::Json::parse(xcoll::tools::description(member.comm));
    const bool has_messages = member.size == 1 || described["shared_memory"].truth();
    std::string missing;
    for (const Operation *operation : options.operations) {
        if (has_messages || !operation->is_message()) {
            served.push_back(operation);
        } else {
            missing += (missing.empty() ? "" : ", ") + std::string(operation->name);
        }
    }
    if (!missing.empty()) {
        const std::string why = missing + ": this version carries messages of users between ranks of one machine only";
        if (served.empty()) {
            throw Mistake("--op " + why);
        }
        if (member.rank == 0) {
            std::fprintf(stderr, "xcoll-perf: without %s\n", why.c_str());
        }
    }
    return served;
}

std::vector<Line> lines_of(const Options &options, const Member &member) {
    const bool some_cold = std::find(options.cold.begin(), options.cold.end(), true) != options.cold.end();
    const size_t range = some_cold ? range_of(options, member.comm) : 0;
    std::vector<Line> lines;
    const auto add = [&](const Operation *operation, uint64_t size, Form form, Loop loop) {
        for (const bool in_place : options.in_place) {
            for (const bool cold : options.cold) {
                const Task task{operation, options.type,    options.reduction, form, size / options.type->bytes,
                                in_place,  cold ? range : 0};
                if (!in_place || task.can_be_in_place()) {
                    lines.push_back({task, loop});
                }
            }
        }
    };
    for (const Operation *operation : operations_of(options, member)) {
        for (const uint64_t size : sizes_of(*operation, options)) {
            for (const Form form : options.forms) {
                for (const Loop loop : options.loops) {
                    add(operation, size, form, loop);
                }
            }
        }
    }
    if (lines.empty()) {
        throw Mistake("--place in: none of these operations can be called in place");
    }
    return lines;
}

std::vector<Record> plan(const std::vector<Line> &lines, const Options &options, const Member &member) {
    std::vector<Record> records;
    for (const Line &line : lines) {
        Record record = record_of(line, member);
        record.placement = options.threads > 0 ? "threads" : "processes";
        record.wrong = options.check ? 0 : unknown;
        records.push_back(record);
    }
    return records;
}

std::vector<Record> earlier_results(const Options &options) {
    return options.compare.empty() ? std::vector<Record>{} : read_records(options.compare);
}

void draw_plot(const Options &options, const std::vector<Record> &records, const std::vector<Record> &earlier) {
    if (!options.plot.empty()) {
        xcoll::tools::write_whole(options.plot, draw(records, earlier, options.compare));
    }
}

// What every rank does; rank 0 prints. Returns how many elements were wrong.
double measure_all(const Options &options, const Member &member) {
    const std::vector<Record> earlier = earlier_results(options);
    const std::vector<Line> lines = lines_of(options, member);
    std::vector<Record> records = plan(lines, options, member);
    const bool prints = member.rank == 0;
    Report report(options.output, records, earlier, options.compare);
    xcoll::tools::Progress progress(prints);
    RoundTrip round_trip(member);
    if (prints) {
        report.begin();
    }
    double wrong = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
        Record &record = records[i];
        progress.show(xcoll::tools::format("line %zu of %zu: %s of %s", i + 1, lines.size(), record.op.c_str(),
                                           xcoll::tools::show_bytes(lines[i].task.bytes()).c_str()));
        measure(record, lines[i], member, round_trip, options.seconds, options.check);
        wrong += options.check ? record.wrong : 0;
        progress.show("");
        if (prints) {
            report.add(record);
        }
    }
    if (prints) {
        report.end();
        draw_plot(options, records, earlier);
    }
    return wrong;
}

// Needs no rank; of a job, the first one does it for all.
void compare_files(const Options &options) {
    if (xcoll::tools::is_a_further_rank()) {
        return;
    }
    const std::vector<Record> earlier = earlier_results(options);
    std::vector<Record> later = read_records(options.later);
    Report report(options.output, later, earlier, options.compare);
    report.begin();
    for (Record &record : later) {
        record.ratio = unknown;
        report.add(record);
    }
    report.end();
    draw_plot(options, later, earlier);
}

Member member_of(xcoll_comm_t comm) {
    Member member{comm, 0, 1};
    must(xcoll_comm_rank(comm, &member.rank));
    must(xcoll_comm_size(comm, &member.size));
    return member;
}

double run_processes(const Options &options) {
    xcoll_comm_t world;
    must(xcoll_init(&world));
    const double wrong = measure_all(options, member_of(world));
    must(xcoll_comm_free(&world));
    must(xcoll_finalize());
    return wrong;
}

double run_threads(const Options &options) {
    std::vector<xcoll_comm_t> comms(static_cast<size_t>(options.threads));
    must(xcoll_comm_create_threads(options.threads, comms.data()));
    std::mutex mutex;
    std::exception_ptr first;
    double wrong = 0;
    std::vector<std::thread> threads;
    for (xcoll_comm_t &comm : comms) {
        threads.emplace_back([&] {
            try {
                const double here = measure_all(options, member_of(comm));
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
    if (!options.later.empty()) {
        compare_files(options);
        return 0;
    }
    const double wrong = options.threads > 0 ? run_threads(options) : run_processes(options);
    if (wrong > 0) {
        throw std::runtime_error(xcoll::tools::format("%.0f", wrong) +
                                 " elements are wrong: this is a defect, please report it");
    }
    return 0;
}

} // namespace

int main(int count, char **arguments) {
    xcoll::tools::end_when_out_of_memory();
    xcoll::tools::keep_closed_standard_descriptors();
    return with_options(count, arguments, run);
}
