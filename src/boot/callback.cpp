#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "base/error.h"
#include "boot/boot.h"
#include "boot/descriptor_exchange.h"

namespace xcoll {

namespace {

// How a step went on a rank: told to all, so that all fail or none.
struct Report {
    xcoll_result_t result;
    char text[252];
};

Report report_of(const Failure &failure) {
    Report report = {failure.result(), {}};
    std::snprintf(report.text, sizeof report.text, "%s", failure.message().c_str());
    return report;
}

class CallbackBootstrap : public Bootstrap {
public:
    CallbackBootstrap(int rank, int size, AllgatherFunction fn, void *context)
        : rank_(rank), size_(size), fn_(fn), context_(context) {
    }
    int rank() const override {
        return rank_;
    }
    int size() const override {
        return size_;
    }
    void allgather(const void *send, void *recv, size_t bytes) override;
    std::vector<int> exchange_descriptors(int mine, const std::vector<int> &peers) override;

private:
    template <class Item> std::vector<Item> gather(const Item &mine) {
        std::vector<Item> all(static_cast<size_t>(size_));
        allgather(&mine, all.data(), sizeof mine);
        return all;
    }
    // Collective: throws on every rank if one of them has something to report.
    void agree(const Report &mine);

    int rank_, size_;
    AllgatherFunction fn_;
    void *context_;
};

void CallbackBootstrap::allgather(const void *send, void *recv, size_t bytes) {
    const int32_t result = fn_(context_, send, recv, bytes);
    if (result != XCOLL_SUCCESS)
        fail(XCOLL_ERR_BOOTSTRAP,
             "the allgather function of the configuration returned %d on rank %d, for %zu bytes of "
             "each of %d ranks: it must return 0 when it has gathered them",
             result, rank_, bytes, size_);
}

void CallbackBootstrap::agree(const Report &mine) {
    // Of several failures, some are only the consequence of another one.
    constexpr int most_named = 4;
    xcoll_result_t result = XCOLL_SUCCESS;
    std::string text;
    int rank = 0, failures = 0;
    for (const Report &report : gather(mine)) {
        if (report.result != XCOLL_SUCCESS && ++failures <= most_named) {
            result = result == XCOLL_SUCCESS ? report.result : result;
            text += format("%son rank %d: %.*s", text.empty() ? "" : "; ", rank, static_cast<int>(sizeof report.text),
                           report.text);
        }
        ++rank;
    }
    if (failures > 0)
        fail(result, "%s", text.c_str());
}

// A rank that fails goes on all the same, because the others' allgathers wait for it; then all fail together.
std::vector<int> CallbackBootstrap::exchange_descriptors(int mine, const std::vector<int> &peers) {
    Report report{};
    std::optional<Door> door;
    Doorplate plate{};
    try {
        if (!peers.empty())
            plate = door.emplace().plate();
    } catch (const Failure &failure) {
        report = report_of(failure);
    }
    agree(report);
    const std::vector<Doorplate> plates = gather(plate);
    std::vector<Descriptor> received;
    try {
        if (door)
            received = exchange_over(*door, rank_, mine, peers, plates);
    } catch (const Failure &failure) {
        report = report_of(failure);
        door.reset(); // who still calls us learns it at once
    }
    agree(report);
    std::vector<int> numbers;
    for (Descriptor &descriptor : received)
        numbers.push_back(descriptor.release());
    return numbers;
}

} // namespace

std::unique_ptr<Bootstrap> boot_callback(int rank, int size, AllgatherFunction fn, void *context) {
    return std::make_unique<CallbackBootstrap>(rank, size, fn, context);
}

} // namespace xcoll
