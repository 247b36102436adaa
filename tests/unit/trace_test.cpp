// What a process writes of its operations (base/trace.h): each whole, in a file of its own that no child writes into,
// the last ones where there are more than room.
#include "cmocka_cpp.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/trace_file.h"

using namespace xcoll;

namespace {

constexpr uint64_t room = 64; // of a section of one page
const Trace::Identity somebody{42, 43, 5, 1, 2, "a name"};

// A folder that goes away.
struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "traces-XXXXXX").string();

    Folder() {
        assert_non_null(mkdtemp(path.data()));
    }
    ~Folder() {
        std::filesystem::remove_all(path);
    }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto &entry : std::filesystem::directory_iterator(path)) {
            names.push_back(entry.path().string());
        }
        return names;
    }
};

// The words of a file, as they are at this moment.
struct Content {
    std::string bytes;

    explicit Content(const std::string &path) {
        std::ifstream file(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
        assert_true(bytes.size() >= 2 * trace::page_bytes);
    }
    const trace::FileHeader &header() const {
        return *reinterpret_cast<const trace::FileHeader *>(bytes.data());
    }
    const trace::Section &section(size_t number) const {
        return *reinterpret_cast<const trace::Section *>(bytes.data() + place(number));
    }
    const trace::Event &event(size_t section, uint64_t number) const {
        const char *events = bytes.data() + place(section) + trace::page_bytes;
        return reinterpret_cast<const trace::Event *>(events)[number % room];
    }

private:
    static size_t place(size_t section) {
        return trace::page_bytes + section * (trace::page_bytes + room * sizeof(trace::Event));
    }
};

Trace::Description call(uint64_t n, const char *algorithm = "some") {
    return {{n, 0}, algorithm, 2 * n, 3 * n, 4 * n, Form::persistent, 7};
}

void an_operation_is_there_with_all_that_is_known_of_it(void **) {
    const Folder folder;
    const auto file = TraceFile::make(folder.path, 3, room);
    const auto trace = file->take(room, somebody);
    const uint64_t first = trace->begin(call(1)), second = trace->begin(call(2, "other"));
    trace->end(second, XCOLL_ERR_TIMEOUT);
    const Content seen(folder.files().at(0)); // while it is written
    assert_int_equal(seen.header().magic, trace::magic);
    assert_int_equal(seen.header().pid, getpid());
    const trace::Section &section = seen.section(0);
    assert_int_equal(section.id, somebody.id);
    assert_int_equal(section.job, somebody.job);
    assert_int_equal(section.job_rank, somebody.job_rank);
    assert_int_equal(section.rank, somebody.rank);
    assert_int_equal(section.size, somebody.size);
    assert_int_equal(section.capacity, room);
    assert_int_equal(section.ended, 0);
    assert_string_equal(section.name.text().c_str(), "a name");
    assert_int_equal(seen.event(0, first).stamp, trace::stamp(1, false));
    const trace::Event &ended = seen.event(0, second);
    assert_int_equal(ended.stamp, trace::stamp(2, true));
    assert_int_equal(ended.words[trace::event_what], 2);
    assert_int_equal(ended.words[trace::event_taken], 4);
    assert_int_equal(ended.words[trace::event_given], 6);
    assert_int_equal(ended.words[trace::event_number], 8);
    assert_true(ended.words[trace::event_end] >= ended.words[trace::event_begin]);
    const auto details = trace::Details::of(ended.words[trace::event_details]);
    assert_true(details.form == Form::persistent);
    assert_int_equal(details.result, XCOLL_ERR_TIMEOUT);
    assert_int_equal(details.calls, 7);
    assert_string_equal(section.algorithms[details.algorithm].text().c_str(), "other");
}

void the_last_operations_are_kept(void **) {
    const Folder folder;
    const auto file = TraceFile::make(folder.path, 0, room);
    const auto trace = file->take(room, somebody);
    constexpr uint64_t last = 3 * room + 5;
    const uint64_t early = trace->begin(call(1));
    for (uint64_t n = 2; n <= last; ++n) {
        trace->end(trace->begin(call(n)), XCOLL_SUCCESS);
    }
    trace->end(early, XCOLL_ERR_ABORTED); // its place is a later one's
    const Content seen(folder.files().at(0));
    for (uint64_t n = last - room + 1; n <= last; ++n) {
        assert_int_equal(seen.event(0, n).stamp, trace::stamp(n, true));
        assert_int_equal(seen.event(0, n).words[trace::event_what], n);
        const auto details = trace::Details::of(seen.event(0, n).words[trace::event_details]);
        assert_int_equal(details.result, XCOLL_SUCCESS);
    }
}

// Names that the section has no place for are not told, and those that have one stay.
void algorithms_are_named_as_far_as_there_is_room(void **) {
    const Folder folder;
    const auto file = TraceFile::make(folder.path, 0, room);
    const auto trace = file->take(room, somebody);
    std::vector<std::string> names;
    for (size_t i = 0; i <= trace::most_algorithms; ++i) {
        names.push_back("name " + std::to_string(i));
    }
    const auto shown = [&](uint64_t event) {
        return trace::Details::of(Content(folder.files().at(0)).event(0, event).words[trace::event_details]).algorithm;
    };
    for (size_t i = 0; i <= trace::most_algorithms; ++i) {
        const uint8_t expected = i < trace::most_algorithms ? static_cast<uint8_t>(i) : trace::no_algorithm;
        assert_int_equal(shown(trace->begin(call(1, names[i].c_str()))), expected);
    }
    assert_int_equal(shown(trace->begin(call(1, names[1].c_str()))), 1);
    assert_int_equal(shown(trace->begin(call(1, nullptr))), trace::no_algorithm);
    const Content seen(folder.files().at(0));
    assert_string_equal(seen.section(0).algorithms[trace::most_algorithms - 1].text().c_str(), "name 63");
}

void a_file_is_never_replaced(void **) {
    const Folder folder;
    const auto one = TraceFile::make(folder.path, 3, room), other = TraceFile::make(folder.path, 3, room);
    assert_int_equal(folder.files().size(), 2);
}

void communicators_follow_each_other_in_a_file(void **) {
    const Folder folder;
    TraceFiles files;
    files.open(folder.path, 0, room);
    files.open(folder.path, 0, room);
    const auto one = files.take(folder.path, room, somebody), other = files.take(folder.path, room, somebody);
    assert_true(!files.take("", room, somebody));
    assert_true(!files.take(folder.path + "/other", room, somebody));
    other->end(other->begin(call(9)), XCOLL_SUCCESS);
    assert_int_equal(folder.files().size(), 1);
    const Content seen(folder.files().at(0));
    assert_int_equal(seen.event(0, 1).stamp, 0);
    assert_int_equal(seen.event(1, 1).words[trace::event_what], 9);
}

// As every section but the first does where pages are larger than those of the file.
void a_part_begins_in_the_middle_of_a_page(void **) {
    const Folder folder;
    const std::string path = folder.path + "/file";
    const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT, 0600));
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const std::string around(3 * page, '.'), written(page, 'x');
    assert_int_equal(write(file.get(), around.data(), around.size()), around.size());
    for (const size_t at : {size_t{0}, page / 4, page, page + page / 2}) {
        MappedPart part;
        assert_int_equal(part.map(file.get(), at, written.size()), 0);
        const MappedPart moved(std::move(part));
        written.copy(moved.data(), written.size());
        std::string found(around.size(), '\0');
        assert_int_equal(pread(file.get(), found.data(), found.size(), 0), found.size());
        assert_true(found == std::string(around).replace(at, written.size(), written));
        std::fill_n(moved.data(), written.size(), '.');
    }
    MappedPart none;
    assert_int_equal(none.map(-1, page, page), EBADF);
}

