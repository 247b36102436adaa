#include <vector>

#include "base/error.h"
#include "boot/gathering.h"

namespace xcoll {

namespace {

class CallbackBootstrap : public GatheringBootstrap {
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
    std::string how() const override {
        return "allgather of the caller";
    }
    void allgather(const void *send, void *recv, size_t bytes) override;

private:
    int rank_, size_;
    AllgatherFunction fn_;
    void *context_;
};

void CallbackBootstrap::allgather(const void *send, void *recv, size_t bytes) {
    const int32_t result = fn_(context_, send, recv, bytes);
    if (result != XCOLL_SUCCESS) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "the allgather function of the configuration returned %d on rank %d, for %zu bytes of "
             "each of %d ranks: it must return 0 when it has gathered them",
             result, rank_, bytes, size_);
    }
}

// What a rank says first, so that all of them notice if they do not mean the same.
struct Claim {
    static constexpr uint64_t magic_value = 0x78636f6c6c2d6167; // "xcoll-ag"
    uint64_t magic = magic_value;
    int32_t rank, size;
};

void check(const Claim &claim, int place, const Claim &mine) {
    if (claim.magic != Claim::magic_value) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "rank %d got nothing of rank %d's from the allgather function of the configuration: it must gather the "
             "same bytes of each of %d ranks, in the order of ranks",
             mine.rank, place, mine.size);
    }
    if (claim.size != mine.size) {
        fail_at(place, XCOLL_ERR_BOOTSTRAP, "rank %d has config.size %d, but rank %d has %d: expected the same on all",
                mine.rank, mine.size, claim.rank, claim.size);
    }
    if (claim.rank != place) {
        fail_at(place, XCOLL_ERR_BOOTSTRAP,
                "the allgather function of the configuration has put rank %d in the place of rank %d: expected each "
                "rank from 0 to %d once, and the order of the function to be that of config.rank",
                claim.rank, place, mine.size - 1);
    }
}

} // namespace

std::unique_ptr<Bootstrap> boot_callback(int rank, int size, AllgatherFunction fn, void *context) {
    return std::make_unique<CallbackBootstrap>(rank, size, fn, context);
}

void check_places(Bootstrap &boot) {
    const Claim mine{.rank = boot.rank(), .size = boot.size()};
    std::vector<Claim> claims(static_cast<size_t>(boot.size()), Claim{.magic = 0, .rank = 0, .size = 0});
    boot.allgather(&mine, claims.data(), sizeof mine);
    for (int place = 0; place < boot.size(); ++place) {
        check(claims[static_cast<size_t>(place)], place, mine);
    }
}

} // namespace xcoll
