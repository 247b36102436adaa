#include "tools/xcoll-info/machine_tree.h"

#include <algorithm>
#include <map>
#include <set>

#include "tools/shared/sizes.h"
#include "tools/shared/text.h"

namespace xcoll::info {

using tools::Json;

namespace {

struct Level {
    const char *key, *name;
};
// From the outside in.
constexpr Level levels[] = {{"socket", "socket"}, {"numa", "memory node"}, {"l3", "L3 cache"}, {"l2", "L2 cache"}};
constexpr size_t level_count = std::size(levels);
constexpr size_t innermost = level_count - 1;

using Processors = std::vector<const Json *>;

std::vector<int> numbers_of(const Processors &processors) {
    std::vector<int> numbers;
    for (const Json *processor : processors) {
        numbers.push_back(static_cast<int>((*processor)["cpu"].number()));
    }
    return numbers;
}

class Drawing {
public:
    explicit Drawing(const Json &machine) : machine_(machine) {
        for (const Json &cpu : machine["allowed"].items()) {
            allowed_.insert(static_cast<int>(cpu.number()));
        }
    }

    std::string below(const Processors &processors, size_t level, const std::string &indent) const {
        if (level == level_count) {
            return "";
        }
        std::map<int, Processors> parts;
        for (const Json *processor : processors) {
            const Json &number = (*processor)[levels[level].key];
            parts[number.is_null() ? -1 : static_cast<int>(number.number())].push_back(processor);
        }
        if (parts.count(-1) > 0) {
            return below(processors, level + 1, indent); // the system does not tell
        }
        // Large machines have hundreds of these, all alike.
        if (level == innermost && parts.size() > 1 && are_alike(parts)) {
            return indent + "+- " + folded(parts, processors) + "\n";
        }
        std::string text;
        size_t left = parts.size();
        for (const auto &[number, part] : parts) {
            text += indent + "+- " + title(level, number, part) + "\n";
            text += below(part, level + 1, indent + (--left > 0 ? "|  " : "   "));
        }
        return text;
    }

private:
    static bool are_alike(const std::map<int, Processors> &parts) {
        const size_t first = parts.begin()->second.size();
        return std::all_of(parts.begin(), parts.end(), [&](const auto &part) { return part.second.size() == first; });
    }

    std::string size_of(size_t level) const {
        const std::string key = std::string(levels[level].key) + "_bytes";
        const double bytes = machine_[key].number();
        return bytes > 0 ? tools::format(" of %s", tools::show_bytes(static_cast<uint64_t>(bytes)).c_str()) : "";
    }

    std::string title(size_t level, int number, const Processors &part) const {
        std::string text = levels[level].name;
        // A cache has no number of its own.
        const std::string size = size_of(level);
        text += size.empty() ? tools::format(" %d", number) : size;
        return text + ": " + processors_in_words(part);
    }

    std::string folded(const std::map<int, Processors> &parts, const Processors &all) const {
        const size_t each = parts.begin()->second.size();
        return tools::format("%zu L2 caches%s with %s each: %s", parts.size(), size_of(innermost).c_str(),
                             tools::counted(static_cast<long>(each), "processor", "processors").c_str(),
                             processors_in_words(all).c_str());
    }

    std::string processors_in_words(const Processors &part) const {
        const std::vector<int> numbers = numbers_of(part);
        std::vector<int> mine;
        std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(mine),
                     [&](int cpu) { return allowed_.count(cpu) > 0; });
        std::string text = (numbers.size() == 1 ? "processor " : "processors ") + show_list(numbers);
        if (mine.size() < numbers.size()) {
            text += mine.empty() ? " (not for this process)" : " (for this process: " + show_list(mine) + ")";
        }
        return text;
    }

    const Json &machine_;
    std::set<int> allowed_;
};

} // namespace

std::string draw_machine(const Json &machine, const std::string &indent) {
    Processors processors;
    for (const Json &processor : machine["processors"].items()) {
        processors.push_back(&processor);
    }
    return Drawing(machine).below(processors, 0, indent);
}

std::string show_list(const std::vector<int> &numbers) {
    std::string text;
    for (size_t i = 0; i < numbers.size();) {
        size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
            ++last;
        }
        const std::string from = std::to_string(numbers[i]);
        tools::add_item(text, ",", last > i ? from + '-' + std::to_string(numbers[last]) : from);
        i = last + 1;
    }
    return text;
}

} // namespace xcoll::info
