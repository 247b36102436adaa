#include "base/plugin_loader.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace xcoll {

namespace {

std::string plugins_beside(const std::string &library) {
    const size_t slash = library.rfind('/');
    return (slash == std::string::npos ? "." : library.substr(0, slash)) + "/xcoll/";
}

// By the name under which the program has found this library.
std::string plugins_by_name() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void *>(&load_plugin), &info) == 0 || !info.dli_fname) {
        return "";
    }
    return plugins_beside(info.dli_fname);
}

// By the file that the kernel has mapped: the name may be that of a link to it, or relative to a folder that is no
// longer the current one.
std::string plugins_by_file() {
    const auto here = reinterpret_cast<uintptr_t>(&load_plugin);
    std::FILE *maps = std::fopen("/proc/self/maps", "re");
    if (!maps) {
        return "";
    }
    std::string library;
    char *line = nullptr;
    size_t room = 0;
    while (getline(&line, &room, maps) > 0) {
        uintptr_t begin = 0, end = 0;
        const bool is_range = std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2;
        if (is_range && begin <= here && here < end) {
            const char *path = std::strchr(line, '/');
            library = path ? path : "";
            break;
        }
    }
    std::free(line);
    std::fclose(maps);
    return library.empty() ? "" : plugins_beside(library);
}

// Without a folder the loader of the system looks where it looks for all libraries.
std::string find_plugin(const char *file, const std::string &given) {
    if (!given.empty()) {
        return given + '/' + file;
    }
    for (const std::string &folder : {plugins_by_name(), plugins_by_file()}) {
        if (!folder.empty() && access((folder + file).c_str(), F_OK) == 0) {
            return folder + file;
        }
    }
    return plugins_by_name() + file;
}

} // namespace

const xcoll_plugin_head &load_plugin(const PluginKind &kind, const std::string &folder) {
    const std::string file = find_plugin(kind.file, folder);
    // Never closed: what plug-ins are linked with leaves threads and hooks behind.
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "%s: %s. It needs %s, and xcoll must have been built with it; XCOLL_PLUGIN_PATH names the folder of the "
             "plug-ins if they lie elsewhere",
             kind.cannot, dlerror(), kind.needs);
    }
    const auto entry = reinterpret_cast<xcoll_plugin_fn>(dlsym(handle, kind.symbol));
    if (!entry) {
        fail(XCOLL_ERR_UNSUPPORTED, "%s is not a plug-in of xcoll: it has no symbol %s", file.c_str(), kind.symbol);
    }
    const xcoll_plugin_head &head = *entry();
    if (head.abi != XCOLL_PLUGIN_ABI || head.version != XCOLL_PLUGIN_VERSION) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "the plug-in %s is of build %u (interface %u), this library of build %u (interface %u): install both from "
             "the same build",
             file.c_str(), head.version, head.abi, XCOLL_PLUGIN_VERSION, XCOLL_PLUGIN_ABI);
    }
    return head;
}

} // namespace xcoll
