// Memory that users get from this library, and memory of their own that they tell it about.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "fabric/node.h"

namespace xcoll {

// What a process has taken from symmetric heaps. Where something is in use the rank's segment lives on, whether or not
// it still has a communicator.
class UserMemory {
public:
    // Throws Failure(XCOLL_ERR_NO_MEMORY).
    void *take(const std::shared_ptr<Node> &node, size_t bytes);
    // False if no piece of any heap begins there.
    bool give(void *piece);

private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<Node>> nodes_; // those of which something is in use
};

// What a rank has registered on a communicator.
class Registrations {
public:
    // False if memory is registered that begins there.
    bool add(const void *begin, size_t bytes) {
        const std::lock_guard lock(mutex_);
        return all_.emplace(begin, bytes).second;
    }
    // False if it is not.
    bool remove(const void *begin) {
        const std::lock_guard lock(mutex_);
        return all_.erase(begin) != 0;
    }

private:
    std::mutex mutex_;
    std::map<const void *, size_t> all_;
};

} // namespace xcoll
