// Messages of users between threads: for ThreadSanitizer, which sees a buffer that is read and written at once, and for
// wake-ups that get lost.
#include "post_ranks.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/task.h"

using namespace post_ranks;

namespace {

constexpr int64_t a_minute = 60'000'000'000;

void wait(Post &post, const Post::Ticket &ticket) {
    while (!Post::is_over(ticket)) {
        if (!post.advance(ticket) && !post.progress()) {
            std::this_thread::yield();
        }
    }
    post.finish(ticket);
}

template <class Work> void on_threads(int ranks, Work work) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back(work, rank);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}

// Every rank with every rank, all ways at once, in changing sizes and with buffers that are written anew each round; in
// some rounds the tag alone says who sent a message.
void threads_exchange_messages_of_all_sizes(void **) {
    constexpr int ranks = 3, rounds = 40;
    for (const Kinship kinship : {Kinship::together, Kinship::apart}) {
        Ranks r(ranks, kinship, size_t{1} << 20);
        std::atomic<int> wrong{0};
        on_threads(ranks, [&](int me) {
            std::vector<std::vector<char>> data(ranks), got(ranks);
            for (int round = 0; round < rounds; ++round) {
                std::vector<Post::Ticket> tickets;
                const size_t bytes = static_cast<size_t>(round * round) * 37;
                for (int from = 0; from < ranks; ++from) {
                    std::vector<char> &room = got[static_cast<size_t>(from)];
                    room.assign(bytes, 'x');
                    tickets.push_back(
                        r[me].recv(round % 4 == 1 ? any_source : from, round * ranks + from, room.data(), bytes));
                }
                for (int to = 0; to < ranks; ++to) {
                    std::vector<char> &message = data[static_cast<size_t>(to)];
                    message = pattern(bytes, me * 100 + to + round);
                    tickets.push_back(r[me].send(to, round * ranks + me, message.data(), bytes));
                }
                for (const Post::Ticket &ticket : tickets) {
                    wait(r[me], ticket);
                }
                for (int from = 0; from < ranks; ++from) {
                    wrong += got[static_cast<size_t>(from)] != pattern(bytes, from * 100 + me + round);
                }
            }
        });
        assert_int_equal(wrong.load(), 0);
    }
}

// Many small ones, faster than they are taken, so that lines, the ring and the credit come round again and again, and
// the sender is at the receiver's heels.
void threads_stream_small_messages(void **) {
    constexpr int messages = 20000;
    std::vector<std::vector<char>> data;
    for (const int bytes : {1, 0, 104, 2048, 2048, 200, 2048, 3000, 2048, 5000}) {
        data.push_back(pattern(static_cast<size_t>(bytes), static_cast<int>(data.size())));
    }
    const size_t within_lines = 3; // of them; with the others the ring is full before the lines are
    for (const size_t kinds : {within_lines, data.size()}) {
        Ranks r(2, Kinship::apart, 0);
        std::atomic<int> wrong{0};
        on_threads(2, [&](int me) {
            std::vector<char> got(5000);
            for (int i = 0; i < messages; ++i) {
                const std::vector<char> &one = data[static_cast<size_t>(i) % kinds];
                if (me == 0) {
                    wait(r[0], r[0].send(1, i % 2, one.data(), one.size()));
                } else {
                    wait(r[1], r[1].recv(0, any_tag, got.data(), got.size()));
                    wrong += !std::equal(one.begin(), one.end(), got.begin());
                }
            }
        });
        assert_int_equal(wrong.load(), 0);
    }
}

