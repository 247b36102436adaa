// How two ranks come to trust each other, and that nobody else gets in: without sockets, byte by byte.
#include "cmocka_cpp.h"

#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "boot/channel.h"

using namespace xcoll;
using Role = Channel::Role;
using State = Channel::State;
using Bytes = std::vector<uint8_t>;

namespace {

Key key_of(const std::string &text) {
    return Key(own_crypto(), Sha256().add(text.data(), text.size()).finish());
}

Bytes take_output(Channel &channel) {
    return std::exchange(channel.outgoing(), {});
}

// Hands on what one says to the other; returns it too. `portion`: bytes at a time.
Bytes hand_on(Channel &from, Channel &to, size_t portion = 1000) {
    Bytes bytes = take_output(from);
    for (size_t i = 0; i < bytes.size(); i += portion) {
        to.receive(bytes.data() + i, std::min(portion, bytes.size() - i));
    }
    return bytes;
}

struct Pair {
    explicit Pair(const std::string &callers = "secret", const std::string &listeners = "secret", size_t portion = 1000)
        : caller(Role::caller, key_of(callers)), listener(Role::listener, key_of(listeners)) {
        greeting = hand_on(caller, listener, portion);
        answer = hand_on(listener, caller, portion);
        proof = hand_on(caller, listener, portion);
    }
    Channel caller, listener;
    Bytes greeting, answer, proof;
};

std::string text_of(const Frame &frame) {
    return std::string(frame.body.begin(), frame.body.end());
}

void say(Channel &channel, const std::string &text) {
    channel.send(FrameKind::block, text.data(), text.size());
}

void two_with_one_secret_can_talk(void **) {
    for (const size_t portion : {size_t{1}, size_t{7}, size_t{40}, size_t{1000}}) {
        Pair pair("secret", "secret", portion);
        assert_true(pair.caller.state() == State::open && pair.listener.state() == State::open);
        Frame frame;
        for (const std::string &text : {std::string("hello"), std::string(), std::string(Channel::frame_limit, 'x')}) {
            say(pair.caller, text);
            say(pair.listener, text + "back");
            if (text.size() == Channel::frame_limit) {
                take_output(pair.listener); // too long
            }
            hand_on(pair.caller, pair.listener, std::max<size_t>(portion, 7));
            hand_on(pair.listener, pair.caller, std::max<size_t>(portion, 7));
            assert_true(pair.listener.take(frame) && text_of(frame) == text);
            assert_false(pair.listener.take(frame));
            if (text.size() < Channel::frame_limit) {
                assert_true(pair.caller.take(frame) && text_of(frame) == text + "back");
            }
        }
    }
}

void another_secret_opens_nothing_on_either_side(void **) {
    Pair pair("secret", "other");
    assert_true(pair.caller.state() == State::wrong_secret);
    assert_true(pair.listener.state() == State::wrong_secret);
}

// A caller without the secret learns nothing from what it has heard on another connection.
void what_was_said_once_opens_nothing_again(void **) {
    Pair earlier;
    say(earlier.caller, "join");
    const Bytes joined = take_output(earlier.caller);
    Channel listener(Role::listener, key_of("secret"));
    for (const Bytes *bytes :
         {static_cast<const Bytes *>(&earlier.greeting), static_cast<const Bytes *>(&earlier.proof), &joined}) {
        listener.receive(bytes->data(), bytes->size());
    }
    assert_true(listener.state() == State::wrong_secret);
    Channel caller(Role::caller, key_of("secret"));
    caller.receive(earlier.answer.data(), earlier.answer.size());
    assert_true(caller.state() == State::wrong_secret);
}

// A listener that hands a caller's own words back to it.
void a_mirror_proves_nothing(void **) {
    Channel one(Role::caller, key_of("secret")), listener(Role::listener, key_of("secret"));
    Bytes greeting = take_output(one);
    Bytes mirrored = greeting;
    mirrored.insert(mirrored.end(), greeting.end() - 32, greeting.end());
    one.receive(mirrored.data(), mirrored.size());
    assert_true(one.state() == State::wrong_secret);
    // The listener's own proof is not the caller's.
    listener.receive(greeting.data(), greeting.size());
    const Bytes answer = take_output(listener);
    listener.receive(answer.data() + answer.size() - 32, 32);
    assert_true(listener.state() == State::wrong_secret);
}

void a_frame_said_twice_or_out_of_order_is_forged(void **) {
    for (const bool twice : {true, false}) {
        Pair pair;
        say(pair.caller, "first");
        const Bytes first = take_output(pair.caller);
        say(pair.caller, "second");
        const Bytes second = take_output(pair.caller);
        pair.listener.receive((twice ? first : second).data(), (twice ? first : second).size());
        pair.listener.receive(first.data(), first.size());
        assert_true(pair.listener.state() == State::forged);
    }
    // Nor does it come back to the one who said it.
    Pair pair;
    say(pair.caller, "mine");
    const Bytes mine = take_output(pair.caller);
    pair.caller.receive(mine.data(), mine.size());
    assert_true(pair.caller.state() == State::forged);
}

void lengths_beyond_the_limit_are_refused_before_memory_is_taken(void **) {
    Pair pair;
    const uint32_t header[2] = {static_cast<uint32_t>(FrameKind::block), 0xffffffff};
    pair.listener.receive(reinterpret_cast<const uint8_t *>(header), sizeof header);
    assert_true(pair.listener.state() == State::forged);
}

void who_speaks_another_protocol_is_known_by_its_first_bytes(void **) {
    Channel listener(Role::listener, key_of("secret"));
    const std::string request = "GET / HTTP/1.0\r\n\r\n";
    listener.receive(reinterpret_cast<const uint8_t *>(request.data()), request.size());
    assert_true(listener.state() == State::no_rank);
    assert_true(listener.outgoing().empty());
    Channel caller(Role::caller, key_of("secret"));
    const std::string banner = "SSH-2.0";
    caller.receive(reinterpret_cast<const uint8_t *>(banner.data()), banner.size());
    assert_true(caller.state() == State::no_rank);
}

void another_version_is_told_ours(void **) {
    Channel caller(Role::caller, key_of("secret")), listener(Role::listener, key_of("secret"));
    Bytes greeting = take_output(caller);
    greeting[4] = 99;
    listener.receive(greeting.data(), greeting.size());
    assert_true(listener.state() == State::other_version);
    Bytes answer = take_output(listener);
    assert_int_equal(answer[4], 2);
    answer[4] = 98;
    caller.receive(answer.data(), answer.size());
    assert_true(caller.state() == State::other_version);
}

// Whatever arrives, in whatever portions: no crash, no open door, no memory beyond a frame. Fixed seeds.
void noise_opens_nothing(void **) {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
        Channel caller(Role::caller, key_of("secret")), listener(Role::listener, key_of("secret"));
        Bytes whole = hand_on(caller, listener);
        // A good greeting with some bytes changed, or only noise; then more noise.
        const Bytes answer = take_output(listener);
        Channel victim(below(2) ? Role::listener : Role::caller, key_of("secret"));
        Bytes noise = below(2) ? whole : answer;
        for (size_t i = below(4); i > 0; --i) {
            noise[below(noise.size())] = static_cast<uint8_t>(below(256));
        }
        for (size_t i = below(300); i > 0; --i) {
            noise.push_back(static_cast<uint8_t>(below(256)));
        }
        for (size_t at = 0; at < noise.size();) {
            const size_t portion = std::min(noise.size() - at, 1 + below(50));
            victim.receive(noise.data() + at, portion);
            at += portion;
        }
        assert_true(victim.state() != State::open);
        assert_true(victim.outgoing().size() <= 200);
    }
}

