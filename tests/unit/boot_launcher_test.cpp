// Ranks under a launcher: processes that find each other over inherited sockets.
#include "cmocka_cpp.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <netinet/in.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "boot/boot.h"
// The launcher is no part of the library.
#include "tools/xcollrun/hub.cpp"

using namespace xcoll;
using launcher::Header;
using launcher::Hub;

namespace {

struct Pair {
    Pair() {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        ours = Descriptor(ends[0]);
        theirs = Descriptor(ends[1]);
    }
    Descriptor ours, theirs;
};

void set_control(int descriptor, int rank, int size) {
    setenv(launcher::control_variable, std::to_string(descriptor).c_str(), 1);
    setenv(launcher::rank_variable, std::to_string(rank).c_str(), 1);
    setenv(launcher::size_variable, std::to_string(size).c_str(), 1);
}

void clear_control() {
    unsetenv(launcher::control_variable);
    unsetenv(launcher::rank_variable);
    unsetenv(launcher::size_variable);
}

void serve_once(Hub &hub, int size) {
    std::vector<pollfd> entries;
    for (int rank = 0; rank < size; ++rank) {
        entries.push_back(hub.poll_entry(rank));
    }
    poll(entries.data(), entries.size(), hub.stalled() ? 1 : 20);
    hub.retry();
    for (int rank = 0; rank < size; ++rank) {
        if (entries[static_cast<size_t>(rank)].revents != 0) {
            hub.serve(rank, entries[static_cast<size_t>(rank)].revents);
        }
    }
}

// Forks ranks, serves them until all have ended and checks that each returned 0. `body` says what is wrong, if
// anything. A rank in trouble ends the job, as it does in xcollrun.
std::string run(int size, const std::function<std::string(int rank)> &body) {
    std::vector<Descriptor> controls;
    std::vector<pid_t> pids;
    for (int rank = 0; rank < size; ++rank) {
        Pair pair;
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            controls.clear();
            pair.ours.reset();
            set_control(pair.theirs.get(), rank, size);
            std::string wrong;
            try {
                wrong = body(rank);
            } catch (const Failure &failure) {
                wrong = failure.message();
            }
            if (!wrong.empty()) {
                std::fprintf(stderr, "rank %d: %s\n", rank, wrong.c_str());
            }
            _exit(wrong.empty() ? 0 : 1);
        }
        pids.push_back(pid);
        controls.push_back(std::move(pair.ours));
    }
    Hub hub(std::move(controls));
    std::string trouble;
    for (size_t left = pids.size(); left > 0;) {
        serve_once(hub, size);
        const auto deserter = hub.deserter();
        if (trouble.empty() && (hub.trouble() || deserter)) {
            const auto &cause = hub.trouble() ? *hub.trouble() : *deserter;
            trouble = "rank " + std::to_string(cause.rank) + " " + cause.text;
            hub.end(trouble);
        }
        int status;
        while (left > 0 && waitpid(-1, &status, WNOHANG) > 0) {
            --left;
            assert_int_equal(status, 0);
        }
    }
    return trouble;
}

std::string gather(Bootstrap &boot, size_t bytes) {
    const std::vector<char> mine(bytes, static_cast<char>(boot.rank() + 1));
    std::vector<char> all(bytes * static_cast<size_t>(boot.size()));
    boot.allgather(mine.data(), all.data(), bytes);
    for (size_t i = 0; i < all.size(); ++i) {
        if (all[i] != static_cast<char>(i / bytes + 1)) {
            return "wrong byte " + std::to_string(i) + " of " + std::to_string(bytes) + " a rank";
        }
    }
    return "";
}

std::string swap_files(Bootstrap &boot, const std::vector<int> &peers) {
    const Descriptor mine(memfd_create("rank", MFD_CLOEXEC));
    if (ftruncate(mine.get(), boot.rank() + 1) != 0) {
        return "no file";
    }
    std::vector<Descriptor> files(peers.size());
    size_t count = 0;
    boot.exchange_descriptors(mine.get(), peers, [&](size_t place, Descriptor theirs) {
        files[place] = std::move(theirs);
        ++count;
    });
    std::string wrong = count == peers.size() ? "" : "wrong number of descriptors";
    for (size_t i = 0; i < files.size(); ++i) {
        struct stat status {};
        if (fstat(files[i].get(), &status) != 0 || status.st_size != peers[i] + 1) {
            wrong += " wrong file of rank " + std::to_string(peers[i]);
        }
        if (files[i].get() == mine.get() || (fcntl(files[i].get(), F_GETFD) & FD_CLOEXEC) == 0) {
            wrong += " not a duplicate that is closed on exec";
        }
    }
    return wrong;
}

