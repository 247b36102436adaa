// xcoll-doctor --trace: the operations of all ranks of a job in the Trace Event format, which ui.perfetto.dev and
// chrome://tracing show.
#pragma once

#include <string>

namespace xcoll::doctor {

// From the files of a folder to the standard output. Returns what main() returns: 1 if something is missing, which is
// told on the standard error.
int print_trace(const std::string &folder);

} // namespace xcoll::doctor
