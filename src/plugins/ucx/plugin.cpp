// The table of functions that the library sees. No operator new here or anywhere in the plug-in: it needs nothing of
// the C++ runtime.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "plugins/ucx/network.h"

namespace {

using xcoll::ucx::Network;

Network &of(void *network) {
    return *static_cast<Network *>(network);
}

void close(void *network) {
    of(network).close();
    std::free(network);
}

xcoll_result_t open_network(const xcoll_network_events *events, void *context, void **network, char *why,
                            size_t why_bytes) {
    if (events->head.abi != XCOLL_PLUGIN_ABI || events->head.version != XCOLL_PLUGIN_VERSION) {
        std::snprintf(why, why_bytes, "the plug-in belongs to another build of the library");
        return XCOLL_ERR_UNSUPPORTED;
    }
    void *memory = std::malloc(sizeof(Network));
    if (!memory) {
        std::snprintf(why, why_bytes, "out of memory");
        return XCOLL_ERR_NO_MEMORY;
    }
    *network = new (memory) Network(*events, context);
    if (of(*network).open(why, why_bytes)) {
        return XCOLL_SUCCESS;
    }
    close(*network);
    return XCOLL_ERR_TRANSPORT;
}

xcoll_result_t address(void *network, const void **bytes, size_t *length) {
    of(network).address(bytes, length);
    return XCOLL_SUCCESS;
}
xcoll_result_t peers(void *network, size_t count, const void *const *addresses, const size_t *lengths) {
    return of(network).peers(count, addresses, lengths);
}
xcoll_result_t reach(void *network, size_t peer) {
    return of(network).reach(peer);
}
xcoll_result_t send(void *network, size_t peer, const void *header, size_t header_bytes, const void *data, size_t bytes,
                    void *token) {
    return of(network).send(peer, header, header_bytes, data, bytes, token);
}
xcoll_result_t fetch(void *network, void *message, void *to, size_t bytes, void *token) {
    return of(network).fetch(message, to, bytes, token);
}
void drop(void *network, void *message) {
    of(network).drop(message);
}
int32_t progress(void *network) {
    return of(network).progress();
}
xcoll_result_t arm(void *network, int *descriptor) {
    return of(network).arm(descriptor);
}
void hang_up(void *network, size_t peer) {
    of(network).hang_up(peer);
}

constexpr xcoll_network_plugin table{
    {XCOLL_PLUGIN_ABI, XCOLL_PLUGIN_VERSION},
    "UCX",
    open_network,
    address,
    peers,
    reach,
    send,
    fetch,
    drop,
    progress,
    arm,
    hang_up,
    close,
};

} // namespace

extern "C" XCOLL_API const xcoll_plugin_head *xcoll_plugin_network() {
    return &table.head;
}