uint64_t disk_bytes(const std::string &path) {
    struct stat status;
    assert_int_equal(stat(path.c_str(), &status), 0);
    constexpr uint64_t unit = 512; // of st_blocks
    return static_cast<uint64_t>(status.st_blocks) * unit;
}

// Not all file systems can.
bool can_give_back(const Folder &folder) {
    FILE *probe = std::fopen((folder.path + "/probe").c_str(), "w");
    assert_non_null(probe);
    constexpr int way = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    const bool can = fallocate(fileno(probe), way, 0, trace::page_bytes) == 0;
    std::fclose(probe);
    std::filesystem::remove(folder.path + "/probe");
    return can;
}

void the_end_gives_back_what_no_operation_needed(void **) {
    const Folder folder;
    if (!can_give_back(folder)) {
        skip();
    }
    constexpr uint64_t much = 1024 * room;
    const auto file = TraceFile::make(folder.path, 0, much);
    auto trace = file->take(much, somebody);
    trace->end(trace->begin(call(9)), XCOLL_SUCCESS);
    const std::string path = folder.files().at(0);
    assert_true(disk_bytes(path) >= much * sizeof(trace::Event)); // so no store can find the disk full
    trace.reset();
    assert_true(disk_bytes(path) <= 4 * trace::page_bytes);
    const Content seen(path);
    assert_true(seen.section(0).ended >= seen.section(0).created);
    assert_int_equal(seen.event(0, 1).words[trace::event_what], 9);
}

