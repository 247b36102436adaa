#include "api/config.h"

#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "api/handle.h"
#include "api/sized.h"

namespace xcoll::api {

xcoll_comm_config_t read_config(const xcoll_comm_config_t *config) {
    using Config = xcoll_comm_config_t;
    const Config copy = read_sized(
        config, "config", "xcoll_comm_config",
        {offsetof(Config, flags), offsetof(Config, size), offsetof(Config, progress), offsetof(Config, device_index)});
    if (copy.api_version > XCOLL_API_VERSION) {
        fail(XCOLL_ERR_UNSUPPORTED, "config.api_version is %u, this library knows up to %d", copy.api_version,
             XCOLL_API_VERSION);
    }
    const struct {
        const char *name;
        bool set;
    } unsupported[] = {{"flags", copy.flags != 0},
                       {"progress", copy.progress != 0},
                       {"device_kind", copy.device_kind != 0},
                       {"device_index", copy.device_index != 0}};
    for (const auto &field : unsupported) {
        if (field.set) {
            fail(XCOLL_ERR_UNSUPPORTED, "config.%s: this version supports only 0", field.name);
        }
    }
    if (copy.determinism < XCOLL_DETERMINISM_DEFAULT || copy.determinism > XCOLL_DETERMINISM_LAYOUT) {
        fail(XCOLL_ERR_ARGUMENT,
             "config.determinism is %d: expected XCOLL_DETERMINISM_DEFAULT, _OFF, _RUN, _SIZE or "
             "_LAYOUT",
             copy.determinism);
    }
    return copy;
}

void check_way_to_peers(const xcoll_comm_config_t &config) {
    if ((config.ids == nullptr) != (config.id_count == 0)) {
        fail(XCOLL_ERR_ARGUMENT, "config.ids is %s, but config.id_count is %zu: expected both or none",
             config.ids ? "set" : "NULL", config.id_count);
    }
    if (config.ids && config.allgather) {
        fail(XCOLL_ERR_ARGUMENT, "config.ids and config.allgather are both set: expected one way to the other ranks");
    }
    if (!config.ids && !config.allgather && config.size > 1) {
        fail(XCOLL_ERR_ARGUMENT,
             "config.ids and config.allgather are NULL: expected unique ids, or a function, by which "
             "the ranks find each other");
    }
    if (config.id_count > static_cast<size_t>(config.size)) {
        fail(XCOLL_ERR_ARGUMENT, "config.id_count is %zu, config.size %d: expected no more ids than ranks",
             config.id_count, config.size);
    }
    for (size_t i = 0; i < config.id_count; ++i) {
        for (size_t earlier = 0; earlier < i; ++earlier) {
            if (std::memcmp(&config.ids[i], &config.ids[earlier], sizeof *config.ids) == 0) {
                fail(XCOLL_ERR_ARGUMENT, "config.ids[%zu] and config.ids[%zu] are the same: expected different ids",
                     earlier, i);
            }
        }
    }
}

Wishes wishes_of(const xcoll_comm_config_t *config) {
    Wishes wishes;
    wishes.settings = read_settings(config ? config->settings : nullptr, environ);
    wishes.name = config && config->name ? config->name : "";
    wishes.timeout_ms = config ? config->timeout_ms : 0;
    if (config && config->determinism != XCOLL_DETERMINISM_DEFAULT) {
        give_determinism(wishes.settings, static_cast<Determinism>(config->determinism - XCOLL_DETERMINISM_OFF));
    }
    return wishes;
}

} // namespace xcoll::api

extern "C" xcoll_result_t xcoll_comm_config_defaults(xcoll_comm_config_t *config, size_t struct_size) {
    using namespace xcoll::api;
    return guarded(__func__, [&] {
        out(config, "config");
        constexpr size_t first = offsetof(xcoll_comm_config_t, settings) + sizeof config->settings;
        set_sized_defaults(config, struct_size, first, "xcoll_comm_config");
    });
}
