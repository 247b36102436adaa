#include "boot/channel.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace xcoll {

namespace {

constexpr uint32_t magic = 0x424c4358; // "XCLB"
constexpr uint32_t version = 2;        // of all that follows but for magic and version, which stay where they are

struct Greeting {
    uint32_t magic, version;
    Hash nonce;
};
struct Answer {
    uint32_t magic, version;
    Hash nonce, proof;
};
struct Proof {
    Hash proof;
};

template <class Item> Item read(const uint8_t *bytes) {
    Item item;
    std::memcpy(&item, bytes, sizeof item);
    return item;
}

} // namespace

Channel::Channel(Role role, const Key &key) : role_(role), key_(key) {
    fill_random(mine_.data(), mine_.size());
    if (role == Role::caller) {
        const Greeting greeting = {magic, version, mine_};
        say(&greeting, sizeof greeting);
    }
}

void Channel::say(const void *data, size_t bytes) {
    const auto *from = static_cast<const uint8_t *>(data);
    outgoing_.insert(outgoing_.end(), from, from + bytes);
}

// The role stands in it, so that nobody can hand a proof back to the one who gave it.
Hash Channel::proof(Role of) const {
    const Nonce &callers = role_ == Role::caller ? mine_ : theirs_;
    const Nonce &listeners = role_ == Role::caller ? theirs_ : mine_;
    const char who = of == Role::caller ? 'C' : 'L';
    return key_.sign({{&who, sizeof who}, {callers.data(), callers.size()}, {listeners.data(), listeners.size()}});
}

Hash Channel::tag(Role from, uint64_t number, const Header &header, const void *body) const {
    const char who = from == Role::caller ? 'c' : 'l';
    return key_.sign({{&who, sizeof who}, {&number, sizeof number}, {&header, sizeof header}, {body, header.bytes}});
}

// A key of this connection alone: what was said on another one is worth nothing here.
void Channel::open() {
    const Hash both[2] = {proof(Role::caller), proof(Role::listener)};
    constexpr std::string_view purpose = "session";
    key_ = key_.derive({{purpose.data(), purpose.size()}, {both, sizeof both}});
    state_ = State::open;
}

size_t Channel::wanted() const {
    if (state_ == State::greeting) {
        if (role_ == Role::caller) {
            return sizeof(Answer);
        }
        return greeted_ ? sizeof(Proof) : sizeof(Greeting);
    }
    if (arriving_.size() < sizeof(Header)) {
        return sizeof(Header);
    }
    return sizeof(Header) + read<Header>(arriving_.data()).bytes + sizeof(Hash);
}

void Channel::receive(const uint8_t *data, size_t bytes) {
    while (bytes > 0 && !failed()) {
        const size_t part = std::min(bytes, wanted() - arriving_.size());
        arriving_.insert(arriving_.end(), data, data + part);
        data += part;
        bytes -= part;
        const bool is_header = state_ == State::open && arriving_.size() == sizeof(Header);
        if (is_header && read<Header>(arriving_.data()).bytes > frame_limit) {
            state_ = State::forged;
        } else if (state_ == State::greeting && arriving_.size() >= sizeof magic &&
                   read<uint32_t>(arriving_.data()) != magic && !greeted_) {
            state_ = State::no_rank;
        } else if (arriving_.size() == wanted()) {
            const std::vector<uint8_t> whole = std::exchange(arriving_, {});
            if (state_ == State::open) {
                take_frame(whole.data());
            } else if (role_ == Role::caller) {
                take_answer(whole.data());
            } else if (greeted_) {
                take_proof(whole.data());
            } else {
                take_greeting(whole.data());
            }
        }
    }
}

void Channel::take_greeting(const uint8_t *bytes) {
    const auto greeting = read<Greeting>(bytes);
    theirs_ = greeting.nonce;
    greeted_ = true;
    if (greeting.magic != magic) {
        state_ = State::no_rank;
        return;
    }
    // Another version is told ours, and nothing else.
    Answer answer = {magic, version, {}, {}};
    if (greeting.version != version) {
        state_ = State::other_version;
    } else {
        answer.nonce = mine_;
        answer.proof = proof(Role::listener);
    }
    say(&answer, sizeof answer);
}

void Channel::take_answer(const uint8_t *bytes) {
    const auto answer = read<Answer>(bytes);
    theirs_ = answer.nonce;
    if (answer.magic != magic) {
        state_ = State::no_rank;
    } else if (answer.version != version) {
        state_ = State::other_version;
    } else if (!equal_in_constant_time(answer.proof, proof(Role::listener))) {
        state_ = State::wrong_secret;
        const Proof none{}; // says why we part, and nothing else
        say(&none, sizeof none);
    } else {
        const Proof mine = {proof(Role::caller)};
        say(&mine, sizeof mine);
        open();
    }
}

void Channel::take_proof(const uint8_t *bytes) {
    if (equal_in_constant_time(read<Proof>(bytes).proof, proof(Role::caller))) {
        open();
    } else {
        state_ = State::wrong_secret;
    }
}

void Channel::take_frame(const uint8_t *bytes) {
    const auto header = read<Header>(bytes);
    const uint8_t *body = bytes + sizeof header;
    const Role from = role_ == Role::caller ? Role::listener : Role::caller;
    if (!equal_in_constant_time(read<Hash>(body + header.bytes), tag(from, received_++, header, body))) {
        state_ = State::forged;
    } else {
        frames_.push_back({header.kind, std::vector<uint8_t>(body, body + header.bytes)});
    }
}

bool Channel::take(Frame &frame) {
    if (frames_.empty()) {
        return false;
    }
    frame = std::move(frames_.front());
    frames_.pop_front();
    return true;
}

void Channel::send(FrameKind kind, const void *body, size_t bytes) {
    const Header header = {kind, static_cast<uint32_t>(bytes)};
    const Hash end = tag(role_, sent_++, header, body);
    say(&header, sizeof header);
    say(body, bytes);
    say(end.data(), end.size());
}

} // namespace xcoll
