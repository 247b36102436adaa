// The file in which a process shows its communicators (base/flight.h).
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/flight.h"

namespace xcoll {

class FlightFile {
public:
    FlightFile() = default;
    FlightFile(const FlightFile &) = delete;
    FlightFile &operator=(const FlightFile &) = delete;

    // An empty record, which goes back with its last user. Where the system has no file or no memory for it, one that
    // nobody sees from outside: a communicator does not fail for that.
    std::shared_ptr<flight::Record> take();

private:
    void open();
    void close();
    bool grow();
    flight::Record *take_shown();
    void give(flight::Record *record);

    // As many communicators as are shown at once: 16 MiB of address space, and memory where it is used.
    static constexpr size_t most_records = 4096;
    static constexpr size_t space = flight::page_bytes + most_records * flight::record_bytes;

    std::mutex mutex_;
    bool opened_ = false;
    int descriptor_ = -1; // stays open: by it the file is found
    char *base_ = nullptr;
    size_t there_ = 0; // records that have memory
    uint64_t uses_ = 0;
    std::vector<flight::Record *> free_; // the next one is at the end
};

} // namespace xcoll
