#include "tools/xcoll-tune/table.h"

#include <cstdio>

#include "tools/shared/sizes.h"
#include "tools/shared/text.h"

namespace xcoll::tune {

namespace {

constexpr double ns_per_us = 1000;

void print_head(const Entrant &usual) {
    const tools::Json &all = usual.description;
    const auto groups = static_cast<long>(all["groups"].items().size());
    std::printf("%s in %s, float32, sum; microseconds in the median pass\n",
                tools::counted(static_cast<long>(all["size"].number()), "rank", "ranks").c_str(),
                tools::counted(groups, "group", "groups").c_str());
    std::printf("%-16s %8s  %-12s %10s  %-12s %10s  %s\n", "collective", "bytes", "chosen", "us", "other", "us",
                "times as fast (worst to best pass)");
}

void print_line(const Finding &finding, size_t rival, const char *behind) {
    const Bout &bout = *finding.bout;
    const Verdict verdict = finding.verdict(rival);
    const Times &times = finding.times[rival];
    std::printf("%-16s %8s  %-12s %10.3f  %-12s %10.3f  %.2f (%.2f to %.2f)%s\n", bout.task.operation->name,
                tools::short_bytes(bout.bytes).c_str(), bout.usual.c_str(), median_of(times.usual) / ns_per_us,
                bout.rivals[rival].algorithm.c_str(), median_of(times.rival) / ns_per_us, verdict.median, verdict.least,
                verdict.most, behind);
}

// How far the same choice was from itself.
double median_noise(const std::vector<Finding> &findings) {
    std::vector<double> noise;
    for (const Finding &finding : findings) {
        noise.push_back(noise_of(finding.times[0]));
    }
    return median_of(noise);
}

void print_noise(const std::vector<Finding> &findings) {
    constexpr double percent = 100;
    std::printf("The chosen algorithm, measured twice, differed from itself by %.1f %% in the median.\n",
                (median_noise(findings) - 1) * percent);
}

const char *behind(Verdict::Kind kind) {
    switch (kind) {
    case Verdict::Kind::faster:
        return "  faster";
    case Verdict::Kind::slower:
        return "  slower";
    default:
        return "  no clear difference";
    }
}

} // namespace

void print_winners(const std::vector<Finding> &findings, const Entrant &usual) {
    print_head(usual);
    size_t better = 0;
    for (const Finding &finding : findings) {
        if (const auto winner = finding.winner()) {
            print_line(finding, *winner, "");
            ++better;
        }
    }
    std::printf("Another algorithm is clearly faster at %zu of %zu sizes.\n", better, findings.size());
    print_noise(findings);
}

int print_verdicts(const std::vector<Finding> &findings, const Entrant &usual, const std::string &file) {
    if (findings.empty()) {
        std::printf("%s names nothing for these ranks and sizes that the library would not choose anyway.\n",
                    file.c_str());
        return 0;
    }
    print_head(usual);
    int slower = 0;
    for (const Finding &finding : findings) {
        const Verdict::Kind kind = finding.verdict(0).kind;
        slower += kind == Verdict::Kind::slower;
        print_line(finding, 0, behind(kind));
    }
    print_noise(findings);
    return slower;
}

} // namespace xcoll::tune
