#include "tools/xcoll-doctor/check.h"

#include <fstream>

namespace xcoll::doctor {

Finding good(std::string seen) {
    return {Finding::State::ok, std::move(seen), "", ""};
}

Finding warning(std::string seen, std::string meaning, std::string advice) {
    return {Finding::State::warning, std::move(seen), std::move(meaning), std::move(advice)};
}

Finding problem(std::string seen, std::string meaning, std::string advice) {
    return {Finding::State::problem, std::move(seen), std::move(meaning), std::move(advice)};
}

std::optional<std::string> read_line(const Patient &patient, const std::string &path) {
    std::ifstream file(patient.root + path);
    std::string line;
    return std::getline(file, line) ? std::optional(line) : std::nullopt;
}

std::optional<std::string> read_field(const Patient &patient, const std::string &path, const std::string &name) {
    std::ifstream file(patient.root + path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":")) {
            const size_t value = line.find_first_not_of(" \t", name.size() + 1);
            return value == std::string::npos ? "" : line.substr(value);
        }
    }
    return std::nullopt;
}

} // namespace xcoll::doctor
