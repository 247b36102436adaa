// Every variable of the library, in one table: it feeds parsing, the manual and the tools. A setting comes from the
// environment (XCOLL_TIMEOUT=30) or, for one communicator, from its configuration ("TIMEOUT=30;ALLREDUCE=ring").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/determinism.h"
#include "base/op.h"

namespace xcoll {

struct Variable;

// A setting that somebody has given; of several for one variable the last counts.
struct Given {
    const Variable *variable;
    std::string value; // as it was written, unless it is secret
    enum class By : uint8_t { environment, program } by;
};

// Whether a crypto library serves ranks that meet over TCP (boot/crypto.h).
enum class CryptoWish : uint8_t { own, library, library_if_there };

// Who describes the machine (topo/topology.h).
enum class TopologyWish : uint8_t { sysfs, hwloc, who_can };

// How payloads are copied (fabric/copy_way.h).
enum class Store : uint8_t { learn, cached, string, stream };

// Whether large private buffers are copied from process to process by the kernel (fabric/attach.h).
enum class Attach : uint8_t { off, on, where_it_pays };

struct Settings {
    int64_t timeout_ms = 0;
    size_t shm_budget = 0;
    size_t heap = 0;
    size_t lend = 0;
    Store store = Store::learn;
    Attach attach = Attach::where_it_pays;
    CryptoWish crypto = CryptoWish::library_if_there;
    TopologyWish topology = TopologyWish::who_can;
    bool shm = true;
    bool check = false;           // that one thread at a time starts operations
    std::string isa;              // "": the best that the processor has
    std::string groups;           // "machine", "none" or sizes "2,2",
    std::vector<int> group_sizes; // which are then here
    std::string plugin_path;
    std::string root;      // "host:port": where the ranks meet; "": nowhere
    std::string secret;    // of the job; "none": whoever reaches the root may join; "": there is none yet
    std::string interface; // name or address; "": by the route
    std::vector<Given> given;
    Determinism determinism = Determinism::run;
    std::array<std::string, kinds> algorithms; // by collective; "": chosen by cost
    std::string tuning_file, tuning;           // its name, and what it says
    std::string trace;                         // folder; "": none
    size_t trace_events = 0;                   // of a communicator

    const std::string &algorithm(Kind kind) const {
        return algorithms[static_cast<size_t>(named_with(kind))];
    }
};

struct Variable {
    const char *name;  // without XCOLL_
    const char *value; // the default, as one would write it
    const char *meaning;
    // Reads `text` into the settings; returns nullptr, or what would have been valid.
    const char *(*set)(Settings &settings, const std::string &text);
    enum class Trait : uint8_t {
        none,
        agreed, // must be equal on all ranks (core/agreed.h)
        secret  // its value is shown to nobody
    } trait = Trait::none;
};

// In the order of the manual. Rows without a setter are read by somebody else (the launcher's socket).
std::span<const Variable> variables();

// Defaults, then the environment (of which every XCOLL_* must be in the table), then `own` if it is not NULL. Throws
// Failure(XCOLL_ERR_CONFIG) that names the variable, the value and what would be valid.
Settings read_settings(const char *own, const char *const *environment);

// A program says it in milliseconds, < 0 for no limit, instead of TIMEOUT=seconds.
void give_timeout(Settings &settings, int64_t milliseconds);
// The same as DETERMINISM=level.
void give_determinism(Settings &settings, Determinism level);

} // namespace xcoll
