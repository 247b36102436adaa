#include "tools/shared/out_of_memory.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace xcoll::tools {

namespace {

// Nothing here asks for memory: stderr has no buffer.
[[noreturn]] void end() {
    std::fputs(program_invocation_short_name, stderr);
    if (const char *rank = std::getenv("XCOLL_RANK")) {
        std::fputs(": rank ", stderr);
        std::fputs(rank, stderr);
    }
    std::fputs(": out of memory: free some, or raise the limit (ulimit -v, or the container's)\n", stderr);
    std::_Exit(1);
}

} // namespace

void end_when_out_of_memory() {
    std::set_new_handler(end);
}

} // namespace xcoll::tools
