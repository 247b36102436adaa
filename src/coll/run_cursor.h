// A walk through the runs of a View. Dividing an index into its directions for every run would take longer than copying
// a short one, so it counts like a clock, and what lies at equal distances is taken in one go:
//
//     | run |      | run |      | run |         a row: runs of the fastest direction
//     ^ at         ^ at + stride
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "base/view.h"

namespace xcoll {

struct RunRow {
    char *at;
    size_t run, count;
    ptrdiff_t stride;

    size_t bytes() const {
        return run * count;
    }
};

class RunCursor {
public:
    void begin(const View &view) {
        const size_t runs = view.run ? view.runs() : 0;
        if (runs > 0) {
            begin(view.base, view.run);
        }
        if (runs > 1) {
            view_ = view;
            index_ = {};
            run_begin_ = view.base;
            runs_left_ = runs - 1;
        }
    }
    void begin(char *bytes_together, size_t bytes) {
        at_ = bytes_together;
        left_ = bytes;
        runs_left_ = 0;
    }
    bool is_at_end() const {
        return left_ == 0 && runs_left_ == 0;
    }
    // The next bytes that lie together, at most so many. Nothing at the end.
    std::span<char> next(size_t most) {
        if (left_ == 0 && runs_left_ > 0) {
            step();
        }
        const size_t bytes = std::min(most, left_);
        at_ += bytes;
        left_ -= bytes;
        return {at_ - bytes, bytes};
    }
    // The next runs, as many as are whole within so many bytes and lie at equal distances; or a part of one.
    RunRow next_row(size_t most) {
        if (left_ == 0 && runs_left_ > 0) {
            step();
        }
        const bool is_whole = runs_left_ > 0 && left_ == view_.run && most >= 2 * left_;
        if (!is_whole) {
            const std::span<char> piece = next(most);
            return {piece.data(), piece.size(), 1, 0};
        }
        const size_t count = std::min(view_.counts.back() - index_.back(), most / view_.run);
        const RunRow row{at_, view_.run, count, view_.strides.back()};
        index_.back() += count - 1;
        run_begin_ += static_cast<ptrdiff_t>(count - 1) * row.stride;
        runs_left_ -= count - 1;
        left_ = 0;
        return row;
    }

private:
    // To the next run of the view.
    void step() {
        --runs_left_;
        for (size_t d = View::most_directions; d-- > 0;) {
            run_begin_ += view_.strides[d];
            if (++index_[d] < view_.counts[d]) {
                break;
            }
            run_begin_ -= static_cast<ptrdiff_t>(view_.counts[d]) * view_.strides[d];
            index_[d] = 0;
        }
        at_ = run_begin_;
        left_ = view_.run;
    }

    char *at_ = nullptr;
    size_t left_ = 0; // bytes from there to the end of the run
    // Behind that run; of no use without any.
    size_t runs_left_ = 0;
    char *run_begin_ = nullptr;
    std::array<size_t, View::most_directions> index_{};
    View view_;
};

} // namespace xcoll
