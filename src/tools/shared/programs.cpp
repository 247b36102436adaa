#include "tools/shared/programs.h"

#include <climits>
#include <stdexcept>
#include <unistd.h>

namespace xcoll::tools {

std::string this_program() {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0) {
        throw std::runtime_error("/proc/self/exe does not tell where this program lies: is /proc mounted?");
    }
    return {path, static_cast<size_t>(length)};
}

std::string launcher() {
    const std::string here = this_program();
    return here.substr(0, here.rfind('/') + 1) + "xcollrun";
}

} // namespace xcoll::tools
