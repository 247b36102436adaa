// Prints the operation table as JSON: what generators of bindings and lists read. Run by the build.
#include <iostream>
#include <string>
#include <vector>

namespace {

std::string trimmed(std::string text) {
    const size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// "const size_t counts[]" becomes {"name": "counts", "type": "const size_t *"}.
std::string parameter(std::string text) {
    const bool array = text.size() > 2 && text.ends_with("[]");
    text = array ? text.substr(0, text.size() - 2) : text;
    size_t name = text.size();
    while (name > 0 && text[name - 1] != ' ' && text[name - 1] != '*') {
        --name;
    }
    return "{\"name\": \"" + text.substr(name) + "\", \"type\": \"" + trimmed(text.substr(0, name)) +
           (array ? " *" : "") + "\"}";
}

// The parameters of a row, in parentheses, with a comma behind the last.
std::vector<std::string> split(const std::string &row) {
    std::vector<std::string> parts;
    std::string part;
    for (const char c : row.substr(1, row.size() - 2)) {
        if (c == ',') {
            parts.push_back(parameter(trimmed(part)));
            part.clear();
        } else {
            part += c;
        }
    }
    return parts;
}

void print(const std::string &name, const std::string &row, bool first) {
    std::cout << (first ? "" : ",\n") << "    {\"name\": \"" << name << "\",\n     \"parameters\": [";
    const char *separator = "";
    for (const std::string &part : split(row)) {
        std::cout << separator << part;
        separator = ",\n                    ";
    }
    std::cout << "],\n     \"forms\": {\"blocking\": \"xcoll_" << name << "\", \"immediate\": \"xcoll_i" << name
              << "\", \"persistent\": \"xcoll_" << name << "_init\", \"enqueued\": \"xcoll_" << name << "_enqueue\"}}";
}

} // namespace

int main() {
    std::cout << "{\"api_version\": 1,\n"
                 " \"after_parameters\": {\"blocking\": [\"xcoll_comm_t comm\"],\n"
                 "                      \"immediate\": [\"xcoll_comm_t comm\", \"xcoll_request_t *request\"],\n"
                 "                      \"persistent\": [\"xcoll_comm_t comm\", \"xcoll_request_t *request\"],\n"
                 "                      \"enqueued\": [\"xcoll_comm_t comm\", \"xcoll_stream_t stream\"]},\n"
                 " \"operations\": [\n";
    bool first = true;
#define OPERATION(name, parameters, arguments)                                                                         \
    print(#name, #parameters, first);                                                                                  \
    first = false;
#include "api/operations.def"
    std::cout << "\n]}\n";
}
