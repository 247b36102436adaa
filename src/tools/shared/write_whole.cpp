#include "tools/shared/write_whole.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/shared/command_line.h"

namespace xcoll::tools {

namespace {

std::string folder_of(const std::string &path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// As if it had been made by open().
mode_t usual_mode() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

bool write_all_of(int file, const std::string &text) {
    for (size_t done = 0; done < text.size();) {
        const ssize_t part = write(file, text.data() + done, text.size() - done);
        if (part < 0 && errno != EINTR) {
            return false;
        }
        done += part > 0 ? static_cast<size_t>(part) : 0;
    }
    return true;
}

} // namespace

void check_target(const char *option, const std::string &path) {
    struct stat there {};
    const bool exists = stat(path.c_str(), &there) == 0;
    if (exists && !S_ISREG(there.st_mode)) {
        throw Mistake(option + (" " + path) + ": there is something that is no file: expected a file, or nothing");
    }
    if (access(folder_of(path).c_str(), W_OK | X_OK) != 0) {
        throw Mistake(option + (" " + path) + ": " + std::strerror(errno) +
                      ": expected a folder where a file can be made");
    }
}

void write_whole(const std::string &path, const std::string &text) {
    std::string making = path + ".XXXXXX";
    const int file = mkstemp(making.data());
    if (file >= 0) {
        const bool written = write_all_of(file, text) && fchmod(file, usual_mode()) == 0 && fsync(file) == 0;
        const bool closed = close(file) == 0;
        if (written && closed && std::rename(making.c_str(), path.c_str()) == 0) {
            return;
        }
    }
    const std::string reason = std::strerror(errno);
    if (file >= 0) {
        unlink(making.c_str());
    }
    throw std::runtime_error("cannot write " + path + ": " + reason);
}

} // namespace xcoll::tools
