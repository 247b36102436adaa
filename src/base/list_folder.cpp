#include "base/list_folder.h"

#include <cerrno>
#include <dirent.h>

namespace xcoll {

std::vector<std::string> list_folder(const std::string &path) {
    std::vector<std::string> names;
    DIR *folder = opendir(path.c_str());
    if (!folder) {
        return names;
    }
    while (const dirent *entry = readdir(folder)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") {
            names.push_back(name);
        }
    }
    closedir(folder);
    errno = 0;
    return names;
}

} // namespace xcoll
