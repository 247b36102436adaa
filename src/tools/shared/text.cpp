#include "tools/shared/text.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace xcoll::tools {

std::string format(const char *pattern, ...) {
    va_list list, again;
    va_start(list, pattern);
    va_copy(again, list);
    std::string text(static_cast<size_t>(std::max(std::vsnprintf(nullptr, 0, pattern, list), 0)), '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    va_end(list);
    return text;
}

void add_item(std::string &list, std::string_view separator, std::string_view item) {
    if (!list.empty()) {
        list += separator;
    }
    list += item;
}

std::string padded(std::string_view text, size_t width) {
    std::string wide(text);
    wide.resize(std::max(text.size(), width), ' ');
    return wide;
}

std::string counted(long number, const char *one, const char *many) {
    return std::to_string(number) + ' ' + (number == 1 ? one : many);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text = text.substr(end + 1);
    }
}

} // namespace xcoll::tools
