// What lies in a unique id: where the ranks meet, and the secret by which they know each other. And the ids that this
// process has made, each with the socket that listens from then on.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "boot/contact.h"
#include "boot/listener.h"
#include "boot/sha256.h"
#include "xcoll.h"

namespace xcoll {

struct UniqueId {
    Contact contact;
    Hash secret;
};
xcoll_unique_id_t write_id(const UniqueId &id);
// Throws Failure(XCOLL_ERR_ARGUMENT) that begins with `name` if the bytes are no id.
UniqueId read_id(const xcoll_unique_id_t &id, const std::string &name);

class OwnIds {
public:
    xcoll_unique_id_t make(const std::string &interface);
    // The listener, once: for the first who asks among the threads of the process that made the id and of those that
    // have come from it by fork.
    std::optional<Listener> claim(const xcoll_unique_id_t &id);

private:
    struct Own {
        xcoll_unique_id_t id;
        Listener listener;
        Descriptor token; // an eventfd with 1 in it; shared through fork, unlike memory, and taken by one reader
    };
    void forget_taken();

    std::mutex mutex_;
    std::vector<Own> own_;
};

} // namespace xcoll
