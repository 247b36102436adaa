// The UCX plug-in between processes of this machine, over TCP and its loopback.
// timeout: 300
#include "cmocka_cpp.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "built_plugins.h"
#include "fabric/net.h"
#include "run/runners.h"
#include "transport_ranks.h"

using namespace ranks;

namespace {

// Through the parent, over a socket for each rank.
class ParentBootstrap final : public Bootstrap {
public:
    ParentBootstrap(int rank, int size, int socket) : rank_(rank), size_(size), socket_(socket) {
    }
    int rank() const override {
        return rank_;
    }
    std::string how() const override {
        return "test";
    }
    int size() const override {
        return size_;
    }
    void allgather(const void *send, void *recv, size_t bytes) override {
        transfer(&bytes, sizeof bytes, true);
        transfer(const_cast<void *>(send), bytes, true);
        transfer(recv, bytes * static_cast<size_t>(size_), false);
    }
    void exchange_descriptors(int, const std::vector<int> &, const TakeDescriptor &) override {
    }
    void transfer(void *data, size_t bytes, bool out) const {
        for (size_t done = 0; done < bytes;) {
            char *at = static_cast<char *>(data) + done;
            const ssize_t moved = out ? write(socket_, at, bytes - done) : read(socket_, at, bytes - done);
            if (moved <= 0) {
                fail(XCOLL_ERR_BOOTSTRAP, "the parent is gone");
            }
            done += static_cast<size_t>(moved);
        }
    }

private:
    int rank_, size_, socket_;
};

class Driving : public Watch {
public:
    explicit Driving(Transport &transport) : transport_(transport) {
    }
    bool drive() override {
        return transport_.progress();
    }
    void check(const Until &, int64_t) override {
    }
    void sleep(const Until &until, int64_t nanoseconds) override {
        transport_.sleep(until, nanoseconds);
    }

private:
    Transport &transport_;
};

// One rank in its own process.
struct Rank {
    Rank(Bootstrap &boot, std::shared_ptr<Net> net_)
        : net(std::move(net_)), rank(boot.rank()), size(boot.size()), transport(net->open(0, rank, all())),
          watch(*transport), team{rank,    size, nullptr, transport.get(), one_group(size), kernels_for(Isa::plain),
                                  &scratch} {
    }
    std::vector<int> all() const {
        std::vector<int> ranks;
        for (int r = 0; r < size; ++r) {
            ranks.push_back(r);
        }
        return ranks;
    }
    void run(Algorithm algorithm, const Op &op) {
        Parking parking;
        TaskHome home{&frames, &parking};
        const Fingerprint call = fingerprint(op);
        Task task = algorithm(home, team, op, call, ++operation);
        run_to_end(task, parking, watch, driving(patience_crowded));
    }
    // What each rank says, by rank.
    std::vector<int32_t> words(int32_t mine) {
        std::vector<int32_t> all(static_cast<size_t>(size));
        Op op = plain(Kind::words);
        op.dtype = Dtype::int32;
        op.count = 1;
        op.send = &mine;
        op.recv = all.data();
        run(words_exchange, op);
        return all;
    }
    xcoll_result_t result(Algorithm algorithm, const Op &op, std::string *text = nullptr) {
        try {
            run(algorithm, op);
        } catch (const Failure &failure) {
            if (text) {
                *text = failure.message();
            }
            return failure.result();
        }
        return XCOLL_SUCCESS;
    }

    std::shared_ptr<Net> net;
    int rank, size;
    std::unique_ptr<Transport> transport;
    Driving watch;
    FramePool frames;
    ScratchPool scratch;
    Team team;
    uint64_t operation = 0;
};

// Ends the rank's process with a message unless the condition holds; cmocka is the parent's.
void demand(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "%s\n", what);
        _exit(1);
    }
}

