// Strangers where ranks meet: port scanners, silence, noise, half messages, what was overheard. The ranks meet all the
// same, and no stranger keeps them.
#include "boot_meeting_ranks.h"

#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "boot/channel.h"
#include "boot/words.h"

using namespace meeting_ranks;

namespace {

using Sockets = std::vector<Descriptor>;

// Ranks meet while `strangers` are connected to where they do. The strangers have come first.
void meet_among(const std::function<Sockets(const xcoll_unique_id_t &)> &strangers, int size = 4) {
    OwnIds own;
    const auto ids = make_ids(own, 1);
    const Sockets sockets = strangers(ids[0]);
    assert_false(sockets.empty());
    assert_all_well(run(own, seats_of(size, ids), [](Bootstrap &boot) { return gather(boot, 1000); }));
}

void say(const Descriptor &socket, const void *data, size_t bytes) {
    send(socket.get(), data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT); // the other side may have hung up, as it should
}

void port_scanners_and_silence_keep_nobody(void **) {
    meet_among([](const xcoll_unique_id_t &id) {
        Sockets sockets;
        for (int i = 0; i < 20; ++i) {
            sockets.push_back(call(id));
            if (i % 3 == 1) {
                shutdown(sockets.back().get(), SHUT_RDWR);
            }
            if (i % 3 == 2) {
                sockets.back().reset();
            }
        }
        return sockets;
    });
}

// More than are let in at a time, and fewer than any kernel lets wait.
void a_crowd_of_silent_strangers_does_not_keep_ranks_out(void **) {
    meet_among([](const xcoll_unique_id_t &id) {
        Sockets sockets;
        for (int i = 0; i < 100; ++i) {
            sockets.push_back(call(id));
        }
        return sockets;
    });
}

void noise_of_every_length_keeps_nobody(void **) {
    meet_among([](const xcoll_unique_id_t &id) {
        std::mt19937 random(1);
        Sockets sockets;
        for (size_t bytes = 1; bytes < 30'000; bytes = bytes * 5 / 3 + 1) {
            std::vector<uint8_t> noise(bytes);
            for (uint8_t &byte : noise) {
                byte = static_cast<uint8_t>(random());
            }
            sockets.push_back(call(id));
            say(sockets.back(), noise.data(), bytes);
        }
        return sockets;
    });
}

// They are in another process, but the sockets that they are connected to are in ours.
void strangers_do_not_use_up_the_descriptors(void **) {
    OwnIds own;
    const auto ids = make_ids(own, 1);
    int ready[2];
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    const pid_t stranger = fork();
    if (stranger == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        Sockets sockets;
        for (int i = 0; i < 100; ++i) {
            sockets.push_back(call(ids[0]));
        }
        close(ready[0]);
        close(ready[1]);
        pause();
    }
    close(ready[1]);
    char end;
    assert_int_equal(read(ready[0], &end, 1), 0); // they are all connected
    close(ready[0]);
    rlimit usual;
    getrlimit(RLIMIT_NOFILE, &usual);
    const rlimit few = {64, usual.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    const auto said = run(own, seats_of(4, ids), [](Bootstrap &boot) { return gather(boot, 10); });
    setrlimit(RLIMIT_NOFILE, &usual);
    kill(stranger, SIGKILL);
    waitpid(stranger, nullptr, 0);
    assert_all_well(said);
}

// As of a rank that has stopped in the middle of any of its words.
void half_messages_keep_nobody(void **) {
    meet_among([](const xcoll_unique_id_t &id) {
        Sockets sockets;
        for (const size_t bytes : std::initializer_list<size_t>{1, 4, 8, 20, 39, 40}) {
            Channel stranger(Channel::Role::caller, Key(own_crypto(), Hash{}));
            sockets.push_back(call(id));
            say(sockets.back(), stranger.outgoing().data(), bytes);
        }
        return sockets;
    });
}

// Everything that a rank says, from its greeting to its join, said again to the next meeting at the same secret.
void what_was_overheard_lets_nobody_in(void **) {
    OwnIds own;
    const auto ids = make_ids(own, 1);
    const Hash secret = read_id(ids[0], "id").secret;
    const Key key(own_crypto(), Sha256().add(secret.data(), secret.size()).finish());
    Channel caller(Channel::Role::caller, key), listener(Channel::Role::listener, key);
    std::vector<uint8_t> overheard;
    const auto hand_on = [&](Channel &from, Channel &to) {
        const std::vector<uint8_t> bytes = std::exchange(from.outgoing(), {});
        to.receive(bytes.data(), bytes.size());
        if (&from == &caller) {
            overheard.insert(overheard.end(), bytes.begin(), bytes.end());
        }
    };
    hand_on(caller, listener);
    hand_on(listener, caller);
    JoinWord join{};
    join.rank = 1;
    join.size = 3;
    join.hosts = 1;
    join.contact = Contact::at(1, {{4, {127, 0, 0, 1}}});
    caller.send(FrameKind::join, &join, sizeof join);
    hand_on(caller, listener);
    assert_true(listener.state() == Channel::State::open); // else this proves nothing
    const Descriptor stranger = call(ids[0]);
    say(stranger, overheard.data(), overheard.size());
    assert_all_well(run(own, seats_of(3, ids), [](Bootstrap &boot) { return gather(boot, 10); }));
}

// A rank of another job that has been told a wrong port.
void who_has_no_business_here_is_sent_away(void **) {
    OwnIds own, others;
    const auto ids = make_ids(own, 1), wrong = make_ids(others, 1);
    UniqueId mixed = read_id(ids[0], "id");
    mixed.secret = read_id(wrong[0], "id").secret;
    std::vector<std::string> said;
    OwnIds nothing;
    std::thread stray([&] {
        said = run(nothing, {{1, 2, {write_id(mixed)}}}, [](Bootstrap &) { return std::string("all was well"); });
    });
    assert_all_well(run(own, seats_of(3, ids), [&](Bootstrap &boot) {
        if (boot.rank() == 0) {
            stray.join();
        }
        return gather(boot, 10);
    }));
    // It came while they met, or when they had done so.
    assert_all_say(said, {"rank 1 of 2 cannot join the others: 127.0.0.1:"});
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(port_scanners_and_silence_keep_nobody),
        cmocka_unit_test(a_crowd_of_silent_strangers_does_not_keep_ranks_out),
        cmocka_unit_test(noise_of_every_length_keeps_nobody),
        cmocka_unit_test(strangers_do_not_use_up_the_descriptors),
        cmocka_unit_test(half_messages_keep_nobody),
        cmocka_unit_test(what_was_overheard_lets_nobody_in),
        cmocka_unit_test(who_has_no_business_here_is_sent_away),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
