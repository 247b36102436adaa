#include "api/config.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "api/handle.h"

namespace xcoll::api {

xcoll_comm_config_t read_config(const xcoll_comm_config_t *config) {
    xcoll_comm_config_t copy{};
    if (!config) {
        fail(XCOLL_ERR_ARGUMENT, "config is NULL: expected a struct set up by xcoll_comm_config_defaults");
    }
    const size_t size = config->struct_size;
    // A page: no version of the struct will be larger, so more is an uninitialised field.
    constexpr size_t largest = 4096;
    if (size < sizeof size || size > largest) {
        fail(XCOLL_ERR_ARGUMENT,
             "config.struct_size is %zu: expected sizeof(xcoll_comm_config_t), set by xcoll_comm_config_defaults",
             size);
    }
    const auto *bytes = reinterpret_cast<const unsigned char *>(config);
    if (size > sizeof copy &&
        std::any_of(bytes + sizeof copy, bytes + size, [](unsigned char byte) { return byte != 0; })) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "config has fields that this version of xcoll (%d.%d.%d) does not know: use the library that belongs to "
             "the header",
             XCOLL_VERSION_MAJOR, XCOLL_VERSION_MINOR, XCOLL_VERSION_PATCH);
    }
    std::memcpy(&copy, config, std::min(size, sizeof copy));
    if (copy.api_version > XCOLL_API_VERSION) {
        fail(XCOLL_ERR_UNSUPPORTED, "config.api_version is %u, this library knows up to %d", copy.api_version,
             XCOLL_API_VERSION);
    }
    const struct {
        const char *name;
        bool set;
    } unsupported[] = {{"flags", copy.flags != 0},
                       {"ids", copy.ids != nullptr || copy.id_count != 0},
                       {"determinism", copy.determinism != 0},
                       {"progress", copy.progress != 0},
                       {"device_kind", copy.device_kind != 0},
                       {"device_index", copy.device_index != 0}};
    for (const auto &field : unsupported) {
        if (field.set) {
            fail(XCOLL_ERR_UNSUPPORTED, "config.%s: this version supports only 0", field.name);
        }
    }
    return copy;
}

Wishes wishes_of(const xcoll_comm_config_t *config) {
    Wishes wishes;
    wishes.settings = read_settings(config ? config->settings : nullptr, environ);
    wishes.name = config && config->name ? config->name : "";
    wishes.timeout_ms = config ? config->timeout_ms : 0;
    return wishes;
}

} // namespace xcoll::api

extern "C" xcoll_result_t xcoll_comm_config_defaults(xcoll_comm_config_t *config, size_t struct_size) {
    using namespace xcoll::api;
    return guarded(__func__, [&] {
        out(config, "config");
        if (struct_size < sizeof config->struct_size) {
            xcoll::fail(XCOLL_ERR_ARGUMENT, "struct_size is %zu: expected sizeof(xcoll_comm_config_t)", struct_size);
        }
        std::memset(config, 0, struct_size);
        config->struct_size = struct_size;
    });
}
