// Where the parts of an operation lie in a buffer.
#pragma once

#include <cstddef>
#include <vector>

namespace deeds {

// Element `at`, `count` elements.
struct Part {
    size_t at, count;
};

inline std::vector<size_t> places(const std::vector<Part> &parts) {
    std::vector<size_t> all;
    for (const Part &part : parts) {
        all.push_back(part.at);
    }
    return all;
}

inline std::vector<size_t> sizes(const std::vector<Part> &parts) {
    std::vector<size_t> all;
    for (const Part &part : parts) {
        all.push_back(part.count);
    }
    return all;
}

} // namespace deeds
