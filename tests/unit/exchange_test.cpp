// An Exchange describes its first two users, a fetch of parameters and a change from split sequence to split heads,
// without packing: carried out by the plainest executor, everything is where it belongs.
#include "cmocka_cpp.h"

#include <memory>
#include <numeric>
#include <vector>

#include "coll/view_cursor.h"

using namespace xcoll;

namespace {

// For every pair, the sender's bytes in order become the receiver's, a few at a time.
void execute(const std::vector<Op> &groups) {
    const int ranks = static_cast<int>(groups.size());
    using Side = ViewCursor::Side;
    const auto move = [&](int from, int to, Side out, Side in) {
        const Exchange sender(groups[static_cast<size_t>(from)], from, ranks);
        const Exchange receiver(groups[static_cast<size_t>(to)], to, ranks);
        ViewCursor source(sender, out, to), target(receiver, in, from);
        char bytes[3];
        size_t left = in == Side::shared_in ? receiver.shared_in(from) : receiver.pair_in(from);
        if (from != to && in == Side::pair_in) {
            assert_int_equal(left, sender.pair_out(to));
        }
        while (left > 0) {
            const size_t some = std::min(left, sizeof bytes);
            source.copy_to(best_kernels(), bytes, some);
            target.copy_from(best_kernels(), bytes, some);
            left -= some;
        }
    };
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            move(from, to, Side::shared_out, Side::shared_in);
            move(from, to, Side::pair_out, Side::pair_in);
        }
    }
}

// As even as possible, the first ones one more.
struct Part {
    size_t first, count;
};
Part part(size_t total, int ranks, int rank) {
    const size_t n = static_cast<size_t>(ranks), r = static_cast<size_t>(rank);
    return {total / n * r + std::min(r, total % n), total / n + (r < total % n)};
}

Portion bytes(std::vector<char> &memory, const Part &where) {
    return {memory.data() + where.first, where.count, nullptr};
}

// Ragged parameters, each split over the ranks, gathered straight into place: a group of all-gathers.
void a_fetch_of_ragged_parameters_lands_in_the_parameters(void **) {
    constexpr int ranks = 3;
    const std::vector<size_t> sizes{5, 7, 1, 0, 16, 2};
    std::vector<std::vector<std::vector<char>>> parameters(ranks);
    std::vector<std::vector<std::vector<Portion>>> portions(ranks);
    std::vector<std::vector<Op>> gathers(ranks);
    std::vector<Op> groups;
    for (int r = 0; r < ranks; ++r) {
        const auto me = static_cast<size_t>(r);
        for (size_t k = 0; k < sizes.size(); ++k) {
            std::vector<char> &parameter = parameters[me].emplace_back(sizes[k], char{0x55});
            const Part own = part(sizes[k], ranks, r);
            std::iota(parameter.begin() + static_cast<ptrdiff_t>(own.first),
                      parameter.begin() + static_cast<ptrdiff_t>(own.first + own.count),
                      static_cast<char>(10 * k + own.first));
        }
        for (size_t k = 0; k < sizes.size(); ++k) {
            std::vector<Portion> &at = portions[me].emplace_back();
            at.push_back(bytes(parameters[me][k], part(sizes[k], ranks, r)));
            for (int p = 0; p < ranks; ++p) {
                at.push_back(bytes(parameters[me][k], part(sizes[k], ranks, p)));
            }
            Op &gather = gathers[me].emplace_back();
            gather.kind = Kind::allgatherv;
            gather.out = at.data();
            gather.in = at.data() + 1;
        }
        groups.emplace_back().kind = Kind::group;
        groups.back().parts = gathers[me];
    }
    execute(groups);
    for (const auto &mine : parameters) {
        for (size_t k = 0; k < sizes.size(); ++k) {
            for (size_t i = 0; i < sizes[k]; ++i) {
                assert_int_equal(mine[k][i], static_cast<char>(10 * k + i));
            }
        }
    }
}

// `rows` pieces of `count` elements out of rows of `width`: a grid.
Shape grid(size_t rows, size_t count, size_t width) {
    Shape shape;
    shape.bytes = rows * count;
    shape.views = {View::of(nullptr, count).repeated(rows, static_cast<ptrdiff_t>(width))};
    return shape;
}

// [sequence / P, heads, width] of each rank becomes [sequence, heads / P, width], neither evenly divisible.
void split_sequence_becomes_split_heads_in_one_pass(void **) {
    constexpr int ranks = 3;
    constexpr size_t sequence = 7, heads = 5, width = 2;
    std::vector<std::vector<char>> in(ranks), out(ranks);
    std::vector<std::unique_ptr<Shape>> shapes;
    std::vector<std::vector<Portion>> portions(ranks);
    std::vector<Op> exchanges(ranks);
    for (int r = 0; r < ranks; ++r) {
        const auto me = static_cast<size_t>(r);
        const Part rows = part(sequence, ranks, r), mine = part(heads, ranks, r);
        in[me].resize(rows.count * heads * width);
        out[me].assign(sequence * mine.count * width, -1);
        std::iota(in[me].begin(), in[me].end(), static_cast<char>(rows.first * heads * width));
        for (int p = 0; p < ranks; ++p) {
            const Part theirs = part(heads, ranks, p);
            shapes.push_back(std::make_unique<Shape>(grid(rows.count, theirs.count * width, heads * width)));
            portions[me].push_back({in[me].data() + theirs.first * width, 1, shapes.back().get()});
        }
        for (int p = 0; p < ranks; ++p) {
            const Part theirs = part(sequence, ranks, p);
            portions[me].push_back(
                {out[me].data() + theirs.first * mine.count * width, theirs.count * mine.count * width, nullptr});
        }
        exchanges[me].kind = Kind::alltoallv;
        exchanges[me].out = portions[me].data();
        exchanges[me].in = portions[me].data() + ranks;
    }
    assert_int_equal(exchanges[0].out[2].bytes(), part(sequence, ranks, 0).count * part(heads, ranks, 2).count * width);
    execute(exchanges);
    for (int r = 0; r < ranks; ++r) {
        const Part mine = part(heads, ranks, r);
        for (size_t s = 0; s < sequence; ++s) {
            for (size_t b = 0; b < mine.count * width; ++b) {
                assert_int_equal(out[static_cast<size_t>(r)][s * mine.count * width + b],
                                 (s * heads + mine.first) * width + b);
            }
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_fetch_of_ragged_parameters_lands_in_the_parameters),
        cmocka_unit_test(split_sequence_becomes_split_heads_in_one_pass),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
