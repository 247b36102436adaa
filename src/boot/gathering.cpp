#include "boot/gathering.h"

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
    int at_fault;
    char text[248];

    bool failed() const {
        return result != XCOLL_SUCCESS;
    }
};

Report report_of_caught() noexcept {
    const Failure failure = caught();
    Report report = {failure.result(), failure.rank(), {}};
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
    constexpr size_t most_named = 4;
    const std::vector<Report> reports = gather(boot, mine);
    std::vector<size_t> failed;
    for (size_t rank = 0; rank < reports.size(); ++rank) {
        if (reports[rank].failed()) {
            failed.push_back(rank);
        }
    }
    if (failed.empty()) {
        return;
    }
    // Whoever blames a rank that has failed itself tells only of the consequence.
    std::stable_partition(failed.begin(), failed.end(), [&](size_t rank) {
        const int blamed = reports[rank].at_fault;
        return blamed == Failure::nobody || !reports[static_cast<size_t>(blamed)].failed();
    });
    std::string text;
    for (size_t i = 0; i < std::min(failed.size(), most_named); ++i) {
        text += format("%son rank %zu: %.*s", i == 0 ? "" : "; ", failed[i],
                       static_cast<int>(sizeof reports[failed[i]].text), reports[failed[i]].text);
    }
    fail(reports[failed.front()].result, "%s", text.c_str());
}

} // namespace

// A rank that fails goes on all the same, because the others' allgathers wait for it; then all fail together.
void GatheringBootstrap::exchange_descriptors(int mine, const std::vector<int> &peers, const TakeDescriptor &take) {
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
    try {
        if (door) {
            exchange_over(*door, rank(), mine, peers, plates, take);
        }
    } catch (...) {
        report = report_of_caught();
        door.reset(); // who still calls us learns it at once
    }
    agree(*this, report);
}

} // namespace xcoll
