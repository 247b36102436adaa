// The two loops, and the distribution of their times.
#pragma once

#include "tools/shared/task.h"
#include "tools/xcoll-perf/record.h"
#include "tools/xcoll-perf/round_trip.h"

namespace xcoll::perf {

struct Line {
    Task task;
    Loop loop;
};

// What is known of a line before it is measured.
Record record_of(const Line &line, const Member &member);

// Collective over the ranks of a job, which all get the same record, but for the round trip, which rank 0 knows.
// osu: the call again and again, with what lies in the buffers. honest: before each call all that is sent is written,
// after it all that was received is read, and the time of the same loop without the call is taken off.
void measure(Record &record, const Line &line, const Member &member, RoundTrip &round_trip, double seconds, bool check);

} // namespace xcoll::perf
