// A tool whose standard input, output or errors are closed.
#pragma once

namespace xcoll::tools {

// No file that is opened later gets one of these numbers, and what is written to them is an error as before. To be
// called first in main().
void keep_closed_standard_descriptors();

} // namespace xcoll::tools
