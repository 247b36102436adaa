// The addresses of this machine, the one of its way to the rest of the world first.
#pragma once

#include <string>
#include <vector>

#include "boot/contact.h"

namespace xcoll {

// Those under which other machines may reach this one; loopback only if there is no other. With a name or an address
// of an interface as `chosen` (XCOLL_INTERFACE), the addresses of that one alone. Throws Failure if there is none.
std::vector<Address> own_addresses(const std::string &chosen);
// "eth0"; "?" if no interface has it.
std::string interface_with(const Address &address);

} // namespace xcoll
