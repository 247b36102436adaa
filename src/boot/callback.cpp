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

} // namespace

std::unique_ptr<Bootstrap> boot_callback(int rank, int size, AllgatherFunction fn, void *context) {
    return std::make_unique<CallbackBootstrap>(rank, size, fn, context);
}

} // namespace xcoll