// Both ways at once, now more one way and now more the other, so that blocks are kept, go home with a message, and are
// given back: with few of them and with many.
void threads_hand_blocks_to_and_fro(void **) {
    constexpr int ranks = 2, rounds = 150, most_messages = 12;
    static constexpr size_t sizes[] = {200, 2048, 3000, 16384, 0, 30000, 105, 9000};
    for (const size_t budget : {size_t{1} << 20, size_t{64} << 20}) {
        Ranks r(ranks, Kinship::apart, budget);
        std::atomic<int> wrong{0};
        const auto messages_of = [](int rank, int round) { return 1 + (round * (3 + 4 * rank)) % most_messages; };
        const auto message = [](int rank, int round, int i) {
            return pattern(sizes[static_cast<size_t>(round + 3 * i + rank) % std::size(sizes)], round + 31 * i + rank);
        };
        on_threads(ranks, [&](int me) {
            for (int round = 0; round < rounds; ++round) {
                std::vector<std::vector<char>> out, in;
                std::vector<Post::Ticket> tickets;
                for (int i = 0; i < messages_of(me, round); ++i) {
                    out.push_back(message(me, round, i));
                    tickets.push_back(r[me].send(1 - me, 1, out.back().data(), out.back().size()));
                }
                for (int i = 0; i < messages_of(1 - me, round); ++i) {
                    in.emplace_back(message(1 - me, round, i).size());
                    tickets.push_back(r[me].recv(1 - me, 1, in.back().data(), in.back().size()));
                }
                for (const Post::Ticket &ticket : tickets) {
                    wait(r[me], ticket);
                }
                for (size_t i = 0; i < in.size(); ++i) {
                    wrong += in[i] != message(1 - me, round, static_cast<int>(i));
                }
            }
        });
        assert_int_equal(wrong.load(), 0);
    }
}

void sleep_until(Post &post, const Post::Ticket &ticket) {
    while (!Post::is_over(ticket)) {
        if (!post.progress()) {
            assert_true(post.sleep(post.until(ticket), a_minute));
        }
    }
    post.finish(ticket);
}

void a_thread_that_sleeps_for_a_message_is_woken(void **) {
    for (const size_t bytes : {size_t{1}, post_letter + 1}) {
        Ranks r(2);
        constexpr int rounds = 100;
        on_threads(2, [&](int me) {
            std::vector<char> data(bytes);
            for (int i = 0; i < rounds; ++i) {
                const int source = i % 2 ? any_source : 1 - me;
                if (me == i % 2) {
                    sleep_until(r[me], r[me].send(1 - me, 1, data.data(), bytes));
                } else {
                    sleep_until(r[me], r[me].recv(source, 1, data.data(), bytes));
                }
            }
        });
        Signal foreign;
        assert_false(r[0].sleep({&foreign, 1, 0}, a_minute));
    }
}

void a_thread_that_sleeps_for_room_is_woken(void **) {
    Ranks r(2);
    constexpr int messages = 2000;
    on_threads(2, [&](int me) {
        std::vector<char> data(1000);
        for (int i = 0; i < messages; ++i) {
            sleep_until(r[me], me == 0 ? r[0].send(1, 1, data.data(), data.size())
                                       : r[1].recv(0, 1, data.data(), data.size()));
        }
    });
}

// The receiver may be reading the very buffer that its sender takes back and writes.
void a_buffer_that_is_taken_back_is_not_read_any_more(void **) {
    constexpr size_t bytes = size_t{2} << 20;
    std::vector<char> data(bytes), got(bytes);
    for (int round = 0; round < 60; ++round) {
        Ranks r(2, Kinship::together);
        r[0].send(1, 1, data.data(), bytes);
        std::atomic<bool> reading{false}, over{false};
        std::thread receiver([&] {
            reading = true;
            const Post::Ticket in = r[1].recv(0, 1, got.data(), bytes);
            while (!over && !Post::is_over(in)) {
                r[1].progress();
            }
        });
        while (!reading) {
        }
        for (int i = 0; i < round * 20; ++i) {
            cpu_relax();
        }
        r[0].cancel_all();
        std::fill(data.begin(), data.end(), static_cast<char>(round));
        over = true;
        receiver.join();
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(threads_exchange_messages_of_all_sizes),
        cmocka_unit_test(threads_stream_small_messages),
        cmocka_unit_test(threads_hand_blocks_to_and_fro),
        cmocka_unit_test(a_thread_that_sleeps_for_a_message_is_woken),
        cmocka_unit_test(a_thread_that_sleeps_for_room_is_woken),
        cmocka_unit_test(a_buffer_that_is_taken_back_is_not_read_any_more),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
