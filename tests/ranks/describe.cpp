// What xcoll_comm_describe says of settings: a program's own are told from the environment's, and children have them.
// ranks: 1 3
// env: XCOLL_SHM_BUDGET=32M XCOLL_TIMEOUT=20
#include <cstdio>
#include <cstdlib>
#include <string>

#include "xcoll.h"

namespace {

void must(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        std::fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        std::exit(1);
    }
}

std::string described(xcoll_comm_t comm) {
    size_t length = 0;
    must(xcoll_comm_describe(comm, nullptr, &length));
    std::string text(length, '\0');
    must(xcoll_comm_describe(comm, text.data(), &length));
    return text;
}

void expect(const std::string &text, const std::string &part) {
    if (text.find(part) == std::string::npos) {
        std::fprintf(stderr, "%s\nis not in\n%s\n", part.c_str(), text.c_str());
        std::exit(1);
    }
}

// As much as there is room for, and how much it would be.
void expect_a_part_where_there_is_less_room(xcoll_comm_t comm) {
    const std::string whole = described(comm);
    for (const size_t room : {size_t{0}, size_t{1}, size_t{10}, whole.size()}) {
        std::string part(whole.size(), '#');
        size_t length = room;
        must(xcoll_comm_describe(comm, part.data(), &length));
        const std::string kept = room > 0 ? whole.substr(0, room - 1) + '\0' : "";
        const bool right = part.compare(0, room, kept) == 0 && part.find_first_not_of('#', room) == std::string::npos;
        expect(right && length == whole.size() ? "right" : part, "right");
    }
}

std::string setting(const char *name, const char *value, const char *usual, const char *source) {
    return std::string("{\"name\": \"XCOLL_") + name + "\", \"value\": \"" + value + "\", \"default\": \"" + usual +
           "\", \"source\": \"" + source + "\"";
}

} // namespace

int main() {
    xcoll_comm_config_t config;
    must(xcoll_comm_config_defaults(&config, sizeof config));
    config.settings = "ALLREDUCE=one_shot";
    config.timeout_ms = 12500;
    config.name = "a \"name\" with \xff";
    xcoll_comm_t world, child;
    must(xcoll_init_config(&config, &world));
    must(xcoll_comm_dup(world, &child));
    for (xcoll_comm_t comm : {world, child}) {
        const std::string text = described(comm);
        expect(text, "\"name\": \"a \\\"name\\\" with \xef\xbf\xbd\"");
        expect(text, setting("ALLREDUCE", "one_shot", "auto", "program"));
        expect(text, setting("TIMEOUT", "12.5", "1800", "program"));
        expect(text, setting("SHM_BUDGET", "32M", "64M", "environment"));
        expect(text, setting("BCAST", "auto", "auto", "default"));
        expect(text, "\"allreduce\": [{\"up_to\": ");
        expect(text, "\"why\": \"all ranks share memory, so there are no messages\"");
        expect(text, "\"memory\": {\"slot_bytes\": ");
        expect(text, "\"usable_processors\": ");
    }
    expect_a_part_where_there_is_less_room(world);
    must(xcoll_comm_free(&child));
    must(xcoll_comm_free(&world));
    must(xcoll_finalize());
    return 0;
}
