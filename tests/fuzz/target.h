// What a fuzz target is: a parser that is fed with anything. The program feeds its seeds, then random changes of them,
// always the same ones: SEED=n feeds this one only, SOAK_SECONDS=n fresh ones for so long. Built for libFuzzer it is
// driven by that instead, which sees what an input reaches and looks for inputs that reach more (make fuzz).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/sim/random.h"
#include "sim/seeds.h"

namespace xcoll::fuzz {

// By the target. Whatever the input: no crash, no exception, and no promise broken.
void feed(std::string_view input);
// By the target: good inputs, and bad ones that once did harm.
std::vector<std::string> seeds();

inline void must(bool holds, const char *promise) {
    if (!holds) {
        throw std::logic_error(std::string("not so: ") + promise);
    }
}

// The bytes of a plain value, as inputs have them.
template <class Item> std::string bytes_of(const Item &item) {
    return {reinterpret_cast<const char *>(&item), sizeof item};
}

// A small piece of a text changes, comes again, goes, or comes from another seed.
inline std::string changed(std::string text, const std::vector<std::string> &all, sim::Random &random) {
    constexpr uint64_t most_changes = 6, longest_piece = 40;
    for (uint64_t changes = random.between(1, most_changes); changes > 0; --changes) {
        const size_t at = random.below(text.size() + 1);
        const size_t length = random.below(std::min<size_t>(text.size() - at, longest_piece) + 1);
        const std::string &other = all[random.below(all.size())];
        switch (random.below(5)) {
        case 0:
            text.erase(at, length);
            break;
        case 1:
            text.insert(random.below(text.size() + 1), text.substr(at, length));
            break;
        case 2:
            text.insert(at, other.substr(random.below(other.size() + 1), longest_piece));
            break;
        case 3:
            text.insert(at, std::to_string(random.any_magnitude(64)));
            break;
        default:
            if (at < text.size()) {
                text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
            }
        }
    }
    return text;
}

#ifdef XCOLL_LIBFUZZER

// As files, in the folder that libFuzzer begins with.
inline void write_seeds(const std::string &folder) {
    int number = 0;
    for (const std::string &seed : seeds()) {
        std::ofstream(folder + "/seed-" + std::to_string(number++), std::ios::binary) << seed;
    }
}

} // namespace xcoll::fuzz

extern "C" int LLVMFuzzerInitialize(int *count, char ***arguments) {
    if (*count > 1) {
        xcoll::fuzz::write_seeds((*arguments)[*count - 1]);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    xcoll::fuzz::feed({reinterpret_cast<const char *>(data), bytes});
    return 0;
}

#else

// The exit status of the program.
inline int replay(const char *program) {
    constexpr uint64_t changed_ones = 4000;
    const std::vector<std::string> all = seeds();
    for (size_t number = 0; number < all.size(); ++number) {
        try {
            feed(all[number]);
        } catch (const std::exception &error) {
            std::printf("%s, its seed %zu as it is: %s\n", program, number, error.what());
            return 1;
        }
    }
    return sim::every_seed(program, changed_ones,
                           [&](uint64_t seed) {
                               sim::Random random(seed);
                               feed(changed(all[random.below(all.size())], all, random));
                           })
               ? 0
               : 1;
}

} // namespace xcoll::fuzz

int main(int, char **arguments) {
    return xcoll::fuzz::replay(arguments[0]);
}

#endif
