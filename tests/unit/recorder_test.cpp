// What a process shows of its communicators (base/flight.h): the last operations, each whole, in a file that no child
// writes into and that does not grow with the number of communicators that there have been.
#include "cmocka_cpp.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/flight_file.h"
#include "base/recorder.h"
#include "turns.h"
#include "xcoll.h"

using namespace xcoll;
using flight::State;

namespace {

using flight::Beside;

constexpr uint64_t some_id = 42;

struct Recording {
    std::shared_ptr<flight::Record> record;
    Recorder recorder;

    explicit Recording(std::shared_ptr<flight::Record> shown) : record(std::move(shown)), recorder(record) {
        show(record->used, uint64_t{1});
        recorder.introduce({some_id, 1, 2, "a name", {11, 12}});
    }
    flight::Record seen() const {
        flight::Record copy;
        assert_true(flight::copy(*record, copy));
        return copy;
    }
};

void the_last_operations_are_shown(void **) {
    Recording one(std::make_shared<flight::Record>());
    constexpr uint64_t last = 3 * flight::alone_count + 5, stuck = last - 1, failed = last - 2;
    for (uint64_t n = 1; n <= last; ++n) {
        one.recorder.begin(n, Beside::nothing, {n, 2 * n}, "");
        if (n != stuck) {
            one.recorder.end(n, Beside::nothing, n == failed ? State::failed : State::done);
        }
    }
    one.recorder.end(1, Beside::nothing, State::failed); // its place is a later one's
    const flight::Record seen = one.seen();
    for (uint64_t n = last - flight::alone_count + 1; n <= last; ++n) {
        const flight::Entry &entry = seen.entries[flight::place_of(n, Beside::nothing)];
        const State state = n == stuck ? State::begun : n == failed ? State::failed : State::done;
        assert_int_equal(entry.stamp, flight::stamp(n, state));
        assert_true((flight::call_of(entry) == Fingerprint{n, 2 * n}));
    }
    assert_int_equal(seen.id, some_id);
    assert_int_equal(seen.rank, 1);
    assert_int_equal(seen.size, 2);
    assert_int_equal(seen.pids[1], 12);
    assert_string_equal(seen.name.text().c_str(), "a name");
}

void a_wait_is_for_the_oldest_operation(void **) {
    Recording one(std::make_shared<flight::Record>());
    one.recorder.begin(7, Beside::nothing, {}, "seventh");
    one.recorder.begin(8, Beside::others, {}, "eighth");
    one.recorder.begin(9, Beside::others, {}, "ninth");
    one.recorder.end(7, Beside::nothing, State::done);
    one.recorder.wait(1000, 1);
    const flight::Wait wait = one.seen().wait;
    assert_int_equal(wait.words[flight::wait_operation], flight::stamp(8, State::begun));
    assert_int_equal(wait.words[flight::wait_message], 0);
    assert_int_equal(wait.words[flight::wait_awaited], 1);
    const flight::AlgorithmText algorithm{{wait.words[flight::wait_algorithm], wait.words[flight::wait_algorithm + 1]}};
    assert_string_equal(algorithm.text().c_str(), "eighth");
    one.recorder.stop_waiting();
    assert_int_equal(one.seen().wait.stamp, 0);
}

// As many as have a cell at once: they all wait for the first.
void the_oldest_of_many_in_flight_is_still_told(void **) {
    Recording one(std::make_shared<flight::Record>());
    constexpr uint64_t first = 7, many = 64;
    for (uint64_t n = first; n < first + many; ++n) {
        one.recorder.begin(n, Beside::others, {n, 2 * n}, n == first ? "first" : "later");
    }
    one.recorder.wait(1000, 1);
    const flight::Record seen = one.seen();
    const flight::Entry &oldest = seen.entries[flight::place_of(first, Beside::others)];
    assert_int_equal(oldest.stamp, flight::stamp(first, State::begun));
    assert_true((flight::call_of(oldest) == Fingerprint{first, 2 * first}));
    assert_int_equal(seen.wait.words[flight::wait_operation], flight::stamp(first, State::begun));
    const flight::AlgorithmText algorithm{
        {seen.wait.words[flight::wait_algorithm], seen.wait.words[flight::wait_algorithm + 1]}};
    assert_string_equal(algorithm.text().c_str(), "first");
}

void threads_tell_of_their_waits_in_one_place(void **) {
    Recording one(std::make_shared<flight::Record>());
    constexpr int waits = 1000;
    turns::take(waits, [&](int me) { one.recorder.wait(1000, me); });
    assert_in_range(one.seen().wait.stamp, 1, waits);
}

void messages_have_places_of_their_own(void **) {
    Recording one(std::make_shared<flight::Record>());
    Op op{.kind = Kind::recv};
    op.from = 1;
    op.room = 80;
    const uint64_t first = one.recorder.begin_message(op), second = one.recorder.begin_message(op);
    one.recorder.end_message(first, State::done);
    one.recorder.wait(0, -1);
    const flight::Record seen = one.seen();
    assert_int_equal(seen.messages[first % flight::message_count].stamp, flight::stamp(first, State::done));
    assert_int_equal(flight::call_of(seen.messages[second % flight::message_count]).count, 80);
    assert_int_equal(seen.wait.words[flight::wait_message], flight::stamp(second, State::begun));
    assert_int_equal(seen.wait.words[flight::wait_operation], 0);
}

// Of several cache lines, so that a reader may find some of them old and some new: without an order it does, where the
// two threads have a processor each. What stores out of order do is checked by tests/model/stamped.pml.
constexpr size_t many = 24;

// All words of round n are n, and only a copy of one round has the words that its stamp says.
void a_copy_is_whole_while_its_owner_rewrites_it(void **) {
    Stamped<many> shown{};
    std::atomic<bool> enough{false};
    std::thread owner([&] {
        for (uint64_t n = 1; !enough.load(std::memory_order_relaxed); ++n) {
            uint64_t words[many];
            std::fill_n(words, many, n);
            shown.rewrite(flight::stamp(n, State::begun), words);
            shown.restamp(flight::stamp(n, State::begun), flight::stamp(n, State::done));
        }
    });
    constexpr int copies = 200'000;
    uint64_t latest = 0;
    bool whole = true, in_order = true;
    for (int i = 0; i < copies;) {
        const Stamped<many> copy = shown.copy();
        const uint64_t n = flight::number_of(copy.stamp);
        if (n != 0) {
            whole = whole && std::count(std::begin(copy.words), std::end(copy.words), n) == many;
            in_order = in_order && n >= latest;
            latest = n;
            ++i;
        }
    }
    enough.store(true);
    owner.join();
    assert_true(whole);
    assert_true(in_order);
}

void what_was_stopped_in_the_middle_is_not_shown(void **) {
    Stamped<2> shown{};
    shown.rewrite(5, {1, 2});
    show(shown.stamp, uint64_t{0}); // as far as its owner has come
    show(shown.words[0], uint64_t{3});
    assert_int_equal(shown.copy().stamp, 0);
}

// The next user of a record begins with an empty one, and a copy that was begun before is refused.
void a_record_that_changes_hands_is_refused(void **) {
    FlightFile file;
    const auto other = file.take();
    {
        Recording one(file.take());
        one.recorder.begin(1, Beside::nothing, {1, 1}, "");
        one.recorder.trouble(XCOLL_ERR_ABORTED, "why");
        assert_string_equal(one.seen().reason.text().c_str(), "why");
    }
    const auto next = file.take();
    flight::Record copy;
    assert_false(flight::copy(*next, copy)); // it is nobody's yet
    assert_int_equal(copy.trouble, 0);
    assert_int_equal(copy.entries[1].stamp, 0);
}

// ---------------------------------------------------------------------------------------------------- the file

// Bytes of this process's file, as xcoll-doctor finds it; 0 if there is none.
size_t bytes_shown() {
    const std::string wanted = std::string("/memfd:") + flight::file_name + " (deleted)";
    size_t bytes = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (const dirent *entry = readdir(folder)) {
        char target[64] = "";
        struct stat status;
        const bool is_link = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) > 0;
        if (is_link && wanted == target && fstat(std::atoi(entry->d_name), &status) == 0) {
            bytes += static_cast<size_t>(status.st_size);
        }
    }
    closedir(folder);
    return bytes;
}

