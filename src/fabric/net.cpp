#include "fabric/net.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include <unistd.h>

#include "base/error.h"
#include "base/host_name.h"
#include "base/plugin_loader.h"
#include "base/random.h"
#include "fabric/plugin_transport.h"

namespace xcoll {

namespace {

constexpr PluginKind network_plugin = {
    "libxcoll_ucx.so", XCOLL_PLUGIN_NETWORK_SYMBOL,
    "not all ranks share memory, and the plug-in for messages between machines cannot be loaded",
    "UCX (Debian, Ubuntu: package libucx0; elsewhere: ucx)"};

// What every rank tells every rank of its endpoint before it tells its address.
struct Hello {
    static constexpr uint32_t same_order = 0x01020304;
    uint32_t byte_order = same_order;
    uint32_t version = XCOLL_PLUGIN_VERSION;
    uint64_t address_bytes = 0; // 0: there is no endpoint
    uint64_t mark = 0;          // at random; that of rank 0 is the job's
    char process[100] = {};     // " (process 1234 on node7)"
    char trouble[1000] = {};    // why there is none
};

// All ranks find the same first rank in trouble.
void check(const std::vector<Hello> &hellos, int rank) {
    for (size_t r = 0; r < hellos.size(); ++r) {
        const Hello &hello = hellos[r];
        if (hello.byte_order != Hello::same_order || hello.version != hellos[0].version) {
            fail(XCOLL_ERR_UNSUPPORTED,
                 "rank %zu has another version of xcoll or another byte order than rank %d: all ranks need the same", r,
                 r == static_cast<size_t>(rank) ? 0 : rank);
        }
        if (hello.address_bytes == 0) {
            fail(XCOLL_ERR_UNSUPPORTED, "rank %zu: %.*s", r, static_cast<int>(sizeof hello.trouble), hello.trouble);
        }
    }
}

} // namespace

std::shared_ptr<Net> Net::connect(Bootstrap &boot, const std::string &plugin_folder) {
    const xcoll_network_plugin *plugin = nullptr;
    std::string trouble;
    try {
        plugin = reinterpret_cast<const xcoll_network_plugin *>(&load_plugin(network_plugin, plugin_folder));
    } catch (const Failure &failure) {
        trouble = failure.message();
    }
    return connect(boot, plugin, trouble);
}

std::shared_ptr<Net> Net::connect(Bootstrap &boot, const xcoll_network_plugin *plugin, std::string trouble) {
    std::shared_ptr<Net> net;
    const void *address = nullptr;
    size_t address_bytes = 0;
    Hello mine;
    try {
        fill_random(&mine.mark, sizeof mine.mark);
        if (plugin) {
            net = std::make_shared<Net>(*plugin);
            if (plugin->address(net->network_, &address, &address_bytes) != XCOLL_SUCCESS) {
                fail(XCOLL_ERR_TRANSPORT, "%s has no address for this rank", plugin->name);
            }
        }
    } catch (const Failure &failure) {
        trouble = failure.message();
    }
    const auto ranks = static_cast<size_t>(boot.size());
    mine.address_bytes = trouble.empty() ? address_bytes : 0;
    std::strncpy(mine.trouble, trouble.c_str(), sizeof mine.trouble - 1);
    std::snprintf(mine.process, sizeof mine.process, " (process %lld on %.64s)", static_cast<long long>(getpid()),
                  host_name().c_str());
    std::vector<Hello> hellos(ranks);
    boot.allgather(&mine, hellos.data(), sizeof mine);
    check(hellos, boot.rank());
    net->mark_ = hellos[0].mark;

    uint64_t longest = 0;
    for (const Hello &hello : hellos) {
        longest = std::max(longest, hello.address_bytes);
    }
    std::vector<char> padded(longest), all(longest * ranks);
    std::memcpy(padded.data(), address, address_bytes);
    boot.allgather(padded.data(), all.data(), longest);
    std::vector<const void *> addresses;
    std::vector<size_t> lengths;
    for (size_t r = 0; r < ranks; ++r) {
        addresses.push_back(all.data() + r * longest);
        lengths.push_back(hellos[r].address_bytes);
        net->processes_.emplace_back(hellos[r].process, strnlen(hellos[r].process, sizeof hellos[r].process));
    }
    if (plugin->peers(net->network_, ranks, addresses.data(), lengths.data()) != XCOLL_SUCCESS) {
        fail(XCOLL_ERR_SYSTEM, "no memory for the addresses of %zu ranks", ranks);
    }
    return net;
}

Net::Net(const xcoll_network_plugin &plugin)
    : plugin_(plugin), events_{{XCOLL_PLUGIN_ABI, XCOLL_PLUGIN_VERSION}, on_arrival, on_done, on_loss} {
    char why[256] = "";
    const xcoll_result_t result = plugin_.open(&events_, this, &network_, why, sizeof why);
    if (result != XCOLL_SUCCESS) {
        fail(result, "%s cannot be used on this machine: %s", plugin_.name, why);
    }
}

Net::~Net() {
    for (const auto &[id, messages] : early_) {
        for (const Early &early : messages) {
            if (early.message) {
                drop(this, early.message);
            }
        }
    }
    plugin_.close(network_);
}

uint32_t Net::give_number() {
    const auto held = lock();
    return ++numbers_;
}

void Net::expect(uint64_t id) {
    const auto held = lock();
    expected_.insert(id);
}

std::unique_ptr<Transport> Net::open(uint64_t id, int rank, const std::vector<int> &net_ranks) {
    auto transport = std::make_unique<PluginTransport>(shared_from_this(), id, rank, net_ranks);
    const auto held = lock();
    const auto highest = static_cast<size_t>(*std::max_element(net_ranks.begin(), net_ranks.end()));
    known_.resize(std::max(known_.size(), highest + 1));
    open_[id] = transport.get();
    expected_.erase(id);
    for (const auto &[net_rank, loss] : lost_) {
        transport->lost(net_rank, loss.result, loss.why.c_str());
    }
    const auto early = early_.extract(id);
    if (!early.empty()) {
        for (const Early &one : early.mapped()) {
            if (!transport->arrived(one.label, one.message ? nullptr : one.data.get(), one.bytes, one.message) &&
                one.message) {
                drop(this, one.message);
            }
        }
    }
    return transport;
}

void Net::close(uint64_t id) {
    open_.erase(id);
}

// ------------------------------------------------------------------------------------- called by the plug-in

int32_t Net::on_arrival(void *self, const void *header, size_t header_bytes, const void *data, size_t bytes,
                        void *message) noexcept {
    NetLabel label;
    if (header_bytes != sizeof label) {
        return 0; // from nobody who belongs to this job
    }
    std::memcpy(&label, header, sizeof label);
    Net &net = *static_cast<Net *>(self);
    try {
        return net.arrived(label, data, bytes, message) ? 1 : 0;
    } catch (const std::exception &) {
        const auto found = net.open_.find(label.communicator);
        if (found != net.open_.end()) {
            found->second->out_of_memory();
        }
        return 0;
    }
}

bool Net::arrived(const NetLabel &label, const void *data, size_t bytes, void *message) {
    const auto found = open_.find(label.communicator);
    if (found != open_.end()) {
        return found->second->arrived(label, data, bytes, message);
    }
    if (!expected_.contains(label.communicator)) {
        return false; // it was freed here
    }
    Early early{label, nullptr, bytes, message};
    if (!message) {
        early.data = std::make_unique_for_overwrite<char[]>(bytes);
        std::copy_n(static_cast<const char *>(data), bytes, early.data.get());
    }
    early_[label.communicator].push_back(std::move(early));
    return true;
}

void Net::on_done(void *, void *token, xcoll_result_t result) noexcept {
    PluginTransport::done(token, result);
}

void Net::on_loss(void *self, size_t peer, xcoll_result_t result, const char *why) noexcept {
    Net &net = *static_cast<Net *>(self);
    const auto net_rank = static_cast<int>(peer);
    for (const auto &[id, transport] : net.open_) {
        transport->lost(net_rank, result, why);
    }
    try {
        net.lost_.try_emplace(net_rank, Loss{result, why});
    } catch (const std::bad_alloc &) {
        return; // communicators that are made later learn of it by waiting too long
    }
}

} // namespace xcoll
