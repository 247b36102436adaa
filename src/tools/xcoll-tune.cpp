// xcoll-tune: which algorithms are the fastest here, and a tuning file that says so.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "tools/shared/command_line.h"
#include "tools/shared/library.h"
#include "tools/shared/out_of_memory.h"
#include "tools/shared/programs.h"
#include "tools/shared/progress.h"
#include "tools/shared/sizes.h"
#include "tools/shared/standard_descriptors.h"
#include "tools/shared/text.h"
#include "tools/shared/write_whole.h"
#include "tools/xcoll-tune/contest.h"
#include "tools/xcoll-tune/options.h"
#include "tools/xcoll-tune/overtime.h"
#include "tools/xcoll-tune/table.h"
#include "tools/xcoll-tune/tuning_file.h"

using namespace xcoll::tune;
using xcoll::perf::Member;
using xcoll::tools::Mistake;
using xcoll::tools::must;

namespace {

// Far enough apart that a machine that is disturbed for a while disturbs some of them only.
constexpr int passes = 5;

// Becomes the launcher of a job of this program.
[[noreturn]] void start_ranks(const Options &options) {
    std::vector<std::string> words = {xcoll::tools::launcher()};
    if (options.ranks > 0) {
        words.insert(words.end(), {"-n", std::to_string(options.ranks)});
    }
    words.push_back(xcoll::tools::this_program());
    words.insert(words.end(), options.forwarded.begin(), options.forwarded.end());
    std::vector<char *> arguments;
    for (std::string &word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(errno));
}

std::vector<xcoll_comm_t> communicators(const Field &field, const Bout &bout) {
    std::vector<xcoll_comm_t> comms = {field.usual().comm, field.control()};
    for (const Bout::Rival &rival : bout.rivals) {
        comms.push_back(rival.comm);
    }
    return comms;
}

void add(Finding &finding, const std::vector<double> &pass) {
    for (size_t rival = 0; rival < finding.times.size(); ++rival) {
        finding.times[rival].usual.push_back(pass[0]);
        finding.times[rival].control.push_back(pass[1]);
        finding.times[rival].rival.push_back(pass[2 + rival]);
    }
}

std::vector<Finding> measure(const Field &field, const std::vector<Bout> &bouts, const Member &member, double seconds) {
    std::vector<Finding> findings;
    for (const Bout &bout : bouts) {
        findings.push_back({&bout, std::vector<Times>(bout.rivals.size())});
    }
    const size_t contests = passes * bouts.size();
    size_t done = 0;
    xcoll::tools::Progress progress(member.rank == 0);
    Overtime overtime(seconds, contests);
    for (int pass = 0; pass < passes; ++pass) {
        for (Finding &finding : findings) {
            const Bout &bout = *finding.bout;
            progress.show(xcoll::tools::format("pass %d of %d: %s of %s", pass + 1, passes, bout.task.operation->name,
                                               xcoll::tools::show_bytes(bout.bytes).c_str()));
            add(finding,
                contest(bout.task, member, communicators(field, bout), seconds / static_cast<double>(contests)));
            const std::string complaint = overtime.complaint(++done);
            if (member.rank == 0 && !complaint.empty()) {
                progress.show("");
                std::fprintf(stderr, "xcoll-tune: %s\n", complaint.c_str());
            }
        }
    }
    return findings;
}

// On rank 0. Returns what main() returns.
int report(const Options &options, const std::vector<Finding> &findings, const Entrant &usual) {
    if (!options.check.empty()) {
        return print_verdicts(findings, usual, options.check) == 0 ? 0 : 1;
    }
    print_winners(findings, usual);
    if (!options.out.empty()) {
        xcoll::tools::write_whole(options.out, tuning_text(findings, usual.description));
        std::printf("%s is written: XCOLL_TUNING_FILE=%s uses it.\n", options.out.c_str(), options.out.c_str());
    }
    return 0;
}

int compete(const Options &options, const Member &member) {
    if (member.size == 1) {
        throw Mistake("one rank has nobody to exchange data with: expected -n 2 or more");
    }
    const Field field(member, options);
    const std::vector<Bout> bouts = field.bouts();
    if (bouts.empty() && options.check.empty()) {
        throw Mistake("for these ranks and sizes there is only one algorithm that can serve each collective");
    }
    const std::vector<Finding> findings = measure(field, bouts, member, options.seconds);
    return member.rank == 0 ? report(options, findings, field.usual()) : 0;
}

int run(const Options &options) {
    forget_choices();
    xcoll_comm_t world;
    must(xcoll_init(&world));
    Member member{world, 0, 1};
    must(xcoll_comm_rank(world, &member.rank));
    must(xcoll_comm_size(world, &member.size));
    const bool in_job = member.size > 1 || std::getenv("XCOLL_CONTROL_FD"); // a launcher may start one rank
    if (options.ranks > 0 && in_job) {
        throw Mistake("-n is for use without a launcher: this job has its ranks already");
    }
    if (member.rank == 0 && !options.out.empty()) {
        xcoll::tools::check_target("-o", options.out);
    }
    const int code = in_job ? compete(options, member) : 0;
    must(xcoll_comm_free(&world));
    must(xcoll_finalize());
    if (!in_job) {
        start_ranks(options);
    }
    return code;
}

} // namespace

int main(int count, char **arguments) {
    xcoll::tools::end_when_out_of_memory();
    xcoll::tools::keep_closed_standard_descriptors();
    return with_options(count, arguments, run);
}
