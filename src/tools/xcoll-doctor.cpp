// xcoll-doctor: what would keep jobs from running well on this machine, and what to do about it; and of a job that
// runs, who keeps whom waiting.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <unistd.h>

#include "base/quoted.h"
#include "tools/shared/command_line.h"
#include "tools/shared/library.h"
#include "tools/shared/out_of_memory.h"
#include "tools/shared/standard_descriptors.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/check.h"
#include "tools/xcoll-doctor/trace_events.h"
#include "tools/xcoll-doctor/visit.h"

using namespace xcoll::doctor;
using xcoll::quoted;
using xcoll::tools::Json;
using xcoll::tools::must;

namespace {

constexpr int most_ranks = 4096;

struct Wanted {
    int ranks = 0; // 0: one for each usable processor, at least 2
    std::string root;
    bool json = false, strict = false;
    pid_t job = 0;     // the job of this process, instead of the machine
    bool jobs = false; // all of them
    std::string trace; // folder
};

Json describe_and_free(xcoll_comm_t comm) {
    const std::string text = xcoll::tools::description(comm);
    must(xcoll_comm_free(&comm));
    return Json::parse(text);
}

Json describe_process() {
    xcoll_comm_t world;
    must(xcoll_init(&world));
    Json description = describe_and_free(world);
    must(xcoll_finalize());
    return description;
}

// The segment of a thread is as large as that of a process, but no file: it is there, and its size is told, where the
// files that ranks need cannot be made.
Json describe_thread() {
    xcoll_comm_t comm;
    must(xcoll_comm_create_threads(1, &comm));
    return describe_and_free(comm);
}

// False, and why not the first time, if the library cannot be asked like this.
bool ask_library(Patient &patient, Json (*describe)()) {
    try {
        patient.description = describe();
        return true;
    } catch (const xcoll::tools::CallFailed &failure) {
        patient.init_failure = patient.init_failure.empty() ? failure.what() : patient.init_failure;
        return false;
    }
}

Patient examine(const Wanted &wanted) {
    Patient patient{wanted.ranks, wanted.root, Json(), ""};
    const auto ask = [&] { return ask_library(patient, describe_process) || ask_library(patient, describe_thread); };
    if (!ask()) {
        // The rest is looked at without what is wrong.
        xcoll::tools::forget_settings();
        ask();
    }
    const int usable = static_cast<int>(patient.description["machine"]["usable_processors"].number());
    patient.ranks = patient.ranks > 0 ? patient.ranks : std::max(usable, 2);
    return patient;
}

void print_finding(const char *name, const Finding &finding) {
    constexpr size_t state_width = 9, name_width = 15;
    const std::string head = xcoll::tools::padded(state_names[static_cast<size_t>(finding.state)], state_width) +
                             xcoll::tools::padded(name, name_width);
    std::printf("%s%s\n", head.c_str(), finding.seen.c_str());
    if (finding.state != Finding::State::ok) {
        const std::string blank(head.size(), ' ');
        std::printf("%smeans: %s\n%sto do: %s\n", blank.c_str(), finding.meaning.c_str(), blank.c_str(),
                    finding.advice.c_str());
    }
}

void print_json(const char *name, const Finding &finding, bool first) {
    std::printf("%s\n{\"check\": %s, \"state\": \"%s\", \"seen\": %s, \"meaning\": %s, \"advice\": %s}",
                first ? "" : ",", quoted(name).c_str(), state_names[static_cast<size_t>(finding.state)],
                quoted(finding.seen).c_str(), quoted(finding.meaning).c_str(), quoted(finding.advice).c_str());
}

int look(const Wanted &wanted) {
    // A limit of the size of files is to be told, not to be died of.
    std::signal(SIGXFSZ, SIG_IGN);
    const Patient patient = examine(wanted);
    int count[3] = {0, 0, 0}, looked = 0;
    std::printf("%s", wanted.json ? "[" : "");
    for (const auto checks : {memory_checks(), processor_checks(), permission_checks(), job_checks()}) {
        for (const Check &check : checks) {
            const Finding finding = check.look(patient);
            ++count[static_cast<size_t>(finding.state)];
            if (wanted.json) {
                print_json(check.name, finding, looked++ == 0);
            } else {
                print_finding(check.name, finding);
            }
            std::fflush(stdout); // the next check may take a while, or make a process, to which nothing is to be left
        }
    }
    const int problems = count[static_cast<size_t>(Finding::State::problem)];
    const int warnings = count[static_cast<size_t>(Finding::State::warning)];
    if (wanted.json) {
        std::printf("\n]\n");
    } else {
        std::printf("\n%s, %s, for a job of %s\n", xcoll::tools::counted(problems, "problem", "problems").c_str(),
                    xcoll::tools::counted(warnings, "warning", "warnings").c_str(),
                    xcoll::tools::counted(patient.ranks, "rank", "ranks").c_str());
    }
    return problems > 0 || (wanted.strict && warnings > 0) ? 1 : 0;
}

// Without any of its files all would be well.
std::string root_of_machine(std::string_view folder) {
    std::string root(folder);
    if (access((root + "/proc").c_str(), F_OK) != 0 && access((root + "/sys").c_str(), F_OK) != 0) {
        throw xcoll::tools::Mistake("--root " + root +
                                    ": expected a folder with copies of /proc and /sys; it has neither of them");
    }
    return root;
}

void refuse_options_of_machine(const Wanted &wanted) {
    if (wanted.jobs + (wanted.job != 0) + !wanted.trace.empty() > 1) {
        throw xcoll::tools::Mistake(
            "-p looks into one job, --jobs into all and --trace at what one has left: expected one of them");
    }
    if (wanted.ranks != 0 || wanted.strict || !wanted.root.empty()) {
        throw xcoll::tools::Mistake(
            "-n, --strict and --root are about the machine: expected none of them with -p, --jobs or --trace");
    }
}

} // namespace

