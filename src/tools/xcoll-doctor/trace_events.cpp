#include "tools/xcoll-doctor/trace_events.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/quoted.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/timeline.h"
#include "xcoll.h"

namespace xcoll::doctor {

using tools::format;
using trace::Details;
using trace::Event;

namespace {

constexpr const char *form_names[] = {"blocking", "i", "persistent", "enqueue", "group"};

// One operation, read out of its words.
struct Operation : FingerprintParts {
    const Event &event;
    Details details;

    explicit Operation(const Event &of)
        : FingerprintParts(FingerprintParts::of(trace::call_of(of))), event(of),
          details(Details::of(of.words[trace::event_details])) {
    }
    uint64_t word(trace::EventWord which) const {
        return event.words[which];
    }
    bool moves_data() const {
        return (traits(kind).is_collective && kind != Kind::barrier) || kind == Kind::reshard_reduce;
    }
    bool has_ended() const {
        return trace::has_ended(event.stamp);
    }
    // Others may be under way on the same communicator.
    bool may_overlap() const {
        return details.form != Form::blocking && details.form != Form::stream;
    }
    const char *name() const {
        return static_cast<int>(kind) < kinds ? word_for(kind) : name_of(kind);
    }
};

std::string number(const char *name, uint64_t value) {
    return format(", \"%s\": %llu", name, static_cast<unsigned long long>(value));
}
std::string text(const char *name, const std::string &value) {
    return format(", \"%s\": ", name) + quoted(value);
}
std::string rank_or_any(const char *name, int32_t rank) {
    return rank == XCOLL_ANY_SOURCE ? text(name, "any")
           : rank == XCOLL_NO_RANK  ? text(name, "none")
                                    : format(", \"%s\": %d", name, rank);
}
std::string tag_or_any(const char *name, uint64_t word) {
    const auto tag = static_cast<int32_t>(word);
    return tag == XCOLL_ANY_TAG ? text(name, "any") : format(", \"%s\": %d", name, tag);
}

// ------------------------------------------------------------------------------------------------ what it was

std::string describe_message(const Operation &operation) {
    const uint64_t tags = operation.word(trace::event_number);
    const std::string sends = number("bytes", operation.word(trace::event_given)) + tag_or_any("tag", tags);
    constexpr int upper = 32;
    if (operation.kind == Kind::send) {
        return rank_or_any("peer", operation.place) + sends;
    }
    const std::string receives = number("room", operation.word(trace::event_taken));
    if (operation.kind == Kind::recv) {
        return rank_or_any("peer", operation.place) + receives + tag_or_any("tag", tags >> upper);
    }
    return rank_or_any("peer", operation.place) + sends + receives +
           rank_or_any("source", static_cast<int32_t>(operation.details.calls)) +
           tag_or_any("source_tag", tags >> upper);
}

std::string describe_types(const Operation &operation) {
    std::string told = operation.dtype != Dtype::none ? text("dtype", name_of(operation.dtype)) : "";
    if (operation.by_user) {
        told += text("operator", format("user's %05llx", static_cast<unsigned long long>(operation.user_name)));
    } else if (operation.op != Operator::none) {
        told += text("operator", name_of(operation.op));
    }
    return told;
}

std::string describe_collective(const Operation &operation) {
    const KindTraits &kind = traits(operation.kind);
    const uint64_t taken = operation.word(trace::event_taken), given = operation.word(trace::event_given);
    std::string told = number("sequence", operation.word(trace::event_number));
    told += operation.kind == Kind::words ? "" : describe_types(operation);
    if (joins_calls(operation.kind)) {
        return told + number("calls", operation.details.calls) + number("bytes_out", given) + number("bytes_in", taken);
    }
    if (kind.own_counts) {
        told += number("bytes_out", given) + number("bytes_in", taken);
    } else if (operation.moves_data()) {
        told += number(kind.up_to_count ? "most" : "count", operation.count);
        told += kind.up_to_count ? "" : number("bytes", given);
    }
    const bool has_root = shows_root(operation.kind) && operation.place >= 0;
    return has_root ? told + format(", \"root\": %d", operation.place) : told;
}

std::string describe(const Track &track, const Operation &operation) {
    const trace::Section &section = track.rank->section;
    std::string told = format("\"operation\": \"%s\"", operation.name());
    told += traits(operation.kind).is_message ? describe_message(operation) : describe_collective(operation);
    if (operation.details.algorithm < trace::most_algorithms) {
        told += text("algorithm", section.algorithms[operation.details.algorithm].text());
    }
    told += text("form", form_names[static_cast<size_t>(operation.details.form)]);
    const auto result = static_cast<xcoll_result_t>(operation.details.result);
    told += text("result", operation.has_ended() ? xcoll_error_name(result) : "unfinished");
    told += text("communicator", track.label) + number("rank", static_cast<uint64_t>(section.rank)) +
            number("size", static_cast<uint64_t>(section.size));
    return told;
}

// ------------------------------------------------------------------------------------------------ when and where

// Nanoseconds as the format's microseconds, none lost.
std::string microseconds(int64_t nanoseconds) {
    constexpr int64_t thousand = 1000;
    nanoseconds = std::max<int64_t>(nanoseconds, 0); // a file may say anything
    return format("%lld.%03lld", static_cast<long long>(nanoseconds / thousand),
                  static_cast<long long>(nanoseconds % thousand));
}

class Printer {
public:
    explicit Printer(const Timeline &timeline) : timeline_(timeline) {
    }

