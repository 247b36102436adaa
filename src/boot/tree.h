// Ranks that are connected as a tree, and the allgather over it: up to the root, and the whole down again.
#pragma once

#include <optional>
#include <vector>

#include "base/error.h"
#include "boot/link.h"
#include "boot/tree_place.h"

namespace xcoll {

class Tree {
public:
    // children: in the order of their places. root is a rank.
    Tree(int rank, int size, int root, std::optional<Link> parent, std::vector<Link> children);
    // Collective. Throws Failure; what went wrong on one rank is told to all.
    void allgather(const void *send, void *recv, size_t bytes, int64_t timeout_ms);

    int rank() const {
        return rank_;
    }
    int size() const {
        return size_;
    }

private:
    // Blocks that come over a link, and where they belong.
    struct Arriving {
        Link *link;
        int rank; // at the other end
        uint8_t *to;
        size_t left;
    };
    int rank_of(int number) const {
        return (number + root_) % size_;
    }
    void gather(std::vector<uint8_t> &table, size_t bytes);
    void spread(std::vector<uint8_t> &table);
    void receive(std::vector<Arriving> arriving);
    void take(Arriving &arriving);
    void send(Link &link, const uint8_t *data, size_t bytes);
    void flush();
    void wait(const std::vector<Arriving> &arriving);
    void tell_all(const Failure &failure);

    int rank_, size_, root_;
    TreePlace place_;
    std::optional<Link> parent_;
    std::vector<Link> children_;
    int64_t deadline_ms_ = 0;
};

} // namespace xcoll
