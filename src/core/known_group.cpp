#include "core/known_group.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/comm.h"

namespace xcoll {

KnownGroup::KnownGroup(const Op &group, std::vector<KnownPart> parts) : parts_(std::move(parts)) {
    for (const KnownPart &part : parts_) {
        ops_.push_back(part.op);
    }
    whole_.op.kind = group.kind;
    whole_.op.form = group.form;
    whole_.op.count = group.count;
    whole_.op.parts = ops_;
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

void KnownGroup::follow_buffers(const Team &team) {
    for (size_t k = 0; k < parts_.size(); ++k) {
        ops_[k].send = parts_[k].op.send;
        ops_[k].recv = parts_[k].op.recv;
    }
    whole_.op.itinerary = nullptr; // it would be read instead of the calls
    try {
        if (itinerary_.write(whole_.op, team.rank, team.size)) {
            whole_.op.itinerary = &itinerary_;
        }
        has_moved_ = false;
    } catch (const std::bad_alloc &) {
        // This time the bytes are found call by call.
    }
}

void KnownGroup::run(Comm &comm) {
    if (has_moved_) {
        follow_buffers(comm.team());
    }
    comm.run(whole_);
}

} // namespace xcoll
