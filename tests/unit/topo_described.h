// A machine that the user describes to hwloc, for as long as a test wants it to; and who is then asked.
#pragma once

#include "cmocka_cpp.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "built_plugins.h"
#include "topo/topology.h"

namespace topo {

inline constexpr const char *xml_file = "HWLOC_XMLFILE", *synthetic = "HWLOC_SYNTHETIC";

class Described {
public:
    Described(const char *variable, const std::string &text) : variable_(variable) {
        setenv(variable, text.c_str(), 1);
    }
    ~Described() {
        unsetenv(variable_);
    }
    Described(const Described &) = delete;
    Described &operator=(const Described &) = delete;

private:
    const char *variable_;
};

// What the environment describes already is not for these tests.
inline int describe_nothing(void **) {
    unsetenv(xml_file);
    unsetenv(synthetic);
    return 0;
}

inline xcoll::Settings with(xcoll::TopologyWish wish, const std::string &folder = built::plugin_folder()) {
    xcoll::Settings settings;
    settings.topology = wish;
    settings.plugin_path = folder;
    return settings;
}

inline void contains(const std::string &text, const std::string &part) {
    if (text.find(part) == std::string::npos) {
        print_error("\"%s\" is not in: %s\n", part.c_str(), text.c_str());
        assert_true(false);
    }
}

// Who insists on hwloc gets an error with all these parts.
inline void refuses(const xcoll::Settings &settings, xcoll_result_t result, std::initializer_list<const char *> parts) {
    try {
        xcoll::find_topology(settings);
    } catch (const xcoll::Failure &failure) {
        assert_int_equal(failure.result(), result);
        contains(failure.what(), "XCOLL_TOPOLOGY=hwloc, but ");
        contains(failure.what(), "XCOLL_TOPOLOGY=auto does without it");
        for (const char *part : parts) {
            contains(failure.what(), part);
        }
        return;
    }
    print_error("no error\n");
    assert_true(false);
}

} // namespace topo
