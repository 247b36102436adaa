// What a process shows of its communicators to whoever looks from outside, while it runs, hangs or is stopped:
// xcoll-doctor -p. One anonymous file for each process, found by its name among the descriptors in /proc/PID/fd; it
// goes away with the process. The layout is a protocol between the library and a tool that may be of another version:
// plain words and text, and a number that changes with it.
//
//     | file header, one page | record 0 | record 1 | ... |        the file grows page by page, as records are used
//
// A record belongs to one rank of one communicator. Each operation in it is shown whole (base/stamped.h), and so is
// what the rank waits for; of a rank that moves, two of them may be of two moments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/op.h"
#include "base/shown_text.h"
#include "base/stamped.h"

namespace xcoll::flight {

inline constexpr char file_name[] = "xcoll-flight";
inline constexpr uint64_t magic = 0x7468676c66636cull; // "lcflght"
inline constexpr uint32_t layout = 2;                  // changes with everything below and with Fingerprint
inline constexpr size_t page_bytes = 4096;

// Operations that begin while no other is in flight take turns in a few entries, so that calls in a loop write few
// lines of the first cache, which has the cells as well. Those that begin beside others have as many entries as there
// are cells in shared memory (fabric/board.h; core/comm.cpp compares the two), so that of so many requests the oldest
// is told, for which all others wait. Further ones, which wait for a cell, take its place here.
enum class Beside : uint8_t { nothing, others };
inline constexpr uint64_t alone_count = 16, beside_count = 64, operation_count = alone_count + beside_count;
constexpr uint64_t place_of(uint64_t n, Beside what) {
    return what == Beside::nothing ? n % alone_count : alone_count + n % beside_count;
}
// A program may start any number of messages, so only the last ones are told.
inline constexpr uint64_t message_count = 16;
// The processes of larger communicators are told for the first ranks.
inline constexpr size_t most_pids = 64;

// A number and how far it is, in one word. Messages are numbered as this rank begins them.
enum class State : uint64_t { begun = 1, done, failed };
inline constexpr int state_bits = 2;

constexpr uint64_t stamp(uint64_t number, State state) {
    return number << state_bits | static_cast<uint64_t>(state);
}
constexpr uint64_t number_of(uint64_t stamp) {
    return stamp >> state_bits;
}
constexpr bool is_begun(uint64_t stamp) {
    return stamp != 0 && (stamp & ((1 << state_bits) - 1)) == static_cast<uint64_t>(State::begun);
}

// The two words of the call's fingerprint. Of messages the root is the peer and the count is in bytes.
using Entry = Stamped<2>;
inline Fingerprint call_of(const Entry &entry) {
    return {entry.words[0], entry.words[1]};
}

// A wait that has lasted for longer than a moment (run/wait.cpp); the stamp only tells one from another.
enum WaitWord : size_t {
    wait_since,     // CLOCK_MONOTONIC, nanoseconds
    wait_awaited,   // rank whose store ends it, or -1
    wait_operation, // stamp of the oldest operation that has begun, or 0
    wait_message,   // the same of messages
    wait_algorithm, // of the operation, in two words
    wait_word_count = wait_algorithm + 2
};
using Wait = Stamped<wait_word_count>;
using AlgorithmText = Text<2 * sizeof(uint64_t)>;

struct Record {
    uint64_t used;   // 0: free; else the number of its use, ever higher
    uint64_t id;     // equal on all ranks of the communicator, and on no other; 0: not introduced yet
    int64_t created; // CLOCK_MONOTONIC, nanoseconds
    int64_t rank, size;
    int64_t internal;        // not 0: of the library's own, no user has it
    int64_t trouble;         // the fatal error that the communicator is in; 0: none
    int64_t pids[most_pids]; // of the first ranks, as this process knows them; 0: on another machine
    Text<64> name;           // the user's, or ""
    Text<192> reason;        // of the trouble
    Wait wait;
    alignas(64) Entry entries[operation_count];
    Entry messages[message_count]; // message m is in entry m % message_count
};
inline constexpr size_t words_in_record = sizeof(Record) / sizeof(uint64_t);

struct FileHeader {
    uint64_t magic;
    uint32_t layout, record_bytes;
    int32_t pid;        // in its own namespace: a forked child has inherited the descriptor, not the file
    int32_t version[3]; // major, minor, patch
};
static_assert(sizeof(FileHeader) <= page_bytes);

// One in a page.
inline constexpr size_t record_bytes = 4096;
static_assert(sizeof(Record) <= record_bytes && page_bytes % record_bytes == 0);

// False if it is free, or has changed its owner meanwhile. `used` is to the record what a stamp is to its words.
inline bool copy(const Record &shown, Record &to) {
    const auto *from = reinterpret_cast<const uint64_t *>(&shown);
    auto *word = reinterpret_cast<uint64_t *>(&to);
    for (size_t i = 0; i < words_in_record; ++i) {
        word[i] = look_at(from[i]); // in this order: who sees an error sees its reason
    }
    to.wait = shown.wait.copy();
    for (uint64_t i = 0; i < operation_count; ++i) {
        to.entries[i] = shown.entries[i].copy();
    }
    for (uint64_t i = 0; i < message_count; ++i) {
        to.messages[i] = shown.messages[i].copy();
    }
    return to.used != 0 && to.id != 0 && look_at(shown.used, std::memory_order_relaxed) == to.used;
}

} // namespace xcoll::flight
