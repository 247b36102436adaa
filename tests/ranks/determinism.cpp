// ranks: 1 2 3 5 7 8 13
//
// What the levels of determinism promise. size: an element's bits do not depend on how many others are in the message,
// whatever algorithm serves it. layout: nor on which ranks are near each other, nor on how they reach each other; the
// sum is that of a tree over the ranks, computed here plainly.
#include <algorithm>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr size_t counts[] = {1, 3, 100, 5000, 70'001};
constexpr size_t longest = 70'001;

const char *const algorithms[] = {"auto",     "one_shot", "hierarchical", "streamed", "two_shot",
                                  "gathered", "doubling", "ring",         "messages"};

// Of many magnitudes, so that every order of additions has bits of its own.
float input(int rank, size_t i) {
    uint32_t bits = static_cast<uint32_t>(i) * 2654435761u + static_cast<uint32_t>(rank + 1) * 40503u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    const auto mantissa = static_cast<float>(static_cast<int>(bits & 0xffff) - 0x8000);
    return mantissa / static_cast<float>(1u << (bits >> 16 & 15));
}

std::vector<float> inputs(int rank, size_t count) {
    std::vector<float> all(count);
    for (size_t i = 0; i < count; ++i) {
        all[i] = input(rank, i);
    }
    return all;
}

// Pairs of neighbours until a power of two is left, then pairs of what is left.
float sum_of_tree(std::vector<float> values) {
    size_t corners = 1;
    while (2 * corners <= values.size()) {
        corners *= 2;
    }
    for (size_t pair = 0; values.size() > corners; ++pair) {
        values[pair] += values[pair + 1];
        values.erase(values.begin() + static_cast<ptrdiff_t>(pair) + 1);
    }
    for (; values.size() > 1; values.resize(values.size() / 2)) {
        for (size_t i = 0; i < values.size() / 2; ++i) {
            values[i] = values[2 * i] + values[2 * i + 1];
        }
    }
    return values[0];
}

std::vector<float> tree_over(int ranks) {
    std::vector<float> sums(longest), values(static_cast<size_t>(ranks));
    for (size_t i = 0; i < longest; ++i) {
        for (int rank = 0; rank < ranks; ++rank) {
            values[static_cast<size_t>(rank)] = input(rank, i);
        }
        sums[i] = sum_of_tree(values);
    }
    return sums;
}

bool same_bits(const float *a, const float *b, size_t count) {
    return std::memcmp(a, b, count * sizeof(float)) == 0;
}

// In one of the four forms.
std::vector<float> allreduce(xcoll_comm_t comm, int rank, size_t count, int form) {
    const std::vector<float> send = inputs(rank, count);
    std::vector<float> recv(count);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    const auto with = [&](auto function, auto... more) {
        ranks::succeed(function(send.data(), recv.data(), count, XCOLL_FLOAT32, XCOLL_SUM, comm, more...));
    };
    switch (form) {
    case 0:
        with(xcoll_allreduce);
        break;
    case 1:
        with(xcoll_iallreduce, &request);
        ranks::succeed(xcoll_wait(&request));
        break;
    case 2:
        with(xcoll_allreduce_init, &request);
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        ranks::succeed(xcoll_request_free(&request));
        break;
    default:
        with(xcoll_allreduce_enqueue, nullptr);
        ranks::succeed(xcoll_barrier(comm));
        break;
    }
    return recv;
}

std::string describe(xcoll_comm_t comm) {
    size_t length = 0;
    ranks::succeed(xcoll_comm_describe(comm, nullptr, &length));
    std::string text(length, '\0');
    ranks::succeed(xcoll_comm_describe(comm, text.data(), &length));
    return text;
}

// ---- size

// Whether short messages are beginnings of the longest one.
bool sizes_agree(const Rank &rank, const std::string &settings) {
    xcoll_comm_t comm = rank.open(settings);
    const std::vector<float> whole = allreduce(comm, rank.rank(), longest, 0);
    bool agree = true;
    for (const size_t count : counts) {
        agree &= same_bits(allreduce(comm, rank.rank(), count, 0).data(), whole.data(), count);
    }
    ranks::succeed(xcoll_comm_free(&comm));
    return agree;
}

void the_size_of_the_message_does_not_show(const Rank &rank) {
    for (const char *groups : {"none", "2,1"}) {
        for (const char *algorithm : algorithms) {
            const std::string settings = std::string("DETERMINISM=size;GROUPS=") + groups + ";ALLREDUCE=" + algorithm;
            if (!sizes_agree(rank, settings)) {
                ranks::wrong("an element's bits depend on the size of the message: " + settings);
            }
        }
    }
    // What the level forbids does show.
    ranks::check(rank.size() < 3 || !sizes_agree(rank, "DETERMINISM=run;ALLREDUCE=ring"),
                 "the ring gives the bits of a fixed order: this test cannot tell orders from each other");
}

// ---- layout

void reduce_to_all_roots(xcoll_comm_t comm, const Rank &rank, const std::vector<float> &expected, size_t count) {
    const std::vector<float> send = inputs(rank.rank(), count);
    for (int root = 0; root < rank.size(); root += 3) {
        std::vector<float> recv(count);
        ranks::succeed(xcoll_reduce(send.data(), recv.data(), count, XCOLL_FLOAT32, XCOLL_SUM, root, comm));
        ranks::check(root != rank.rank() || same_bits(recv.data(), expected.data(), count),
                     "reduce does not add up the tree over the ranks");
    }
}

