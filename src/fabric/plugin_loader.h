// Finding and opening the plug-in that carries messages between machines.
#pragma once

#include <string>

#include "plugins/plugin.h"

namespace xcoll {

// `path`: the plug-in, or the folder that it lies in; empty: the folder xcoll beside this library, where it lies in a
// build tree as well as where it is installed. The plug-in stays loaded. Throws Failure(XCOLL_ERR_UNSUPPORTED).
const xcoll_network_plugin &load_network_plugin(const std::string &path);

} // namespace xcoll
