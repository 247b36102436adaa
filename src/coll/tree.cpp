// A kernel adds up groups of inputs, then the groups' sums: two levels of the tree at once. Above that, sums that are
// not complete lie in scratch memory, of a few pages so that they stay in the L1 cache, in the accumulator's type.
#include "coll/tree.h"

#include <algorithm>
#include <array>

#include "coll/message_reduction.h"

namespace xcoll {

namespace {

constexpr size_t page_bytes = 4096;

class Tree {
public:
    Tree(const Team &team, const Op &op, const Inputs &inputs)
        : team_(team), op_(op), inputs_(inputs), shape_(TreeShape::of(count_inputs(inputs))),
          levels_(static_cast<size_t>(std::bit_width(static_cast<unsigned>(shape_.corners)))),
          pages_(*team.scratch, 2 * page_bytes * levels_) {
    }
    void reduce(void *out, size_t count) {
        const size_t longest = page_bytes / size_of(accumulator_of(op_.dtype));
        for (first_ = 0; first_ < count; first_ += longest) {
            count_ = std::min(longest, count - first_);
            add_up({0, shape_.corners}, Stage::whole, static_cast<char *>(out) + first_ * size_of(op_.dtype), 0);
        }
    }

private:
    struct Corners {
        int first, count;
    };
    // Two groups of neighbours, the first with a corner of two inputs.
    static constexpr size_t most_inputs_at_once = 5;

    static int count_inputs(const Inputs &inputs) {
        uint32_t count = 0;
        for (uint32_t group = 0; group < inputs.groups; ++group) {
            count += inputs.group_sizes[group];
        }
        return static_cast<int>(count);
    }
    // One call of a kernel is enough: the first corner of each group may hold two inputs, no other one.
    bool fits_kernel(Corners corners) const {
        return corners.count <= 2 || (corners.count == 4 && shape_.inputs(corners.first + 1) == 1);
    }
    // whole: of the whole tree, to the user; lift: of a part of it, to scratch memory.
    void add_up(Corners corners, Stage stage, char *out, size_t level) {
        if (fits_kernel(corners)) {
            add_up_inputs(corners, stage, out);
            return;
        }
        const int half = corners.count / 2;
        char *left = pages_.data() + 2 * page_bytes * level, *right = left + page_bytes;
        add_up({corners.first, half}, Stage::lift, left, level + 1);
        add_up({corners.first + half, half}, Stage::lift, right, level + 1);
        const void *const halves[] = {left, right};
        const uint32_t group_size = 2;
        reduce_some(team_, stage == Stage::whole ? Stage::lower : Stage::carry, op_, out,
                    {halves, &group_size, 1, inputs_.divisor}, count_);
    }
    void add_up_inputs(Corners corners, Stage stage, char *out) const {
        std::array<const void *, most_inputs_at_once> data;
        std::array<uint32_t, 2> group_sizes{};
        const int in_group = std::max(corners.count / 2, 1);
        size_t inputs = 0;
        for (int i = 0; i < corners.count; ++i) {
            const int corner = corners.first + i;
            for (int j = 0; j < shape_.inputs(corner); ++j) {
                const int input = shape_.first(corner) + j;
                data[inputs++] = static_cast<const char *>(inputs_.data[input]) + first_ * size_of(op_.dtype);
                ++group_sizes[i < in_group ? 0 : 1];
            }
        }
        const uint32_t groups = corners.count > 1 ? 2 : 1;
        reduce_some(team_, stage, op_, out, {data.data(), group_sizes.data(), groups, inputs_.divisor}, count_);
    }

    const Team &team_;
    const Op &op_;
    const Inputs &inputs_;
    TreeShape shape_;
    size_t levels_;
    Scratch pages_;
    size_t first_ = 0, count_ = 0; // elements that are added up now
};

} // namespace

void reduce_as_tree(const Team &team, const Op &op, void *out, const Inputs &inputs, size_t count) {
    Tree(team, op, inputs).reduce(out, count);
}

} // namespace xcoll
