// Does it work? Small jobs, with what is installed here.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/shared/library.h"
#include "tools/shared/programs.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/check.h"

namespace xcoll::doctor {

using tools::format;
using tools::must;

namespace {

constexpr const char *job_seconds = "20";

struct Ending {
    int status; // as wait() tells
    std::string said;
};

Ending run(const std::vector<std::string> &words) {
    std::vector<char *> arguments;
    for (const std::string &word : words) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {-1, format("pipe2: %s", std::strerror(errno))};
    }
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_DFL); // main() ignores it
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execv(arguments[0], arguments.data());
        dprintf(STDERR_FILENO, "%s: %s", arguments[0], std::strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    Ending ending{-1, ""};
    char buffer[4096];
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
        ending.said.append(buffer, static_cast<size_t>(got));
    }
    close(ends[0]);
    if (child < 0 || waitpid(child, &ending.status, 0) != child) {
        return {-1, format("no process could be made: %s", std::strerror(errno))};
    }
    return ending;
}

Ending exchange(int ranks, const std::vector<std::string> &options) {
    std::vector<std::string> words = {tools::launcher(), "-n", std::to_string(ranks), "--timeout", job_seconds};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {tools::this_program(), exchange_option});
    return run(words);
}

std::string first_line(const std::string &text) {
    return text.substr(0, text.find('\n'));
}

Finding look_at_settings(const Patient &patient) {
    if (!patient.init_failure.empty()) {
        return problem(patient.init_failure, "every program that uses xcoll fails like this",
                       "mend what the message names; xcoll-info settings lists all settings");
    }
    int given = 0;
    for (const tools::Json &setting : patient.description["settings"].items()) {
        given += setting["source"].text() != "default";
    }
    return good(given == 0 ? "all as they come" : tools::counted(given, "is", "are") + " given, all valid");
}

Finding look_at_library(const Patient &patient) {
    const std::string here = format("%d.%d.%d", XCOLL_VERSION_MAJOR, XCOLL_VERSION_MINOR, XCOLL_VERSION_PATCH);
    const std::string &there = patient.description["build"]["version"].text();
    if (!there.empty() && there != here) {
        return warning("the library is " + there + ", this program is of " + here,
                       "programs may find another libxcoll.so.1 than the one that was installed with the tools",
                       "look at LD_LIBRARY_PATH and at what ldd says of the program");
    }
    return good(there.empty() ? here : there + ", kernels for " + patient.description["kernels"].text());
}

Finding look_at_exchange(const Patient &patient) {
    const int ranks = std::max(patient.ranks, 2);
    const Ending ending = exchange(ranks, {});
    if (ending.status != 0) {
        return problem(first_line(ending.said), "a small job of processes that share memory does not run",
                       "mend the problems above first; then run: xcollrun -n 2 xcoll-perf --check");
    }
    return good(format("%d processes exchanged data by shared memory", ranks));
}

const char *how_to_get_messages(const Patient &patient, const std::string &said) {
    if (!patient.init_failure.empty()) {
        return "mend the problems above first";
    }
    if (said.find("cannot be loaded") != std::string::npos) {
        return "install UCX (Debian, Ubuntu: libucx0), or set XCOLL_PLUGIN_PATH to the folder of the plug-in";
    }
    return "mend the problems above first; then run: XCOLL_SHM=off xcollrun -n 2 xcoll-perf --check";
}

Finding look_at_plugin(const Patient &patient) {
    // A library that cannot be asked at all may have been built with them.
    const tools::Json &build = patient.description["build"];
    if (!build.is_null() && build["ucx"].is_null()) {
        return good("built without messages between machines");
    }
    const Ending ending = exchange(2, {"--env", "XCOLL_SHM=off"});
    if (ending.status != 0) {
        return warning(first_line(ending.said),
                       "messages between machines do not work here; jobs of one machine need none",
                       how_to_get_messages(patient, ending.said));
    }
    return good("the plug-in loads, and 2 processes exchanged data by messages");
}

constexpr Check table[] = {{"library", look_at_library},
                           {"settings", look_at_settings},
                           {"shared memory", look_at_exchange},
                           {"messages", look_at_plugin}};

} // namespace

std::span<const Check> job_checks() {
    return table;
}

int take_part_in_exchange() {
    xcoll_comm_t world;
    int rank = 0, size = 1;
    must(xcoll_init(&world));
    must(xcoll_comm_rank(world, &rank));
    must(xcoll_comm_size(world, &size));
    // One that fits in a line, and one that goes through the ring in blocks.
    for (const size_t count : {size_t{1}, size_t{1} << 18}) {
        std::vector<int64_t> numbers(count, rank + 1);
        must(xcoll_allreduce(XCOLL_IN_PLACE, numbers.data(), count, XCOLL_INT64, XCOLL_SUM, world));
        for (const int64_t number : numbers) {
            if (number != int64_t{size} * (size + 1) / 2) {
                throw std::runtime_error("a sum over the ranks is wrong");
            }
        }
    }
    must(xcoll_comm_free(&world));
    must(xcoll_finalize());
    return 0;
}

} // namespace xcoll::doctor
