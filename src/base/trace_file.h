// The files in which a process writes what its operations did (base/trace.h), and who writes there.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/descriptor.h"
#include "base/mapped_part.h"
#include "base/near_clock.h"
#include "base/trace.h"

namespace xcoll {

class TraceFile;

// A section of a file: what one rank of one communicator does. As the communicator, by one thread at a time.
class Trace {
public:
    // Who the rank is.
    struct Identity {
        uint64_t id, job;
        int job_rank, rank, size;
        std::string name;
    };
    // An operation, in the words of trace::Event.
    struct Description {
        Fingerprint call;
        const char *algorithm;
        uint64_t taken, given, number;
        Form form;
        uint32_t calls;
    };
    // At a place of the file that has room for it and is mapped.
    Trace(std::shared_ptr<const TraceFile> file, MappedPart part, size_t place, uint64_t capacity,
          const Identity &identity);
    // The room that no event came for goes back to the disk.
    ~Trace();
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;

    // The number by which the event is ended.
    uint64_t begin(const Description &description);
    void end(uint64_t number, xcoll_result_t result);

private:
    uint8_t place_of(const char *algorithm);
    trace::Event &event(uint64_t number) {
        return events_[number & (capacity_ - 1)];
    }

    const std::shared_ptr<const TraceFile> file_;
    const MappedPart part_;
    const size_t place_;
    const uint64_t capacity_; // a power of two
    trace::Section *const section_;
    trace::Event *const events_;
    uint64_t begun_ = 0;
    NearClock clock_;
    const char *algorithms_[trace::most_algorithms] = {}; // those that the section lists
};

// The file of a process in one folder.
class TraceFile : public std::enable_shared_from_this<TraceFile> {
public:
    // Throws Failure(XCOLL_ERR_CONFIG) if there can be none with room for so many events.
    static std::shared_ptr<TraceFile> make(const std::string &folder, int rank, uint64_t events);
    TraceFile(const TraceFile &) = delete;
    TraceFile &operator=(const TraceFile &) = delete;

    // nullptr where there is no room: a communicator does not fail for that, and the file tells.
    std::unique_ptr<Trace> take(uint64_t events, const Trace::Identity &identity);
    int descriptor() const {
        return descriptor_.get();
    }
    double ticks_per_ns() const {
        return ticks_per_ns_;
    }

private:
    explicit TraceFile(int descriptor) : descriptor_(descriptor) {
    }
    void write_header();

    const Descriptor descriptor_;
    const double ticks_per_ns_ = measure_ticks_per_ns();
    MappedPart first_;
    trace::FileHeader *header_ = nullptr;
    std::mutex mutex_;
    size_t bytes_ = trace::page_bytes; // all sections
};

// Those of a process, by folder.
class TraceFiles {
public:
    // Before anything is connected. Throws Failure(XCOLL_ERR_CONFIG).
    void open(const std::string &folder, int rank, uint64_t events);
    // nullptr if the folder is "".
    std::unique_ptr<Trace> take(const std::string &folder, uint64_t events, const Trace::Identity &identity);

private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<TraceFile>> files_;
};

} // namespace xcoll
