#include "core/agreed.h"

#include <string>

#include "base/digest.h"
#include "base/error.h"

namespace xcoll {

namespace {

std::string as_given(const Settings &settings) {
    std::string list;
    for (const Given &given : settings.given) {
        if (given.variable->trait == Variable::Trait::agreed) {
            list += list.empty() ? "" : ", ";
            list += given.by == Given::By::environment ? "XCOLL_" : "";
            list += given.variable->name + ('=' + given.value);
        }
    }
    return list.empty() ? "none of them" : list;
}

} // namespace

Agreed agreed_of(const Settings &settings) {
    constexpr int bits = 32;
    Digest digest;
    for (const std::string &algorithm : settings.algorithms) {
        digest.add(algorithm);
    }
    digest.add(settings.groups).add(static_cast<uint64_t>(settings.determinism));
    digest.add(settings.lend).add(static_cast<uint64_t>(settings.attach));
    return {digest.upper(bits), Digest().add(settings.tuning).upper(bits)};
}

void check_agreed(int one, const Agreed &its, int other, const Agreed &others, const Settings &mine) {
    if (its.settings != others.settings) {
        fail(XCOLL_ERR_CONFIG,
             "rank %d and rank %d have different settings: XCOLL_GROUPS, XCOLL_DETERMINISM, XCOLL_LEND, XCOLL_CMA and "
             "those that choose algorithms, such as XCOLL_ALLREDUCE, must be the same on all ranks; this rank has set "
             "%s",
             one, other, as_given(mine).c_str());
    }
    if (its.tuning != others.tuning) {
        fail(XCOLL_ERR_CONFIG,
             "rank %d and rank %d have different tuning files: what the file says that XCOLL_TUNING_FILE names must be "
             "the same on all ranks, and so must be whether there is one; this rank has %s",
             one, other, mine.tuning_file.empty() ? "none" : mine.tuning_file.c_str());
    }
}

} // namespace xcoll
