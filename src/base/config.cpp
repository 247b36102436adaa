#include "base/config.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/error.h"
#include "base/read_text.h"

namespace xcoll {

namespace {

// The number at the front of a text, whatever the program's locale makes of points and commas, and what comes after it;
// nothing if it does not begin with a number.
template <class Number> std::optional<std::string_view> take_number(std::string_view text, Number &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        return std::nullopt;
    }
    return text.substr(static_cast<size_t>(end - text.data()));
}

const char *set_timeout(Settings &settings, const std::string &text) {
    double seconds = 0;
    // A year: above that somebody meant another unit.
    constexpr double longest = 31'536'000;
    if (take_number(text, seconds) != "" || !(seconds >= 0 && seconds <= longest)) {
        return "seconds, such as 30 or 0.5; 0 for no limit";
    }
    settings.timeout_ms = seconds == 0 ? -1 : std::max(std::llround(seconds * 1000), 1LL);
    return nullptr;
}

// Nothing if it is no amount from 1 to `most`.
std::optional<size_t> read_amount(std::string_view text, size_t most) {
    const std::optional<uint64_t> amount = parse_amount(text);
    return amount && *amount >= 1 && *amount <= most ? amount : std::nullopt;
}

template <size_t Settings::*member> const char *set_bytes(Settings &settings, const std::string &text) {
    constexpr size_t most = size_t{1} << 40;
    const std::optional<size_t> bytes = read_amount(text, most);
    if (!bytes) {
        return "bytes, such as 64M or 1G, up to 1T";
    }
    settings.*member = *bytes;
    return nullptr;
}

const char *set_trace_events(Settings &settings, const std::string &text) {
    constexpr size_t most = size_t{64} << 20; // 4 GiB for each communicator
    const std::optional<size_t> events = read_amount(text, most);
    if (!events) {
        return "a number of operations, such as 64K, of up to 64M";
    }
    settings.trace_events = *events;
    return nullptr;
}

template <bool Settings::*member> const char *set_switch(Settings &settings, const std::string &text) {
    const bool is_on = text == "on" || text == "1";
    if (!is_on && text != "off" && text != "0") {
        return "on or off";
    }
    settings.*member = is_on;
    return nullptr;
}

// "2,2": nothing if it is no list of numbers from 1 on with one comma between two of them.
std::vector<int> group_sizes(std::string_view text) {
    constexpr int most = 1'000'000; // ranks of a job
    std::vector<int> sizes;
    for (std::string_view rest = ","; !rest.empty();) {
        const auto after = rest.front() == ',' ? take_number(text, sizes.emplace_back()) : std::nullopt;
        if (!after || sizes.back() < 1 || sizes.back() > most) {
            return {};
        }
        rest = *after;
        text = rest.substr(rest.empty() ? 0 : 1);
    }
    return sizes;
}

const char *set_groups(Settings &settings, const std::string &text) {
    settings.group_sizes = group_sizes(text);
    if (text != "machine" && text != "none" && settings.group_sizes.empty()) {
        return "machine, none, or the sizes of groups such as 2,2";
    }
    settings.groups = text;
    return nullptr;
}

template <class Choice> struct Named {
    std::string_view name; // empty: what "auto" was made of
    Choice choice;
};
// One of the choices; false if the text is the name of none.
template <class Choice, size_t number>
bool choose(Choice &choice, std::string_view text, const Named<Choice> (&choices)[number]) {
    const auto *found = std::find_if(choices, choices + number, [=](const auto &one) { return one.name == text; });
    if (found == choices + number) {
        return false;
    }
    choice = found->choice;
    return true;
}

const char *set_store(Settings &settings, const std::string &text) {
    constexpr Named<Store> choices[] = {
        {"learn", Store::learn}, {"cached", Store::cached}, {"string", Store::string}, {"stream", Store::stream}};
    return choose(settings.store, text, choices) ? nullptr : "learn, cached, string or stream";
}

const char *set_attach(Settings &settings, const std::string &text) {
    constexpr Named<Attach> choices[] = {{"", Attach::where_it_pays}, {"on", Attach::on}, {"off", Attach::off}};
    return choose(settings.attach, text, choices) ? nullptr : "auto, on or off";
}

const char *set_crypto(Settings &settings, const std::string &text) {
    constexpr Named<CryptoWish> choices[] = {
        {"", CryptoWish::library_if_there}, {"library", CryptoWish::library}, {"own", CryptoWish::own}};
    return choose(settings.crypto, text, choices) ? nullptr : "auto, library or own";
}

const char *set_topology(Settings &settings, const std::string &text) {
    constexpr Named<TopologyWish> choices[] = {
        {"", TopologyWish::who_can}, {"sysfs", TopologyWish::sysfs}, {"hwloc", TopologyWish::hwloc}};
    return choose(settings.topology, text, choices) ? nullptr : "auto, sysfs or hwloc";
}

const char *set_root(Settings &settings, const std::string &text) {
    const size_t colon = text.rfind(':');
    const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
    const bool is_number =
        !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
    const std::string host = text.substr(0, colon);
    const bool is_closed = host.empty() || (host.front() == '[') == (host.back() == ']');
    if (!text.empty() && (host.empty() || !is_closed || !is_number || std::stoi(port) < 1 || std::stoi(port) > 65535)) {
        return "a host and a port, such as node1:4711, 10.0.0.1:4711 or [fd00::1]:4711";
    }
    settings.root = text;
    return nullptr;
}

const char *set_secret(Settings &settings, const std::string &text) {
    // As many letters as it takes until nobody guesses them, if they were drawn at random.
    constexpr size_t shortest = 16;
    if (!text.empty() && text != "none" && text.size() < shortest) {
        return "at least 16 letters that nobody can guess, or none";
    }
    settings.secret = text;
    return nullptr;
}

// Names of algorithms and instruction sets are checked where their tables are, that of a folder where it is used.
template <std::string Settings::*member> const char *set_name(Settings &settings, const std::string &text) {
    settings.*member = text;
    return nullptr;
}

template <Kind kind> const char *set_algorithm(Settings &settings, const std::string &text) {
    settings.algorithms[static_cast<size_t>(kind)] = text;
    return nullptr;
}
constexpr const char *its_algorithm = "algorithm of the collective with this name; an unknown one lists them";

const char *set_determinism(Settings &settings, const std::string &text) {
    const auto found = std::find(std::begin(determinism_names), std::end(determinism_names), text);
    if (found == std::end(determinism_names)) {
        return "off, run, size or layout";
    }
    settings.determinism = static_cast<Determinism>(found - std::begin(determinism_names));
    return nullptr;
}

// The lines are read where the algorithms are known (coll/tuning.cpp).
const char *set_tuning_file(Settings &settings, const std::string &text) {
    settings.tuning_file = text;
    settings.tuning.clear();
    if (text.empty()) {
        return nullptr;
    }
    struct stat file {};
    const bool is_there = stat(text.c_str(), &file) == 0;
    if (!is_there && errno == ENOENT) {
        return "the name of a file; there is none with this one";
    }
    if (!is_there || access(text.c_str(), R_OK) != 0) {
        return "the name of a file that this process may read";
    }
    if (!S_ISREG(file.st_mode)) {
        return "the name of a file, no folder and no pipe";
    }
    std::optional<std::string> lines = read_text(text);
    if (!lines) {
        return "the name of a file of up to 1 MiB";
    }
    settings.tuning = std::move(*lines);
    return nullptr;
}

const char *ignore(Settings &, const std::string &) {
    return nullptr;
}

constexpr auto agreed = Variable::Trait::agreed;

constexpr Variable table[] = {
    {"TIMEOUT", "1800", "longest wait of one operation in seconds; 0 for no limit", set_timeout},
    {"DETERMINISM", "run", "how far reductions give the same bits: off, run, size or layout", set_determinism, agreed},
    {"TUNING_FILE", "", "file that says which algorithm serves which calls", set_tuning_file},
    {"BARRIER", "auto", its_algorithm, set_algorithm<Kind::barrier>, agreed},
    {"BCAST", "auto", its_algorithm, set_algorithm<Kind::bcast>, agreed},
    {"REDUCE", "auto", its_algorithm, set_algorithm<Kind::reduce>, agreed},
    {"ALLREDUCE", "auto", its_algorithm, set_algorithm<Kind::allreduce>, agreed},
    {"REDUCE_SCATTER", "auto", its_algorithm, set_algorithm<Kind::reduce_scatter>, agreed},
    {"REDUCE_SCATTERV", "auto", its_algorithm, set_algorithm<Kind::reduce_scatterv>, agreed},
    {"SCAN", "auto", its_algorithm, set_algorithm<Kind::scan>, agreed},
    {"EXSCAN", "auto", its_algorithm, set_algorithm<Kind::exscan>, agreed},
    {"ALLGATHER", "auto", its_algorithm, set_algorithm<Kind::allgather>, agreed},
    {"ALLGATHERV", "auto", its_algorithm, set_algorithm<Kind::allgatherv>, agreed},
    {"GATHER", "auto", its_algorithm, set_algorithm<Kind::gather>, agreed},
    {"GATHERV", "auto", its_algorithm, set_algorithm<Kind::gatherv>, agreed},
    {"SCATTER", "auto", its_algorithm, set_algorithm<Kind::scatter>, agreed},
    {"SCATTERV", "auto", its_algorithm, set_algorithm<Kind::scatterv>, agreed},
    {"ALLTOALL", "auto", its_algorithm, set_algorithm<Kind::alltoall>, agreed},
    {"ALLTOALLV", "auto", its_algorithm, set_algorithm<Kind::alltoallv>, agreed},
    {"ALLGATHER_DYN", "auto", its_algorithm, set_algorithm<Kind::allgather_dyn>, agreed},
    {"ALLTOALL_DYN", "auto", its_algorithm, set_algorithm<Kind::alltoall_dyn>, agreed},
    {"RESHARD", "auto", its_algorithm, set_algorithm<Kind::reshard>, agreed},
    {"CHECK", "off", "on: notice threads that start operations on one communicator at once",
     set_switch<&Settings::check>},
    {"SHM", "on", "off: treat every rank as a machine of its own and use the network", set_switch<&Settings::shm>},
    {"SHM_BUDGET", "64M", "shared memory that all ranks of a machine use together", set_bytes<&Settings::shm_budget>},
    {"HEAP", "16G", "address space of each rank for xcoll_mem_alloc; memory only where it is used",
     set_bytes<&Settings::heap>},
    {"LEND", "64K", "buffers that peers reach are used where they lie, from this size on", set_bytes<&Settings::lend>,
     agreed},
    {"CMA", "auto", "large private buffers are copied from process to process by the kernel: auto, on or off",
     set_attach, agreed},
    {"GROUPS", "machine", "which ranks are added up first: by the machine's caches, none, or sizes such as 2,2",
     set_groups, agreed},
    {"TOPOLOGY", "auto", "who tells which processors share what: sysfs, hwloc, or either (auto)", set_topology},
    {"STORE", "learn", "how payloads are copied: learn, cached, string or stream (non-temporal)", set_store},
    {"ISA", "auto", "instruction set of the kernels: plain, avx2, avx512, neon, sve", set_name<&Settings::isa>},
    {"PLUGIN_PATH", "", "folder of the plug-ins; empty: xcoll/ beside the library", set_name<&Settings::plugin_path>},
    {"ROOT", "", "host and port of rank 0, where ranks meet that xcollrun did not start", set_root},
    {"SECRET", "", "by which ranks that meet at XCOLL_ROOT know each other; none: by nothing", set_secret,
     Variable::Trait::secret},
    {"CRYPTO", "auto", "who computes the proofs of that: a crypto library (auto: if it opens), or this one's own code",
     set_crypto},
    {"INTERFACE", "", "name or address of the network interface for the start; empty: by the route",
     set_name<&Settings::interface>},
    {"TRACE", "", "folder into which each process writes what its operations did; empty: none",
     set_name<&Settings::trace>},
    {"TRACE_EVENTS", "64K", "operations of each communicator that the trace keeps: the last ones", set_trace_events},
    {"RANK", "", "this rank; set by xcollrun, or by hand with XCOLL_ROOT", ignore},
    {"SIZE", "", "number of ranks; set by xcollrun, or by hand with XCOLL_ROOT", ignore},
    {"LOCAL_RANK", "", "this rank among those of its machine; set by xcollrun", ignore},
    {"LOCAL_SIZE", "", "number of ranks of this machine; set by xcollrun", ignore},
    {"CONTROL_FD", "", "descriptor of the socket to the launcher; set by xcollrun", ignore},
};

const Variable *find(std::string_view name) {
    for (const Variable &variable : table) {
        if (name == variable.name) {
            return &variable;
        }
    }
    return nullptr;
}

std::string known_names() {
    std::string names;
    for (const Variable &variable : table) {
        names += names.empty() ? "" : " ";
        names += variable.name;
    }
    return names;
}

void apply(Settings &settings, std::string_view name, const std::string &text, Given::By by) {
    const char *prefix = by == Given::By::environment ? "XCOLL_" : "";
    const Variable *variable = find(name);
    const std::string shown(name);
    if (!variable) {
        fail(XCOLL_ERR_CONFIG, "\"%s%s\" is not a setting of xcoll. Known are: %s", prefix, shown.c_str(),
             known_names().c_str());
    }
    if (by == Given::By::program && variable->set == ignore) {
        fail(XCOLL_ERR_CONFIG, "%s is no setting of a communicator: expected it as XCOLL_%s in the environment",
             shown.c_str(), shown.c_str());
    }
    const std::string value = variable->trait == Variable::Trait::secret ? "(hidden)" : text;
    const bool leaves_it = text == "auto" && variable->value[0] != '\0'; // what has no default may have that name
    if (const char *valid = variable->set(settings, leaves_it ? "" : text)) {
        fail(XCOLL_ERR_CONFIG, "%s%s=%s is not valid: expected %s", prefix, shown.c_str(), value.c_str(), valid);
    }
    settings.given.push_back({variable, value, by});
}

void apply_list(Settings &settings, std::string_view list) {
    while (!list.empty()) {
        const size_t end = list.find(';');
        const std::string_view item = list.substr(0, end);
        list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
        if (item.empty()) {
            continue;
        }
        const size_t equals = item.find('=');
        if (equals == std::string_view::npos) {
            fail(XCOLL_ERR_CONFIG, "setting \"%s\" has no value: expected NAME=value;NAME=value",
                 std::string(item).c_str());
        }
        apply(settings, item.substr(0, equals), std::string(item.substr(equals + 1)), Given::By::program);
    }
}

} // namespace

std::span<const Variable> variables() {
    return table;
}

Settings read_settings(const char *own, const char *const *environment) {
    constexpr std::string_view prefix = "XCOLL_";
    Settings settings;
    for (const Variable &variable : table) {
        variable.set(settings, std::strcmp(variable.value, "auto") == 0 ? "" : variable.value);
    }
    for (; environment && *environment; ++environment) {
        const std::string_view entry(*environment);
        const size_t equals = entry.find('=');
        if (entry.starts_with(prefix) && equals != std::string_view::npos) {
            apply(settings, entry.substr(prefix.size(), equals - prefix.size()), std::string(entry.substr(equals + 1)),
                  Given::By::environment);
        }
    }
    if (own) {
        apply_list(settings, own);
    }
    return settings;
}

void give_timeout(Settings &settings, int64_t milliseconds) {
    settings.timeout_ms = milliseconds;
    const double seconds = milliseconds < 0 ? 0 : static_cast<double>(milliseconds) / 1000;
    settings.given.push_back({find("TIMEOUT"), format("%.15g", seconds), Given::By::program});
}

void give_determinism(Settings &settings, Determinism level) {
    apply(settings, "DETERMINISM", name_of(level), Given::By::program);
}

} // namespace xcoll