void a_child_of_fork_cannot_write(void **) {
    const Folder folder;
    const auto file = TraceFile::make(folder.path, 0, room);
    const auto trace = file->take(room, somebody);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        trace->begin(call(1));
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(status != 0);
    assert_int_equal(Content(folder.files().at(0)).event(0, 1).stamp, 0);
}

// In a child, for the limit cannot be raised again.
void a_communicator_without_room_is_counted(void **) {
    const Folder folder;
    const pid_t child = fork();
    if (child == 0) {
        const auto file = TraceFile::make(folder.path, 0, room);
        const auto trace = file->take(room, somebody);
        struct stat status;
        fstat(file->descriptor(), &status);
        const rlimit limit{static_cast<rlim_t>(status.st_size), static_cast<rlim_t>(status.st_size)};
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(trace && !file->take(room, somebody) && !file->take(room, somebody) ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    const Content seen(folder.files().at(0));
    assert_int_equal(seen.header().left_out, 2);
    assert_int_equal(seen.header().left_out_code, EFBIG);
}

void a_folder_that_is_not_there_is_an_error(void **) {
    const Folder folder;
    std::string message;
    try {
        TraceFile::make(folder.path + "/absent", 0, room);
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_CONFIG);
        message = failure.message();
    }
    assert_true(message.starts_with("XCOLL_TRACE=" + folder.path + "/absent: "));
    assert_true(folder.files().empty());
}

// And leaves nothing there.
void a_folder_without_room_is_an_error(void **) {
    const Folder folder;
    rlimit usual;
    getrlimit(RLIMIT_FSIZE, &usual);
    const rlimit small{trace::page_bytes, usual.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
        TraceFile::make(folder.path, 0, room);
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_CONFIG);
        message = failure.message();
    }
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_true(message.starts_with("XCOLL_TRACE=" + folder.path + ": there is no room for "));
    assert_true(message.ends_with("lower XCOLL_TRACE_EVENTS"));
    assert_true(folder.files().empty());
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(an_operation_is_there_with_all_that_is_known_of_it),
        cmocka_unit_test(the_last_operations_are_kept),
        cmocka_unit_test(algorithms_are_named_as_far_as_there_is_room),
        cmocka_unit_test(a_file_is_never_replaced),
        cmocka_unit_test(communicators_follow_each_other_in_a_file),
        cmocka_unit_test(a_part_begins_in_the_middle_of_a_page),
        cmocka_unit_test(the_end_gives_back_what_no_operation_needed),
        cmocka_unit_test(a_child_of_fork_cannot_write),
        cmocka_unit_test(a_communicator_without_room_is_counted),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(a_folder_without_room_is_an_error),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
