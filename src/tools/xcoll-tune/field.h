// Who competes: the library's own choice, twice, and for each algorithm a communicator that is told to use it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/shared/json.h"
#include "tools/shared/task.h"
#include "tools/xcoll-tune/options.h"

namespace xcoll::tune {

// A communicator of the same ranks, and what it says of itself.
struct Entrant {
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    tools::Json description;

    // The algorithm that serves a collective there; "" if it is none.
    std::string serving(const std::string &collective, uint64_t bytes) const;
};

// A collective of a size, for which somebody would take another algorithm than the library.
struct Bout {
    perf::Task task;
    uint64_t bytes; // of the message as a tuning file counts them
    std::string usual;
    struct Rival {
        xcoll_comm_t comm;
        std::string algorithm;
    };
    std::vector<Rival> rivals;
};

class Field {
public:
    // Collective over the ranks. With options.check the only rival is what that file says.
    Field(const perf::Member &member, const Options &options);
    ~Field();
    Field(const Field &) = delete;
    Field &operator=(const Field &) = delete;

    // In the order of the collectives, by size. Throws Mistake for a collective that is named and has no choice.
    std::vector<Bout> bouts() const;
    const Entrant &usual() const {
        return usual_;
    }
    xcoll_comm_t control() const {
        return control_.comm;
    }

private:
    Entrant enter(const std::string &settings) const;
    void enter_algorithms();
    void check_equal(const Entrant &rival) const;
    std::vector<Bout> bouts_of(const perf::Operation &operation) const;

    const perf::Member &member_;
    const Options &options_;
    Entrant usual_, control_;
    std::vector<Entrant> rivals_;
};

// So that the library's own choice is its own: takes the variables out of the environment that name algorithms.
void forget_choices();

} // namespace xcoll::tune
