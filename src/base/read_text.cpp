#include "base/read_text.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace xcoll {

std::optional<std::string> read_text(const std::string &path) {
    constexpr size_t limit = 1 << 20;
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) {
        return std::nullopt;
    }
    std::string text;
    char part[4096];
    ssize_t got;
    while ((got = read(file.get(), part, sizeof part)) != 0) {
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 || text.size() >= limit) {
            break;
        }
        text.append(part, static_cast<size_t>(got));
    }
    if (got != 0) {
        return std::nullopt;
    }
    return text;
}

} // namespace xcoll