void scatter_evenly_and_unevenly(xcoll_comm_t comm, const Rank &rank, const std::vector<float> &expected,
                                 size_t count) {
    const auto size = static_cast<size_t>(rank.size()), self = static_cast<size_t>(rank.rank());
    const size_t part = count / size;
    const std::vector<float> send = inputs(rank.rank(), count);
    std::vector<float> recv(count);
    ranks::succeed(xcoll_reduce_scatter(send.data(), recv.data(), part, XCOLL_FLOAT32, XCOLL_SUM, comm));
    ranks::check(same_bits(recv.data(), expected.data() + self * part, part),
                 "reduce_scatter does not add up the tree over the ranks");
    std::vector<size_t> parts(size, part);
    parts[size - 1] += count - part * size;
    ranks::succeed(xcoll_reduce_scatterv(send.data(), recv.data(), parts.data(), XCOLL_FLOAT32, XCOLL_SUM, comm));
    ranks::check(same_bits(recv.data(), expected.data() + self * part, parts[self]),
                 "reduce_scatterv does not add up the tree over the ranks");
}

// All of a tensor that every rank holds in part, by every rank.
void reshard_partial_sums(xcoll_comm_t comm, const Rank &rank, const std::vector<float> &expected) {
    constexpr int64_t elements = 5000;
    const std::vector<float> send = inputs(rank.rank(), elements);
    std::vector<float> recv(elements);
    xcoll_tensor_t tensor;
    ranks::succeed(xcoll_tensor_defaults(&tensor, sizeof tensor));
    tensor.dtype = XCOLL_FLOAT32;
    tensor.ndim = 1;
    tensor.shape = &elements;
    tensor.op = XCOLL_SUM;
    ranks::succeed(xcoll_reshard(send.data(), recv.data(), &tensor, XCOLL_PARTIAL, XCOLL_REPLICATED, comm));
    ranks::check(same_bits(recv.data(), expected.data(), elements), "reshard does not add up the tree over the ranks");
    const auto size = static_cast<int64_t>(rank.size()), self = static_cast<int64_t>(rank.rank());
    const int64_t first = elements / size * self + std::min(self, elements % size);
    const int64_t mine = elements / size + (self < elements % size ? 1 : 0);
    ranks::succeed(xcoll_reshard(send.data(), recv.data(), &tensor, XCOLL_PARTIAL, 0, comm));
    ranks::check(same_bits(recv.data(), expected.data() + first, static_cast<size_t>(mine)),
                 "reshard to parts does not add up the tree over the ranks");
}

void the_layout_does_not_show(const Rank &rank) {
    const std::vector<float> expected = tree_over(rank.size());
    for (const char *groups : {"machine", "2,2", "1,2,3"}) {
        for (const char *algorithm : algorithms) {
            const std::string settings = std::string("DETERMINISM=layout;GROUPS=") + groups + ";ALLREDUCE=" + algorithm;
            xcoll_comm_t comm = rank.open(settings);
            for (size_t i = 0; i < std::size(counts); ++i) {
                const auto form = static_cast<int>(i % 4);
                if (!same_bits(allreduce(comm, rank.rank(), counts[i], form).data(), expected.data(), counts[i])) {
                    ranks::wrong("the sum is not that of the tree over the ranks: " + settings);
                }
            }
            ranks::succeed(xcoll_comm_free(&comm));
        }
    }
    for (const char *settings :
         {"", ";REDUCE=two_shot;REDUCE_SCATTER=one_shot;REDUCE_SCATTERV=one_shot",
          ";REDUCE=gathered;REDUCE_SCATTER=gathered;REDUCE_SCATTERV=gathered",
          ";REDUCE=messages;REDUCE_SCATTER=messages;REDUCE_SCATTERV=messages;RESHARD=messages"}) {
        xcoll_comm_t comm = rank.open(std::string("DETERMINISM=layout;GROUPS=2,1") + settings);
        for (const size_t count : counts) {
            reduce_to_all_roots(comm, rank, expected, count);
            scatter_evenly_and_unevenly(comm, rank, expected, count);
        }
        reshard_partial_sums(comm, rank, expected);
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

// ---- what a communicator says of itself

void the_level_is_described_and_inherited(const Rank &rank) {
    xcoll_comm_t comm = rank.open("DETERMINISM=size;ALLREDUCE=ring"), child = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &child));
    for (const xcoll_comm_t one : {comm, child}) {
        const std::string text = describe(one);
        // Threads have their settings by variables, which are named XCOLL_ALLREDUCE.
        for (const char *part : {"\"determinism\": \"size\"", "\"asked_by\": \"", "ALLREDUCE=ring\"",
                                 "\"why\": \"where it begins to add up"}) {
            ranks::check(text.find(part) != std::string::npos, part);
        }
    }
    ranks::succeed(xcoll_comm_free(&child));
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    the_size_of_the_message_does_not_show(rank);
    the_layout_does_not_show(rank);
    the_level_is_described_and_inherited(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