// Runs `size` ranks as processes and hands their words around until all have ended. Fails if one does, but for those
// that are to die.
void run_processes(int size, const std::function<void(Rank &)> &body, int dying = -1) {
    std::vector<pid_t> children;
    std::vector<int> sockets;
    for (int r = 0; r < size; ++r) {
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
        const pid_t child = fork();
        if (child == 0) {
            for (const int other : sockets) {
                close(other);
            }
            close(pair[0]);
            setenv("UCX_TLS", "tcp", 1);
            int status = 0;
            try {
                ParentBootstrap boot(r, size, pair[1]);
                Rank rank(boot, Net::connect(boot, built::plugin_folder()));
                body(rank);
            } catch (const std::exception &error) {
                std::fprintf(stderr, "rank %d: %s\n", r, error.what());
                status = 1;
            }
            _exit(status);
        }
        close(pair[1]);
        children.push_back(child);
        sockets.push_back(pair[0]);
    }
    // Allgathers, until the ranks say no more.
    for (;;) {
        std::vector<char> table;
        size_t bytes = 0;
        bool over = false;
        for (const int socket : sockets) {
            over |= recv(socket, &bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes;
            const size_t before = table.size();
            table.resize(before + (over ? 0 : bytes));
            over |= !over && recv(socket, table.data() + before, bytes, MSG_WAITALL) != static_cast<ssize_t>(bytes);
        }
        if (over) {
            break;
        }
        for (const int socket : sockets) {
            assert_int_equal(send(socket, table.data(), table.size(), MSG_NOSIGNAL), table.size());
        }
    }
    for (int r = 0; r < size; ++r) {
        int status = 0;
        waitpid(children[static_cast<size_t>(r)], &status, 0);
        close(sockets[static_cast<size_t>(r)]);
        if (r != dying) {
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
        }
    }
}

void all_algorithms_at_all_sizes(void **) {
    for (const int size : {2, 3}) {
        run_processes(size, [](Rank &r) {
            const int sum_of_ranks = r.size * (r.size + 1) / 2;
            for (const size_t count :
                 {size_t{0}, size_t{1}, size_t{100}, size_t{3000}, size_t{70'001}, size_t{1} << 20}) {
                for (const Algorithm algorithm : {allreduce_ring, allreduce_doubling}) {
                    const std::vector<float> send(count, static_cast<float>(r.rank + 1));
                    std::vector<float> recv(count);
                    r.run(algorithm, allreduce(send.data(), recv.data(), count, Dtype::float32, Operator::sum));
                    demand(recv == std::vector<float>(count, static_cast<float>(sum_of_ranks)), "allreduce");
                }
                const int root = static_cast<int>(count % static_cast<size_t>(r.size));
                std::vector<int32_t> buffer(count, r.rank);
                r.run(bcast_tree, bcast(buffer.data(), count, Dtype::int32, root));
                demand(buffer == std::vector<int32_t>(count, root), "bcast");
                r.run(barrier_dissemination, plain(Kind::barrier));
            }
            const std::vector<int32_t> words = r.words(r.rank);
            for (int i = 0; i < r.size; ++i) {
                demand(words[static_cast<size_t>(i)] == i, "words");
            }
        });
    }
}

// What a rank sent last must arrive although it ends at once.
void a_rank_may_end_right_after_its_last_operation(void **) {
    for (int round = 0; round < 10; ++round) {
        run_processes(3, [](Rank &r) {
            std::vector<int32_t> buffer(50'000, r.rank);
            r.run(bcast_tree, bcast(buffer.data(), buffer.size(), Dtype::int32, 0));
            demand(buffer == std::vector<int32_t>(buffer.size(), 0), "bcast");
        });
    }
}

void a_mismatch_is_reported_and_harms_nothing_later(void **) {
    run_processes(2, [](Rank &r) {
        for (const size_t count : {size_t{10}, size_t{1} << 20}) {
            std::vector<float> send(count, 1), recv(count);
            const size_t mine = r.rank == 1 ? count - 1 : count;
            std::string text;
            const xcoll_result_t result = r.result(
                allreduce_ring, allreduce(send.data(), recv.data(), mine, Dtype::float32, Operator::sum), &text);
            demand(result == XCOLL_ERR_MISMATCH, "mismatch");
            demand(text.find("rank 0 called allreduce(sum, " + std::to_string(count) + " x float32)") !=
                       std::string::npos,
                   text.c_str());
            r.run(allreduce_doubling, allreduce(send.data(), recv.data(), count, Dtype::float32, Operator::sum));
            demand(recv == std::vector<float>(count, 2), "the operation after a mismatch");
        }
    });
}

// One rank is killed in the middle; the others wait for it, in a receive or amid long messages.
void the_death_of_a_peer_ends_the_wait(void **) {
    for (const size_t count : {size_t{1}, size_t{1} << 22}) {
        run_processes(
            3,
            [count](Rank &r) {
                std::vector<float> send(count, 1), recv(count);
                const Op op = allreduce(send.data(), recv.data(), count, Dtype::float32, Operator::sum);
                r.run(allreduce_ring, op);
                if (r.rank == 2) {
                    raise(SIGKILL);
                }
                std::string text;
                const xcoll_result_t result = r.result(allreduce_ring, op, &text);
                // Whoever waits for a survivor that has given up hears of it from that one.
                demand(result == XCOLL_ERR_PEER_DEAD || result == XCOLL_ERR_TRANSPORT || result == XCOLL_ERR_MISMATCH,
                       text.c_str());
                r.transport->cancel_all();
            },
            2);
    }
}

void a_farewell_reaches_a_rank_that_waits(void **) {
    run_processes(2, [](Rank &r) {
        char value = 0;
        const Op op = bcast(&value, 1, Dtype::int8, 1);
        r.run(barrier_dissemination, plain(Kind::barrier));
        if (r.rank == 1) {
            r.transport->say_farewell({XCOLL_ERR_TIMEOUT, "enough"});
            return;
        }
        std::string text;
        demand(r.result(bcast_tree, op, &text) == XCOLL_ERR_ABORTED, "farewell");
        demand(text.find("enough") != std::string::npos, text.c_str());
    });
}

// With an hour for a nap nobody may oversleep.
void a_rank_that_sleeps_is_woken_by_a_message(void **) {
    run_processes(2, [](Rank &r) {
        constexpr int64_t an_hour = 3'600'000'000'000;
        const Envelope envelope{1, fingerprint(plain(Kind::barrier))};
        r.transport->begin(envelope);
        for (int i = 0; i < 50; ++i) {
            for (const int from : {0, 1}) {
                const Ticket ticket = r.rank == from ? r.transport->send(1 - r.rank, envelope, nullptr, 0)
                                                     : r.transport->recv(1 - r.rank, envelope, nullptr, 0);
                while (!ticket.until().reached()) {
                    if (!r.transport->progress()) {
                        demand(r.transport->sleep(ticket.until(), an_hour), "sleep");
                    }
                }
                r.transport->finish(ticket);
            }
        }
        r.transport->end(envelope);
    });
}

// A rank that waits no longer has its buffer back, whatever a peer that was held up sends later.
void nothing_is_written_to_a_buffer_that_was_given_back(void **) {
    run_processes(2, [](Rank &r) {
        const auto pids = r.words(getpid());
        constexpr size_t bytes = size_t{64} << 20;
        std::vector<char> buffer(bytes, 'a');
        const Envelope envelope{++r.operation, fingerprint(plain(Kind::barrier))};
        r.transport->begin(envelope);
        if (r.rank == 0) {
            r.transport->send(1, envelope, buffer.data(), bytes);
            while (!r.transport->has_lost(1)) { // until the other has ended
                r.transport->progress();
            }
            _exit(0);
        }
        volatile char *first = buffer.data();
        *first = 'b';
        r.transport->recv(0, envelope, buffer.data(), bytes);
        while (*first == 'b') {
            r.transport->progress();
        }
        kill(pids[0], SIGSTOP);
        r.transport->break_off(envelope);
        std::fill(buffer.begin(), buffer.end(), 'c');
        kill(pids[0], SIGCONT);
        for (const int64_t end = now_ms() + 1'000; now_ms() < end;) {
            r.transport->progress();
        }
        demand(std::count(buffer.begin(), buffer.end(), 'a') == 0, "a buffer was written to after it was given back");
    });
}

} // namespace

int main() {
    if (!built::has_plugin("ucx")) {
        std::puts("the library was built without UCX");
        return 77;
    }
    const char *sanitizer = std::getenv("SANITIZER");
    if (sanitizer && std::strcmp(sanitizer, "thread") == 0) {
        std::puts("UCX and ThreadSanitizer both rewrite the functions that map memory");
        return 77;
    }
    const CMUnitTest tests[] = {
        cmocka_unit_test(all_algorithms_at_all_sizes),
        cmocka_unit_test(a_rank_may_end_right_after_its_last_operation),
        cmocka_unit_test(a_mismatch_is_reported_and_harms_nothing_later),
        cmocka_unit_test(the_death_of_a_peer_ends_the_wait),
        cmocka_unit_test(a_farewell_reaches_a_rank_that_waits),
        cmocka_unit_test(a_rank_that_sleeps_is_woken_by_a_message),
        cmocka_unit_test(nothing_is_written_to_a_buffer_that_was_given_back),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
