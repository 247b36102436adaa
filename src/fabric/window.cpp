#include "fabric/window.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/clock.h"
#include "fabric/visit.h"

namespace xcoll {

Window::Window(Node &node, std::vector<int> ranks, const std::vector<uint64_t> &boards, int rank, CopyWay::Rule copies,
               uint64_t cells)
    : node_(node), ranks_(std::move(ranks)), ring_writing_(copies, CopyUse::writing, node.ticks_per_ns()),
      slot_writing_(ring_writing_), baton_writing_(ring_writing_),
      reading_(copies, CopyUse::reading, node.ticks_per_ns()), first_look_(node.ticks_per_ns()), cells_(cells),
      rank_(rank), size_(static_cast<int>(ranks_.size())), swaps_slots_(size_ == 2) {
    const size_t n = ranks_.size();
    boards_.reserve(n);
    bases_.reserve(n);
    generations_.reserve(n);
    slots_.reserve(n);
    scratch_.resize(n);
    for (size_t p = 0; p < n; ++p) {
        char *base = node_.base(ranks_[p]);
        auto *board = reinterpret_cast<Board *>(base + boards[p]);
        bases_.push_back(base);
        boards_.push_back(board);
        generations_.push_back(board->generation.load(std::memory_order_acquire));
    }
    find_slots();
    if (swaps_slots()) {
        slot_writing_.try_at_length();
    }
}

void Window::find_slots() {
    std::array<uint64_t, 2> wide{};
    if (size_ == 2) {
        std::ranges::transform(boards_, wide.begin(),
                               [](const Board *board) { return board->wide_slots.load(std::memory_order_relaxed); });
    }
    slot_room_ = wide[0] != 0 && wide[1] != 0 ? node_.sizes().wide_slot_bytes : slot_bytes;
    for (size_t p = 0; p < boards_.size(); ++p) {
        slots_.push_back(has_wide_slots() ? bases_[p] + wide[p] : reinterpret_cast<char *>(boards_[p]->slots));
    }
    if (has_wide_slots()) {
        const size_t slots = slot_count * slot_room_;
        batons_ = Batons(slots_[0] + slots, slots_[1] + slots, rank_);
        short_ring_ = ShortRing(offset_of(mine().slots), sizeof mine().slots); // which nobody uses then
    }
}

Window::~Window() {
    node_.ring().forget(*this);
    for (const auto &[offset, bytes] : memory_) {
        node_.arena().give(offset, bytes);
    }
    if (keeps_board_) {
        node_.free_board(offset_of(&mine()));
    }
}

void Window::lend_from(size_t bytes) {
    least_lent_ = std::max(bytes, slot_bytes + 1); // above that, a head tells where the payload lies
}

void Window::attach_messages(const AttachedMessages &which) {
    attached_messages_ = which.from(least_lent_);
}

bool Window::shares_process(int p) const {
    return node_.member(node_rank(p)).same_process;
}

char *Window::lent(int p, const Head &head, uint64_t place) const {
    return head.lent == Lent::address ? reinterpret_cast<char *>(place) : at(p, place);
}

void Window::count_lent() {
    lent_.store(lent_count() + 1, std::memory_order_relaxed);
}

uint64_t Window::take_memory(size_t bytes) {
    memory_.reserve(memory_.size() + 1);
    try {
        return memory_.emplace_back(node_.arena().take(bytes), bytes).first;
    } catch (const Failure &failure) {
        fail(XCOLL_ERR_SYSTEM, "no memory for messages to other ranks: %s", failure.message().c_str());
    }
}

uint64_t Window::take_blocks() {
    memory_.reserve(memory_.size() + 1);
    const uint64_t blocks = node_.take_blocks();
    if (blocks != 0) {
        memory_.emplace_back(blocks, node_.sizes().block_bytes);
    }
    return blocks;
}

void Window::look_at_everyone() {
    uint64_t done = done_;
    for (int p = 0; p < size_; ++p) {
        done = std::min(done, board(p).done.read());
    }
    saw_everyone(done);
}

void Window::got_credit(uint64_t n) {
    look_at_everyone();
    for (uint64_t next = n; has_credit(next, cells()); ++next) {
        claim_head(next, inline_bytes);
    }
}

bool Window::everyone_completed(uint64_t n) const {
    for (size_t p = 0; p < boards_.size(); ++p) {
        // A board of another generation was closed before it was used again, and its numbers begin anew.
        if (!boards_[p]->done.reached(n) && boards_[p]->generation.load(std::memory_order_acquire) == generations_[p]) {
            return false;
        }
    }
    return true;
}

void Window::tell(int writer, uint64_t n, uint64_t ticks, size_t bytes) const {
    const uint64_t cost = ticks * Told::part_of_tick * line_bytes / bytes;
    mine().told.store({static_cast<uint32_t>(n), static_cast<uint16_t>(writer),
                       static_cast<uint16_t>(std::clamp<uint64_t>(cost, 1, UINT16_MAX))},
                      std::memory_order_relaxed);
}

// What readers told comes with `done`, which says that they have finished.
void Window::hear_readers(CopyWay &writing) const {
    if (everyone_done_ < writing.asked()) {
        return;
    }
    uint16_t slowest = 0;
    for (const Board *board : boards_) {
        const Told told = board->told.load(std::memory_order_relaxed);
        if (told.number == static_cast<uint32_t>(writing.asked()) && told.writer == rank_) {
            slowest = std::max(slowest, told.cost);
        }
    }
    writing.hear(static_cast<float>(slowest) / Told::part_of_tick);
}

void Window::announce_call(uint64_t n, const Fingerprint &call) const {
    Head &head = begin_head(n, call);
    head.has_room = 1;
    head.place.base = counter_base(my_cell(n));
    announce(n);
}

void Window::leave(uint64_t n) {
    break_off(n);
    complete(n);
}

void Window::break_off(uint64_t n) const {
    Cell &cell = my_cell(n);
    const uint64_t end = counter_base(cell) / broken_stride * broken_stride + 2 * broken_stride;
    publish(cell.in, end);
    publish(cell.out, end);
    publish(cell.used, end);
}

void Window::fail_broken(int p, uint64_t n) const {
    check_farewells();
    throw left_early(n, p);
}

const Farewell *Window::find_farewell(int &rank) const {
    for (rank = 0; rank < size_; ++rank) {
        if (rank != rank_ && board(rank).farewell.result.load(std::memory_order_acquire) != 0) {
            return &board(rank).farewell;
        }
    }
    return nullptr;
}

void Window::say_farewell(const Failure &why) const {
    Farewell &farewell = mine().farewell;
    if (farewell.result.load(std::memory_order_relaxed) != 0) {
        return; // the first reason stays
    }
    // Whoever gives up because a peer did passes on the peer's words, so that all ranks tell the one cause.
    int peer;
    auto result = static_cast<uint32_t>(why.result());
    if (const Farewell *cause = find_farewell(peer)) {
        farewell.first = cause->first;
        farewell.rank = cause->rank;
        std::memcpy(farewell.reason, cause->reason, sizeof farewell.reason);
        result = cause->result.load(std::memory_order_relaxed);
    } else {
        farewell.first = rank_;
        farewell.rank = why.rank() != Failure::nobody ? why.rank() : rank_;
        copy_shortened(why.what(), farewell.reason, sizeof farewell.reason);
    }
    farewell.result.store(result, std::memory_order_seq_cst); // see visit.h
}

void Window::lend_private() {
    lends_private_ = std::all_of(ranks_.begin(), ranks_.end(), [this](int i) { return node_.member(i).same_process; });
}

void Window::recall() const {
    // Another process may have died in its visit, or been stopped, as by a debugger: it takes no such time otherwise.
    const int64_t end = now_ns() + second;
    for (int p = 0; p < size_; ++p) {
        const auto lives = [&] { return shares_process(p) || (node_.is_alive(node_rank(p)) && now_ns() < end); };
        if (p != rank_) {
            Visit::await_end(board(p).visiting, lives);
        }
    }
}

void Window::check_farewells() const {
    int peer;
    if (const Farewell *farewell = find_farewell(peer)) {
        const auto result = static_cast<xcoll_result_t>(farewell->result.load(std::memory_order_relaxed));
        throw gave_up(farewell->first, {result, farewell->reason, farewell->rank});
    }
}

void Window::close() const {
    mine().done.store(all_done);
}

bool Window::everyone_closed() const {
    for (size_t p = 0; p < boards_.size(); ++p) {
        if (boards_[p]->generation.load(std::memory_order_acquire) == generations_[p] &&
            !boards_[p]->done.reached(all_done)) {
            return false;
        }
    }
    return true;
}

void Window::leave_mismatched(int p, uint64_t n, const Fingerprint &mine) {
    const Failure failure = mismatch(n, rank_, mine, p, head(p, n).call);
    leave(n);
    throw failure;
}

} // namespace xcoll
