#include "tools/xcoll-tune/tuning_file.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tools/shared/sizes.h"
#include "tools/shared/text.h"

namespace xcoll::tune {

using tools::format;
using tools::Json;

namespace {

// Neighbouring sizes for which one algorithm is better.
struct Stretch {
    const Bout *first, *last;
    uint64_t from, to;
    std::string algorithm, instead;
    double least, most; // how many times as fast, over sizes and passes
};

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "processor without a name";
}

std::string header(const std::vector<Finding> &findings, const Json &description) {
    const double processors = description["machine"]["usable_processors"].number();
    std::string text = "# Made by xcoll-tune: where another algorithm is clearly faster than the one that xcoll " +
                       description["build"]["version"].text() + " chooses.\n";
    text += "# Machine: " + processor_name() + ", " +
            tools::counted(static_cast<long>(processors), "usable processor", "usable processors") + "\n";
    text += format("# Ranks: %.0f in %s, %s\n", description["size"].number(),
                   tools::counted(static_cast<long>(description["groups"].items().size()), "group", "groups").c_str(),
                   description["shared_memory"].truth() ? "which share memory" : "not all of which share memory");
    text +=
        format("# Measured: float32, sum, buffers written before and read after each call; %zu sizes of collectives\n",
               findings.size());
    return text + "# Behind each line: how many times as fast it was, from the worst pass to the best.\n";
}

// Between two sizes of which one is better served by another algorithm; the smaller one's side has its end there.
uint64_t border(uint64_t smaller, uint64_t larger) {
    return static_cast<uint64_t>(std::sqrt(static_cast<double>(smaller) * static_cast<double>(larger)));
}

bool continues(const Stretch &stretch, const Finding &before, const Finding &here, const std::string &algorithm) {
    return stretch.last == before.bout && before.bout->task.operation == here.bout->task.operation &&
           stretch.algorithm == algorithm;
}

std::vector<Stretch> stretches(const std::vector<Finding> &findings) {
    std::vector<Stretch> all;
    for (size_t i = 0; i < findings.size(); ++i) {
        const Finding &here = findings[i];
        const auto neighbour = [&](size_t at) {
            const bool there = at < findings.size();
            return there && findings[at].bout->task.operation == here.bout->task.operation ? findings[at].bout
                                                                                           : nullptr;
        };
        const auto winner = here.winner();
        if (!winner) {
            continue;
        }
        const Bout *smaller = i > 0 ? neighbour(i - 1) : nullptr, *larger = neighbour(i + 1);
        const uint64_t bytes = here.bout->bytes, to = larger ? border(bytes, larger->bytes) : bytes;
        const std::string &algorithm = here.bout->rivals[*winner].algorithm;
        const Verdict verdict = here.verdict(*winner);
        if (!all.empty() && i > 0 && continues(all.back(), findings[i - 1], here, algorithm)) {
            Stretch &stretch = all.back();
            stretch.last = here.bout;
            stretch.to = to;
            stretch.least = std::min(stretch.least, verdict.least);
            stretch.most = std::max(stretch.most, verdict.most);
            if (stretch.instead.find(here.bout->usual) == std::string::npos) {
                stretch.instead += " and " + here.bout->usual;
            }
        } else {
            const uint64_t from = smaller ? border(smaller->bytes, bytes) + 1 : bytes;
            all.push_back({here.bout, here.bout, from, to, algorithm, here.bout->usual, verdict.least, verdict.most});
        }
    }
    return all;
}

std::string range(uint64_t from, uint64_t to) {
    return tools::short_bytes(from) + (from == to ? "" : ".." + tools::short_bytes(to));
}

} // namespace

std::string tuning_text(const std::vector<Finding> &findings, const Json &description) {
    std::string text = header(findings, description);
    const std::string where =
        format("ranks %.0f groups %zu %s", description["size"].number(), description["groups"].items().size(),
               description["shared_memory"].truth() ? "local" : "network");
    const std::vector<Stretch> all = stretches(findings);
    for (const Stretch &stretch : all) {
        text += format("%s bytes %s %s -> %s # %.2f to %.2f times as fast as %s\n", stretch.first->task.operation->name,
                       range(stretch.from, stretch.to).c_str(), where.c_str(), stretch.algorithm.c_str(), stretch.least,
                       stretch.most, stretch.instead.c_str());
    }
    return text + (all.empty() ? "# Nothing was: the library chooses as without this file.\n" : "");
}

} // namespace xcoll::tune
