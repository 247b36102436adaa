// The machine by hwloc: as it finds it, or as the user has described it to hwloc. Nothing here throws.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <hwloc.h>

#include "plugins/plugin.h"

namespace {

// Destroyed at the end of the block; null if there was no memory for it.
class Topology {
public:
    Topology() {
        if (hwloc_topology_init(&topology_) != 0) {
            topology_ = nullptr;
        }
    }
    ~Topology() {
        if (topology_) {
            hwloc_topology_destroy(topology_);
        }
    }
    Topology(const Topology &) = delete;
    Topology &operator=(const Topology &) = delete;
    hwloc_topology_t get() const {
        return topology_;
    }

private:
    hwloc_topology_t topology_;
};

// Of hwloc's two parts that look at a machine, the one that is in the way here, or null. The one for Linux complains to
// standard error where the kernel's files are hidden, and finds nothing. The other one asks the processors themselves:
// it moves this thread to all of them in turn and waits for those that are busy, 4 ms each on a kernel that does not
// preempt, which is for nothing where the files tell of caches.
const char *part_in_the_way() {
    const auto is_there = [](const char *path) { return access(path, F_OK) == 0; };
    if (!is_there("/sys/devices/system/cpu/cpu0/topology")) {
        return "linux";
    }
    return is_there("/sys/devices/system/cpu/cpu0/cache/index2") ? "x86" : nullptr;
}

// To look at all processors, also those that this process may not use, and at all types of objects: leaving out those
// that nobody asks for saves no time, and memory nodes below them would lose their place.
bool choose(hwloc_topology_t topology) {
    if (const char *part = part_in_the_way()) {
        // Where hwloc has no such part, which is an error, it is not in the way.
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, part);
    }
    return hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0;
}

// As sysfs names things, so that ranks of one machine may ask either: a cache by the first of its processors, others
// by their number.
int32_t number_of(hwloc_obj_t object) {
    const bool has_number = !hwloc_obj_type_is_cache(object->type) && object->os_index != HWLOC_UNKNOWN_INDEX;
    return has_number ? static_cast<int32_t>(object->os_index) : hwloc_bitmap_first(object->cpuset);
}

int32_t socket_of(hwloc_topology_t topology, hwloc_obj_t processor) {
    const hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, processor);
    return socket ? number_of(socket) : -1;
}

// Processors may differ: what is sized by a cache must fit the smallest.
int32_t cache_of(hwloc_topology_t topology, hwloc_obj_t processor, hwloc_obj_type_t level, uint64_t &smallest) {
    const hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, level, processor);
    if (!cache) {
        return -1;
    }
    const uint64_t bytes = cache->attr->cache.size;
    if (bytes != 0 && (smallest == 0 || bytes < smallest)) {
        smallest = bytes;
    }
    return number_of(cache);
}

void release(xcoll_machine *machine) {
    std::free(machine->processors);
    *machine = {};
}

xcoll_result_t take_down(hwloc_topology_t topology, xcoll_machine *machine, char *said, size_t said_bytes) {
    const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    *machine = {};
    machine->processors =
        static_cast<xcoll_processor *>(std::calloc(static_cast<size_t>(std::max(count, 1)), sizeof(xcoll_processor)));
    if (!machine->processors) {
        std::snprintf(said, said_bytes, "out of memory");
        return XCOLL_ERR_NO_MEMORY;
    }
    hwloc_obj_t each = nullptr;
    while ((each = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, each))) {
        xcoll_processor &processor = machine->processors[machine->count++];
        processor.cpu = static_cast<int32_t>(each->os_index);
        processor.l2 = cache_of(topology, each, HWLOC_OBJ_L2CACHE, machine->l2_bytes);
        processor.l3 = cache_of(topology, each, HWLOC_OBJ_L3CACHE, machine->l3_bytes);
        // Of a node of ordinary memory and one of fast memory beside it, the kernel counts processors to the first.
        processor.numa = hwloc_bitmap_first(each->nodeset);
        processor.socket = socket_of(topology, each);
    }
    const unsigned version = hwloc_get_api_version();
    std::snprintf(said, said_bytes, "hwloc, interface %u.%u", version >> 16, version >> 8 & 0xff);
    return XCOLL_SUCCESS;
}

// Some of a bad file shows when it is opened, some when it is loaded.
bool load(hwloc_topology_t topology, const char *xml_file, const char *synthetic) {
    return (!xml_file || hwloc_topology_set_xml(topology, xml_file) == 0) &&
           (!synthetic || hwloc_topology_set_synthetic(topology, synthetic) == 0) && hwloc_topology_load(topology) == 0;
}

xcoll_result_t read_machine(const char *xml_file, const char *synthetic, xcoll_machine *machine, char *said,
                            size_t said_bytes) {
    const Topology topology;
    if (!topology.get() || !choose(topology.get())) {
        std::snprintf(said, said_bytes, "hwloc does not start: %s", std::strerror(errno));
        return XCOLL_ERR_SYSTEM;
    }
    if (load(topology.get(), xml_file, synthetic)) {
        return take_down(topology.get(), machine, said, said_bytes);
    }
    if (xml_file) {
        std::snprintf(said, said_bytes, "hwloc cannot read %s: expected a file that lstopo has written", xml_file);
    } else if (synthetic) {
        std::snprintf(said, said_bytes, "hwloc does not understand %s: expected levels such as pack:2 l3:2 core:4 pu:1",
                      synthetic);
    } else {
        std::snprintf(said, said_bytes, "hwloc finds no machine: %s", std::strerror(errno));
        return XCOLL_ERR_SYSTEM;
    }
    return XCOLL_ERR_CONFIG;
}

constexpr xcoll_topology_plugin table{
    {XCOLL_PLUGIN_ABI, XCOLL_PLUGIN_VERSION},
    read_machine,
    release,
};

} // namespace

extern "C" XCOLL_API const xcoll_plugin_head *xcoll_plugin_topology() {
    return &table.head;
}