std::vector<int> every(int size, int step = 1, int first = 0) {
    std::vector<int> ranks;
    for (int rank = first; rank < size; rank += step) {
        ranks.push_back(rank);
    }
    return ranks;
}

std::string failure_of(const std::function<void()> &body) {
    try {
        body();
    } catch (const Failure &failure) {
        return std::string(result_name(failure.result())) + ": " + failure.message();
    }
    return "no failure";
}

void assert_contains(const std::string &text, const char *part) {
    if (text.find(part) == std::string::npos) {
        print_error("\"%s\" does not contain \"%s\"\n", text.c_str(), part);
    }
    assert_true(text.find(part) != std::string::npos);
}

// ----------------------------------------------------------------------------------------------- what works

void ranks_gather_blocks_of_any_size(void **) {
    for (const int size : {1, 2, 3, 8}) {
        assert_string_equal(run(size,
                                [](int) {
                                    const auto boot = boot_launcher();
                                    std::string wrong;
                                    for (const size_t bytes : {0U, 1U, 8U, 1000U, 32768U, 32769U, 300000U}) {
                                        wrong += gather(*boot, bytes);
                                    }
                                    return wrong;
                                })
                                .c_str(),
                            "");
    }
}

void ranks_know_who_they_are(void **) {
    assert_string_equal(run(3,
                            [](int rank) {
                                const auto boot = boot_launcher();
                                return boot->rank() == rank && boot->size() == 3 ? "" : "wrong rank or size";
                            })
                            .c_str(),
                        "");
}

void ranks_exchange_descriptors(void **) {
    for (const int size : {1, 2, 3, 8, 70}) { // 70: more than fit into one packet
        assert_string_equal(run(size, [size](int) { return swap_files(*boot_launcher(), every(size)); }).c_str(), "");
    }
}

void groups_exchange_side_by_side_and_some_ranks_not_at_all(void **) {
    assert_string_equal(run(8,
                            [](int rank) {
                                const int group = rank % 3;
                                return swap_files(*boot_launcher(),
                                                  group == 2 ? std::vector<int>() : every(8, 3, group));
                            })
                            .c_str(),
                        "");
}

void one_socket_serves_many_bootstraps(void **) {
    assert_string_equal(run(3,
                            [](int) {
                                std::string wrong;
                                for (int i = 0; i < 10; ++i) {
                                    const auto boot = boot_launcher();
                                    wrong += gather(*boot, 100) + swap_files(*boot, every(3));
                                }
                                return wrong;
                            })
                            .c_str(),
                        "");
}

// Contributes, and is killed before anyone answers.
void die_waiting() {
    const pid_t program = fork();
    if (program == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        gather(*boot_launcher(), 5);
        _exit(0);
    }
    usleep(20000); // it waits by then, most likely
    kill(program, SIGKILL);
    waitpid(program, nullptr, 0);
}

void a_program_takes_over_from_one_that_died_while_it_waited(void **) {
    int taken_over[2];
    assert_int_equal(pipe2(taken_over, O_CLOEXEC), 0);
    assert_string_equal(run(2,
                            [&](int rank) -> std::string {
                                char byte = 0;
                                if (rank == 1) {
                                    return read(taken_over[0], &byte, 1) == 1 ? gather(*boot_launcher(), 77) : "read";
                                }
                                die_waiting();
                                const auto boot = boot_launcher();
                                return write(taken_over[1], &byte, 1) == 1 ? gather(*boot, 77) : "write";
                            })
                            .c_str(),
                        "");
    close(taken_over[0]);
    close(taken_over[1]);
}

void programs_that_a_rank_starts_do_not_inherit_the_socket(void **) {
    assert_string_equal(run(1,
                            [](int) -> std::string {
                                const int control = std::atoi(std::getenv(launcher::control_variable));
                                fcntl(control, F_SETFD, 0);
                                const auto boot = boot_launcher();
                                return (fcntl(control, F_GETFD) & FD_CLOEXEC) != 0 ? "" : "inherited";
                            })
                            .c_str(),
                        "");
}

// ------------------------------------------------------------------------------------- what ends the job

void a_rank_that_leaves_is_missed(void **) {
    const std::string trouble = run(3, [](int rank) -> std::string {
        if (rank == 1) {
            return "";
        }
        const std::string failure = failure_of([] { gather(*boot_launcher(), 8); });
        return failure.find("rank 1 rank ") != std::string::npos ? "" : "got " + failure;
    });
    assert_contains(trouble, "xcoll_init");
}