    void print_all() {
        std::printf("{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [");
        std::set<int64_t> ranks;
        for (const Track &track : timeline_.tracks) {
            if (ranks.insert(track.number).second) {
                name_rank(track);
            }
            name_communicator(track);
            tell_dropped(track);
            for (const Event &event : track.rank->events) {
                print_operation(track, Operation(event));
            }
        }
        std::printf("\n],\n");
        print_rest();
    }

private:
    void add(const std::string &members) {
        std::printf("%s\n{%s}", first_ ? "" : ",", members.c_str());
        first_ = false;
    }
    static std::string on(const Track &track) {
        return format("\"pid\": %lld, \"tid\": %d", static_cast<long long>(track.number), track.communicator);
    }
    void name(const Track &track, const char *what, const std::string &arguments) {
        add(format("\"ph\": \"M\", %s, \"name\": \"%s\", \"args\": {", on(track).c_str(), what) + arguments + '}');
    }

    void name_rank(const Track &track) {
        const trace::FileHeader &header = track.process->header;
        const std::string rank = format("rank %lld of %lld on ", static_cast<long long>(track.job_rank),
                                        static_cast<long long>(timeline_.ranks_of_job(track)));
        name(track, "process_name", "\"name\": " + quoted(rank + header.host.text()));
        name(track, "process_labels", format("\"labels\": \"process %d\"", header.pid));
        name(track, "process_sort_index", format("\"sort_index\": %lld", static_cast<long long>(track.number)));
    }
    void name_communicator(const Track &track) {
        const trace::Section &section = track.rank->section;
        const std::string where =
            format(", rank %d of %d", static_cast<int>(section.rank), static_cast<int>(section.size));
        name(track, "thread_name", "\"name\": " + quoted(track.label + where));
        name(track, "thread_sort_index", format("\"sort_index\": %d", track.communicator));
    }
    void tell_dropped(const Track &track) {
        if (track.rank->dropped() == 0 || track.rank->events.empty()) {
            return;
        }
        const auto dropped = static_cast<unsigned long long>(track.rank->dropped());
        add(format("\"ph\": \"i\", \"s\": \"t\", %s, \"ts\": %s, \"name\": \"%llu operations before this were not "
                   "kept (XCOLL_TRACE_EVENTS)\"",
                   on(track).c_str(), time_of(track, Operation(track.rank->events.front()), trace::event_begin).c_str(),
                   dropped));
    }

    std::string time_of(const Track &track, const Operation &operation, trace::EventWord which) const {
        return microseconds(timeline_.time(track, static_cast<int64_t>(operation.word(which))));
    }
    // A viewer nests what begins and ends on a track, so what may overlap goes beside it, each with a name of its own
    // within its rank: without "local", Perfetto takes it away from the rank, to a group of all processes.
    void print_operation(const Track &track, const Operation &operation) {
        const auto number = static_cast<unsigned long long>(trace::number_of(operation.event.stamp));
        std::string common = format("%s, \"name\": \"%s\", \"cat\": ", on(track).c_str(), operation.name());
        common += quoted(track.label);
        if (operation.may_overlap()) {
            common += format(", \"id2\": {\"local\": \"%d.%llu\"}", track.communicator, number);
        }
        const std::string begin = ", \"ts\": " + time_of(track, operation, trace::event_begin);
        const std::string arguments = ", \"args\": {" + describe(track, operation) + '}';
        if (operation.may_overlap()) {
            add("\"ph\": \"b\", " + common + begin + arguments);
            if (operation.has_ended()) {
                add("\"ph\": \"e\", " + common + ", \"ts\": " + time_of(track, operation, trace::event_end));
            }
        } else if (operation.has_ended()) {
            const uint64_t lasted = operation.word(trace::event_end) - operation.word(trace::event_begin);
            const std::string duration = ", \"dur\": " + microseconds(static_cast<int64_t>(lasted));
            add("\"ph\": \"X\", " + common + begin + duration + arguments);
        } else {
            add("\"ph\": \"B\", " + common + begin + arguments);
        }
    }

    // What a viewer shows as properties of the trace.
    void print_rest() const {
        std::string tracks;
        for (const Track &track : timeline_.tracks) {
            const TracedRank &rank = *track.rank;
            tools::add_item(tracks, ",\n",
                            format("{%s, \"operations\": %llu, \"dropped\": %llu, \"file\": %s}", on(track).c_str(),
                                   static_cast<unsigned long long>(rank.begun),
                                   static_cast<unsigned long long>(rank.dropped()),
                                   quoted(track.process->file).c_str()));
        }
        std::printf("\"otherData\": {\"begin_realtime_ns\": %lld, \"tracks\": [\n%s\n]}}\n",
                    static_cast<long long>(timeline_.begin), tracks.c_str());
    }

    const Timeline &timeline_;
    bool first_ = true;
};

} // namespace

int print_trace(const std::string &folder) {
    std::vector<std::string> complaints;
    const std::vector<TracedProcess> processes = read_traces(folder, complaints);
    const Timeline timeline = lay_out(processes, complaints);
    Printer(timeline).print_all();
    uint64_t dropped = 0;
    for (const Track &track : timeline.tracks) {
        dropped += track.rank->dropped();
    }
    if (dropped != 0) {
        std::fprintf(stderr,
                     "xcoll-doctor: %llu operations were followed by so many that they were not kept; a larger "
                     "XCOLL_TRACE_EVENTS keeps more\n",
                     static_cast<unsigned long long>(dropped));
    }
    for (const std::string &complaint : complaints) {
        std::fprintf(stderr, "xcoll-doctor: %s\n", complaint.c_str());
    }
    return complaints.empty() ? 0 : 1;
}

} // namespace xcoll::doctor
