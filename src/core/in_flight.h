// The requests of a communicator that are in flight: lists for whoever holds the owner word, and a count for everybody.
// As long as the count is 0, the lists are the starting thread's alone, as everything else of the communicator.
//
// Each of them is asked in every round whether it can go on, but for those of which there may be tens of thousands:
//
//     watched   messages that have begun; they tell when they are over (Post::next_over)
//     in line   operations that have not begun and for which there is no cell yet; the first gets one first
//     deferred  receives that have not begun, as nobody has waited for anything since (core/deferred_receives.cpp)
//
// Those that have ended, and of which somebody is yet to be told, count as well (core/comm_telling.cpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/request.h"

namespace xcoll {

// In the order in which they came; each is in one list at most.
class RequestList {
public:
    Request *first() const {
        return first_;
    }
    void add(Request &request) {
        request.before = last_;
        request.behind = nullptr;
        (last_ ? last_->behind : first_) = &request;
        last_ = &request;
    }
    void take_out(const Request &request) {
        (request.before ? request.before->behind : first_) = request.behind;
        (request.behind ? request.behind->before : last_) = request.before;
    }

private:
    Request *first_ = nullptr, *last_ = nullptr;
};

class InFlight {
public:
    // ---- the count, as it was told last; any thread
    bool any() const {
        return told_.load(std::memory_order_acquire) != 0;
    }
    uint32_t told() const {
        return told_.load(std::memory_order_relaxed);
    }
    // The last that a thread does to the lists: whoever sees this count sees everything before it. `others` count as
    // well, which are in none.
    void tell(size_t others) {
        told_.store(static_cast<uint32_t>(size_ + untold_size_ + others), std::memory_order_release);
    }

    // ---- the lists
    bool empty() const {
        return size_ + untold_size_ == 0;
    }
    // Of those that are asked, or else of all; nullptr: there is none.
    Request *first() const {
        return find([](const Request &) { return true; });
    }
    template <class Wanted> Request *find(Wanted wanted) const {
        for (const RequestList &list : lists_) {
            if (Request *found = find_in(list, wanted)) {
                return found;
            }
        }
        return nullptr;
    }
    template <class Wanted> Request *find_asked(Wanted wanted) const {
        return find_in(list(Attention::asked), wanted);
    }
    Request *first_in_line() const {
        return list(Attention::in_line).first();
    }
    Request *first_deferred() const {
        return list(Attention::deferred).first();
    }
    bool has_only_deferred() const {
        return !list(Attention::asked).first() && !list(Attention::watched).first() && !first_in_line();
    }
    void add(Request &request) {
        add(request, Attention::asked);
    }
    void add_deferred(Request &request) {
        add(request, Attention::deferred);
    }
    // To the end of another list.
    void pay(Attention attention, Request &request) {
        list(request.attention).take_out(request);
        request.attention = attention;
        list(attention).add(request);
    }
    void take_out(const Request &request) {
        list(request.attention).take_out(request);
        --size_;
    }
    // One after the other of those that are asked, each of which may have left the list by then.
    template <class Ask> void ask_each(Ask ask) {
        for (Request *request = list(Attention::asked).first(), *behind = nullptr; request; request = behind) {
            behind = request->behind;
            ask(*request);
        }
    }

    // ---- what has been taken out, but is not told yet
    void add_untold(Request &request) {
        request.is_untold = true;
        untold_.add(request);
        ++untold_size_;
    }
    // Whoever takes them tells, and notes it.
    RequestList take_untold() {
        return std::exchange(untold_, {});
    }
    void note_told(Request &request) {
        request.is_untold = false;
        --untold_size_;
    }

private:
    void add(Request &request, Attention attention) {
        request.attention = attention;
        list(attention).add(request);
        ++size_;
    }
    template <class Wanted> static Request *find_in(const RequestList &list, Wanted wanted) {
        Request *request = list.first();
        while (request && !wanted(*request)) {
            request = request->behind;
        }
        return request;
    }
    RequestList &list(Attention attention) {
        return lists_[static_cast<size_t>(attention)];
    }
    const RequestList &list(Attention attention) const {
        return lists_[static_cast<size_t>(attention)];
    }
    std::array<RequestList, attentions> lists_;
    RequestList untold_; // not taken
    size_t size_ = 0, untold_size_ = 0;
    std::atomic<uint32_t> told_{0};
};

} // namespace xcoll
