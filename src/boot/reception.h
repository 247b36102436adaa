// Whoever calls at this process's listeners. Ranks prove who they are and go on as links; strangers, port scanners and
// those who say nothing or nonsense are dropped, and keep nobody waiting.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "boot/link.h"
#include "boot/listener.h"

namespace xcoll {

class Reception {
public:
    Reception(std::vector<Listener> listeners, const Key &key);
    // For everybody, also in processes that have the same sockets by fork.
    ~Reception();
    Reception(const Reception &) = delete;
    Reception &operator=(const Reception &) = delete;

    // Of the first listener.
    uint16_t port() const {
        return listeners_.front().port();
    }

    struct Arrival {
        Link link;
        Frame first; // what it came for
    };
    // Throws Failure if no descriptor is left.
    std::optional<Arrival> step();
    void add_entries(std::vector<pollfd> &entries);
    // When step() has something to do though nothing arrived.
    int64_t next_ms() const;
    // "; 3 callers had another secret, the last one from 10.0.0.7", or nothing.
    std::string turned_away() const;

private:
    struct Visitor {
        Link link;
        int64_t since_ms;
    };
    bool full() const;
    void let_in();
    // False once it must leave.
    bool may_stay(Visitor &visitor);

    std::vector<Listener> listeners_;
    Key key_;
    size_t room_;                 // for so many
    std::list<Visitor> visitors_; // the oldest first
    size_t wrong_secrets_ = 0;
    std::string last_wrong_;
};

} // namespace xcoll
