#include "boot/roster.h"

#include "boot/tree_place.h"

namespace xcoll {

Roster::Roster(int size, int hosts, int root) : ranks_(static_cast<size_t>(size)), hosts_(hosts), root_(root) {
}

void Roster::join(const JoinWord &word, const std::string &from) {
    const int size = static_cast<int>(ranks_.size());
    if (word.size != size) {
        fail(XCOLL_ERR_BOOTSTRAP, "rank %d (from %s) says that the job has %d ranks, rank %d says %d", word.rank,
             from.c_str(), word.size, root_, size);
    }
    if (word.hosts != hosts_) {
        fail(XCOLL_ERR_BOOTSTRAP, "rank %d (from %s) has %d unique ids, rank %d has %d: expected the same on all ranks",
             word.rank, from.c_str(), word.hosts, root_, hosts_);
    }
    if (word.rank < 0 || word.rank >= size) {
        fail(XCOLL_ERR_BOOTSTRAP, "a process at %s says that it is rank %d of %d", from.c_str(), word.rank, size);
    }
    Rank &rank = ranks_[static_cast<size_t>(word.rank)];
    if (rank.progress != Progress::absent) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "two say that they are rank %d, one from %s and one from %s: each rank needs a number of its own",
             word.rank, rank.from.c_str(), from.c_str());
    }
    if (!word.contact.is_valid()) {
        fail(XCOLL_ERR_BOOTSTRAP, "rank %d (from %s) does not say where it can be reached", word.rank, from.c_str());
    }
    rank = {Progress::joined, word.contact, from};
    ++joined_;
}

SeatWord Roster::seat_of(int rank) const {
    const int size = static_cast<int>(ranks_.size());
    const TreePlace place = TreePlace::of((rank - root_ + size) % size, size);
    SeatWord seat{rank, root_, 0, {}};
    if (place.parent >= 0) {
        seat.parent = ranks_[static_cast<size_t>((place.parent + root_) % size)].contact;
    }
    return seat;
}

void Roster::take_seat(int number) {
    if (number < 0 || static_cast<size_t>(number) >= ranks_.size()) {
        fail(XCOLL_ERR_BOOTSTRAP, "a rank %d, which does not exist, says that it is connected", number);
    }
    Rank &rank = ranks_[static_cast<size_t>(number)];
    seated_ += rank.progress == Progress::joined ? 1 : 0;
    rank.progress = Progress::seated;
}

std::string Roster::who_is_late() const {
    constexpr size_t most_named = 16;
    const Progress late = has_all() ? Progress::joined : Progress::absent;
    std::string names;
    size_t count = 0;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].progress == late && ++count <= most_named) {
            names += format("%s%zu", names.empty() ? "" : ", ", rank);
        }
    }
    if (count > most_named) {
        names += format(" and %zu more", count - most_named);
    }
    names = format(count == 1 ? "rank %s" : "ranks %s", names.c_str());
    return has_all() ? names + " came, but could not be connected in time"
                     : format("%s did not come; %zu of %zu did", names.c_str(), joined_, ranks_.size());
}

} // namespace xcoll
