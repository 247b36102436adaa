#include "boot/caller.h"

#include <cstring>

#include "base/clock.h"
#include "base/error.h"

namespace xcoll {

namespace {
constexpr int64_t stagger_ms = 300; // between addresses: far above the way around the world
constexpr int64_t again_ms = 100;   // between rounds

// The kernel may give a call the very number that it calls as its own, and then connects it with itself.
bool calls_itself(int socket, uint16_t port) {
    return local_port(socket) == port && local_address(socket) == remote_address(socket);
}
} // namespace

Caller::Caller(const Contact &contact, const Key &key, Refused refused)
    : contact_(contact), key_(key), refused_(refused) {
}

void Caller::begin_next() {
    if (next_ == contact_.count || now_ms() < next_at_ms_) {
        return;
    }
    Attempt attempt = {next_++, {}, {}};
    next_at_ms_ = now_ms() + stagger_ms;
    note(attempt.address, "not connected yet");
    if (begin(attempt)) {
        attempts_.push_back(std::move(attempt));
    } else {
        next_at_ms_ = 0;
    }
}

bool Caller::begin(Attempt &attempt) {
    const Address &address = contact_.addresses[attempt.address];
    const SocketAddress there = socket_address(address, contact_.port_number());
    attempt.socket = Descriptor(::socket(there.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!attempt.socket) {
        fail_system("socket(TCP)");
    }
    // Else the number that the kernel gives this call would be taken for whoever wants to listen there.
    const int on = 1;
    setsockopt(attempt.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (connect(attempt.socket.get(), there.get(), there.bytes) == 0 || errno == EINPROGRESS || errno == EINTR) {
        return true;
    }
    note(attempt.address, std::strerror(errno));
    return false;
}

bool Caller::go_on(Attempt &attempt) {
    if (!attempt.link) {
        pollfd entry = {attempt.socket.get(), POLLOUT, 0};
        if (poll(&entry, 1, 0) <= 0) {
            return true;
        }
        int error = 0;
        socklen_t bytes = sizeof error;
        getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes);
        if (error == 0 && calls_itself(attempt.socket.get(), contact_.port_number())) {
            error = ECONNREFUSED;
        }
        if (error != 0) {
            note(attempt.address, std::strerror(error));
            again_ = again_ || refused_ == Refused::comes_later;
            return false;
        }
        attempt.link.emplace(std::move(attempt.socket), Channel::Role::caller, key_);
        note(attempt.address, "connected, but there was no answer yet");
    }
    attempt.link->step();
    switch (attempt.link->state()) {
    case Channel::State::wrong_secret:
        note(attempt.address, "who listens there has another secret");
        result_ = XCOLL_ERR_AUTH;
        return false;
    case Channel::State::other_version:
        note(attempt.address, "another version of xcoll listens there");
        return false;
    case Channel::State::no_rank:
    case Channel::State::forged:
        note(attempt.address, "who listens there is no rank of xcoll");
        return false;
    case Channel::State::greeting:
        if (!attempt.link->is_over()) {
            return true;
        }
        note(attempt.address, "connected, but turned away");
        again_ = true; // too many called at once; if it has ended, the next call shows it
        return false;
    case Channel::State::open:
        break;
    }
    return true;
}

std::optional<Link> Caller::step() {
    begin_next();
    for (auto attempt = attempts_.begin(); attempt != attempts_.end();) {
        if (!go_on(*attempt)) {
            attempt = attempts_.erase(attempt);
            next_at_ms_ = 0;
        } else if (attempt->link && attempt->link->is_open()) {
            std::optional<Link> link = std::move(attempt->link);
            attempts_.clear();
            return link;
        } else {
            ++attempt;
        }
    }
    if (attempts_.empty() && next_ == contact_.count) {
        if (!again_) {
            fail_everywhere();
        }
        again_ = false;
        next_ = 0;
        next_at_ms_ = now_ms() + again_ms;
    }
    return std::nullopt;
}

int64_t Caller::next_ms() const {
    return next_ < contact_.count ? next_at_ms_ : never_ms;
}

void Caller::add_entries(std::vector<pollfd> &entries) {
    for (Attempt &attempt : attempts_) {
        entries.push_back(attempt.link ? attempt.link->poll_entry() : pollfd{attempt.socket.get(), POLLOUT, 0});
    }
}

std::string Caller::state() const {
    std::string text;
    for (size_t i = 0; i < contact_.count; ++i) {
        text += format("%s%s (%s)", text.empty() ? "" : ", ",
                       text_of(contact_.addresses[i], contact_.port_number()).c_str(),
                       notes_[i].empty() ? "not tried yet" : notes_[i].c_str());
    }
    return text;
}

void Caller::fail_everywhere() const {
    throw Failure(result_, state());
}

} // namespace xcoll
