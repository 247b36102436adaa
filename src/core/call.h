// A call with everything that must outlive it: the descriptor, and what its pointers point to. Arrays and types of the
// caller are copied or held here; only data buffers stay the caller's.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/op.h"

namespace xcoll {

class Call {
public:
    Op op;

    // Room for the parts that go out and come in; the first of those that go out.
    Portion *make_parts(size_t out, size_t in) {
        auto &parts = kept().parts;
        parts = std::make_unique<Portion[]>(out + in);
        op.out = parts.get();
        op.in = parts.get() + out;
        return parts.get();
    }
    const size_t *keep(const size_t *counts, size_t ranks) {
        auto &copy = kept().counts;
        copy = std::make_unique<size_t[]>(ranks);
        std::copy_n(counts, ranks, copy.get());
        return copy.get();
    }
    // A type or an operator of the user's lives as long as a call that uses it.
    template <class T> const T *hold(std::shared_ptr<const T> object) {
        const T *pointer = object.get();
        kept().held.push_back(std::move(object));
        return pointer;
    }
    // The calls of a group.
    void keep(std::vector<Call> calls);

private:
    struct Kept {
        std::unique_ptr<Portion[]> parts;
        std::unique_ptr<size_t[]> counts;
        std::vector<std::shared_ptr<const void>> held;
        std::vector<Call> calls;
        std::vector<Op> ops;
    };
    Kept &kept() {
        if (!kept_) {
            kept_ = std::make_shared<Kept>();
        }
        return *kept_;
    }
    std::shared_ptr<Kept> kept_; // most calls keep nothing
};

inline void Call::keep(std::vector<Call> calls) {
    Kept &to = kept();
    to.calls = std::move(calls);
    for (const Call &call : to.calls) {
        to.ops.push_back(call.op);
    }
    op.parts = to.ops;
}

} // namespace xcoll
