// A TCP socket that ranks call. What calls it may be anybody; see reception.h.
#pragma once

#include <string>

#include "boot/contact.h"
#include "boot/packet.h"

namespace xcoll {

class Listener {
public:
    // At all addresses of this machine, or at the interface that was chosen (see own_addresses); port 0: any that is
    // free. Throws Failure.
    Listener(uint16_t port, const std::string &interface);
    int socket() const {
        return socket_.get();
    }
    uint16_t port() const {
        return port_;
    }
    // For all processes that have it by fork.
    void stop() const {
        shutdown(socket_.get(), SHUT_RDWR);
    }

private:
    Descriptor socket_;
    uint16_t port_ = 0;
};

} // namespace xcoll
