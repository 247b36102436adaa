// Whether a process lives, in all the ways in which /proc and kill can mislead.
#include "cmocka_cpp.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <grp.h>
#include <pthread.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "boot/host.h"
#include "boot/process_stat.h"

using namespace xcoll;

namespace {

// A child that tells its identity and then lives until it is killed.
class Child {
public:
    explicit Child(const std::function<void()> &prepare = [] {}) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_ = fork();
        assert_true(pid_ >= 0);
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            prepare();
            const ProcessIdentity self = process_identity();
            if (write(ends[1], &self, sizeof self) != sizeof self) {
                _exit(1);
            }
            for (;;) {
                pause();
            }
        }
        assert_int_equal(read(ends[0], &identity_, sizeof identity_), sizeof identity_);
        close(ends[0]);
        close(ends[1]);
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    ~Child() {
        kill(pid_, SIGKILL);
        collect();
    }
    const ProcessIdentity &identity() const {
        return identity_;
    }
    // Dead, but not collected.
    void make_zombie() {
        kill(pid_, SIGKILL);
        siginfo_t info;
        assert_int_equal(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT), 0);
    }
    void collect() {
        waitpid(pid_, nullptr, 0);
    }

private:
    pid_t pid_;
    ProcessIdentity identity_{};
};

void this_process_is_alive(void **) {
    const ProcessIdentity self = process_identity();
    assert_int_equal(self.pid, getpid());
    assert_true(self.start_time > 0);
    assert_true(is_alive(self));
}

void another_process_is_alive_until_it_is_killed(void **) {
    Child child;
    assert_true(is_alive(child.identity()));
    child.make_zombie();
    child.collect();
    assert_false(is_alive(child.identity()));
}

void a_zombie_counts_as_dead(void **) {
    Child child;
    child.make_zombie();
    assert_int_equal(kill(static_cast<pid_t>(child.identity().pid), 0), 0); // kill alone would not tell
    assert_false(is_alive(child.identity()));
}

void a_later_process_with_the_same_number_is_another_one(void **) {
    const Child child;
    ProcessIdentity earlier = child.identity();
    --earlier.start_time;
    assert_false(is_alive(earlier));
}

void a_name_full_of_parentheses_changes_nothing(void **) {
    Child child([] { prctl(PR_SET_NAME, ") Z (x) R 1 ("); });
    assert_true(child.identity().start_time > 0);
    assert_true(is_alive(child.identity()));
    child.make_zombie();
    assert_false(is_alive(child.identity()));
}

void a_process_outlives_its_first_thread(void **) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The other thread waits until the first one is a zombie.
        const auto wait_then_tell = [](void *pipe) -> void * {
            std::string text;
            do {
                FILE *file = fopen("/proc/self/stat", "r");
                char line[512] = "";
                if (fgets(line, sizeof line, file) != nullptr) {
                    text = line;
                }
                fclose(file);
            } while (text.find(") Z ") == std::string::npos && usleep(1000) == 0);
            const ProcessIdentity self = process_identity();
            if (write(*static_cast<int *>(pipe), &self, sizeof self) != sizeof self) {
                _exit(1);
            }
            for (;;) {
                pause();
            }
        };
        pthread_t thread;
        static int writer;
        writer = ends[1];
        pthread_create(&thread, nullptr, wait_then_tell, &writer);
        pthread_exit(nullptr);
    }
    ProcessIdentity identity{};
    assert_int_equal(read(ends[0], &identity, sizeof identity), sizeof identity);
    assert_true(is_alive(identity));
    kill(pid, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
    assert_false(is_alive(identity));
    waitpid(pid, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
}

void another_users_process_is_alive(void **) {
    if (geteuid() != 0) {
        skip(); // only root can become two users
    }
    // The parent of a child that is nobody: init, or whoever started us, belongs to root.
    const ProcessIdentity self = {getpid(), 0}; // start time unknown: kill decides, and is not permitted
    const pid_t pid = fork();
    if (pid == 0) {
        const bool changed = setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
        _exit(changed && kill(static_cast<pid_t>(self.pid), 0) != 0 && is_alive(self) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

void without_descriptors_kill_decides(void **) {
    Child living, dead;
    const ProcessIdentity gone = dead.identity();
    dead.make_zombie();
    dead.collect();
    rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool living_lives = is_alive(living.identity()), gone_lives = is_alive(gone);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(living_lives);
    assert_false(gone_lives);
}

constexpr const char *fields = " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 3 18 4242 20 21\n";

void the_fields_of_a_process_are_found_after_any_name(void **) {
    for (const char *name : {"cat", "a b", "x) R 1 2 (y", ")", "(", "", "a\nb"}) {
        const auto stat = parse_process_stat("77 (" + std::string(name) + ") S" + fields);
        assert_true(stat.has_value());
        assert_int_equal(stat->pid, 77);
        assert_int_equal(stat->state, 'S');
        assert_int_equal(stat->threads, 3);
        assert_int_equal(stat->start_time, 4242);
    }
}

void half_a_line_is_nothing(void **) {
    const std::string whole = std::string("77 (cat) S") + fields;
    const size_t enough = whole.find("4242");
    for (size_t length = 0; length < enough; ++length) {
        assert_false(parse_process_stat(whole.substr(0, length)).has_value());
    }
    for (const char *text : {"x (cat) S 1", "77 cat S 1 2 3", "77 (cat) S 1 2 x", "(cat)", "77 (cat)S"}) {
        assert_false(parse_process_stat(text).has_value());
    }
}

// qemu-aarch64 tells its own process such a start, which is not the one that others read.
void a_line_that_an_emulator_made_up_is_nothing(void **) {
    assert_false(parse_process_stat(std::string("77 (cat) 0") + fields).has_value());
}

void a_machine_is_equal_to_itself_and_to_no_other(void **) {
    const HostIdentity here = host_identity();
    assert_true(here == host_identity());
    assert_true(here.boot[0] != 0 && here.boot[1] != 0);
    assert_int_equal(here.user, geteuid());
    HostIdentity other = here;
    other.net_namespace ^= 1;
    assert_false(here == other);
    // It is compared and sent as bytes too.
    HostIdentity again;
    std::memset(&again, 0xff, sizeof again);
    again = host_identity();
    assert_memory_equal(&again, &here, sizeof here);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(this_process_is_alive),
        cmocka_unit_test(another_process_is_alive_until_it_is_killed),
        cmocka_unit_test(a_zombie_counts_as_dead),
        cmocka_unit_test(a_later_process_with_the_same_number_is_another_one),
        cmocka_unit_test(a_name_full_of_parentheses_changes_nothing),
        cmocka_unit_test(a_process_outlives_its_first_thread),
        cmocka_unit_test(another_users_process_is_alive),
        cmocka_unit_test(without_descriptors_kill_decides),
        cmocka_unit_test(the_fields_of_a_process_are_found_after_any_name),
        cmocka_unit_test(half_a_line_is_nothing),
        cmocka_unit_test(a_line_that_an_emulator_made_up_is_nothing),
        cmocka_unit_test(a_machine_is_equal_to_itself_and_to_no_other),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
