// ranks: 1 2 3
//
// A program whose standard input, output and errors are closed, as some services are started: what it prints goes
// nowhere, and not into files and sockets of the library that have got these numbers.
#include "ranks.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace {

constexpr int standard[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};

// Nobody would read a message.
void must(bool holds, int code) {
    if (!holds) {
        std::_Exit(code);
    }
}

void nothing_has_these_numbers() {
    for (const int number : standard) {
        must(fcntl(number, F_GETFD) < 0 && errno == EBADF, 10 + number);
    }
}

} // namespace

int main() {
    std::string folder = (std::filesystem::temp_directory_path() / "closed-output-XXXXXX").string();
    ranks::check(mkdtemp(folder.data()) != nullptr, "no folder");
    setenv("XCOLL_TRACE", folder.c_str(), 1);
    for (const int number : standard) {
        close(number);
    }
    xcoll_unique_id_t id;
    must(xcoll_get_unique_id(&id) == XCOLL_SUCCESS, 2);
    nothing_has_these_numbers();
    xcoll_comm_t world = XCOLL_COMM_NULL;
    must(xcoll_init(&world) == XCOLL_SUCCESS, 3);
    nothing_has_these_numbers();
    int size = 0, sum = 1;
    must(xcoll_comm_size(world, &size) == XCOLL_SUCCESS, 4);
    must(xcoll_allreduce(XCOLL_IN_PLACE, &sum, 1, XCOLL_INT32, XCOLL_SUM, world) == XCOLL_SUCCESS && sum == size, 5);
    must(xcoll_comm_free(&world) == XCOLL_SUCCESS && xcoll_finalize() == XCOLL_SUCCESS, 6);
    const auto removed = std::filesystem::remove_all(folder);
    return removed > 1 ? 0 : 7; // the folder, and what was traced
}
