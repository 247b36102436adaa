// The plug-ins as they were built: a unit test lies two folders below the one that they are in.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace built {

// PLUGINS_UNDER_TEST names those of another build.
inline std::string plugin_folder() {
    if (const char *given = std::getenv("PLUGINS_UNDER_TEST")) {
        return given;
    }
    char self[4096] = {};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        return "";
    }
    std::string path = self;
    for (int i = 0; i < 3; ++i) {
        path.resize(path.rfind('/'));
    }
    return path + "/xcoll";
}

inline bool has_plugin(const std::string &name) {
    return access((plugin_folder() + "/libxcoll_" + name + ".so").c_str(), R_OK) == 0;
}

} // namespace built
