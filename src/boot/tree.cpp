#include "boot/tree.h"

#include "base/error.h"
#include "boot/patience.h"
#include "boot/words.h"

namespace xcoll {

Tree::Tree(int rank, int size, int root, std::optional<Link> parent, std::vector<Link> children)
    : rank_(rank), size_(size), root_(root), place_(TreePlace::of((rank - root + size) % size, size)),
      parent_(std::move(parent)), children_(std::move(children)) {
}

// The table is in the order of the tree's numbers; the ranks' order is the same, turned.
void Tree::allgather(const void *mine, void *recv, size_t bytes, int64_t timeout_ms) {
    const size_t ranks = static_cast<size_t>(size_);
    std::vector<uint8_t> table(ranks * bytes);
    if (bytes > 0) {
        std::memcpy(table.data() + static_cast<size_t>(place_.subtree.first) * bytes, mine, bytes);
    }
    deadline_ms_ = deadline_after(timeout_ms);
    try {
        gather(table, bytes);
        spread(table);
        flush();
    } catch (...) {
        tell_all(caught());
        throw;
    }
    std::rotate(table.begin(), table.end() - static_cast<std::ptrdiff_t>(static_cast<size_t>(root_) * bytes),
                table.end());
    if (bytes > 0) {
        std::memcpy(recv, table.data(), table.size());
    }
}

void Tree::gather(std::vector<uint8_t> &table, size_t bytes) {
    const auto at = [&](int number) { return table.data() + static_cast<size_t>(number) * bytes; };
    std::vector<Arriving> arriving;
    for (size_t i = 0; i < children_.size(); ++i) {
        const TreePlace::Range range = place_.children[i];
        arriving.push_back({&children_[i], rank_of(range.first), at(range.first),
                            static_cast<size_t>(range.end - range.first) * bytes});
    }
    receive(std::move(arriving));
    if (parent_) {
        send(*parent_, at(place_.subtree.first),
             static_cast<size_t>(place_.subtree.end - place_.subtree.first) * bytes);
    }
}

void Tree::spread(std::vector<uint8_t> &table) {
    if (parent_) {
        receive({{&*parent_, rank_of(place_.parent), table.data(), table.size()}});
    }
    for (Link &child : children_) {
        send(child, table.data(), table.size());
    }
}

// At least one block, so that an allgather of nothing waits for all like any other.
void Tree::send(Link &link, const uint8_t *data, size_t bytes) {
    do {
        const size_t part = std::min(bytes, Channel::frame_limit);
        link.send(FrameKind::block, data, part);
        data += part;
        bytes -= part;
    } while (bytes > 0);
}

void Tree::take(Arriving &arriving) {
    Frame frame;
    arriving.link->step();
    while (arriving.link != nullptr && arriving.link->take(frame)) {
        if (frame.kind == FrameKind::ended) {
            fail_as(read_word<EndedWord>(frame));
        }
        if (frame.kind != FrameKind::block || frame.body.size() > arriving.left) {
            fail(XCOLL_ERR_BOOTSTRAP,
                 "rank %d sent rank %d more than it should: do all ranks have one version of xcoll?", arriving.rank,
                 rank_);
        }
        std::copy(frame.body.begin(), frame.body.end(), arriving.to);
        arriving.to += frame.body.size();
        arriving.left -= frame.body.size();
        if (arriving.left == 0) {
            arriving.link = nullptr; // what comes next belongs to the next step
        }
    }
    if (arriving.link != nullptr && arriving.link->is_over()) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "rank %d lost its connection to rank %d while the ranks were starting: it has ended or given up, or its "
             "machine cannot be reached",
             rank_, arriving.rank);
    }
}

void Tree::receive(std::vector<Arriving> arriving) {
    for (;;) {
        for (Arriving &one : arriving) {
            take(one);
        }
        std::erase_if(arriving, [](const Arriving &one) { return one.link == nullptr; });
        if (arriving.empty()) {
            return;
        }
        if (now_ms() >= deadline_ms_) {
            fail(XCOLL_ERR_TIMEOUT, "rank %d waited in vain for rank %d and those behind it to go on with the start",
                 rank_, arriving.front().rank);
        }
        wait(arriving);
    }
}

void Tree::wait(const std::vector<Arriving> &arriving) {
    std::vector<pollfd> entries;
    for (const Arriving &one : arriving) {
        entries.push_back(one.link->poll_entry());
    }
    wait_for(entries, deadline_ms_);
}

// What is left in the socket when the program goes on reaches the other side; what is left here would not.
void Tree::flush() {
    std::vector<Link *> links;
    for (Link &child : children_) {
        links.push_back(&child);
    }
    if (parent_) {
        links.push_back(&*parent_);
    }
    flush_links(links, deadline_ms_);
}

void Tree::tell_all(const Failure &failure) {
    const EndedWord word(failure);
    std::vector<Link *> links;
    for (Link &child : children_) {
        links.push_back(&child);
    }
    if (parent_) {
        links.push_back(&*parent_);
    }
    for (Link *link : links) {
        if (link->is_open()) {
            link->send(FrameKind::ended, word);
        }
    }
    flush_links(links, now_ms() + last_words_ms);
}

} // namespace xcoll
