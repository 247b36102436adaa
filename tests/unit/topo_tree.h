// Machines as small trees of files, in the place of /sys and /proc.
#pragma once

#include "cmocka_cpp.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace topo {

// A temporary folder, gone at the end of the test that made it.
class Tree {
public:
    Tree() {
        const char *parent = std::getenv("TMPDIR");
        path_ = std::string(parent != nullptr ? parent : "/tmp") + "/topo-XXXXXX";
        assert_non_null(mkdtemp(path_.data()));
    }
    Tree(const Tree &) = delete;
    Tree &operator=(const Tree &) = delete;
    ~Tree() {
        std::filesystem::remove_all(path_);
    }
    void write(const std::string &name, const std::string &text) {
        std::filesystem::create_directories(std::filesystem::path(path_ + "/" + name).parent_path());
        std::ofstream(path_ + "/" + name) << text;
    }
    void remove(const std::string &name) {
        assert_true(std::filesystem::remove_all(path_ + "/" + name) > 0);
    }
    std::string cpu(int number, const std::string &rest) const {
        return "devices/system/cpu/cpu" + std::to_string(number) + rest;
    }
    const char *path() const {
        return path_.c_str();
    }

private:
    std::string path_;
};

inline std::string range(int first, int count) {
    return std::to_string(first) + "-" + std::to_string(first + count - 1) + "\n";
}

inline void write_cache(Tree &tree, int cpu, int index, int level, const char *type, const char *size,
                        std::string shared) {
    const std::string cache = tree.cpu(cpu, "/cache/index" + std::to_string(index));
    tree.write(cache + "/level", std::to_string(level) + "\n");
    tree.write(cache + "/type", std::string(type) + "\n");
    tree.write(cache + "/size", std::string(size) + "\n");
    tree.write(cache + "/shared_cpu_list", std::move(shared));
}

// 2 sockets of 2 nodes of 4 third-level caches of 2 processors: 32 processors.
inline void write_large_machine(Tree &tree) {
    tree.write("devices/system/cpu/online", "0-31\n");
    for (int node = 0; node < 4; ++node) {
        tree.write("devices/system/node/node" + std::to_string(node) + "/cpulist", range(node * 8, 8));
    }
    for (int cpu = 0; cpu < 32; ++cpu) {
        tree.write(tree.cpu(cpu, "/topology/physical_package_id"), std::to_string(cpu / 16) + "\n");
        write_cache(tree, cpu, 0, 1, "Data", "32K", std::to_string(cpu) + "\n");
        write_cache(tree, cpu, 1, 1, "Instruction", "32K", std::to_string(cpu) + "\n");
        write_cache(tree, cpu, 2, 2, "Unified", "1024K", std::to_string(cpu) + "\n");
        write_cache(tree, cpu, 3, 3, "Unified", "32M", range(cpu / 2 * 2, 2));
    }
}

} // namespace topo
