#include "coll/reshard_plan.h"

#include <algorithm>

namespace xcoll {

namespace {

// Sections of one holder become one again.
std::vector<Section> lowest_holders(const std::vector<Section> &sections) {
    std::vector<Section> lowest;
    for (const Section &section : sections) {
        if (section.holders.empty()) {
            continue;
        }
        const int holder = section.holders.front();
        if (!lowest.empty() && lowest.back().holders.front() == holder &&
            lowest.back().indices.end() == section.indices.first) {
            lowest.back().indices.count += section.indices.count;
        } else {
            lowest.push_back({section.indices, {holder}});
        }
    }
    return lowest;
}

Shape empty_box(Dtype dtype) {
    Shape box;
    box.base = dtype;
    box.element_bytes = size_of(dtype);
    return box;
}

} // namespace

std::vector<Section> sections_of(const Split &split) {
    std::vector<int64_t> cuts;
    for (const Interval &part : split.parts) {
        if (part.count > 0) {
            cuts.push_back(part.first);
            cuts.push_back(part.end());
        }
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<Section> sections;
    for (size_t k = 0; k + 1 < cuts.size(); ++k) {
        Section section{{cuts[k], cuts[k + 1] - cuts[k]}, {}};
        for (size_t p = 0; p < split.parts.size(); ++p) {
            if ((split.parts[p] & section.indices).count > 0) {
                section.holders.push_back(static_cast<int>(p));
            }
        }
        sections.push_back(std::move(section));
    }
    return sections;
}

bool overlap(const std::vector<Section> &sections) {
    return std::any_of(sections.begin(), sections.end(), [](const auto &s) { return s.holders.size() > 1; });
}

std::optional<Gap> find_gap(const Tensor &tensor, const std::vector<Section> &sections) {
    if (tensor.elements == 0) {
        return std::nullopt;
    }
    const Interval all{0, tensor.length(tensor.from)};
    for (size_t p = 0; p < tensor.to.parts.size(); ++p) {
        const Interval &part = tensor.to.parts[p];
        const Interval wanted = tensor.to.dim == tensor.from.dim ? part : all;
        int64_t held = wanted.first;
        for (const Section &section : sections) {
            if (!section.holders.empty() && section.indices.first <= held) {
                held = std::max(held, section.indices.end());
            }
        }
        if (part.count > 0 && held < wanted.end()) {
            return Gap{held, static_cast<int>(p)};
        }
    }
    return std::nullopt;
}

ReshardPlan::ReshardPlan(const Tensor &tensor, std::vector<Section> sections, Copies copies, int rank) {
    if (copies == Copies::added) {
        fill_out(tensor, sections, rank);
        fill_reduction(tensor, sections, rank);
        fill_whole(tensor, rank);
        fill_dealt(tensor);
    } else {
        sections = lowest_holders(sections);
        fill_out(tensor, sections, rank);
        fill_in(tensor, sections, rank);
    }
}

void ReshardPlan::fill_out(const Tensor &tensor, const std::vector<Section> &sections, int rank) {
    for (const Interval &wanted : tensor.to.parts) {
        Shape box = empty_box(tensor.dtype);
        for (const Section &section : sections) {
            if (std::binary_search(section.holders.begin(), section.holders.end(), rank)) {
                tensor.append_box(box, tensor.from, rank, section.indices, wanted);
            }
        }
        out_.push_back(std::move(box));
    }
}

void ReshardPlan::fill_in(const Tensor &tensor, const std::vector<Section> &sections, int rank) {
    const Interval &mine = tensor.to.parts[static_cast<size_t>(rank)];
    in_.assign(tensor.from.parts.size(), empty_box(tensor.dtype));
    for (const Section &section : sections) {
        Shape &box = in_[static_cast<size_t>(section.holders.front())];
        tensor.append_box(box, tensor.to, rank, section.indices, mine);
    }
}

void ReshardPlan::fill_reduction(const Tensor &tensor, const std::vector<Section> &sections, int rank) {
    const Interval &mine = tensor.to.parts[static_cast<size_t>(rank)];
    reduction_.incoming.assign(tensor.from.parts.size(), 0);
    segments_.reserve(sections.size()); // portions point to them
    for (const Section &section : sections) {
        Shape box = empty_box(tensor.dtype);
        tensor.append_box(box, tensor.to, rank, section.indices, mine);
        if (box.bytes == 0 || section.holders.empty()) {
            continue;
        }
        for (const int p : section.holders) {
            reduction_.incoming[static_cast<size_t>(p)] += box.bytes;
        }
        segments_.push_back(std::move(box));
        reduction_.segments.push_back({portion(nullptr, segments_.back()), section.holders});
    }
}

void ReshardPlan::fill_whole(const Tensor &tensor, int rank) {
    if (tensor.elements == 0 || !tensor.is_whole(tensor.from) || !tensor.is_whole(tensor.to)) {
        return;
    }
    const Interval from{0, tensor.length(tensor.from)}, to{0, tensor.length(tensor.to)};
    reduction_.everything = true;
    whole_in_ = whole_out_ = empty_box(tensor.dtype);
    tensor.append_box(whole_in_, tensor.from, rank, from, to);
    tensor.append_box(whole_out_, tensor.to, rank, from, to);
    reduction_.whole_in = portion(nullptr, whole_in_);
    reduction_.whole_out = portion(nullptr, whole_out_);
}

void ReshardPlan::fill_dealt(const Tensor &tensor) {
    if (tensor.elements == 0 || !tensor.is_whole(tensor.from)) {
        return;
    }
    for (size_t p = 0; p < tensor.to.parts.size(); ++p) {
        reduction_.dealt.push_back(static_cast<size_t>(tensor.size(tensor.to, static_cast<int>(p))));
    }
}

} // namespace xcoll
