#include "tools/xcoll-doctor/timeline.h"

#include <algorithm>
#include <map>

#include "tools/shared/text.h"

namespace xcoll::doctor {

using tools::format;

namespace {

// Ranks of a machine have one clock; so all its files go by the first one's, whatever was done to the time of day
// between their starts.
using Machine = std::pair<std::string, std::string>;
std::map<Machine, int64_t> clocks(const std::vector<TracedProcess> &processes) {
    std::map<Machine, int64_t> clocks;
    for (const TracedProcess &process : processes) {
        clocks.try_emplace({process.header.host.text(), process.header.boot.text()}, process.header.realtime);
    }
    return clocks;
}

// A process has one rank throughout, that in its first job, unless it had several from the start: threads.
int64_t job_rank_of(const TracedProcess &process, const TracedRank &rank) {
    const trace::Section &first = process.ranks.front().section;
    const bool is_of_threads = std::any_of(process.ranks.begin(), process.ranks.end(), [&](const TracedRank &other) {
        return other.section.job == first.job && other.section.job_rank != first.job_rank;
    });
    return is_of_threads ? rank.section.job_rank : first.job_rank;
}

// Who comes first has its own number, and others who want it get one that nobody wants.
void number_ranks(std::vector<Track> &tracks, std::vector<std::string> &complaints) {
    std::map<int64_t, const TracedProcess *> owners;
    std::map<std::pair<const TracedProcess *, int64_t>, int64_t> others;
    int64_t next = 0;
    for (const Track &track : tracks) {
        next = std::max(next, track.job_rank + 1);
    }
    for (Track &track : tracks) {
        const TracedProcess *owner = owners.try_emplace(track.job_rank, track.process).first->second;
        if (owner == track.process) {
            track.number = track.job_rank;
            continue;
        }
        const auto [other, is_new] = others.try_emplace({track.process, track.job_rank}, next);
        track.number = other->second;
        if (is_new) {
            ++next;
            complaints.push_back(format("rank %lld is in %s and in %s, and has two places: a folder is for one job",
                                        static_cast<long long>(track.job_rank), owner->file.c_str(),
                                        track.process->file.c_str()));
        }
    }
}

void number_communicators(std::vector<Track> &tracks) {
    std::map<uint64_t, int> numbers;
    for (Track &track : tracks) {
        const trace::Section &section = track.rank->section;
        track.communicator = numbers.try_emplace(section.id, static_cast<int>(numbers.size()) + 1).first->second;
        const std::string name = section.name.text();
        track.label = format("communicator %d", track.communicator);
        track.label += name.empty() ? "" : " \"" + name + '"';
    }
}

} // namespace

int64_t Timeline::ranks_of_job(const Track &track) const {
    int64_t ranks = 0;
    for (const Track &other : tracks) {
        const trace::Section &section = other.rank->section;
        if (section.job == track.rank->section.job) {
            ranks = std::max({ranks, section.size, section.job_rank + 1});
        }
    }
    return ranks;
}

Timeline lay_out(const std::vector<TracedProcess> &processes, std::vector<std::string> &complaints) {
    Timeline timeline;
    const std::map<Machine, int64_t> offsets = clocks(processes);
    for (const TracedProcess &process : processes) {
        const int64_t offset = offsets.at({process.header.host.text(), process.header.boot.text()});
        for (const TracedRank &rank : process.ranks) {
            timeline.tracks.push_back({&process, &rank, job_rank_of(process, rank), 0, 0, "", offset});
        }
    }
    const auto made = [](const Track &track) { return track.rank->section.created + track.to_realtime; };
    std::stable_sort(timeline.tracks.begin(), timeline.tracks.end(),
                     [&](const Track &a, const Track &b) { return made(a) < made(b); });
    timeline.begin = timeline.tracks.empty() ? 0 : made(timeline.tracks.front());
    number_communicators(timeline.tracks);
    number_ranks(timeline.tracks, complaints);
    std::stable_sort(timeline.tracks.begin(), timeline.tracks.end(),
                     [](const Track &a, const Track &b) { return a.number < b.number; });
    return timeline;
}

} // namespace xcoll::doctor
