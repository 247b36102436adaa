#include "base/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/file_space.h"
#include "base/host_name.h"
#include "base/read_text.h"

namespace xcoll {

namespace {

using trace::Event;
using trace::FileHeader;
using trace::page_bytes;
using trace::Section;

size_t section_bytes(uint64_t capacity) {
    return page_bytes + capacity * sizeof(Event);
}

uint64_t capacity_for(uint64_t events) {
    constexpr uint64_t least = page_bytes / sizeof(Event); // sections begin with a page
    return std::bit_ceil(std::max(events, least));
}

// What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC: of several readings the one in which least time went by between the
// two, as another program may have had the processor there.
int64_t realtime_ahead() {
    constexpr int readings = 5;
    int64_t ahead = 0, shortest = INT64_MAX;
    for (int i = 0; i < readings; ++i) {
        const int64_t before = now_ns(), realtime = now_ns(CLOCK_REALTIME), took = now_ns() - before;
        if (took < shortest) {
            shortest = took;
            ahead = realtime - before - took / 2;
        }
    }
    return ahead;
}

// Containers of one machine may have one name and one number, in one folder; and a number comes again.
constexpr int most_of_one_name = 1000;
std::string file_name(int rank, int attempt) {
    std::string host = host_name();
    std::replace(host.begin(), host.end(), '/', '_');
    const std::string again = attempt == 0 ? "" : format("-%d", attempt + 1);
    return format("rank-%d.%s.%d%s%s", rank, host.c_str(), static_cast<int>(getpid()), again.c_str(), trace::suffix);
}

// A new file and its name.
int make_file(const std::string &folder, int rank, std::string &path) {
    for (int attempt = 0; attempt < most_of_one_name; ++attempt) {
        path = folder + '/' + file_name(rank, attempt);
        constexpr mode_t for_whom_umask_allows = 0666;
        const int file =
            above_standard(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, for_whom_umask_allows));
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

} // namespace

// ------------------------------------------------------------------------------------------------ one section

Trace::Trace(std::shared_ptr<const TraceFile> file, MappedPart part, size_t place, uint64_t capacity,
             const Identity &identity)
    : file_(std::move(file)), part_(std::move(part)), place_(place), capacity_(capacity),
      section_(new (part_.data()) Section{}), events_(reinterpret_cast<Event *>(part_.data() + page_bytes)),
      clock_(file_->ticks_per_ns()) {
    section_->capacity = capacity;
    section_->id = identity.id;
    section_->job = identity.job;
    section_->job_rank = identity.job_rank;
    section_->rank = identity.rank;
    section_->size = identity.size;
    section_->created = now_ns();
    section_->name = Text<64>::of(identity.name);
    show(section_->used, uint64_t{1});
}

Trace::~Trace() {
    show(section_->ended, now_ns());
    if (begun_ < capacity_) {
        const size_t needed = section_bytes(begun_ + 1) + page_bytes - 1; // the first event is number 1
        const size_t kept = needed - needed % page_bytes;
        if (kept < section_bytes(capacity_)) {
            fallocate(file_->descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(place_ + kept), static_cast<off_t>(section_bytes(capacity_) - kept));
        }
    }
}

uint8_t Trace::place_of(const char *algorithm) {
    for (size_t i = 0; i < trace::most_algorithms; ++i) {
        if (algorithms_[i] == algorithm) {
            return static_cast<uint8_t>(i);
        }
        if (!algorithms_[i]) {
            algorithms_[i] = algorithm;
            show_text(section_->algorithms[i], algorithm);
            return static_cast<uint8_t>(i);
        }
    }
    return trace::no_algorithm;
}

uint64_t Trace::begin(const Description &description) {
    const uint64_t number = ++begun_;
    const uint8_t algorithm = description.algorithm ? place_of(description.algorithm) : trace::no_algorithm;
    const trace::Details details{description.form, algorithm, 0, description.calls};
    event(number).rewrite(trace::stamp(number, false),
                          {static_cast<uint64_t>(clock_.now()), 0, description.call.what, description.taken,
                           description.given, details.word(), description.number});
    return number;
}

// Whoever copies it meanwhile takes it for one that has not ended, of which these words are not looked at.
void Trace::end(uint64_t number, xcoll_result_t result) {
    Event &ended = event(number);
    if (look_at(ended.stamp, std::memory_order_relaxed) != trace::stamp(number, false)) {
        return; // its place is a later one's
    }
    trace::Details details = trace::Details::of(ended.words[trace::event_details]);
    details.result = static_cast<uint16_t>(result);
    show(ended.words[trace::event_details], details.word());
    show(ended.words[trace::event_end], static_cast<uint64_t>(clock_.now()));
    show(ended.stamp, trace::stamp(number, true));
}

// ------------------------------------------------------------------------------------------------ one file

std::shared_ptr<TraceFile> TraceFile::make(const std::string &folder, int rank, uint64_t events) {
    std::string path;
    const int file = make_file(folder, rank, path);
    if (file < 0) {
        fail(XCOLL_ERR_CONFIG,
             "XCOLL_TRACE=%s: cannot make %s: %s. Expected the name of a folder in which files can be "
             "made, or nothing for no trace",
             folder.c_str(), path.c_str(), std::strerror(errno));
    }
    std::shared_ptr<TraceFile> made(new TraceFile(file));
    const size_t bytes = page_bytes + section_bytes(capacity_for(events));
    int code = add_file_space(file, 0, bytes);
    if (code == 0) {
        code = made->first_.map(file, 0, page_bytes);
    }
    if (code != 0) {
        unlink(path.c_str());
        fail(XCOLL_ERR_CONFIG,
             "XCOLL_TRACE=%s: there is no room for %zu KiB in %s: %s. Name a folder that has more, or "
             "lower XCOLL_TRACE_EVENTS",
             folder.c_str(), bytes >> 10, path.c_str(), std::strerror(code));
    }
    made->header_ = new (made->first_.data()) FileHeader{};
    made->write_header();
    return made;
}

void TraceFile::write_header() {
    header_->layout = trace::layout;
    header_->event_bytes = sizeof(Event);
    header_->pid = getpid();
    header_->version[0] = XCOLL_VERSION_MAJOR;
    header_->version[1] = XCOLL_VERSION_MINOR;
    header_->version[2] = XCOLL_VERSION_PATCH;
    header_->realtime = realtime_ahead();
    header_->host = Text<64>::of(host_name());
    header_->boot = Text<64>::of(read_text("/proc/sys/kernel/random/boot_id").value_or(""));
    show(header_->magic, trace::magic);
}

std::unique_ptr<Trace> TraceFile::take(uint64_t events, const Trace::Identity &identity) {
    const uint64_t capacity = capacity_for(events);
    const std::lock_guard lock(mutex_);
    int code = add_file_space(descriptor_.get(), bytes_, section_bytes(capacity));
    MappedPart part;
    if (code == 0) {
        code = part.map(descriptor_.get(), bytes_, section_bytes(capacity));
    }
    if (code == 0) {
        auto section = std::make_unique<Trace>(shared_from_this(), std::move(part), bytes_, capacity, identity);
        bytes_ += section_bytes(capacity);
        return section;
    }
    if (header_->left_out == 0) {
        show(header_->left_out_code, int64_t{code});
    }
    show(header_->left_out, header_->left_out + 1);
    return nullptr;
}

// ------------------------------------------------------------------------------------------------ all of them

void TraceFiles::open(const std::string &folder, int rank, uint64_t events) {
    const std::lock_guard lock(mutex_);
    if (!folder.empty() && !files_.contains(folder)) {
        files_.emplace(folder, TraceFile::make(folder, rank, events));
    }
}

std::unique_ptr<Trace> TraceFiles::take(const std::string &folder, uint64_t events, const Trace::Identity &identity) {
    std::shared_ptr<TraceFile> file;
    {
        const std::lock_guard lock(mutex_);
        const auto found = files_.find(folder);
        if (found == files_.end()) {
            return nullptr;
        }
        file = found->second;
    }
    return file->take(events, identity);
}

} // namespace xcoll
