#include "tools/shared/progress.h"

#include <cstdio>
#include <unistd.h>

namespace xcoll::tools {

Progress::Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {
}

Progress::~Progress() {
    show("");
}

void Progress::show(const std::string &text) {
    constexpr const char *new_line = "\r\x1b[K"; // to its begin, and clears it
    if (shown_) {
        std::fprintf(stderr, "%s%s", new_line, text.c_str());
    }
}

} // namespace xcoll::tools
