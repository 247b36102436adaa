// Objects of the user's that are known by a number: types and operators. A handle is a range, an index and a
// generation, so that a freed one is noticed; what is in use lives on until its last user ends.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"

namespace xcoll {

template <class T> class Registry {
public:
    // Bit 27 tells a made object from a predefined one of the same range.
    explicit Registry(uint32_t range) : range_(range | made_bit) {
    }
    // What make() returns, which is called when there is a handle for it: nothing can fail after it.
    template <class Make> uint32_t add(Make make) {
        const std::lock_guard lock(mutex_);
        size_t index = 0;
        while (index < slots_.size() && slots_[index].object) {
            ++index;
        }
        if (index == slots_.size()) {
            if (index > index_mask) {
                fail(XCOLL_ERR_NO_MEMORY, "%zu objects are alive, and there is no handle for another one", index);
            }
            slots_.emplace_back();
        }
        slots_[index].object = make();
        return handle(index);
    }
    // Whether it is a handle of these objects, alive or not.
    bool is_handle(uint32_t wanted) const {
        return (wanted & ~(index_mask | generation_mask << index_bits)) == range_;
    }
    // nullptr: there is none, or none any more.
    std::shared_ptr<const T> find(uint32_t wanted) {
        const std::lock_guard lock(mutex_);
        const size_t index = wanted & index_mask;
        return index < slots_.size() && handle(index) == wanted ? slots_[index].object : nullptr;
    }
    bool remove(uint32_t wanted) {
        std::shared_ptr<const T> last; // goes after the lock: its end may call the user
        const std::lock_guard lock(mutex_);
        const size_t index = wanted & index_mask;
        if (index >= slots_.size() || handle(index) != wanted || !slots_[index].object) {
            return false;
        }
        last = std::move(slots_[index].object);
        ++slots_[index].generation;
        return true;
    }

private:
    static constexpr uint32_t made_bit = uint32_t{1} << 27;
    static constexpr int index_bits = 16;
    static constexpr uint32_t index_mask = (uint32_t{1} << index_bits) - 1;
    static constexpr uint32_t generation_mask = (uint32_t{1} << 11) - 1;
    struct Slot {
        std::shared_ptr<const T> object;
        uint32_t generation = 0;
    };
    uint32_t handle(size_t index) const {
        return range_ | (slots_[index].generation & generation_mask) << index_bits | static_cast<uint32_t>(index);
    }
    const uint32_t range_;
    std::mutex mutex_;
    std::vector<Slot> slots_;
};

} // namespace xcoll
