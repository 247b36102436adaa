// Ranks that find each other through an allgather of the caller, here threads of one process.
#include "cmocka_cpp.h"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "base/error.h"
#include "boot/boot.h"
#include "boot/packet.h"

using namespace xcoll;

namespace {

// What the threads share, and what the allgather function of each of them gets.
struct Team {
    explicit Team(int ranks) : size(ranks), meeting(ranks) {
    }
    const int size;
    std::barrier<> meeting;
    std::vector<char> table;
    std::mutex lock;
    std::function<void(size_t bytes)> when_gathered = [](size_t) {}; // on rank 0, while the others wait
    std::function<int32_t(int rank)> result = [](int) { return XCOLL_SUCCESS; };
};
struct Member {
    Team *team;
    int rank;
};

int32_t gather(void *context, const void *send, void *recv, size_t bytes) {
    const Member &member = *static_cast<Member *>(context);
    Team &team = *member.team;
    {
        const std::lock_guard hold(team.lock);
        team.table.resize(bytes * static_cast<size_t>(team.size));
        if (bytes > 0) {
            std::memcpy(team.table.data() + bytes * static_cast<size_t>(member.rank), send, bytes);
        }
    }
    team.meeting.arrive_and_wait();
    if (member.rank == 0) {
        team.when_gathered(bytes);
    }
    team.meeting.arrive_and_wait();
    if (bytes > 0) {
        std::memcpy(recv, team.table.data(), team.table.size());
    }
    team.meeting.arrive_and_wait();
    return team.result(member.rank);
}

// Runs `body` as each of the ranks and returns what each said: "" if all was well.
std::vector<std::string> run(Team &team, const std::function<std::string(Bootstrap &)> &body) {
    std::vector<std::string> said(static_cast<size_t>(team.size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < team.size; ++rank) {
        threads.emplace_back([&, rank] {
            Member member = {&team, rank};
            try {
                const auto boot = boot_callback(rank, team.size, gather, &member);
                said[static_cast<size_t>(rank)] = body(*boot);
            } catch (const Failure &failure) {
                said[static_cast<size_t>(rank)] = std::string(result_name(failure.result())) + ": " + failure.what();
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    return said;
}

void assert_all_well(const std::vector<std::string> &said) {
    for (const std::string &text : said) {
        assert_string_equal(text.c_str(), "");
    }
}

// A file whose size tells whose it is.
int file_of(int rank) {
    const int file = memfd_create("rank", MFD_CLOEXEC);
    return ftruncate(file, rank + 1) == 0 ? file : -1;
}

std::string swap_files(Bootstrap &boot, const std::vector<int> &peers) {
    const Descriptor owner(file_of(boot.rank()));
    const int mine = owner.get();
    std::vector<Descriptor> files(peers.size());
    size_t count = 0;
    boot.exchange_descriptors(mine, peers, [&](size_t place, Descriptor theirs) {
        files[place] = std::move(theirs);
        ++count;
    });
    std::string wrong = count == peers.size() ? "" : "wrong number of descriptors";
    for (size_t i = 0; i < files.size(); ++i) {
        struct stat status {};
        if (fstat(files[i].get(), &status) != 0 || status.st_size != peers[i] + 1) {
            wrong += " wrong file of rank " + std::to_string(peers[i]);
        }
        if (files[i].get() == mine || (fcntl(files[i].get(), F_GETFD) & FD_CLOEXEC) == 0) {
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

size_t open_descriptors() {
    size_t count = 0;
    DIR *entries = opendir("/proc/self/fd");
    while (readdir(entries) != nullptr) {
        ++count;
    }
    closedir(entries);
    return count;
}

// Sockets that are connected to every listener of an exchange, by whoever finds their names.
std::vector<int> call_all_listeners() {
    std::vector<int> calls;
    std::ifstream table("/proc/net/unix");
    for (std::string line; std::getline(table, line);) {
        const size_t at = line.find("@xcoll-");
        if (at == std::string::npos) {
            continue;
        }
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        line.copy(address.sun_path + 1, sizeof address.sun_path - 1, at + 1);
        const int call = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (connect(call, reinterpret_cast<sockaddr *>(&address),
                    static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + line.size() - at)) == 0) {
            calls.push_back(call);
        } else {
            close(call);
        }
    }
    return calls;
}

void send_with_descriptor(int socket, const void *data, size_t bytes, int descriptor) {
    iovec part = {const_cast<void *>(data), bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    sendmsg(socket, &message, MSG_NOSIGNAL); // what becomes of it is for the other side to say
}

// ---------------------------------------------------------------------------------------------------- promises

void blocks_are_gathered_in_the_order_of_ranks(void **) {
    for (const int size : {1, 2, 3, 8}) {
        Team team(size);
        assert_all_well(run(team, [&](Bootstrap &boot) -> std::string {
            const int mine[2] = {boot.rank(), -boot.rank()};
            std::vector<int> all(static_cast<size_t>(size) * 2);
            boot.allgather(mine, all.data(), sizeof mine);
            for (int rank = 0; rank < size; ++rank) {
                if (all[static_cast<size_t>(rank) * 2] != rank || all[static_cast<size_t>(rank) * 2 + 1] != -rank) {
                    return "wrong block";
                }
            }
            return boot.size() == size ? "" : "wrong size";
        }));
    }
}

void descriptors_reach_every_peer(void **) {
    for (const int size : {1, 2, 3, 8, 40}) {
        Team team(size);
        assert_all_well(run(team, [&](Bootstrap &boot) { return swap_files(boot, every(size)); }));
    }
}

void groups_exchange_side_by_side_and_some_ranks_not_at_all(void **) {
    Team team(8);
    assert_all_well(run(team, [](Bootstrap &boot) {
        // 0 3 6 and 1 4 7; 2 and 5 are alone on their machines, with no list.
        const int group = boot.rank() % 3;
        return swap_files(boot, group == 2 ? std::vector<int>() : every(8, 3, group));
    }));
}

void exchanges_follow_each_other_and_leave_no_descriptor(void **) {
    const size_t before = open_descriptors();
    Team team(3);
    assert_all_well(run(team, [](Bootstrap &boot) {
        std::string wrong;
        for (int i = 0; i < 20; ++i) {
            wrong += swap_files(boot, every(3));
        }
        return wrong;
    }));
    assert_int_equal(open_descriptors(), before);
}

void a_function_that_fails_is_named(void **) {
    Team team(3);
    team.result = [](int rank) { return rank == 1 ? 77 : XCOLL_SUCCESS; };
    const auto said = run(team, [](Bootstrap &boot) -> std::string {
        int all[3] = {};
        boot.allgather(&all[0], all, sizeof all[0]);
        return "";
    });
    assert_string_equal(said[0].c_str(), "");
    assert_non_null(std::strstr(said[1].c_str(), "XCOLL_ERR_BOOTSTRAP"));
    assert_non_null(std::strstr(said[1].c_str(), "77"));
    assert_non_null(std::strstr(said[1].c_str(), "rank 1"));
}

void all_ranks_fail_together_and_name_the_one_that_failed(void **) {
    const size_t before = open_descriptors();
    Team team(8);
    const auto said = run(team, [](Bootstrap &boot) -> std::string {
        if (boot.rank() != 7) {
            return swap_files(boot, every(8));
        }
        boot.exchange_descriptors(-1, every(8), [](size_t, const Descriptor &) {}); // nothing to give
        return "";
    });
    for (const std::string &text : said) {
        assert_non_null(std::strstr(text.c_str(), "XCOLL_ERR_SYSTEM: on rank 7: fcntl"));
    }
    assert_int_equal(open_descriptors(), before);
}

void strangers_do_not_disturb(void **) {
    std::vector<int> calls;
    Team team(4);
    // Every listener is there as soon as their names are gathered, and nobody has called yet.
    team.when_gathered = [&](size_t) {
        if (!calls.empty()) {
            return;
        }
        for (int again = 0; again < 5; ++again) {
            for (const int call : call_all_listeners()) {
                calls.push_back(call);
            }
        }
        const int file = file_of(99);
        const uint64_t magic_and_rank = 0x44434c58, nothing = 0;
        const uint64_t forged[3] = {magic_and_rank, nothing, nothing}; // a gift of rank 0 with a wrong secret
        const char noise[100] = "noise";
        for (size_t i = 0; i < calls.size(); ++i) {
            if (i % 4 == 0) {
                send_with_descriptor(calls[i], forged, sizeof forged, file);
            }
            if (i % 4 == 1) {
                send_with_descriptor(calls[i], noise, sizeof noise, file);
            }
            if (i % 4 == 2) {
                shutdown(calls[i], SHUT_RDWR);
            }
        }
        close(file);
    };
    const auto said = run(team, [](Bootstrap &boot) { return swap_files(boot, every(4)); });
    assert_true(calls.size() >= 20); // else this proves nothing
    for (const int call : calls) {
        close(call);
    }
    assert_all_well(said);
}

void a_crowd_of_silent_strangers_does_not_keep_peers_out(void **) {
    std::vector<int> calls;
    Team team(2);
    team.when_gathered = [&](size_t) {
        for (int again = 0; again < 100 && calls.size() < 200; ++again) {
            for (const int call : call_all_listeners()) {
                calls.push_back(call);
            }
        }
    };
    const auto said = run(team, [](Bootstrap &boot) { return swap_files(boot, every(2)); });
    assert_true(calls.size() >= 200);
    for (const int call : calls) {
        close(call);
    }
    assert_all_well(said);
}

void a_job_of_one_rank_needs_nobody(void **) {
    const auto boot = boot_alone();
    assert_int_equal(boot->rank(), 0);
    assert_int_equal(boot->size(), 1);
    int mine = 5, all = 0;
    boot->allgather(&mine, &all, sizeof mine);
    assert_int_equal(all, 5);
    assert_string_equal(swap_files(*boot, {0}).c_str(), "");
    assert_string_equal(swap_files(*boot, {}).c_str(), "");
}

// In one process they need more descriptors than most users are given at first.
void allow_many_descriptors() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

int main() {
    allow_many_descriptors();
    const CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_gathered_in_the_order_of_ranks),
        cmocka_unit_test(descriptors_reach_every_peer),
        cmocka_unit_test(groups_exchange_side_by_side_and_some_ranks_not_at_all),
        cmocka_unit_test(exchanges_follow_each_other_and_leave_no_descriptor),
        cmocka_unit_test(a_function_that_fails_is_named),
        cmocka_unit_test(all_ranks_fail_together_and_name_the_one_that_failed),
        cmocka_unit_test(strangers_do_not_disturb),
        cmocka_unit_test(a_crowd_of_silent_strangers_does_not_keep_peers_out),
        cmocka_unit_test(a_job_of_one_rank_needs_nobody),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
