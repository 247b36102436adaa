// Communicators that come from others: what every rank of the parent tells every rank, twice.
#include <algorithm>

#include "core/agreed.h"
#include "core/create.h"
#include "core/spare_board.h"

namespace xcoll {

namespace {

// What every rank of the parent tells every rank; small enough for the inline part of a head.
struct SplitWords {
    int32_t color, key;
    uint64_t board;  // 0: none
    Agreed agreed;   // of the child's settings
    uint32_t number; // see Net::give_number
    uint16_t making; // a signature of base/op.h
    uint16_t ok;
};
static_assert(sizeof(SplitWords) <= first_line_bytes);

void exchange(Comm &parent, const SplitWords &mine, std::vector<SplitWords> &all) {
    Call call;
    Op &op = call.op;
    op.kind = Kind::words;
    op.signature = mine.making;
    op.dtype = Dtype::uint8;
    op.count = sizeof mine;
    op.send = &mine;
    op.recv = all.data();
    parent.run(call);
}

// Throws on every rank of this color if one of them has a failure.
void agree(Comm &parent, SplitWords mine, const std::optional<Failure> &failure, std::vector<SplitWords> &all) {
    mine.ok = failure ? 0 : 1;
    exchange(parent, mine, all);
    if (failure) {
        throw *failure;
    }
    const auto bad = std::find_if(all.begin(), all.end(),
                                  [&](const SplitWords &words) { return words.color == mine.color && words.ok == 0; });
    if (bad != all.end()) {
        const auto rank = static_cast<int>(bad - all.begin());
        fail_at(rank, XCOLL_ERR_NO_MEMORY,
                "rank %d could not make its communicator: mend what the error on that rank says, and call again on all",
                rank);
    }
}

std::vector<int> members_of(const std::vector<SplitWords> &all, int color) {
    std::vector<int> members;
    for (int r = 0; r < static_cast<int>(all.size()); ++r) {
        if (all[static_cast<size_t>(r)].color == color) {
            members.push_back(r);
        }
    }
    std::stable_sort(members.begin(), members.end(),
                     [&](int a, int b) { return all[static_cast<size_t>(a)].key < all[static_cast<size_t>(b)].key; });
    return members;
}

// What those of the ranks that want the same have in common.
Membership child_of(const Comm &parent, const std::vector<SplitWords> &all, const SplitWords &mine,
                    const Wishes &wishes) {
    const Membership &from = parent.membership();
    Membership child;
    child.node = from.node;
    child.net = from.net;
    child.start = from.start;
    child.topology = from.topology;
    apply(child, wishes);
    const std::vector<int> members = members_of(all, mine.color);
    for (const int member : members) {
        const SplitWords &words = all[static_cast<size_t>(member)];
        check_agreed(member, words.agreed, parent.team().rank, mine.agreed, wishes.settings);
        if (member == parent.team().rank) {
            child.rank = static_cast<int>(child.peers.size());
        }
        child.peers.push_back(from.peers[static_cast<size_t>(member)]);
        child.boards.push_back(words.board);
    }
    if (from.net) {
        child.net_id = Net::id(child.peers[0].net_rank, all[static_cast<size_t>(members[0])].number);
        from.net->expect(child.net_id);
    }
    if (!child.are_all_here()) {
        child.boards.clear();
    }
    return child;
}

std::unique_ptr<Comm> make_child(Comm &parent, SplitWords mine, const Wishes &wishes) {
    const Membership &from = parent.membership();
    const bool joins = mine.color != XCOLL_UNDEFINED;
    std::vector<SplitWords> all, agreed;
    std::optional<Failure> failure;
    std::optional<SpareBoard> board;
    try {
        all.resize(static_cast<size_t>(parent.team().size));
        agreed.resize(all.size());
    } catch (...) {
        parent.refuse(); // without room for what the peers say
        throw;
    }
    try {
        mine.agreed = agreed_of(wishes.settings);
        mine.number = from.net ? from.net->give_number() : 0;
        if (joins) {
            board.emplace(from.node, std::min(parent.team().size, 2));
            mine.board = board->offset();
        }
    } catch (...) {
        failure = caught();
    }
    agree(parent, mine, failure, all);
    std::unique_ptr<Comm> comm;
    try {
        if (joins) {
            Membership child = child_of(parent, all, mine, wishes);
            if (child.peers.size() != 2) {
                from.node->narrow_board(mine.board);
            }
            comm = std::make_unique<Comm>(std::move(child));
            if (comm->membership().shares_memory()) {
                board->keep();
            }
        }
    } catch (...) {
        failure = caught();
    }
    agree(parent, mine, failure, agreed);
    return comm;
}

} // namespace

std::unique_ptr<Comm> split(Comm &parent, int color, int key, const Wishes &wishes) {
    return make_child(parent, {color, key, 0, {}, 0, split_signature, 1}, wishes);
}

std::unique_ptr<Comm> dup(Comm &parent, const Wishes &wishes) {
    const uint16_t making = parent.membership().is_internal ? init_signature : dup_signature;
    return make_child(parent, {0, parent.team().rank, 0, {}, 0, making, 1}, wishes);
}

Wishes inherited(const Comm &parent) {
    return {parent.membership().settings, parent.membership().name, 0};
}

} // namespace xcoll
