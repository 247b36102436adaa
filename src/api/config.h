// The configuration struct of the ABI, read with its rules: shorter means the rest is zero, longer must be zero.
#pragma once

#include "core/create.h"
#include "xcoll.h"

namespace xcoll::api {

// A copy with every field defined. Throws ARGUMENT or UNSUPPORTED.
xcoll_comm_config_t read_config(const xcoll_comm_config_t *config);
// How the ranks of xcoll_comm_create find each other: exactly one way is given. Throws ARGUMENT.
void check_way_to_peers(const xcoll_comm_config_t &config);
// What the core needs of it; with the process's environment. NULL: only the environment.
Wishes wishes_of(const xcoll_comm_config_t *config);

} // namespace xcoll::api
