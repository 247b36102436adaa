// Ranks in this process that send each other messages, driven by hand.
#pragma once

#include "cmocka_cpp.h"

#include <memory>
#include <string>
#include <vector>

#include "fabric/post.h"
#include "window_ranks.h"

namespace post_ranks {

using namespace xcoll;

// Whether the ranks know that they share a process, and so read from each other's buffers.
enum class Kinship { together, apart };

inline std::vector<std::shared_ptr<Node>> make_nodes(int size, Kinship kinship, size_t budget) {
    std::vector<std::shared_ptr<Node>> nodes = connect_threads(size, Machine{}, budget);
    if (kinship == Kinship::together) {
        return nodes;
    }
    std::vector<Node::Member> members;
    for (int r = 0; r < size; ++r) {
        members.push_back(nodes[0]->member(r));
        members.back().same_process = false;
    }
    NodeSizes sizes = nodes[0]->sizes();
    sizes.heap_bytes = 0;
    std::vector<std::shared_ptr<Node>> apart;
    for (int r = 0; r < size; ++r) {
        apart.push_back(std::make_shared<Node>(members, r, sizes, 1, Doorbell::enable_barriers(), Descriptor()));
    }
    return apart;
}

// One communicator.
class Ranks {
public:
    explicit Ranks(int size, Kinship kinship = Kinship::apart, size_t budget = size_t{64} << 20)
        : Ranks(make_nodes(size, kinship, budget)) {
    }
    explicit Ranks(std::vector<std::shared_ptr<Node>> nodes) : nodes_(std::move(nodes)) {
        std::vector<int> members;
        std::vector<uint64_t> boards;
        for (size_t r = 0; r < nodes_.size(); ++r) {
            members.push_back(static_cast<int>(r));
            boards.push_back(nodes_[r]->take_board(size()).offset);
        }
        for (size_t r = 0; r < nodes_.size(); ++r) {
            windows_.push_back(
                std::make_shared<Window>(*nodes_[r], members, boards, static_cast<int>(r), CopyWay::Rule::plain));
            posts_.push_back(std::make_unique<Post>(*windows_[r], best_kernels()));
        }
    }
    ~Ranks() {
        for (int r = 0; r < size(); ++r) {
            free(r);
        }
    }
    Ranks(const Ranks &) = delete;
    Ranks &operator=(const Ranks &) = delete;

    int size() const {
        return static_cast<int>(nodes_.size());
    }
    Node &node(int r) const {
        return *nodes_[static_cast<size_t>(r)];
    }
    Window &window(int r) const {
        return *windows_[static_cast<size_t>(r)];
    }
    Post &operator[](int r) const {
        return *posts_[static_cast<size_t>(r)];
    }
    void free(int r) {
        posts_[static_cast<size_t>(r)].reset();
        if (windows_[static_cast<size_t>(r)]) {
            node(r).retire(std::move(windows_[static_cast<size_t>(r)]));
        }
    }
    bool progress() const {
        bool moved = false;
        for (const auto &post : posts_) {
            moved |= post && post->progress();
        }
        return moved;
    }
    void settle() const {
        while (progress()) {
        }
    }
    // Drives all ranks; fails if nobody gets on any more.
    Post::Status finish(int rank, const Post::Ticket &ticket) const {
        settle();
        assert_true(Post::is_over(ticket));
        const Post::Status status = ticket.item ? Post::status(ticket) : Post::Status{-1, -1, 0};
        (*this)[rank].finish(ticket);
        return status;
    }

private:
    std::vector<std::shared_ptr<Node>> nodes_;
    std::vector<std::shared_ptr<Window>> windows_;
    std::vector<std::unique_ptr<Post>> posts_;
};

inline std::vector<char> pattern(size_t bytes, int seed) {
    std::vector<char> data(bytes);
    for (size_t i = 0; i < bytes; ++i) {
        data[i] = static_cast<char>(i * 7 + i / 251 + static_cast<size_t>(seed) * 13);
    }
    return data;
}

inline void assert_got(const std::vector<char> &got, const std::vector<char> &sent) {
    assert_true(got.size() >= sent.size());
    assert_true(std::equal(sent.begin(), sent.end(), got.begin()));
}

inline void assert_status(const Post::Status &status, int source, int tag, size_t bytes) {
    assert_int_equal(status.source, source);
    assert_int_equal(status.tag, tag);
    assert_int_equal(status.bytes, bytes);
}

} // namespace post_ranks
