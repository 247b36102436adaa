// The few fields of /proc/<pid>/stat that tell whether a process lives.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xcoll {

struct ProcessStat {
    int64_t pid;
    char state;
    int64_t threads;
    uint64_t start_time;
};
// Nothing if the text is not a whole line of that format. The command's name may contain blanks and parentheses.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

} // namespace xcoll
