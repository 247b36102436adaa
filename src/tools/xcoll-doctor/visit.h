// xcoll-doctor -p: looks at a job that runs, and prints what its ranks do and who keeps whom waiting.
#pragma once

#include <sys/types.h>

namespace xcoll::doctor {

// 0: all jobs of this user. Returns what main() returns: 1 if there is a finding.
int visit(pid_t pid, bool json);

} // namespace xcoll::doctor
