// How a deed that moves data calls the library: by its own function, in any of the four forms.
#pragma once

#include "moving_deed.h"

namespace deeds {

// Of a buffer in which nothing lies anything will do.
inline void *MovingDeed::address(const Memory &memory, const Parts &parts) const {
    const bool empty = std::all_of(parts.begin(), parts.end(), [](const Part &part) { return part.count == 0; });
    return empty && packed_ && movement_.counts != Movement::told ? nullptr : memory.data();
}

inline xcoll_result_t MovingDeed::call(Form form, xcoll_request_t *request) {
    const Way way{form, place_.comm, request};
    const bool in_recv = in_place() && !scatters();
    const Part none{};
    const Part &out = out_.empty() ? none : out_[0], &in = in_.empty() ? none : in_[0];
    void *recv = in_place() && scatters() ? XCOLL_IN_PLACE : address(recv_, in_);
    const void *send = in_recv ? XCOLL_IN_PLACE : address(send_, out_);
    if (in_recv && in_place_by_address_) {
        send = recv ? input_in_recv() : nullptr;
    }
    const std::vector<size_t> out_counts = counts(out_), in_counts = counts(in_);
    const bool packed = packed_;
    const auto places = [packed](std::vector<size_t> all) { return packed ? std::vector<size_t>() : std::move(all); };
    const std::vector<size_t> out_items = places(items(out_)), in_items = places(items(in_));
    const size_t *const out_at = packed ? nullptr : out_items.data(), *const in_at = packed ? nullptr : in_items.data();
    const xcoll_dtype_t sent = out.type.handle, received = in.type.handle;
    const xcoll_dtype_t only = out_.empty() ? received : sent;
    switch (movement_.function) {
    case Movement::bcast:
        return call_by(way, FORMS_OF(bcast), recv, in.count, received, root_);
    case Movement::allgather:
        return call_by(way, FORMS_OF(allgather), send, out.count, recv, only);
    case Movement::allgatherv:
        return call_by(way, FORMS_OF(allgatherv), send, out.count, recv, in_counts.data(), in_at, only);
    case Movement::allgather_typed:
        return call_by(way, FORMS_OF(allgather_typed), send, out.count, sent, recv, in.count, received);
    case Movement::allgather_dyn:
        return call_by(way, FORMS_OF(allgather_dyn), send, given_.data(), recv, found_.data(),
                       part_of(out.type, most()).count, packed_ ? 1 : 0, only);
    case Movement::alltoall:
        return call_by(way, FORMS_OF(alltoall), send, recv, out.count, only);
    case Movement::alltoallv:
        return call_by(way, FORMS_OF(alltoallv), send, out_counts.data(), out_at, recv, in_counts.data(), in_at, only);
    case Movement::alltoall_typed:
        return call_by(way, FORMS_OF(alltoall_typed), send, out.count, sent, recv, in.count, received);
    case Movement::alltoall_dyn:
        return call_by(way, FORMS_OF(alltoall_dyn), send, given_.data(), recv, found_.data(),
                       part_of(out.type, most()).count, only);
    case Movement::gather:
        return call_by(way, FORMS_OF(gather), send, out.count, recv, only, root_);
    case Movement::gatherv:
        return call_by(way, FORMS_OF(gatherv), send, out.count, recv, in_counts.data(), in_at, only, root_);
    case Movement::gather_typed:
        return call_by(way, FORMS_OF(gather_typed), send, out.count, sent, recv, in.count, received, root_);
    case Movement::scatter:
        return call_by(way, FORMS_OF(scatter), send, recv, in_.empty() ? out.count : in.count, only, root_);
    case Movement::scatterv:
        return call_by(way, FORMS_OF(scatterv), send, out_counts.data(), out_at, recv, in.count, only, root_);
    case Movement::scatter_typed:
        return call_by(way, FORMS_OF(scatter_typed), send, out.count, sent, recv, in.count, received, root_);
    default:
        return call_with_types(way, send, recv);
    }
}

// With a type for each part, and places in bytes: from the buffers' begins on, or as addresses.
inline xcoll_result_t MovingDeed::call_with_types(const Way &way, const void *send, void *recv) {
    std::vector<size_t> out_at = bytes(out_), in_at = bytes(in_);
    const auto shift = [](std::vector<size_t> &places, const void *base) {
        for (size_t &place : places) {
            place += reinterpret_cast<uintptr_t>(base);
        }
    };
    const void *const own = send;
    if (by_address_) {
        shift(out_at, in_place() ? recv_.data() : send_.data());
        shift(in_at, recv_.data());
        recv = nullptr;
        send = send == XCOLL_IN_PLACE ? send : nullptr;
    }
    const std::vector<size_t> out_counts = counts(out_), in_counts = counts(in_);
    const std::vector<xcoll_dtype_t> out_types = types(out_), in_types = types(in_);
    if (movement_.function == Movement::allgatherw) {
        return call_by(way, FORMS_OF(allgatherw), own, out_[0].count, out_[0].type.handle, recv, in_counts.data(),
                       in_at.data(), in_types.data());
    }
    return call_by(way, FORMS_OF(alltoallw), send, out_counts.data(), out_at.data(), out_types.data(), recv,
                   in_counts.data(), in_at.data(), in_types.data());
}

} // namespace deeds
