// What the operations of a process did and when (XCOLL_TRACE), in a file that is mapped: what is written is there
// however the process ends. xcoll-doctor --trace makes of the files of all ranks what trace viewers read. The layout is
// a protocol between the library and a tool that may be of another version.
//
//     | file header, one page | section, one page | its events | section | its events | ...
//
// A section belongs to one rank of one communicator and stays when the communicator goes. Its events are a ring: the
// last ones are there, each whole (base/stamped.h), and the numbers of the others are missing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/op.h"
#include "base/shown_text.h"
#include "base/stamped.h"

namespace xcoll::trace {

inline constexpr char suffix[] = ".xcoll-trace";
inline constexpr uint64_t magic = 0x6563617274636cull; // "lctrace"
inline constexpr uint32_t layout = 1;                  // changes with everything below, with Fingerprint and Form
inline constexpr size_t page_bytes = 4096;

// How far an event is: its number, from 1 on, in the order in which the operations of the section began, and whether it
// has ended.
constexpr uint64_t stamp(uint64_t event, bool has_ended) {
    return event << 1 | (has_ended ? 1 : 0);
}
constexpr uint64_t number_of(uint64_t stamp) {
    return stamp >> 1;
}
constexpr bool has_ended(uint64_t stamp) {
    return (stamp & 1) != 0;
}

enum EventWord : size_t {
    event_begin, // CLOCK_MONOTONIC, nanoseconds
    event_end,   // once it has ended
    event_what,  // of the call's fingerprint; of messages the root is the peer
    event_taken, // bytes, of messages and where each rank has its own counts; else the count of the fingerprint
    event_given, // bytes, likewise; else the bytes of the message
    event_details,
    event_number, // of the operation; of messages the tags of what goes out and of what comes in
    event_word_count
};
using Event = Stamped<event_word_count>;
static_assert(sizeof(Event) == 64); // a cache line
inline Fingerprint call_of(const Event &event) {
    return {event.words[event_what], event.words[event_taken]};
}

// In one word.
struct Details {
    Form form;
    uint8_t algorithm; // in the section's list
    uint16_t result;   // once it has ended
    uint32_t calls;    // of a group; of a sendrecv the rank it receives from

    uint64_t word() const {
        return static_cast<uint64_t>(form) | static_cast<uint64_t>(algorithm) << 8 |
               static_cast<uint64_t>(result) << 16 | static_cast<uint64_t>(calls) << 32;
    }
    static Details of(uint64_t word) {
        return {static_cast<Form>(word & 0xff), static_cast<uint8_t>(word >> 8), static_cast<uint16_t>(word >> 16),
                static_cast<uint32_t>(word >> 32)};
    }
};

constexpr uint64_t tags_word(int32_t out, int32_t in) {
    return static_cast<uint32_t>(out) | static_cast<uint64_t>(static_cast<uint32_t>(in)) << 32;
}

// Names of algorithms; one that has no place is not told.
inline constexpr size_t most_algorithms = 64;
inline constexpr uint8_t no_algorithm = 0xff;

struct Section {
    uint64_t used;          // 0: it has no communicator yet
    uint64_t capacity;      // events, a power of two
    uint64_t id;            // as in base/flight.h
    uint64_t job;           // equal on all ranks that were connected together
    int64_t job_rank;       // of this rank, among those
    int64_t rank, size;     // in the communicator
    int64_t created, ended; // CLOCK_MONOTONIC, nanoseconds; 0: it lives, or its process has ended without freeing it
    Text<64> name;          // the user's, or ""
    Text<16> algorithms[most_algorithms];
};
static_assert(sizeof(Section) <= page_bytes);

struct FileHeader {
    uint64_t magic;
    uint32_t layout, event_bytes;
    int32_t pid;
    int32_t version[3];    // major, minor, patch
    int64_t realtime;      // CLOCK_REALTIME of the moment that CLOCK_MONOTONIC calls 0, as this process found it
    uint64_t left_out;     // communicators that have no section
    int64_t left_out_code; // errno of the first of them
    Text<64> host, boot;   // the machine's name, and what tells its boots apart
};
static_assert(sizeof(FileHeader) <= page_bytes);

} // namespace xcoll::trace
