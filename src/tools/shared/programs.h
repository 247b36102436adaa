// Where the tools lie that were installed together.
#pragma once

#include <string>

namespace xcoll::tools {

// The file of this process.
std::string this_program();
// The xcollrun beside it.
std::string launcher();

} // namespace xcoll::tools
