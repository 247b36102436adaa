#include "base/plugin_loader.h"

#include <dlfcn.h>

#include "base/error.h"

namespace xcoll {

namespace {

std::string folder_beside_this_library() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void *>(&load_plugin), &info) == 0 || !info.dli_fname) {
        return "";
    }
    const std::string library = info.dli_fname;
    const size_t slash = library.rfind('/');
    return (slash == std::string::npos ? "." : library.substr(0, slash)) + "/xcoll";
}

// Without a folder the loader of the system looks where it looks for all libraries.
std::string find_plugin(const char *file, const std::string &given) {
    const std::string folder = given.empty() ? folder_beside_this_library() : given;
    return folder.empty() ? file : folder + '/' + file;
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
