// The communicators of a property test: all ranks, every other rank in another order, and all of them once more.
#pragma once

#include "deed.h"

namespace deeds {

class Places {
public:
    Places(const ranks::Rank &rank, const std::string &settings) {
        const xcoll_comm_t world = rank.open(settings);
        xcoll_comm_t half = XCOLL_COMM_NULL, same = XCOLL_COMM_NULL;
        ranks::succeed(xcoll_comm_split(world, rank.rank() % 2, -rank.rank(), &half));
        ranks::succeed(xcoll_comm_dup(world, &same));
        for (const xcoll_comm_t comm : {world, half, same}) {
            Place place{comm, 0, 0};
            ranks::succeed(xcoll_comm_rank(comm, &place.rank));
            ranks::succeed(xcoll_comm_size(comm, &place.size));
            places_.push_back(place);
        }
    }
    ~Places() {
        for (Place &place : places_) {
            ranks::succeed(xcoll_comm_free(&place.comm));
        }
    }
    Places(const Places &) = delete;
    Places &operator=(const Places &) = delete;
    const std::vector<Place> &all() const {
        return places_;
    }

private:
    std::vector<Place> places_;
};

} // namespace deeds
