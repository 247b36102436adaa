// What a tool printed has arrived, or it says that it has not.
#pragma once

namespace xcoll::tools {

// What main() returns instead of code, which would be 0 where a disk was full.
int once_printed(const char *program, int code);

} // namespace xcoll::tools