void ten_thousand_communicators_do_not_make_it_grow(void **) {
    xcoll_comm_t first, dup;
    assert_int_equal(xcoll_comm_create_threads(1, &first), XCOLL_SUCCESS);
    assert_int_equal(xcoll_comm_dup(first, &dup), XCOLL_SUCCESS);
    const size_t before = bytes_shown();
    assert_true(before > flight::page_bytes);
    constexpr int communicators = 10'000;
    for (int i = 0; i < communicators; ++i) {
        assert_int_equal(xcoll_comm_free(&dup), XCOLL_SUCCESS);
        assert_int_equal(xcoll_comm_dup(first, &dup), XCOLL_SUCCESS);
    }
    assert_int_equal(bytes_shown(), before);
    assert_int_equal(xcoll_comm_free(&dup), XCOLL_SUCCESS);
    assert_int_equal(xcoll_comm_free(&first), XCOLL_SUCCESS);
}

void without_communicators_there_is_no_file(void **) {
    const size_t before = bytes_shown();
    FlightFile file;
    for (int round = 0; round < 3; ++round) {
        auto one = file.take();
        auto other = file.take();
        assert_true(bytes_shown() > before + flight::page_bytes);
        one.reset();
        assert_true(bytes_shown() > before + flight::page_bytes);
    }
    assert_int_equal(bytes_shown(), before);
}

