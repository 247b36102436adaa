// Who sends what to whom when a tensor changes its distribution: each pair of ranks has the box in which what the one
// has and what the other wants meet. Both take its elements in the order of the tensor's indices, from and to wherever
// they lie, so nobody packs.
#pragma once

#include <optional>
#include <vector>

#include "coll/reshard.h"
#include "coll/tensor.h"

namespace xcoll {

// Indices of the dimension along which a tensor is split before, with the ranks that have them, from the lowest on.
struct Section {
    Interval indices;
    std::vector<int> holders;
};

// Cut where any rank's part begins or ends, so that each section has the same holders throughout. In their order.
std::vector<Section> sections_of(const Split &split);

// Some indices are held more than once.
bool overlap(const std::vector<Section> &sections);

// An index that a rank wants and no rank has.
struct Gap {
    int64_t index;
    int wanted_by;
};
std::optional<Gap> find_gap(const Tensor &tensor, const std::vector<Section> &sections);

// One rank's share, offsets counted from its buffers. It is pointed to by what is made of it.
class ReshardPlan {
public:
    // What several ranks hold comes from the lowest of them, or is added up.
    enum class Copies { lowest, added };
    ReshardPlan(const Tensor &tensor, std::vector<Section> sections, Copies copies, int rank);
    ReshardPlan(const ReshardPlan &) = delete;
    ReshardPlan &operator=(const ReshardPlan &) = delete;

    // By peer; nothing comes in where it is added up.
    const std::vector<Shape> &out() const {
        return out_;
    }
    const std::vector<Shape> &in() const {
        return in_;
    }
    // Where it is added up.
    const Reshard &reduction() const {
        return reduction_;
    }

private:
    void fill_out(const Tensor &tensor, const std::vector<Section> &sections, int rank);
    void fill_in(const Tensor &tensor, const std::vector<Section> &sections, int rank);
    void fill_reduction(const Tensor &tensor, const std::vector<Section> &sections, int rank);
    void fill_whole(const Tensor &tensor, int rank);
    void fill_dealt(const Tensor &tensor);

    std::vector<Shape> out_, in_;
    std::vector<Shape> segments_; // of this rank's part
    Shape whole_in_, whole_out_;
    Reshard reduction_;
};

// A box in a buffer.
inline Portion portion(const void *buffer, const Shape &box) {
    return {static_cast<char *>(const_cast<void *>(buffer)), box.views.empty() ? size_t{0} : 1, &box};
}

} // namespace xcoll
