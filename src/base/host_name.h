// What people call this machine: for messages and files only, as several may have one name.
#pragma once

#include <string>

#include <sys/utsname.h>

namespace xcoll {

inline std::string host_name() {
    utsname names{};
    uname(&names);
    return names.nodename;
}

} // namespace xcoll
