// Messages over UCX: one context, one worker, and an endpoint for each peer that is talked to.
//
// Everything is an active message: the header tells the library whose it is, so the library alone matches messages with
// receives, and one that nobody wants can be dropped, which the tag interface does not allow. Short messages arrive
// with their data; for long ones UCX asks first, and the data goes straight into the buffer that the library names.
// Which networks are used, and what UCX logs, is the user's business (UCX_TLS, UCX_LOG_LEVEL, ...).
#pragma once

#include <ucp/api/ucp.h>

#include "plugins/plugin.h"

namespace xcoll::ucx {

// Functions behave as plugin.h says. Nothing here throws: memory comes from malloc and may be refused.
class Network {
public:
    Network(const xcoll_network_events &events, void *context) : events_(events), context_(context) {
    }
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;

    // False: `why` has the reason.
    bool open(char *why, size_t why_bytes);
    // The last call. No destructor: what may not throw but calls C functions would need the C++ runtime.
    void close();
    void address(const void **bytes, size_t *length) const;
    xcoll_result_t peers(size_t count, const void *const *addresses, const size_t *lengths);
    xcoll_result_t reach(size_t peer);
    xcoll_result_t send(size_t peer, const void *header, size_t header_bytes, const void *data, size_t bytes,
                        void *token);
    xcoll_result_t fetch(void *message, void *to, size_t bytes, void *token);
    void drop(void *message);
    int32_t progress();
    xcoll_result_t arm(int *descriptor);
    void hang_up(size_t peer);

private:
    struct Peer {
        Network *network;
        size_t number;
        void *address;
        ucp_ep_h endpoint;   // nullptr: not talked to yet
        ucs_status_t status; // UCS_OK, or why the connection has failed
        Peer *next_lost;     // failed, and not yet reported
    };
    // A send or fetch in progress.
    struct Transfer {
        Network *network;
        void *token;
        Transfer *next; // in the list of free ones
        unsigned char header[XCOLL_NETWORK_HEADER_BYTES];
    };

    static ucs_status_t on_arrival(void *arg, const void *header, size_t header_bytes, void *data, size_t bytes,
                                   const ucp_am_recv_param_t *param);
    static void on_sent(void *request, ucs_status_t status, void *transfer);
    static void on_fetched(void *request, ucs_status_t status, size_t bytes, void *transfer);
    static void on_error(void *peer, ucp_ep_h endpoint, ucs_status_t status);

    ucs_status_t open_context(const char *transports); // null: those that UCX takes by itself
    ucs_status_t open_worker();
    bool open_otherwise();
    void flush();
    void close_endpoints();
    Transfer *take_transfer(void *token);
    void give_transfer(Transfer *transfer);
    void finish(void *request, ucs_status_t status, Transfer *transfer);
    xcoll_result_t started(ucs_status_ptr_t request, Transfer *transfer);
    void report_lost();

    const xcoll_network_events events_;
    void *const context_;
    ucp_context_h ucp_ = nullptr;
    ucp_worker_h worker_ = nullptr;
    ucp_address_t *address_ = nullptr;
    size_t address_bytes_ = 0;
    Peer *peers_ = nullptr;
    size_t peer_count_ = 0;
    Transfer *free_ = nullptr;
    Peer *lost_ = nullptr;
    bool closing_ = false;
};

} // namespace xcoll::ucx
