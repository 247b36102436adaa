// The tree over which ranks gather: who is whose parent. Numbers count from the root on; every subtree is a range of
// them, so what a subtree has gathered lies in one piece. A node has at most `fan_out` children, and a thousand ranks
// are three steps from the root.
//
//     [0 .. 12], fan-out 3:          0
//                        1          5           9          each child has an equal part of the rest
//                     2  3  4    6  7  8    10 11 12
#pragma once

#include <algorithm>
#include <vector>

namespace xcoll {

struct TreePlace {
    static constexpr int fan_out = 16;
    struct Range {
        int first, end;
    };
    int parent = -1; // of the root
    Range subtree;
    std::vector<Range> children; // each headed by its first

    static std::vector<Range> divide(Range subtree) {
        std::vector<Range> parts;
        const int rest = subtree.end - subtree.first - 1, count = std::min(rest, fan_out);
        for (int i = 0, first = subtree.first + 1; i < count; ++i) {
            const int end = first + rest / count + (i < rest % count ? 1 : 0);
            parts.push_back({first, end});
            first = end;
        }
        return parts;
    }
    static TreePlace of(int number, int size) {
        TreePlace place{-1, {0, size}, divide({0, size})};
        while (place.subtree.first != number) {
            const auto below = std::find_if(place.children.begin(), place.children.end(),
                                            [number](const Range &range) { return number < range.end; });
            place = {place.subtree.first, *below, divide(*below)};
        }
        return place;
    }
};

} // namespace xcoll
