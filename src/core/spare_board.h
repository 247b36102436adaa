// A board for a communicator that turns out not to need it, or to fail, goes back; peers that have theirs learn of it.
#pragma once

#include <memory>
#include <utility>

#include "fabric/node.h"

namespace xcoll {

class SpareBoard {
public:
    SpareBoard(std::shared_ptr<Node> node, int ranks)
        : node_(std::move(node)), offset_(node_->take_board(ranks).offset) {
    }
    ~SpareBoard() {
        if (offset_) {
            node_->give_board(offset_);
        }
    }
    SpareBoard(const SpareBoard &) = delete;
    SpareBoard &operator=(const SpareBoard &) = delete;
    uint64_t offset() const {
        return offset_;
    }
    void keep() {
        offset_ = 0;
    }

private:
    std::shared_ptr<Node> node_;
    uint64_t offset_;
};

} // namespace xcoll
