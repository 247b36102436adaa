#include "tools/xcoll-doctor/witness.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <set>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/list_folder.h"
#include "tools/shared/command_line.h"
#include "tools/shared/processes.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/mapped_file.h"
#include "xcoll.h"

namespace xcoll::doctor {

using tools::format;

namespace {

// Anybody may give a file this name, so it must be one that cannot become shorter.
bool is_sealed(int file) {
    const int seals = fcntl(file, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

// Its number in the innermost namespace that it lives in.
pid_t own_pid_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    constexpr std::string_view field = "NSpid:";
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(field)) {
            return std::atoi(line.c_str() + line.find_last_of(" \t"));
        }
    }
    return pid;
}

// The file among its descriptors; errno is 0 if there is none.
std::string find_file(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
    const std::vector<std::string> names = list_folder(folder);
    const int trouble = errno;
    const std::string wanted = std::string("/memfd:") + flight::file_name + " (deleted)";
    for (const std::string &name : names) {
        std::string path = folder + "/" + name;
        char target[64];
        const ssize_t length = readlink(path.c_str(), target, sizeof target);
        if (length >= 0 && wanted == std::string_view(target, static_cast<size_t>(length))) {
            return path;
        }
    }
    errno = trouble;
    return "";
}

// Other users' processes are looked into by the superuser: what they show may be anything.
bool is_sound(const flight::Record &record) {
    constexpr int64_t most_ranks = 1 << 20;
    const auto is_a_call = [](const flight::Entry &entry) {
        return FingerprintParts::of(flight::call_of(entry)).is_sound();
    };
    return record.rank >= 0 && record.rank < record.size && record.size <= most_ranks &&
           std::all_of(std::begin(record.entries), std::end(record.entries), is_a_call) &&
           std::all_of(std::begin(record.messages), std::end(record.messages), is_a_call);
}

std::vector<flight::Record> read_records(const MappedFile &file) {
    std::vector<flight::Record> records;
    flight::Record record;
    size_t at = flight::page_bytes;
    while (const auto *shown = file.at<flight::Record>(at)) {
        if (flight::copy(*shown, record) && is_sound(record)) {
            records.push_back(record);
        }
        at += flight::record_bytes;
    }
    return records;
}

// Nothing, and perhaps why.
std::optional<Witness> question(const tools::ProcessEntry &process, std::string &silence) {
    const std::string path = find_file(process.pid);
    if (path.empty()) {
        silence = errno == 0 ? "" : std::strerror(errno);
        return std::nullopt;
    }
    // Whatever is there by now, opening it waits for nobody.
    const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!descriptor) {
        silence = std::strerror(errno);
        return std::nullopt;
    }
    const MappedFile file(is_sealed(descriptor.get()) ? descriptor.get() : -1);
    const auto *header = file.at<flight::FileHeader>(0);
    if (!header || look_at(header->magic) != flight::magic) {
        silence = "what it shows is not of xcoll";
        return std::nullopt;
    }
    if (header->layout != flight::layout || header->record_bytes != flight::record_bytes) {
        silence = format("it uses xcoll %d.%d.%d, and this is the xcoll-doctor of %d.%d.%d: use that of its version",
                         header->version[0], header->version[1], header->version[2], XCOLL_VERSION_MAJOR,
                         XCOLL_VERSION_MINOR, XCOLL_VERSION_PATCH);
        return std::nullopt;
    }
    const pid_t own = own_pid_of(process.pid);
    if (header->pid != own) {
        return std::nullopt; // a child has inherited the descriptor from its parent
    }
    return Witness{process.pid, own, process.state, read_records(file)};
}

bool shares(const Witness &witness, const std::set<uint64_t> &communicators) {
    return std::any_of(witness.records.begin(), witness.records.end(),
                       [&](const flight::Record &record) { return communicators.count(record.id) != 0; });
}

// From those that were asked for to all that share a communicator with one of them, and so on.
std::vector<Witness> with_peers(std::vector<Witness> all, std::set<pid_t> wanted) {
    std::set<uint64_t> communicators;
    for (size_t before = ~size_t{0}; before != wanted.size() + communicators.size();) {
        before = wanted.size() + communicators.size();
        for (const Witness &witness : all) {
            if (wanted.count(witness.pid) != 0 || shares(witness, communicators)) {
                wanted.insert(witness.pid);
                for (const flight::Record &record : witness.records) {
                    communicators.insert(record.id);
                }
            }
        }
    }
    std::erase_if(all, [&](const Witness &witness) { return wanted.count(witness.pid) == 0; });
    return all;
}

} // namespace

Testimony hear(pid_t pid) {
    const std::vector<tools::ProcessEntry> processes = tools::all_processes();
    if (processes.empty()) {
        throw tools::Mistake("/proc shows no process: expected it to be mounted, because jobs are looked into by it");
    }
    if (pid != 0 && !tools::read_process(pid)) {
        throw tools::Mistake(format("there is no process %d", pid));
    }
    const std::vector<pid_t> below = pid != 0 ? tools::descendants(pid) : std::vector<pid_t>();
    std::set<pid_t> wanted(below.begin(), below.end());
    wanted.insert(pid);
    Testimony testimony;
    for (const tools::ProcessEntry &process : processes) {
        std::string silence;
        if (auto witness = question(process, silence)) {
            testimony.witnesses.push_back(std::move(*witness));
        } else if (!silence.empty() && wanted.count(process.pid) != 0 && process.state != 'Z') {
            testimony.silences.push_back(format("process %d cannot be looked into: %s", process.pid, silence.c_str()));
        }
    }
    if (pid != 0) {
        testimony.witnesses = with_peers(std::move(testimony.witnesses), wanted);
    }
    if (testimony.witnesses.empty() && !testimony.silences.empty()) {
        std::string all;
        for (const std::string &silence : testimony.silences) {
            tools::add_item(all, "; ", silence);
        }
        throw tools::Mistake(all);
    }
    if (testimony.witnesses.empty()) {
        throw tools::Mistake(
            pid == 0
                ? "no process that this user may look into shows a communicator"
                : format("neither process %d nor one that it started shows a communicator: none of them has one, or "
                         "none could get a memory file for it",
                         pid));
    }
    return testimony;
}

} // namespace xcoll::doctor
