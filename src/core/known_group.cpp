#include "core/known_group.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "core/comm.h"

namespace xcoll {

KnownGroup::KnownGroup(std::vector<KnownPart> parts) : parts_(std::move(parts)) {
    if (traits(parts_[0].op.kind).is_message) {
        messages_ = std::vector<MessageAtOnce>(parts_.size());
        for (size_t i = 0; i < parts_.size(); ++i) {
            messages_[i].op = &parts_[i].op;
        }
    }
}

void KnownGroup::add(const Call &whole, std::span<const size_t> some) {
    Operation &operation = *operations_.emplace_back(std::make_unique<Operation>());
    operation.calls.assign(some.begin(), some.end());
    Op &op = operation.whole.op = whole.op;
    op.itinerary = nullptr; // of that group
    if (some.size() > 1) {
        operation.ops.assign(op.parts.begin(), op.parts.end());
        op.parts = operation.ops;
    }
    operations_[0]->whole.op.extra_numbers = static_cast<uint32_t>(operations_.size() - 1);
}

bool KnownGroup::begins_like(std::span<const KnownPart> parts) const {
    return parts.size() <= parts_.size() &&
           std::equal(parts.begin(), parts.end(), parts_.begin(),
                      [](const KnownPart &one, const KnownPart &other) { return one.is_like(other); });
}

void KnownGroup::move_to(std::span<const KnownPart> parts) {
    std::copy(parts.begin(), parts.end(), parts_.begin());
    has_moved_ |= !parts.empty();
}

// False: it is not written down where the bytes are, and this time they are found call by call.
bool KnownGroup::follow_buffers(Operation &operation, const Team &team) const {
    Op &whole = operation.whole.op;
    for (size_t k = 0; k < operation.calls.size(); ++k) {
        const Op &moved = parts_[operation.calls[k]].op;
        Op &op = operation.ops.empty() ? whole : operation.ops[k];
        op.send = moved.send;
        op.recv = moved.recv;
    }
    whole.itinerary = nullptr; // it would be read instead of the calls
    try {
        if (whole.kind == Kind::group && operation.itinerary.write(whole, team.rank, team.size)) {
            whole.itinerary = &operation.itinerary;
        }
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

bool KnownGroup::try_run(Comm &comm) {
    if (is_of_messages()) {
        return comm.try_run_messages(messages_);
    }
    if (has_moved_) {
        has_moved_ = false;
        for (const auto &operation : operations_) {
            has_moved_ |= !follow_buffers(*operation, comm.team());
        }
    }
    std::optional<Failure> first;
    for (const auto &operation : operations_) {
        try {
            comm.run(operation->whole);
        } catch (const Failure &failure) {
            first = first ? first : failure;
        }
    }
    if (first) {
        throw *first;
    }
    return true;
}

} // namespace xcoll
