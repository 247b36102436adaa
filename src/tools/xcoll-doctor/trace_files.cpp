#include "tools/xcoll-doctor/trace_files.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>

#include "base/descriptor.h"
#include "base/list_folder.h"
#include "tools/shared/command_line.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/mapped_file.h"

namespace xcoll::doctor {

using tools::format;

namespace {

std::vector<std::string> trace_files_of(const std::string &folder) {
    const std::vector<std::string> names = list_folder(folder);
    if (names.empty() && errno != 0) {
        throw tools::Mistake(
            format("--trace %s: %s: expected the folder that XCOLL_TRACE named", folder.c_str(), std::strerror(errno)));
    }
    std::vector<std::string> files;
    for (const std::string &name : names) {
        if (name.ends_with(trace::suffix)) {
            files.push_back(folder + '/' + name);
        }
    }
    if (files.empty()) {
        throw tools::Mistake(
            format("--trace %s: there is no file *%s in it: expected the folder that XCOLL_TRACE named", folder.c_str(),
                   trace::suffix));
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Files come from anywhere.
bool is_sound(const trace::Section &section) {
    constexpr int64_t most_ranks = 1 << 20;
    return section.rank >= 0 && section.rank < section.size && section.size <= most_ranks && section.job_rank >= 0 &&
           section.job_rank < most_ranks;
}

bool is_sound(const trace::Event &event) {
    return FingerprintParts::of(trace::call_of(event)).is_sound() &&
           trace::Details::of(event.words[trace::event_details]).form <= Form::group;
}

std::vector<trace::Event> read_events(const trace::Event *shown, uint64_t capacity) {
    std::vector<trace::Event> events;
    for (uint64_t i = 0; i < capacity; ++i) {
        // Most places of a short program were never used.
        const trace::Event event = look_at(shown[i].stamp) != 0 ? shown[i].copy() : trace::Event{};
        if (event.stamp != 0 && is_sound(event)) {
            events.push_back(event);
        }
    }
    std::sort(events.begin(), events.end(), [](const auto &a, const auto &b) { return a.stamp < b.stamp; });
    return events;
}

std::vector<TracedRank> read_ranks(const MappedFile &file) {
    std::vector<TracedRank> ranks;
    size_t at = trace::page_bytes;
    while (const auto *shown = file.at<trace::Section>(at)) {
        const bool is_used = look_at(shown->used) != 0;
        const trace::Section section = *shown;
        at += trace::page_bytes;
        const auto *events = file.at<trace::Event>(at, section.capacity);
        if (!is_used || !std::has_single_bit(section.capacity) || !events || !is_sound(section)) {
            break;
        }
        at += section.capacity * sizeof(trace::Event);
        ranks.push_back({section, read_events(events, section.capacity), 0});
        TracedRank &rank = ranks.back();
        rank.begun = rank.events.empty() ? 0 : trace::number_of(rank.events.back().stamp);
    }
    return ranks;
}

// Nothing, and why.
std::optional<TracedProcess> read_trace(const std::string &path, std::string &complaint) {
    const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!descriptor) {
        complaint = format("%s cannot be read: %s", path.c_str(), std::strerror(errno));
        return std::nullopt;
    }
    const MappedFile file(descriptor.get());
    const auto *header = file.at<trace::FileHeader>(0);
    if (!header || look_at(header->magic) != trace::magic) {
        complaint = path + " is not a trace";
        return std::nullopt;
    }
    if (header->layout != trace::layout || header->event_bytes != sizeof(trace::Event)) {
        complaint = format("%s was written by xcoll %d.%d.%d: use the xcoll-doctor of its version", path.c_str(),
                           header->version[0], header->version[1], header->version[2]);
        return std::nullopt;
    }
    TracedProcess process{path, *header, read_ranks(file)};
    if (process.header.left_out != 0) {
        complaint = format("%s has no room for %llu more communicators: %s", path.c_str(),
                           static_cast<unsigned long long>(process.header.left_out),
                           std::strerror(static_cast<int>(process.header.left_out_code)));
    }
    return process;
}

} // namespace

std::vector<TracedProcess> read_traces(const std::string &folder, std::vector<std::string> &complaints) {
    std::vector<TracedProcess> processes;
    for (const std::string &path : trace_files_of(folder)) {
        std::string complaint;
        if (auto process = read_trace(path, complaint)) {
            processes.push_back(std::move(*process));
        }
        if (!complaint.empty()) {
            complaints.push_back(complaint);
        }
    }
    return processes;
}

} // namespace xcoll::doctor
