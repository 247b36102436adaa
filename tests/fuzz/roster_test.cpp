// What ranks say of themselves when they meet, after they have proved who they are: one of them may be of another
// program, another version, or started with other numbers.
#include "fuzz/target.h"

#include <algorithm>

#include "boot/roster.h"
#include "boot/tree_place.h"

namespace xcoll::fuzz {

namespace {

constexpr int ranks = 5, hosts = 1, root = 3;

class Meeting {
public:
    // A byte for the kind and one for the length of what follows; `left` is what comes after.
    void hear(std::string_view &left) {
        const auto length = std::min<size_t>(static_cast<uint8_t>(left[1]), left.size() - 2);
        const std::string_view body = left.substr(2, length);
        Frame frame{static_cast<FrameKind>(left[0]), {body.begin(), body.end()}};
        left.remove_prefix(2 + length);
        try {
            take(frame);
        } catch (const Failure &failure) {
            must(!failure.message().empty(), "who is refused is told why");
        }
        must(roster_.has_all() || !roster_.who_is_late().empty(), "those who are late have names");
    }

private:
    void take(const Frame &frame) {
        if (frame.kind == FrameKind::join) {
            roster_.join(read_word<JoinWord>(frame), "10.0.0.7");
        } else if (frame.kind == FrameKind::seated && roster_.has_all()) {
            roster_.take_seat(read_word<RankWord>(frame).rank);
        } else if (frame.kind == FrameKind::ended) {
            fail_as(read_word<EndedWord>(frame));
        }
        for (int rank = 0; roster_.has_all() && rank < ranks; ++rank) {
            const SeatWord seat = roster_.seat_of(rank);
            must(rank == root || seat.parent.is_valid(), "whoever has a seat is told where its parent is");
        }
    }

    Roster roster_{ranks, hosts, root};
};

std::string frame_of(FrameKind kind, const std::string &body) {
    return static_cast<char>(kind) + std::string(1, static_cast<char>(body.size())) + body;
}

} // namespace

void feed(std::string_view input) {
    Meeting meeting;
    while (input.size() >= 2) {
        meeting.hear(input);
    }
}

std::vector<std::string> seeds() {
    std::string joined, seated;
    for (int32_t rank = 0; rank < ranks; ++rank) {
        const Contact contact = Contact::at(4711, {{4, {10, 0, 0, static_cast<uint8_t>(rank)}}});
        joined += frame_of(FrameKind::join, bytes_of(JoinWord{-1, rank, ranks, hosts, {}, contact}));
        seated += frame_of(FrameKind::seated, bytes_of(RankWord{rank}));
    }
    return {joined,
            joined + seated,
            joined + joined,
            seated,
            joined + frame_of(FrameKind::seated, bytes_of(RankWord{-1})),
            frame_of(FrameKind::join, bytes_of(JoinWord{0, 0, ranks, hosts, {}, Contact{}}))};
}

} // namespace xcoll::fuzz
