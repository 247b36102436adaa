// Files that a tool makes.
#pragma once

#include <string>

namespace xcoll::tools {

// Throws Mistake, which names the option, if no file can be written there.
void check_target(const char *option, const std::string &path);
// The whole text or nothing: readers see the file that was there before until the new one is complete.
void write_whole(const std::string &path, const std::string &text);

} // namespace xcoll::tools
