#include "boot/gathering.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "base/error.h"
#include "boot/descriptor_exchange.h"

namespace xcoll {

namespace {

// How a step went on a rank: told to all, so that all fail or none.
struct Report {
    xcoll_result_t result;
    char text[252];
};

Report report_of_caught() noexcept {
    const Failure failure = caught();
    Report report = {failure.result(), {}};
    std::snprintf(report.text, sizeof report.text, "%s", failure.what());
    return report;
}

template <class Item> std::vector<Item> gather(Bootstrap &boot, const Item &mine) {
    std::vector<Item> all(static_cast<size_t>(boot.size()));
    boot.allgather(&mine, all.data(), sizeof mine);
    return all;
}

// Collective: throws on every rank if one of them has something to report.
void agree(Bootstrap &boot, const Report &mine) {
    // Of several failures, some are only the consequence of another one.
    constexpr int most_named = 4;
    xcoll_result_t result = XCOLL_SUCCESS;
    std::string text;
    int rank = 0, failures = 0;
    for (const Report &report : gather(boot, mine)) {
        if (report.result != XCOLL_SUCCESS && ++failures <= most_named) {
            result = result == XCOLL_SUCCESS ? report.result : result;
            text += format("%son rank %d: %.*s", text.empty() ? "" : "; ", rank, static_cast<int>(sizeof report.text),
                           report.text);
        }
        ++rank;
    }
    if (failures > 0) {
        fail(result, "%s", text.c_str());
    }
}

} // namespace

// A rank that fails goes on all the same, because the others' allgathers wait for it; then all fail together.
std::vector<int> GatheringBootstrap::exchange_descriptors(int mine, const std::vector<int> &peers) {
    Report report{};
    std::optional<Door> door;
    Doorplate plate{};
    try {
        if (!peers.empty()) {
            plate = door.emplace().plate();
        }
    } catch (...) {
        report = report_of_caught();
    }
    agree(*this, report);
    const std::vector<Doorplate> plates = gather(*this, plate);
    std::vector<Descriptor> received;
    try {
        if (door) {
            received = exchange_over(*door, rank(), mine, peers, plates);
        }
    } catch (...) {
        report = report_of_caught();
        door.reset(); // who still calls us learns it at once
    }
    agree(*this, report);
    std::vector<int> numbers(received.size()); // first: nobody would close what is released
    std::transform(received.begin(), received.end(), numbers.begin(), [](Descriptor &one) { return one.release(); });
    return numbers;
}

} // namespace xcoll