int main(int count, char **arguments) {
    xcoll::tools::end_when_out_of_memory();
    xcoll::tools::keep_closed_standard_descriptors();
    Wanted wanted;
    const xcoll::tools::Tool tool = {
        "xcoll-doctor",
        "",
        "Looks for what would keep jobs from running well on this machine, says what it means and what to do; with "
        "-p,\n"
        "looks into a job that runs, hangs or is stopped, and says who keeps whom waiting; with --trace, shows what "
        "the\n"
        "ranks of a job did and when. Ends with 1 if there is a problem.\n",
        {{"-n", "N", "for a job of N ranks; default: one for each usable processor, at least 2",
          [&](std::string_view value) {
              wanted.ranks = static_cast<int>(xcoll::tools::take_number("-n", value, 1, most_ranks));
          }},
         {"-p", "PID", "look into the job of this process: a rank, xcollrun, or what started one",
          [&](std::string_view value) {
              wanted.job =
                  static_cast<pid_t>(xcoll::tools::take_number("-p", value, 1, std::numeric_limits<pid_t>::max()));
          }},
         {"--jobs", nullptr, "look into all jobs of this user", [&](std::string_view) { wanted.jobs = true; }},
         {"--trace", "FOLDER", "print the traces that XCOLL_TRACE=FOLDER has left there, for viewers of traces",
          [&](std::string_view value) { wanted.trace = value; }},
         {"--strict", nullptr, "end with 1 after a warning, too", [&](std::string_view) { wanted.strict = true; }},
         {"--json", nullptr, "print JSON", [&](std::string_view) { wanted.json = true; }},
         {"--root", "DIR", "read the files of /proc and /sys below DIR: those of another machine",
          [&](std::string_view value) { wanted.root = root_of_machine(value); }}}};
    return xcoll::tools::guarded_main(tool, [&] {
        if (count == 2 && std::strcmp(arguments[1], exchange_option) == 0) {
            return take_part_in_exchange();
        }
        if (!xcoll::tools::take_options(tool, count, arguments).empty()) {
            throw xcoll::tools::Mistake("expected options only");
        }
        if (wanted.jobs || wanted.job != 0 || !wanted.trace.empty()) {
            refuse_options_of_machine(wanted);
            if (!wanted.trace.empty()) {
                return print_trace(wanted.trace);
            }
            return visit(wanted.job, wanted.json);
        }
        if (std::getenv("XCOLL_SIZE")) {
            throw xcoll::tools::Mistake("it starts jobs of its own: expected to be started without a launcher");
        }
        return look(wanted);
    });
}
