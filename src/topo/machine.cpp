#include "topo/machine.h"

#include <algorithm>
#include <string>

#include "base/list_folder.h"
#include "base/read_text.h"
#include "topo/parse.h"

namespace xcoll {

namespace {

// The numbers N of the entries "<prefix>N" of a folder, ascending.
std::vector<int> numbered_entries(const std::string &folder, std::string_view prefix) {
    std::vector<int> numbers;
    for (const std::string &name : list_folder(folder)) {
        if (!name.starts_with(prefix)) {
            continue;
        }
        const auto number = parse_number(std::string_view(name).substr(prefix.size()));
        if (number && *number >= 0 && *number < 1 << 20) {
            numbers.push_back(static_cast<int>(*number));
        }
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

std::optional<int64_t> read_number(const std::string &path) {
    const auto text = read_text(path);
    return text ? parse_number(*text) : std::nullopt;
}

std::optional<std::vector<int>> read_cpu_list(const std::string &path) {
    const auto text = read_text(path);
    return text ? parse_cpu_list(*text) : std::nullopt;
}

class Reader {
public:
    explicit Reader(const char *sysfs) : system_(std::string(sysfs) + "/devices/system") {
    }

    Machine read() {
        for (const int cpu : online()) {
            machine_.processors.push_back({cpu, -1, -1, -1, -1});
        }
        read_nodes();
        for (Processor &processor : machine_.processors) {
            const auto package = read_number(cpu_folder(processor.cpu) + "/topology/physical_package_id");
            processor.socket = package && *package >= 0 && *package < 1 << 20 ? static_cast<int>(*package) : -1;
            read_caches(processor);
        }
        return std::move(machine_);
    }

private:
    std::string cpu_folder(int cpu) const {
        return system_ + "/cpu/cpu" + std::to_string(cpu);
    }

    std::vector<int> online() const {
        const auto list = read_cpu_list(system_ + "/cpu/online");
        if (list && !list->empty()) {
            return *list;
        }
        std::vector<int> cpus = numbered_entries(system_ + "/cpu", "cpu");
        // A processor that cannot be taken offline has no such file.
        std::erase_if(cpus, [&](int cpu) { return read_number(cpu_folder(cpu) + "/online") == 0; });
        return cpus;
    }

    Processor *find(int cpu) {
        const auto at = std::lower_bound(machine_.processors.begin(), machine_.processors.end(), cpu,
                                         [](const Processor &processor, int wanted) { return processor.cpu < wanted; });
        return at != machine_.processors.end() && at->cpu == cpu ? &*at : nullptr;
    }

    void read_nodes() {
        for (const int node : numbered_entries(system_ + "/node", "node")) {
            const auto cpus = read_cpu_list(system_ + "/node/node" + std::to_string(node) + "/cpulist");
            for (const int cpu : cpus ? *cpus : std::vector<int>()) {
                if (Processor *processor = find(cpu)) {
                    processor->numa = node;
                }
            }
        }
    }

    // A cache is known to all its processors as soon as one of them was asked: large machines have thousands of files.
    void read_caches(Processor &processor) {
        if (processor.l2 >= 0 && processor.l3 >= 0) {
            return;
        }
        const std::string caches = cpu_folder(processor.cpu) + "/cache";
        for (const int index : numbered_entries(caches, "index")) {
            const std::string cache = caches + "/index" + std::to_string(index);
            const auto level = read_number(cache + "/level");
            if (level == 2 && processor.l2 < 0) {
                read_cache(cache, processor, &Processor::l2, machine_.l2_bytes);
            } else if (level == 3 && processor.l3 < 0) {
                read_cache(cache, processor, &Processor::l3, machine_.l3_bytes);
            }
        }
    }

    void read_cache(const std::string &cache, const Processor &processor, int Processor::*number, size_t &bytes) {
        const auto type = read_text(cache + "/type");
        const auto shared = read_cpu_list(cache + "/shared_cpu_list");
        if ((type && type->starts_with("Instruction")) || !shared ||
            !std::binary_search(shared->begin(), shared->end(), processor.cpu)) {
            return;
        }
        // The first of its processors names the cache: the kernel's own number is missing on many machines.
        for (const int cpu : *shared) {
            if (Processor *sharer = find(cpu)) {
                sharer->*number = shared->front();
            }
        }
        // Processors may differ: what is sized by a cache must fit the smallest.
        const auto text = read_text(cache + "/size");
        const auto size = text ? parse_cache_size(*text) : std::nullopt;
        if (size) {
            bytes = bytes == 0 ? *size : std::min(bytes, *size);
        }
    }

    std::string system_;
    Machine machine_;
};

} // namespace

Machine read_machine(const char *sysfs) {
    return Reader(sysfs).read();
}

} // namespace xcoll
