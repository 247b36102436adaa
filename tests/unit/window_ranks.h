// Windows of ranks in this process, for the tests of what lies in shared memory.
#pragma once

#include <numeric>

#include "fabric/node.h"
#include "fabric/window.h"

namespace window_ranks {

using namespace xcoll;

class Ranks {
public:
    explicit Ranks(int size, size_t budget = 0) : nodes_(connect_threads(size, Machine{}, budget)) {
    }
    int size() const {
        return static_cast<int>(nodes_.size());
    }
    Node &node(int rank) const {
        return *nodes_[static_cast<size_t>(rank)];
    }
    // A communicator of all ranks: each one's window.
    std::vector<std::shared_ptr<Window>> open() const {
        std::vector<int> members(nodes_.size());
        std::iota(members.begin(), members.end(), 0);
        std::vector<uint64_t> boards;
        for (const auto &node : nodes_) {
            boards.push_back(node->take_board(size()).offset);
        }
        std::vector<std::shared_ptr<Window>> windows;
        for (int rank = 0; rank < size(); ++rank) {
            windows.push_back(std::make_shared<Window>(node(rank), members, boards, rank, CopyWay::Rule::plain));
        }
        return windows;
    }

private:
    std::vector<std::shared_ptr<Node>> nodes_;
};

} // namespace window_ranks
