// Runs something for many seeds, and says how to run a failed one again.
//
//     SEED=1234            this one only
//     SOAK_SECONDS=3600    seeds that no run has had before, for so long
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>

namespace xcoll::sim {

inline uint64_t number_from_environment(const char *name) {
    const char *text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 0) : 0;
}

// False if a seed failed; the first one ends it.
inline bool every_seed(const char *test, uint64_t count, const std::function<void(uint64_t)> &run) {
    const auto well = [&](uint64_t seed) {
        try {
            run(seed);
            return true;
        } catch (const std::exception &error) {
            std::printf("%s, seed %llu (run it alone with SEED=%llu):\n%s\n", test,
                        static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed), error.what());
            return false;
        }
    };
    if (const uint64_t only = number_from_environment("SEED")) {
        return well(only);
    }
    if (const uint64_t seconds = number_from_environment("SOAK_SECONDS")) {
        const std::time_t end = std::time(nullptr) + static_cast<std::time_t>(seconds);
        uint64_t seed = static_cast<uint64_t>(std::time(nullptr)) << 20;
        uint64_t runs = 0;
        for (; std::time(nullptr) < end; ++runs) {
            if (!well(++seed)) {
                return false;
            }
        }
        std::printf("%s: %llu seeds in %llu s\n", test, static_cast<unsigned long long>(runs),
                    static_cast<unsigned long long>(seconds));
        return true;
    }
    for (uint64_t seed = 1; seed <= count; ++seed) {
        if (!well(seed)) {
            return false;
        }
    }
    return true;
}

} // namespace xcoll::sim
