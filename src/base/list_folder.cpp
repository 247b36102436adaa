#include "base/list_folder.h"

#include <cerrno>
#include <dirent.h>
#include <memory>

namespace xcoll {

std::vector<std::string> list_folder(const std::string &path) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(path.c_str()), closedir);
    if (!folder) {
        return names;
    }
    while (const dirent *entry = readdir(folder.get())) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") {
            names.push_back(name);
        }
    }
    errno = 0;
    return names;
}

} // namespace xcoll
