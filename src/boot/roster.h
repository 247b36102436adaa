// What the root of a meeting knows: who has come, where they can be reached, and who sits in the tree.
#pragma once

#include <string>
#include <vector>

#include "boot/words.h"

namespace xcoll {

class Roster {
public:
    Roster(int size, int hosts, int root);
    // Throws Failure if the newcomer cannot be one of this job; `from`: where it calls from.
    void join(const JoinWord &word, const std::string &from);
    bool has_all() const {
        return joined_ == ranks_.size();
    }
    // Once all have come.
    SeatWord seat_of(int rank) const;
    // Throws Failure unless that rank has come.
    void take_seat(int rank);
    bool all_sit() const {
        return seated_ == ranks_.size();
    }
    // "ranks 1, 3 have not come; 3 of 5 have" or "ranks 2, 7 have come, but could not be connected in time".
    std::string who_is_late() const;

private:
    enum class Progress : uint8_t { absent, joined, seated };
    struct Rank {
        Progress progress = Progress::absent;
        Contact contact{};
        std::string from;
    };
    std::vector<Rank> ranks_;
    int hosts_, root_;
    size_t joined_ = 0, seated_ = 0;
};

} // namespace xcoll