void there_is_a_record_for_everybody(void **) {
    FlightFile file;
    const size_t before = bytes_shown();
    constexpr size_t more_than_are_shown = 5000;
    std::vector<std::shared_ptr<flight::Record>> records;
    for (size_t i = 0; i < more_than_are_shown; ++i) {
        records.push_back(file.take());
        show(records.back()->id, i);
    }
    assert_true(bytes_shown() - before < more_than_are_shown * flight::record_bytes);
    for (size_t i = 0; i < more_than_are_shown; ++i) {
        assert_int_equal(records[i]->id, i);
    }
}

void without_memory_for_the_file_there_are_records_all_the_same(void **) {
    const size_t before = bytes_shown();
    rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    FlightFile file;
    Recording one(file.take());
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    one.recorder.begin(1, Beside::nothing, {1, 1}, "");
    assert_int_equal(one.seen().entries[1].stamp, flight::stamp(1, State::begun));
    assert_int_equal(bytes_shown(), before);
}

void a_child_does_not_have_the_memory(void **) {
    FlightFile file;
    const auto record = file.take();
    auto *page = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(record.get()) & ~(flight::page_bytes - 1));
    assert_int_equal(msync(page, flight::page_bytes, MS_ASYNC), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(msync(page, flight::page_bytes, MS_ASYNC) == -1 && errno == ENOMEM ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_last_operations_are_shown),
        cmocka_unit_test(a_wait_is_for_the_oldest_operation),
        cmocka_unit_test(the_oldest_of_many_in_flight_is_still_told),
        cmocka_unit_test(threads_tell_of_their_waits_in_one_place),
        cmocka_unit_test(messages_have_places_of_their_own),
        cmocka_unit_test(a_copy_is_whole_while_its_owner_rewrites_it),
        cmocka_unit_test(what_was_stopped_in_the_middle_is_not_shown),
        cmocka_unit_test(a_record_that_changes_hands_is_refused),
        cmocka_unit_test(ten_thousand_communicators_do_not_make_it_grow),
        cmocka_unit_test(without_communicators_there_is_no_file),
        cmocka_unit_test(there_is_a_record_for_everybody),
        cmocka_unit_test(without_memory_for_the_file_there_are_records_all_the_same),
        cmocka_unit_test(a_child_does_not_have_the_memory),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
