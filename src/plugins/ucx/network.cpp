#include "plugins/ucx/network.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/clock.h"

namespace xcoll::ucx {

namespace {

constexpr unsigned message_id = 0;
// What is on its way when an endpoint ends gets so long to leave this machine.
constexpr int64_t longest_farewell_ms = 5'000;
// A worker takes some 4 MiB of /dev/shm for messages within this machine, which the library does not send through UCX.
// In a container that is often 64 MiB for all ranks, and one that gets none has no worker at all.
constexpr const char *without_dev_shm = "^posix";

xcoll_result_t result_of(ucs_status_t status) {
    switch (status) {
    case UCS_OK:
        return XCOLL_SUCCESS;
    case UCS_ERR_NO_MEMORY:
        return XCOLL_ERR_NO_MEMORY;
    case UCS_ERR_CONNECTION_RESET:
    case UCS_ERR_ENDPOINT_TIMEOUT:
        return XCOLL_ERR_PEER_DEAD;
    default:
        return XCOLL_ERR_TRANSPORT;
    }
}

// Why UCX cannot serve; with what the user has asked of it, as that may be the reason.
std::string reason(ucs_status_t status) {
    std::string text = ucs_status_string(status);
    for (const char *name : {"UCX_TLS", "UCX_NET_DEVICES"}) {
        if (const char *value = std::getenv(name)) {
            text.append(", with ").append(name).append("=").append(value);
        }
    }
    return text;
}

// Why there is no connection.
std::string reason_of_loss(ucs_status_t status) {
    switch (status) {
    case UCS_ERR_UNREACHABLE: // and never was
        return reason(status);
    case UCS_ERR_CANCELED: // by hang_up()
        return "this rank cut it, as a message that it had given up did not come back";
    case UCS_ERR_CONNECTION_RESET: // so UCX says of connections that are gone, whatever ended them
    case UCS_ERR_ENDPOINT_TIMEOUT:
        return "its other end is gone";
    default:
        return ucs_status_string(status);
    }
}

} // namespace

// --------------------------------------------------------------------------------------------- open and close

ucs_status_t Network::open_context(const char *transports) {
    ucp_config_t *config = nullptr;
    ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
    if (status != UCS_OK) {
        return status;
    }
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
    if (transports) {
        status = ucp_config_modify(config, "TLS", transports);
    }
    if (status == UCS_OK) {
        status = ucp_init(&params, config, &ucp_);
    }
    ucp_config_release(config);
    return status;
}

ucs_status_t Network::open_worker() {
    ucp_worker_params_t params{};
    params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    params.thread_mode = UCS_THREAD_MODE_SERIALIZED; // the library has a lock
    ucs_status_t status = ucp_worker_create(ucp_, &params, &worker_);
    if (status != UCS_OK) {
        return status;
    }
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                         UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = message_id;
    handler.flags = UCP_AM_FLAG_WHOLE_MSG;
    handler.cb = on_arrival;
    handler.arg = this;
    status = ucp_worker_set_am_recv_handler(worker_, &handler);
    if (status != UCS_OK) {
        return status;
    }
    return ucp_worker_get_address(worker_, &address_, &address_bytes_);
}

// The same without /dev/shm, unless the user has said what UCX is to use.
bool Network::open_otherwise() {
    if (!ucp_ || worker_ || std::getenv("UCX_TLS")) {
        return false;
    }
    ucp_cleanup(ucp_);
    ucp_ = nullptr;
    return open_context(without_dev_shm) == UCS_OK && open_worker() == UCS_OK;
}

bool Network::open(char *why, size_t why_bytes) {
    ucs_status_t status = open_context(nullptr);
    const char *what = "ucp_init";
    if (status == UCS_OK) {
        status = open_worker();
        what = "a UCX worker";
    }
    if (status != UCS_OK && !open_otherwise()) {
        std::snprintf(why, why_bytes, "%s: %s", what, reason(status).c_str());
        return false;
    }
    return true;
}

void Network::address(const void **bytes, size_t *length) const {
    *bytes = address_;
    *length = address_bytes_;
}

xcoll_result_t Network::peers(size_t count, const void *const *addresses, const size_t *lengths) {
    peers_ = static_cast<Peer *>(std::calloc(count, sizeof(Peer)));
    if (!peers_) {
        return XCOLL_ERR_NO_MEMORY;
    }
    peer_count_ = count;
    for (size_t i = 0; i < count; ++i) {
        peers_[i] = {this, i, std::malloc(lengths[i]), nullptr, UCS_OK, nullptr};
        if (!peers_[i].address) {
            return XCOLL_ERR_NO_MEMORY;
        }
        std::memcpy(peers_[i].address, addresses[i], lengths[i]);
    }
    return XCOLL_SUCCESS;
}

// What was handed to UCX leaves this machine: a peer may still need it when this process ends.
void Network::flush() {
    ucp_request_param_t param{};
    const ucs_status_ptr_t request = ucp_worker_flush_nbx(worker_, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        return;
    }
    const int64_t end = now_ms() + longest_farewell_ms;
    while (ucp_request_check_status(request) == UCS_INPROGRESS && now_ms() < end) {
        ucp_worker_progress(worker_);
    }
    ucp_request_free(request);
}

void Network::close_endpoints() {
    for (size_t i = 0; i < peer_count_; ++i) {
        hang_up(i);
        std::free(peers_[i].address);
    }
    // What the endpoints had in progress is called off in here; peers may go on sending for ever.
    constexpr int most_rounds = 10000;
    for (int round = 0; round < most_rounds && ucp_worker_progress(worker_); ++round) {
    }
}

void Network::close() {
    closing_ = true;
    if (worker_) {
        flush();
        close_endpoints();
        if (address_) {
            ucp_worker_release_address(worker_, address_);
        }
        ucp_worker_destroy(worker_);
    }
    if (ucp_) {
        ucp_cleanup(ucp_);
    }
    std::free(peers_);
    while (Transfer *transfer = free_) {
        free_ = transfer->next;
        std::free(transfer);
    }
}

// -------------------------------------------------------------------------------------------------- connections

xcoll_result_t Network::reach(size_t number) {
    Peer &peer = peers_[number];
    if (peer.status != UCS_OK) {
        return result_of(peer.status);
    }
    if (peer.endpoint) {
        return XCOLL_SUCCESS;
    }
    ucp_ep_params_t params{};
    params.field_mask =
        UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.address = static_cast<ucp_address_t *>(peer.address);
    params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    params.err_handler = {on_error, &peer};
    const ucs_status_t status = ucp_ep_create(worker_, &params, &peer.endpoint);
    if (status != UCS_OK) {
        peer.endpoint = nullptr;
        on_error(&peer, nullptr, status);
    }
    return result_of(status);
}

// Reported by the next progress(): it may come amid a call of the library.
void Network::on_error(void *arg, ucp_ep_h, ucs_status_t status) {
    auto *peer = static_cast<Peer *>(arg);
    if (peer->status == UCS_OK) {
        peer->status = status;
        peer->next_lost = peer->network->lost_;
        peer->network->lost_ = peer;
    }
}

void Network::report_lost() {
    while (Peer *peer = lost_) {
        lost_ = peer->next_lost;
        events_.lost(context_, peer->number, result_of(peer->status), reason_of_loss(peer->status).c_str());
    }
}

void Network::hang_up(size_t number) {
    Peer &peer = peers_[number];
    if (!peer.endpoint) {
        return;
    }
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    const ucs_status_ptr_t request = ucp_ep_close_nbx(peer.endpoint, &param);
    if (UCS_PTR_IS_PTR(request)) {
        ucp_request_free(request); // goes on by itself
    }
    peer.endpoint = nullptr;
    on_error(&peer, nullptr, UCS_ERR_CANCELED);
}

// ------------------------------------------------------------------------------------------------------ messages

Network::Transfer *Network::take_transfer(void *token) {
    Transfer *transfer = free_;
    if (transfer) {
        free_ = transfer->next;
    } else {
        transfer = static_cast<Transfer *>(std::malloc(sizeof(Transfer)));
    }
    if (transfer) {
        transfer->network = this;
        transfer->token = token;
    }
    return transfer;
}

void Network::give_transfer(Transfer *transfer) {
    transfer->next = free_;
    free_ = transfer;
}

// What UCX returned when a transfer was started.
xcoll_result_t Network::started(ucs_status_ptr_t request, Transfer *transfer) {
    if (UCS_PTR_IS_PTR(request)) {
        return XCOLL_IN_PROGRESS;
    }
    give_transfer(transfer);
    return result_of(UCS_PTR_RAW_STATUS(request));
}

void Network::finish(void *request, ucs_status_t status, Transfer *transfer) {
    void *token = transfer->token;
    ucp_request_free(request);
    give_transfer(transfer);
    if (token && !closing_) {
        events_.done(context_, token, result_of(status));
    }
}

void Network::on_sent(void *request, ucs_status_t status, void *arg) {
    auto *transfer = static_cast<Transfer *>(arg);
    transfer->network->finish(request, status, transfer);
}

void Network::on_fetched(void *request, ucs_status_t status, size_t, void *arg) {
    on_sent(request, status, arg);
}

xcoll_result_t Network::send(size_t peer, const void *header, size_t header_bytes, const void *data, size_t bytes,
                             void *token) {
    const xcoll_result_t reached = reach(peer);
    if (reached != XCOLL_SUCCESS) {
        return reached;
    }
    Transfer *transfer = take_transfer(token);
    if (!transfer) {
        return XCOLL_ERR_NO_MEMORY;
    }
    std::memcpy(transfer->header, header, header_bytes);
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = on_sent;
    param.user_data = transfer;
    return started(
        ucp_am_send_nbx(peers_[peer].endpoint, message_id, transfer->header, header_bytes, data, bytes, &param),
        transfer);
}

ucs_status_t Network::on_arrival(void *arg, const void *header, size_t header_bytes, void *data, size_t bytes,
                                 const ucp_am_recv_param_t *param) {
    auto *network = static_cast<Network *>(arg);
    if (network->closing_) {
        return UCS_OK;
    }
    const bool still_there = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
    const int32_t keeps = network->events_.arrived(network->context_, header, header_bytes,
                                                   still_there ? nullptr : data, bytes, still_there ? data : nullptr);
    return still_there && keeps ? UCS_INPROGRESS : UCS_OK;
}

xcoll_result_t Network::fetch(void *message, void *to, size_t bytes, void *token) {
    Transfer *transfer = take_transfer(token);
    if (!transfer) {
        return XCOLL_ERR_NO_MEMORY;
    }
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.recv_am = on_fetched;
    param.user_data = transfer;
    return started(ucp_am_recv_data_nbx(worker_, message, to, bytes, &param), transfer);
}

void Network::drop(void *message) {
    ucp_am_data_release(worker_, message);
}

// ------------------------------------------------------------------------------------------------------ progress

int32_t Network::progress() {
    int32_t moved = ucp_worker_progress(worker_) != 0;
    if (lost_) {
        report_lost();
        moved = 1;
    }
    return moved;
}

xcoll_result_t Network::arm(int *descriptor) {
    if (lost_) {
        return XCOLL_IN_PROGRESS;
    }
    ucs_status_t status = ucp_worker_get_efd(worker_, descriptor);
    if (status == UCS_OK) {
        status = ucp_worker_arm(worker_);
    }
    return status == UCS_ERR_BUSY ? XCOLL_IN_PROGRESS : result_of(status);
}

} // namespace xcoll::ucx
