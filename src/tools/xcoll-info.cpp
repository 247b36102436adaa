// xcoll-info: what this build of the library is and what it makes of this machine.
//
// Everything about the library comes from xcoll_comm_describe, of a communicator that is made for the purpose: so the
// tool speaks of the library that programs will load, of the settings as that library has read them and of the choices
// that it will make, and not of tables that were compiled into the tool. Only the limits of the system are the tool's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tools/shared/command_line.h"
#include "tools/shared/library.h"
#include "tools/shared/out_of_memory.h"
#include "tools/shared/standard_descriptors.h"
#include "tools/xcoll-info/sections.h"

using namespace xcoll;
using tools::Json;
using tools::Mistake;
using tools::must;

namespace {

constexpr int most_threads = 1024;

struct Wanted {
    int ranks = 0; // 0: those of the job, alone as many as there are usable processors
    bool json = false;
    std::vector<std::string_view> sections;
};

bool is_wanted(const Wanted &wanted, std::string_view section) {
    return wanted.sections.empty() ||
           std::find(wanted.sections.begin(), wanted.sections.end(), section) != wanted.sections.end();
}

void check_sections(const Wanted &wanted) {
    std::string known;
    for (const info::Section &section : info::sections()) {
        known += (known.empty() ? "" : ", ") + std::string(section.name);
    }
    for (const std::string_view word : wanted.sections) {
        const auto matches = [&](const info::Section &section) { return word == section.name; };
        if (std::none_of(info::sections().begin(), info::sections().end(), matches)) {
            throw Mistake("there is no section '" + std::string(word) + "': expected " + known);
        }
    }
    if (wanted.json && !wanted.sections.empty()) {
        throw Mistake("--json prints everything: leave out the sections");
    }
}

std::string describe_world(int &rank, int &size) {
    xcoll_comm_t world;
    must(xcoll_init(&world));
    must(xcoll_comm_rank(world, &rank));
    must(xcoll_comm_size(world, &size));
    std::string text = tools::description(world);
    must(xcoll_comm_free(&world));
    must(xcoll_finalize());
    return text;
}

// Without a job, threads stand for its ranks: what one rank alone would choose tells nothing.
std::string describe_threads(int ranks) {
    std::vector<xcoll_comm_t> comms(static_cast<size_t>(ranks));
    must(xcoll_comm_create_threads(ranks, comms.data()));
    std::string text = tools::description(comms[0]);
    for (xcoll_comm_t &comm : comms) {
        must(xcoll_comm_free(&comm));
    }
    return text;
}

// Empty on the ranks that print nothing.
std::string describe(const Wanted &wanted) {
    int rank = 0, size = 1;
    std::string world = describe_world(rank, size);
    const bool in_job = std::getenv("XCOLL_SIZE") != nullptr || size > 1;
    if (in_job && wanted.ranks > 0) {
        throw Mistake("-n is for use without a launcher: this job has " + std::to_string(size) + " ranks");
    }
    if (in_job) {
        return rank == 0 ? world : "";
    }
    const int usable = static_cast<int>(Json::parse(world)["machine"]["usable_processors"].number());
    return describe_threads(wanted.ranks > 0 ? wanted.ranks : std::clamp(usable, 2, most_threads));
}

void print(const Wanted &wanted, const std::string &text) {
    if (text.empty()) {
        return;
    }
    if (wanted.json) {
        // The description is an object; the limits become its last member.
        std::printf("%s, \"limits\": %s}\n", text.substr(0, text.size() - 1).c_str(), info::limits_as_json().c_str());
        return;
    }
    const Json description = Json::parse(text);
    const char *separator = "";
    for (const info::Section &section : info::sections()) {
        if (is_wanted(wanted, section.name)) {
            std::printf("%s%s", separator, section.print(description).c_str());
            separator = "\n";
        }
    }
}

int run(const Wanted &wanted) {
    try {
        print(wanted, describe(wanted));
        return 0;
    } catch (const tools::CallFailed &failure) {
        if (failure.result != XCOLL_ERR_CONFIG || std::getenv("XCOLL_CONTROL_FD")) {
            throw;
        }
        std::fprintf(stderr, "xcoll-info: %s\nxcoll-info: what follows is without the XCOLL_ variables\n",
                     failure.what());
    }
    tools::forget_settings(); // whoever looks for the mistake needs the table of settings most
    print(wanted, describe(wanted));
    return 1;
}

} // namespace

int main(int count, char **arguments) {
    tools::end_when_out_of_memory();
    tools::keep_closed_standard_descriptors();
    Wanted wanted;
    const tools::Tool tool = {
        "xcoll-info",
        "[section ...]",
        "Tells what this build of xcoll is, what it makes of this machine, every setting and where it comes from, and\n"
        "which algorithm serves which size. Sections: build machine job settings limits algorithms; default: all.\n"
        "Under xcollrun it speaks of that job.\n",
        {{"-n", "N", "show the choices for N ranks; default: one for each usable processor, at least 2",
          [&](std::string_view value) {
              wanted.ranks = static_cast<int>(tools::take_number("-n", value, 1, most_threads));
          }},
         {"--json", nullptr, "everything, as one JSON object", [&](std::string_view) { wanted.json = true; }}}};
    return tools::guarded_main(tool, [&] {
        wanted.sections = tools::take_options(tool, count, arguments);
        check_sections(wanted);
        return run(wanted);
    });
}