void ranks_that_disagree_are_named(void **) {
    const std::string trouble = run(2, [](int rank) -> std::string {
        const std::string failure = failure_of([rank] { gather(*boot_launcher(), rank == 0 ? 8 : 16); });
        return failure.find("same calls") != std::string::npos ? "" : "got " + failure;
    });
    assert_contains(trouble, "of 8");
    assert_contains(trouble, "of 16");
    const std::string lists = run(2, [](int rank) -> std::string {
        const auto boot = boot_launcher();
        const std::string failure = failure_of([&] {
            swap_files(*boot, rank == 0 ? std::vector<int>{0, 1} : std::vector<int>{1});
        });
        return failure.find("does not exchange") != std::string::npos ? "" : "got " + failure;
    });
    assert_contains(lists, "rank 1");
}

// ----------------------------------------------------------------- sockets that are not what they are said to be

void without_a_launcher_there_is_no_bootstrap(void **) {
    clear_control();
    assert_null(boot_launcher().get());
}

void a_number_that_is_no_control_socket_is_refused(void **) {
    const auto failure_with = [](const std::string &number) {
        setenv(launcher::control_variable, number.c_str(), 1);
        const std::string failure = failure_of([] { boot_launcher(); });
        clear_control();
        assert_contains(failure, "XCOLL_ERR_BOOTSTRAP");
        assert_contains(failure, launcher::control_variable);
        return failure;
    };
    for (const char *text : {"", "x", "-1", "3x", "99999999999"}) {
        assert_contains(failure_with(text), "expected a number");
    }
    assert_contains(failure_with("1000000"), "not open");
    const Descriptor file(memfd_create("file", 0)), network(socket(AF_INET, SOCK_STREAM, 0));
    assert_contains(failure_with(std::to_string(file.get())), "not a socket to xcollrun");
    assert_contains(failure_with(std::to_string(network.get())), "not a socket to xcollrun");
    // A refused descriptor belongs to somebody else and stays as it was.
    assert_int_equal(fcntl(file.get(), F_GETFD), 0);
}

void an_answer_that_is_not_the_launchers_is_refused(void **) {
    Pair hung_up;
    set_control(hung_up.theirs.get(), 0, 1);
    hung_up.ours.reset();
    assert_contains(failure_of([] { boot_launcher(); }), "lost its connection");
    Pair noisy;
    set_control(noisy.theirs.get(), 0, 1);
    assert_true(send_packet(noisy.ours.get(), "hello", 5, nullptr, 0, nullptr, 0));
    assert_contains(failure_of([] { boot_launcher(); }), "xcollrun does not send");
    Pair newer;
    set_control(newer.theirs.get(), 0, 1);
    const Header header = {launcher::magic, launcher::version + 1, launcher::Kind::welcome, 0, 0, 0, 0};
    assert_true(send_packet(newer.ours.get(), &header, sizeof header, nullptr, 0, nullptr, 0));
    assert_contains(failure_of([] { boot_launcher(); }), "one installation");
    clear_control();
}

void a_changed_environment_is_noticed(void **) {
    assert_string_equal(run(2,
                            [](int) -> std::string {
                                setenv(launcher::rank_variable, "7", 1);
                                const std::string failure = failure_of([] { boot_launcher(); });
                                return failure.find("says rank 7") != std::string::npos ? "" : "got " + failure;
                            })
                            .c_str(),
                        "");
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(ranks_gather_blocks_of_any_size),
        cmocka_unit_test(ranks_know_who_they_are),
        cmocka_unit_test(ranks_exchange_descriptors),
        cmocka_unit_test(groups_exchange_side_by_side_and_some_ranks_not_at_all),
        cmocka_unit_test(one_socket_serves_many_bootstraps),
        cmocka_unit_test(a_program_takes_over_from_one_that_died_while_it_waited),
        cmocka_unit_test(programs_that_a_rank_starts_do_not_inherit_the_socket),
        cmocka_unit_test(a_rank_that_leaves_is_missed),
        cmocka_unit_test(ranks_that_disagree_are_named),
        cmocka_unit_test(without_a_launcher_there_is_no_bootstrap),
        cmocka_unit_test(a_number_that_is_no_control_socket_is_refused),
        cmocka_unit_test(an_answer_that_is_not_the_launchers_is_refused),
        cmocka_unit_test(a_changed_environment_is_noticed),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
