// The last few of what a program does again and again, and what is known of each: it may take turns between two sizes,
// or between roots. For the thread that starts operations.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace xcoll {

template <class Key, class Known> class LastFew {
public:
    struct Last {
        Key key{};
        std::unique_ptr<Known> known;
    };
    // True if it is one of the last: then it is worth knowing. Otherwise it takes the place of the oldest.
    bool repeats(const Key &key) {
        for (at_ = 0; at_ < most; ++at_) {
            if (last_[at_].key == key) {
                return true;
            }
        }
        at_ = oldest_;
        oldest_ = (oldest_ + 1) % most;
        last_[at_].key = key;
        last_[at_].known.reset();
        return false;
    }
    // What repeats().
    void know(std::unique_ptr<Known> known) {
        last_[at_].known = std::move(known);
    }
    const Last *begin() const {
        return last_.data();
    }
    const Last *end() const {
        return last_.data() + most;
    }

private:
    // Each costs a call that is like none of them one comparison.
    static constexpr size_t most = 4;
    std::array<Last, most> last_;
    size_t at_ = 0, oldest_ = 0;
};

} // namespace xcoll
