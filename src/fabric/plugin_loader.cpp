#include "fabric/plugin_loader.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include "base/error.h"

namespace xcoll {

namespace {

constexpr const char *file_name = "libxcoll_ucx.so";

std::string beside_this_library() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void *>(&load_network_plugin), &info) == 0 || !info.dli_fname) {
        return file_name;
    }
    const std::string library = info.dli_fname;
    const size_t slash = library.rfind('/');
    return (slash == std::string::npos ? "." : library.substr(0, slash)) + "/xcoll/" + file_name;
}

std::string find_plugin(const std::string &path) {
    if (path.empty()) {
        return beside_this_library();
    }
    struct stat status;
    const bool is_folder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    return is_folder ? path + '/' + file_name : path;
}

} // namespace

const xcoll_network_plugin &load_network_plugin(const std::string &path) {
    const std::string file = find_plugin(path);
    // Never closed: UCX leaves threads and hooks behind.
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "not all ranks share memory, and the plug-in for messages between machines cannot be loaded: %s. It "
             "needs UCX (Debian, Ubuntu: package libucx0; elsewhere: ucx), and xcoll must have been built with it; "
             "XCOLL_PLUGIN_PATH names the plug-in if it lies elsewhere",
             dlerror());
    }
    const auto entry = reinterpret_cast<xcoll_plugin_network_fn>(dlsym(handle, XCOLL_PLUGIN_NETWORK_SYMBOL));
    if (!entry) {
        fail(XCOLL_ERR_UNSUPPORTED, "%s is not a plug-in of xcoll: it has no symbol %s", file.c_str(),
             XCOLL_PLUGIN_NETWORK_SYMBOL);
    }
    const xcoll_network_plugin &plugin = *entry();
    if (plugin.abi != XCOLL_PLUGIN_ABI || plugin.version != XCOLL_PLUGIN_VERSION) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "the plug-in %s is of build %u (interface %u), this library of build %u (interface %u): install both from "
             "the same build",
             file.c_str(), plugin.version, plugin.abi, XCOLL_PLUGIN_VERSION, XCOLL_PLUGIN_ABI);
    }
    return plugin;
}

} // namespace xcoll
