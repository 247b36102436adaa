#include "boot/reception.h"

#include "base/clock.h"
#include "base/error.h"
#include "boot/room.h"

namespace xcoll {

namespace {

constexpr int64_t patience_ms = 10'000; // for a visitor to say who it is; but only
constexpr int64_t crowded_ms = 500;     // when others wait in the listener's queue
// At a time. Strangers shall not use up the descriptors of a process that may have few.
constexpr rlim_t shares = 4, usual_visitors = 64;

} // namespace

Reception::Reception(std::vector<Listener> listeners, const Key &key)
    : listeners_(std::move(listeners)), key_(key), room_(room_for_connections(shares, usual_visitors)) {
}

Reception::~Reception() {
    for (const Listener &listener : listeners_) {
        listener.stop();
    }
}

bool Reception::full() const {
    return visitors_.size() >= room_ && now_ms() < visitors_.front().since_ms + crowded_ms;
}

void Reception::let_in() {
    for (const Listener &listener : listeners_) {
        while (!full()) {
            Descriptor socket(accept4(listener.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!socket && (errno == EMFILE || errno == ENFILE)) {
                fail(XCOLL_ERR_BOOTSTRAP,
                     "no descriptor is left for the connections of the other ranks: this process has opened as many "
                     "files as it may, %llu; raise the limit (ulimit -n)",
                     static_cast<unsigned long long>(open_files_limit()));
            }
            if (!socket && errno != EINTR && errno != ECONNABORTED) {
                break; // none, or one that was gone before it was let in
            }
            if (!socket) {
                continue;
            }
            if (visitors_.size() == room_) {
                visitors_.pop_front();
            }
            visitors_.push_back({Link(std::move(socket), Channel::Role::listener, key_), now_ms()});
        }
    }
}

bool Reception::may_stay(Visitor &visitor) {
    visitor.link.step();
    if (visitor.link.state() == Channel::State::wrong_secret) {
        ++wrong_secrets_;
        last_wrong_ = text_of(remote_address(visitor.link.socket()));
    }
    return !visitor.link.is_over() && now_ms() < visitor.since_ms + patience_ms;
}

std::optional<Reception::Arrival> Reception::step() {
    let_in();
    for (auto visitor = visitors_.begin(); visitor != visitors_.end();) {
        Frame first;
        const bool stays = may_stay(*visitor);
        if (visitor->link.take(first)) {
            Arrival arrival = {std::move(visitor->link), std::move(first)};
            visitors_.erase(visitor);
            return arrival;
        }
        visitor = stays ? std::next(visitor) : visitors_.erase(visitor);
    }
    return std::nullopt;
}

void Reception::add_entries(std::vector<pollfd> &entries) {
    for (const Listener &listener : listeners_) {
        entries.push_back({full() ? -1 : listener.socket(), POLLIN, 0});
    }
    for (Visitor &visitor : visitors_) {
        entries.push_back(visitor.link.poll_entry());
    }
}

int64_t Reception::next_ms() const {
    if (visitors_.empty()) {
        return never_ms;
    }
    return visitors_.front().since_ms + (full() ? crowded_ms : patience_ms);
}

std::string Reception::turned_away() const {
    if (wrong_secrets_ == 0) {
        return "";
    }
    return format("; %zu %s another secret, the last one from %s", wrong_secrets_,
                  wrong_secrets_ == 1 ? "caller had" : "callers had", last_wrong_.c_str());
}

} // namespace xcoll
