// The traces of a job's processes on one page: what each viewer of traces shows as a process is a rank, and each of
// its tracks is a communicator.
#pragma once

#include <string>
#include <vector>

#include "tools/xcoll-doctor/trace_files.h"

namespace xcoll::doctor {

// One rank of one communicator, on its track.
struct Track {
    const TracedProcess *process;
    const TracedRank *rank;
    int64_t job_rank;    // of those that were connected together when the process began
    int64_t number;      // on the page: the same, unless another process has it
    int communicator;    // from 1 on, in the order in which they were made
    std::string label;   // "communicator 1", with the user's name if it has one
    int64_t to_realtime; // what the times of its machine lack
};

struct Timeline {
    std::vector<Track> tracks;
    int64_t begin = 0; // the first time of all, CLOCK_REALTIME in nanoseconds

    int64_t time(const Track &track, int64_t monotonic) const {
        return monotonic + track.to_realtime - begin;
    }
    // Ranks of the job that a rank belongs to, as far as they are known.
    int64_t ranks_of_job(const Track &track) const;
};

// Ranks of one number in several files are told in `complaints`: a folder is for one job.
Timeline lay_out(const std::vector<TracedProcess> &processes, std::vector<std::string> &complaints);

} // namespace xcoll::doctor
