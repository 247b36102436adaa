// The requests of a communicator that are in flight: lists for whoever holds the owner word, and a count for everybody.
// As long as the count is 0, the lists are the starting thread's alone, as everything else of the communicator.
//
// Each of them is asked in every round whether it can go on, but for messages that have begun: those may be tens of
// thousands, and tell when they are over (Post::next_over).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

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
        told_.store(static_cast<uint32_t>(size_ + others), std::memory_order_release);
    }

    // ---- the lists
    bool empty() const {
        return size_ == 0;
    }
    // Of those that are asked, or else of all; nullptr: there is none.
    Request *first() const {
        return asked_.first() ? asked_.first() : watched_.first();
    }
    template <class Wanted> Request *find(Wanted wanted) const {
        Request *asked = find_in(asked_, wanted);
        return asked ? asked : find_in(watched_, wanted);
    }
    template <class Wanted> Request *find_asked(Wanted wanted) const {
        return find_in(asked_, wanted);
    }
    void add(Request &request) {
        request.is_watched = false;
        asked_.add(request);
        ++size_;
    }
    // It will not be asked any more.
    void watch(Request &request) {
        asked_.take_out(request);
        request.is_watched = true;
        watched_.add(request);
    }
    void take_out(const Request &request) {
        (request.is_watched ? watched_ : asked_).take_out(request);
        --size_;
    }
    // One after the other of those that are asked, each of which may be taken out or watched by then.
    template <class Ask> void ask_each(Ask ask) {
        for (Request *request = asked_.first(), *behind = nullptr; request; request = behind) {
            behind = request->behind;
            ask(*request);
        }
    }

private:
    template <class Wanted> static Request *find_in(const RequestList &list, Wanted wanted) {
        Request *request = list.first();
        while (request && !wanted(*request)) {
            request = request->behind;
        }
        return request;
    }
    RequestList asked_, watched_;
    size_t size_ = 0;
    std::atomic<uint32_t> told_{0};
};

} // namespace xcoll
