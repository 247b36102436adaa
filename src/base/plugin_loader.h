// Finding and opening plug-ins (plugins/plugin.h), for whoever has a use for one.
#pragma once

#include <string>

#include "plugins/plugin.h"

namespace xcoll {

// What is said of a plug-in before anything is known of it.
struct PluginKind {
    const char *file, *symbol;
    const char *cannot; // "... cannot be loaded", for people
    const char *needs;  // what must be installed for it
};

// Its table, which begins with the two numbers. The plug-in stays loaded. `folder`: where it lies; empty: the folder
// xcoll beside this library, in a build tree as well as where it is installed. Throws Failure(XCOLL_ERR_UNSUPPORTED).
const xcoll_plugin_head &load_plugin(const PluginKind &kind, const std::string &folder);

} // namespace xcoll
