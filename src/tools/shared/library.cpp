#include "tools/shared/library.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

namespace xcoll::tools {

void must(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        throw CallFailed(result, std::string(xcoll_error_name(result)) + ": " + xcoll_last_error());
    }
}

std::string description(xcoll_comm_t comm) {
    std::string text;
    size_t needed = 0;
    must(xcoll_comm_describe(comm, nullptr, &needed));
    // It may have grown meanwhile.
    while (text.size() < needed) {
        text.resize(needed);
        needed = text.size();
        must(xcoll_comm_describe(comm, text.data(), &needed));
    }
    text.resize(needed - 1);
    return text;
}

void forget_settings() {
    std::vector<std::string> names;
    for (char **entry = environ; *entry; ++entry) {
        if (std::strncmp(*entry, "XCOLL_", std::strlen("XCOLL_")) == 0) {
            names.emplace_back(*entry, std::strcspn(*entry, "="));
        }
    }
    for (const std::string &name : names) {
        unsetenv(name.c_str());
    }
}

} // namespace xcoll::tools
