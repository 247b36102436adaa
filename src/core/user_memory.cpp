#include "core/user_memory.h"

#include <algorithm>

namespace xcoll {

void *UserMemory::take(const std::shared_ptr<Node> &node, size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) {
        nodes_.reserve(nodes_.size() + 1);
        void *piece = node->heap().take(bytes);
        nodes_.push_back(node);
        return piece;
    }
    return node->heap().take(bytes);
}

bool UserMemory::give(void *piece) {
    std::shared_ptr<Node> last; // goes after the lock: it may be the last that knows the segment
    const std::lock_guard lock(mutex_);
    const auto owner =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const auto &node) { return node->heap().give(piece); });
    if (owner == nodes_.end()) {
        return false;
    }
    if ((*owner)->heap().is_empty()) {
        last = std::move(*owner);
        nodes_.erase(owner);
    }
    return true;
}

} // namespace xcoll
