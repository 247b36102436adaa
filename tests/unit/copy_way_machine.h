// A machine on which copies cost what a test says, and payloads that are copied there. Its clock counts that.
#pragma once

#include "cmocka_cpp.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "fabric/copy_way.h"

namespace copies {

using namespace xcoll;

inline constexpr double hopeless = 1000; // no string copy worth the name

struct Machine {
    uint64_t time = 0;
    double plain = 1, streamed = 1, string = hopeless; // nanoseconds for a line
    int copies = 0, streams = 0, strings = 0;
    // Copies go round them. A place that was streamed to last takes this for a plain line; 0: they are all alike.
    double after_streaming = 0;
    std::vector<bool> was_streamed = std::vector<bool>(16);
    size_t place = 0;

    double plain_line() const {
        return after_streaming > 0 && was_streamed[place] ? after_streaming : plain;
    }
    void copied(void *to, const void *from, size_t bytes, double line, bool by_streaming) {
        time += static_cast<uint64_t>(line * static_cast<double>(bytes) / 64);
        was_streamed[place] = by_streaming;
        place = (place + 1) % was_streamed.size();
        std::memcpy(to, from, bytes);
    }
};
inline Machine machine;

inline uint64_t clock_of_machine() {
    return machine.time;
}
inline void copy(void *to, const void *from, size_t bytes) {
    ++machine.copies;
    machine.copied(to, from, bytes, machine.plain_line(), false);
}
inline void stream(void *to, const void *from, size_t bytes) {
    ++machine.streams;
    machine.copied(to, from, bytes, machine.streamed, true);
}
inline void string(void *to, const void *from, size_t bytes) {
    ++machine.strings;
    machine.copied(to, from, bytes, machine.string, false);
}

inline constexpr size_t large = CopyWay::smallest_large;

inline CopyWay learning(CopyWay::Rule rule = CopyWay::Rule::learn, CopyUse use = CopyUse::writing) {
    return CopyWay(rule, use, 1, clock_of_machine);
}

inline const Kernels &test_kernels() {
    static const Kernels kernels = [] {
        Kernels table{};
        table.copy = copy;
        table.copy_stream = stream;
        table.copy_string = string;
        return table;
    }();
    return kernels;
}

inline void copy_some(CopyWay &way, int times, size_t bytes = large) {
    machine.copies = machine.streams = machine.strings = 0;
    std::vector<char> from(bytes, 'x'), to(bytes);
    for (int i = 0; i < times; ++i) {
        way.copy(test_kernels(), to.data(), from.data(), bytes);
        assert_true(to == from);
        std::fill(to.begin(), to.end(), 'y');
    }
}

inline void assert_way(const CopyWay &way, Way expected, size_t bytes = large) {
    assert_int_equal(static_cast<int>(way.way_of(bytes)), static_cast<int>(expected));
}

} // namespace copies
