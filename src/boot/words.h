// The bodies of frames. Machines of a job have the same order of bytes: the first greeting shows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/error.h"
#include "boot/channel.h"
#include "boot/contact.h"

namespace xcoll {

struct JoinWord {
    int64_t patience_ms; // how long the rank will wait for the others; < 0: for ever
    int32_t rank, size, hosts;
    uint8_t unused[5];
    Contact contact;
};
struct SeatWord {
    int32_t rank; // whose seat it is
    int32_t root;
    uint8_t unused;
    Contact parent;
};
struct PlaceWord { // of elsewhere
    Contact contact;
};
struct RankWord { // of seated and child
    int32_t rank;
};
struct EndedWord {
    int32_t result = XCOLL_SUCCESS;
    char text[1020]{};

    explicit EndedWord(const Failure &failure) : result(failure.result()) {
        std::strncpy(text, failure.what(), sizeof text - 1);
    }
    EndedWord() = default;
};
static_assert(sizeof(JoinWord) == 96 && sizeof(SeatWord) == 80);

template <class Word> Word read_word(const Frame &frame) {
    Word word;
    if (frame.body.size() != sizeof word) {
        fail(XCOLL_ERR_BOOTSTRAP, "a rank sent %zu bytes where %zu were expected: is its libxcoll of another version?",
             frame.body.size(), sizeof word);
    }
    std::memcpy(static_cast<void *>(&word), frame.body.data(), sizeof word);
    return word;
}

[[noreturn]] inline void fail_as(const EndedWord &word) {
    const bool is_error = word.result > XCOLL_SUCCESS && word.result < XCOLL_IN_PROGRESS;
    fail(is_error ? word.result : XCOLL_ERR_BOOTSTRAP, "%.*s", static_cast<int>(sizeof word.text), word.text);
}

} // namespace xcoll
