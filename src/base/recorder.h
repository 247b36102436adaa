// The flight recorder of one rank of a communicator: its last operations, and what it waits for, in memory that can be
// read from outside (base/flight.h).
//
// It costs a blocking call five stores when it begins and one when it ends, into lines that nobody else touches and
// without a clock: the slow branch of waiting stamps the time (Watch::check), and there the time counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/flight.h"

namespace xcoll {

// A user's message as others are shown it: the root is the peer, the count is in bytes.
Fingerprint fingerprint_of_message(const Op &op);

class Recorder {
public:
    // Who the rank is, for its record.
    struct Identity {
        uint64_t id;
        int rank, size;
        std::string name;
        std::vector<int64_t> pids; // of all ranks, 0 for those of other machines
        bool is_internal = false;
    };
    // `record` stays the recorder's until it is destroyed.
    explicit Recorder(std::shared_ptr<flight::Record> record) : record_(std::move(record)) {
    }
    void introduce(const Identity &identity);

    // ---- by the thread that starts operations
    [[gnu::always_inline]] void begin(uint64_t n, flight::Beside what, const Fingerprint &call, const char *algorithm) {
        const uint64_t place = flight::place_of(n, what);
        algorithms_[place].store(algorithm, std::memory_order_relaxed);
        record_->entries[place].rewrite(flight::stamp(n, flight::State::begun), {call.what, call.count});
    }
    // The number by which a user's message is ended; nothing is left to do for one that is over already.
    uint64_t begin_message(const Op &op) {
        return write_message(op, flight::State::begun);
    }
    void note_message(const Op &op) {
        write_message(op, flight::State::done);
    }

    // ---- by whoever ends it, which the thread that starts operations knows of before it begins what needs the place
    void end(uint64_t n, flight::Beside what, flight::State state) {
        flight::Entry &entry = record_->entries[flight::place_of(n, what)];
        entry.restamp(flight::stamp(n, flight::State::begun), flight::stamp(n, state));
    }
    void end_message(uint64_t m, flight::State state) {
        message(m).restamp(flight::stamp(m, flight::State::begun), flight::stamp(m, state));
    }

    // ---- cold, by any thread
    // A wait lasts since so many nanoseconds, for a store of rank `awaited` (-1: unknown).
    void wait(int64_t waited_ns, int awaited);
    void stop_waiting() {
        show(record_->wait.stamp, uint64_t{0});
    }
    // Once.
    void trouble(int result, const char *reason);

private:
    uint64_t write_message(const Op &op, flight::State state);
    flight::Entry &message(uint64_t m) {
        return record_->messages[m % flight::message_count];
    }

    std::shared_ptr<flight::Record> record_;
    std::atomic<const char *> algorithms_[flight::operation_count] = {};
    uint64_t messages_ = 0;
    uint64_t waits_ = 0; // with the flag
    std::atomic_flag is_telling_wait_;
};

} // namespace xcoll
