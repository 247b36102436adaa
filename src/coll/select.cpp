#include "coll/select.h"

#include <algorithm>

#include "coll/block_stream.h"
#include "coll/reduction.h"

namespace xcoll {

namespace {

constexpr size_t largest_of_class(size_t number) {
    return number < 64 ? size_t{1} << number : ~size_t{0};
}

} // namespace

const Row *cheapest(Kind kind, const Team &team, size_t bytes, Row::Needs needs, bool user) {
    const Row *best = nullptr;
    for (const Row &row : algorithms(kind)) {
        const bool serves = row.needs == needs && (!user || row.serves_users()) && !row.refusal(team, bytes);
        if (serves && (!best || row.cost(team, bytes) < best->cost(team, bytes))) {
            best = &row;
        }
    }
    return best;
}

Choices::Choices(const Team &team, const std::vector<Preference> &preferences) : team_(team) {
    for (const Preference &preference : preferences) {
        if (preference.concerns(team)) {
            preferences_[static_cast<size_t>(preference.kind)].push_back(preference);
        }
    }
    for (int k = 1; k < kinds; ++k) {
        if (!preferences_[k].empty()) {
            cut(static_cast<Kind>(k));
        }
    }
}

void Choices::cut(Kind kind) {
    const auto k = static_cast<size_t>(kind);
    size_t before = 0;
    for (const size_t up_to : steps(kind)) {
        const Row *row = choose(kind, up_to, false).row;
        const size_t number = size_class(up_to);
        const bool whole = up_to == largest_of_class(number) && (number == 0 || before == largest_of_class(number - 1));
        if (whole) {
            rows_[k][number].store(row, std::memory_order_relaxed);
        } else {
            cut_classes_[k].push_back({up_to, row});
        }
        before = up_to;
    }
}

std::vector<size_t> Choices::steps(Kind kind) const {
    std::vector<size_t> sizes;
    for (size_t number = 0; number < classes; ++number) {
        sizes.push_back(largest_of_class(number));
    }
    for (const Preference &preference : preferences_[static_cast<size_t>(kind)]) {
        if (preference.bytes.first > 1) {
            sizes.push_back(preference.bytes.first - 1);
        }
        sizes.push_back(std::max<size_t>(preference.bytes.last, 1));
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

Choice Choices::choose(Kind kind, size_t bytes, bool user) const {
    Choice choice{};
    for (const Preference &preference : preferences_[static_cast<size_t>(kind)]) {
        if (!preference.bytes.holds(bytes)) {
            continue;
        }
        const Row &row = *preference.row;
        const char *reason =
            user && !row.serves_users() ? "it does not serve operators of users" : row.refusal(team_, bytes);
        if (!reason) {
            choice.row = &row;
            choice.by = &preference;
            return choice;
        }
        choice.passed_over.push_back({&preference, reason});
    }
    choice.row = cheapest(kind, team_, bytes, user);
    return choice;
}

const Row &Choices::find_row(Kind kind, size_t bytes) const {
    const auto k = static_cast<size_t>(kind);
    if (preferences_[k].empty()) {
        return know(rows_, kind, bytes, false);
    }
    const std::vector<Step> &all = cut_classes_[k];
    return *std::lower_bound(all.begin(), all.end(), bytes, [](const Step &step, size_t b) {
                return step.up_to < b;
            })->row;
}

const Row &Choices::know(Table &table, Kind kind, size_t bytes, bool user) const {
    const size_t number = size_class(bytes);
    const Row *row = choose(kind, largest_of_class(number), user).row;
    table[static_cast<size_t>(kind)][number].store(row, std::memory_order_relaxed);
    return *row;
}

const Row &Choices::user_row(const Op &op) const {
    if (op.user->is_premultiplied()) {
        return scaled_row(team_.window ? Row::Needs::window : Row::Needs::transport);
    }
    if (team_.window && element_bytes(op) > BlockStream::slot_block_bytes) {
        return large_element_row();
    }
    const size_t bytes = op.bytes();
    const auto k = static_cast<size_t>(op.kind);
    if (const Row *known = user_rows_[k][size_class(bytes)].load(std::memory_order_relaxed)) {
        return *known;
    }
    return preferences_[k].empty() ? know(user_rows_, op.kind, bytes, true) : *choose(op.kind, bytes, true).row;
}

} // namespace xcoll
