// How the ranks of several machines find each other's endpoints.
#include "cmocka_cpp.h"

#include <barrier>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "fabric/net.h"
#include "transport_fake_network.h"

using namespace xcoll;

namespace {

// Ranks that are threads as long as they connect.
class Meeting {
public:
    explicit Meeting(int size) : size_(size), barrier_(size) {
    }
    class Member final : public Bootstrap {
    public:
        Member(Meeting &meeting, int rank) : meeting_(meeting), rank_(rank) {
        }
        int rank() const override {
            return rank_;
        }
        std::string how() const override {
            return "test";
        }
        int size() const override {
            return meeting_.size_;
        }
        void allgather(const void *send, void *recv, size_t bytes) override {
            {
                const std::lock_guard lock(meeting_.mutex_);
                meeting_.table_.resize(bytes * static_cast<size_t>(size()));
                std::memcpy(meeting_.table_.data() + bytes * static_cast<size_t>(rank_), send, bytes);
            }
            meeting_.barrier_.arrive_and_wait();
            std::memcpy(recv, meeting_.table_.data(), meeting_.table_.size());
            meeting_.barrier_.arrive_and_wait();
        }
        void exchange_descriptors(int, const std::vector<int> &, const TakeDescriptor &) override {
        }

    private:
        Meeting &meeting_;
        int rank_;
    };

private:
    int size_;
    std::barrier<> barrier_;
    std::mutex mutex_;
    std::vector<char> table_;
};

// Connects `size` ranks; connect(boot) returns a rank's Net or throws.
template <class Connect>
std::vector<std::shared_ptr<Net>> connect_all(int size, std::vector<std::string> &errors, Connect connect) {
    Meeting meeting(size);
    std::vector<std::shared_ptr<Net>> nets(static_cast<size_t>(size));
    errors.assign(static_cast<size_t>(size), "");
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r) {
        threads.emplace_back([&, r] {
            Meeting::Member boot(meeting, r);
            try {
                nets[static_cast<size_t>(r)] = connect(boot);
            } catch (const Failure &failure) {
                errors[static_cast<size_t>(r)] = std::string(result_name(failure.result())) + ": " + failure.message();
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    return nets;
}

void ranks_connect_through_a_bootstrap(void **) {
    fake::Fabric fabric;
    std::vector<std::string> errors;
    {
        const auto nets =
            connect_all(3, errors, [&](Bootstrap &boot) { return Net::connect(boot, &fake::plugin, ""); });
        for (size_t r = 0; r < 3; ++r) {
            assert_string_equal(errors[r].c_str(), "");
            assert_int_equal(fabric.endpoints[r]->peers.size(), 3);
        }
        // Rank r's endpoint may have any number, but all agree on it.
        assert_true(fabric.endpoints[0]->peers == fabric.endpoints[1]->peers);
    }
    for (const fake::Endpoint *endpoint : fabric.endpoints) {
        delete endpoint;
    }
}

void a_missing_plugin_is_an_error_on_all_ranks_that_names_the_package(void **) {
    fake::Fabric fabric;
    std::vector<std::string> errors;
    connect_all(2, errors, [&](Bootstrap &boot) {
        return boot.rank() == 1 ? Net::connect(boot, "/nowhere") : Net::connect(boot, &fake::plugin, "");
    });
    for (const std::string &error : errors) {
        assert_non_null(std::strstr(error.c_str(), "XCOLL_ERR_UNSUPPORTED: rank 1: "));
        assert_non_null(std::strstr(error.c_str(), "/nowhere/libxcoll_ucx.so"));
        assert_non_null(std::strstr(error.c_str(), "libucx0"));
    }
    for (const fake::Endpoint *endpoint : fabric.endpoints) {
        delete endpoint;
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(ranks_connect_through_a_bootstrap),
        cmocka_unit_test(a_missing_plugin_is_an_error_on_all_ranks_that_names_the_package),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
