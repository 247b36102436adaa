// A tool whose standard input, output or errors are closed.
#pragma once

namespace xcoll::tools {

// What is written where nobody reads.
enum class Unread { fails, vanishes };

// No file that is opened later gets one of these numbers. To be called first in main().
void keep_closed_standard_descriptors(Unread what_is_written = Unread::fails);

} // namespace xcoll::tools
