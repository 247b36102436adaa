// What lies in a unique id: where the ranks meet, and the secret by which they know each other. And the ids that this
// process has made, each with the socket that listens from then on.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "boot/contact.h"
#include "boot/lease.h"
#include "boot/listener.h"
#include "boot/secret.h"
#include "boot/sha256.h"
#include "xcoll.h"

namespace xcoll {

struct UniqueId {
    Contact contact;
    Secret<Hash> secret;
};
xcoll_unique_id_t write_id(const UniqueId &id);
// Throws Failure(XCOLL_ERR_ARGUMENT) that begins with `name` if the bytes are no id.
UniqueId read_id(const xcoll_unique_id_t &id, const std::string &name);

class OwnIds {
public:
    xcoll_unique_id_t make(const std::string &interface);
    // What this process has of an id that it or a parent of it made; afterwards it has nothing of it.
    struct Claim {
        Lease lease;
        std::optional<Listener> listener; // for the first who asks, here or in a relative; it then holds the lease
    };
    std::optional<Claim> claim(const xcoll_unique_id_t &id);

private:
    struct Own {
        Hash mark; // of the id
        Listener listener;
        Lease lease;
    };
    void forget_taken();

    std::mutex mutex_;
    std::vector<Own> own_;
};

} // namespace xcoll
