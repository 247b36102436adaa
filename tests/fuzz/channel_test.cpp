// What two ranks say to each other over TCP: anybody may call, and say anything in portions of any size.
#include "fuzz/target.h"

#include <algorithm>
#include <utility>

#include "boot/channel.h"

namespace xcoll::fuzz {

namespace {

const Key secret(own_crypto(), Hash{});

void take_all(Channel &channel) {
    for (Frame frame; channel.take(frame);) {
        must(frame.body.size() <= Channel::frame_limit, "a frame is no larger than frames may be");
    }
}

void say(Channel &to, std::string_view bytes, size_t portion) {
    while (!bytes.empty()) {
        const size_t part = std::min(portion, bytes.size());
        to.receive(reinterpret_cast<const uint8_t *>(bytes.data()), part);
        bytes.remove_prefix(part);
        take_all(to);
    }
}

void hand_over(Channel &from, Channel &to) {
    const std::vector<uint8_t> bytes = std::exchange(from.outgoing(), {});
    to.receive(bytes.data(), bytes.size());
}

// Nobody without the secret gets in.
void as_a_stranger(Channel::Role role, std::string_view bytes, size_t portion) {
    Channel channel(role, secret);
    say(channel, bytes, portion);
    must(channel.state() != Channel::State::open, "only who knows the secret is let in");
    must(channel.outgoing().size() < 256, "a stranger is told little");
}

// Nobody who breaks into an open connection is believed.
void as_an_intruder(std::string_view bytes, size_t portion) {
    Channel caller(Channel::Role::caller, secret), listener(Channel::Role::listener, secret);
    hand_over(caller, listener);
    hand_over(listener, caller);
    hand_over(caller, listener);
    must(listener.state() == Channel::State::open && caller.state() == Channel::State::open, "two ranks meet");
    listener.receive(reinterpret_cast<const uint8_t *>(bytes.data()), 0);
    while (!bytes.empty()) {
        const size_t part = std::min(portion, bytes.size());
        listener.receive(reinterpret_cast<const uint8_t *>(bytes.data()), part);
        bytes.remove_prefix(part);
        Frame frame;
        must(!listener.take(frame), "a frame that its sender did not sign is none");
    }
}

} // namespace

// Its first byte: the size of portions.
void feed(std::string_view input) {
    if (input.empty()) {
        return;
    }
    const size_t portion = static_cast<uint8_t>(input[0]) + size_t{1};
    input.remove_prefix(1);
    as_a_stranger(Channel::Role::listener, input, portion);
    as_a_stranger(Channel::Role::caller, input, portion);
    as_an_intruder(input, portion);
}

std::vector<std::string> seeds() {
    std::vector<std::string> all = {std::string("\x10GET / HTTP/1.1\r\nHost: here\r\n\r\n")};
    Channel caller(Channel::Role::caller, secret), listener(Channel::Role::listener, secret);
    const auto add = [&](Channel &from, Channel &to) {
        const std::vector<uint8_t> said = from.outgoing();
        for (const char portion : {'\0', '\6', '\x7f'}) {
            all.push_back(portion + std::string(said.begin(), said.end()));
        }
        hand_over(from, to);
    };
    add(caller, listener);
    add(listener, caller);
    add(caller, listener);
    caller.send(FrameKind::block, "some bytes", 10);
    add(caller, listener);
    return all;
}

} // namespace xcoll::fuzz