// One changed byte anywhere in a stream of frames is noticed, and nothing of that frame is believed.
void every_changed_byte_of_a_frame_is_noticed(void **) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        std::mt19937 random(seed);
        Pair pair;
        const std::string text(random() % 100, 'x');
        say(pair.caller, text);
        say(pair.caller, text);
        Bytes bytes = take_output(pair.caller);
        const size_t at = random() % bytes.size();
        bytes[at] = static_cast<uint8_t>(bytes[at] ^ (1 << random() % 8));
        pair.listener.receive(bytes.data(), bytes.size());
        Frame frame;
        int believed = 0;
        while (pair.listener.take(frame)) {
            assert_true(text_of(frame) == text && frame.kind == FrameKind::block);
            ++believed;
        }
        // A longer length makes it wait for more; whatever comes then does not fit.
        if (pair.listener.state() == State::open) {
            const Bytes more(Channel::frame_limit + 100, 0);
            pair.listener.receive(more.data(), more.size());
        }
        assert_true(pair.listener.state() == State::forged);
        assert_true(believed <= (at < bytes.size() / 2 ? 0 : 1));
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(two_with_one_secret_can_talk),
        cmocka_unit_test(another_secret_opens_nothing_on_either_side),
        cmocka_unit_test(what_was_said_once_opens_nothing_again),
        cmocka_unit_test(a_mirror_proves_nothing),
        cmocka_unit_test(a_frame_said_twice_or_out_of_order_is_forged),
        cmocka_unit_test(lengths_beyond_the_limit_are_refused_before_memory_is_taken),
        cmocka_unit_test(who_speaks_another_protocol_is_known_by_its_first_bytes),
        cmocka_unit_test(another_version_is_told_ours),
        cmocka_unit_test(noise_opens_nothing),
        cmocka_unit_test(every_changed_byte_of_a_frame_is_noticed),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
