// A walk through the runs of any View gives its bytes in their order, however many are asked for at a time.
#include "cmocka_cpp.h"

#include <random>
#include <vector>

#include "coll/row_copy.h"

using namespace xcoll;

namespace {

constexpr size_t room = size_t{1} << 16;

struct Draw {
    std::mt19937 random{23};
    size_t operator()(size_t below) {
        return random() % below;
    }
};

// Directions may go back, stand still or lie within each other.
View any_view(Draw &draw, char *middle) {
    View view = View::of(middle, 1 + draw(20));
    for (size_t d = 0; d < View::most_directions; ++d) {
        view.counts[d] = 1 + draw(draw(2) ? 4 : 1);
        view.strides[d] = static_cast<ptrdiff_t>(draw(400)) - 200;
    }
    return view;
}

std::vector<char *> places_of(const View &view) {
    std::vector<char *> places;
    for (size_t run = 0; run < view.runs(); ++run) {
        for (size_t i = 0; i < view.run; ++i) {
            places.push_back(view.run_at(run) + i);
        }
    }
    return places;
}

void add_row(std::vector<char *> &places, const RunRow &row) {
    for (size_t run = 0; run < row.count; ++run) {
        for (size_t i = 0; i < row.run; ++i) {
            places.push_back(row.at + static_cast<ptrdiff_t>(run) * row.stride + i);
        }
    }
}

void every_byte_comes_once_and_in_its_order(void **) {
    Draw draw;
    std::vector<char> memory(room);
    RunCursor runs; // one for all: what is left of a view must not reach the next
    for (int turn = 0; turn < 20'000; ++turn) {
        const View view = any_view(draw, memory.data() + room / 2);
        const std::vector<char *> expected = places_of(view);
        std::vector<char *> seen;
        runs.begin(view);
        while (!runs.is_at_end()) {
            const size_t most = 1 + draw(draw(2) ? 3 * view.run : view.bytes() + 10);
            const RunRow row = draw(2) ? runs.next_row(most) : [&] {
                const std::span<char> piece = runs.next(most);
                return RunRow{piece.data(), piece.size(), 1, 0};
            }();
            assert_true(row.bytes() > 0 && row.bytes() <= most);
            add_row(seen, row);
        }
        assert_true(seen == expected);
        if (draw(3) == 0) {
            char *together = memory.data() + draw(100);
            runs.begin(together, 50);
            assert_true(runs.next_row(30).at == together && runs.next(100).size() == 20 && runs.is_at_end());
        }
    }
}

void rows_are_gathered_and_scattered_run_by_run(void **) {
    const Kernels &kernels = best_kernels();
    for (size_t run = 1; run <= 70; ++run) {
        for (const size_t count : {1u, 2u, 3u, 9u}) {
            const size_t distance = run + 3;
            std::vector<char> from(count * distance), to(count * distance, 'x'), packed(count * run);
            for (size_t i = 0; i < from.size(); ++i) {
                from[i] = static_cast<char>(i);
            }
            gather_row(kernels, packed.data(), {from.data(), run, count, static_cast<ptrdiff_t>(distance)});
            scatter_row(kernels, {to.data(), run, count, static_cast<ptrdiff_t>(distance)}, packed.data());
            for (size_t i = 0; i < to.size(); ++i) {
                const bool within = i % distance < run;
                assert_int_equal(to[i], within ? from[i] : 'x');
                assert_true(!within || packed[i / distance * run + i % distance] == from[i]);
            }
        }
    }
}

void a_view_of_nothing_is_over_at_once(void **) {
    RunCursor runs;
    assert_true(runs.is_at_end());
    View view = View::of(nullptr, 0);
    view.counts[0] = 5;
    runs.begin(view);
    assert_true(runs.is_at_end());
    view.run = 4;
    view.counts[3] = 0;
    runs.begin(view);
    assert_true(runs.is_at_end());
    assert_true(runs.next(10).empty());
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_comes_once_and_in_its_order),
        cmocka_unit_test(rows_are_gathered_and_scattered_run_by_run),
        cmocka_unit_test(a_view_of_nothing_is_over_at_once),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
