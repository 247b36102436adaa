// xcollrun: starts the ranks of a job on this machine.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>

#include "tools/shared/printed.h"
#include "tools/shared/standard_descriptors.h"
#include "tools/xcollrun/exit_codes.h"
#include "tools/xcollrun/guard.h"
#include "tools/xcollrun/job.h"
#include "tools/xcollrun/options.h"
#include "tools/xcollrun/processors.h"
#include "tools/xcollrun/signals.h"

using namespace xcoll;

namespace {

// Started by a rank of another job: that rank's socket is not for the ranks of this one.
void keep_outer_socket() {
    const char *text = std::getenv(launcher::control_variable);
    const int number = text != nullptr ? std::atoi(text) : 0;
    if (number > STDERR_FILENO) {
        fcntl(number, F_SETFD, FD_CLOEXEC);
    }
}

} // namespace

int main(int count, char **arguments) try {
    // What its ranks print is theirs, and no fault of the job where nobody reads it.
    tools::keep_closed_standard_descriptors(tools::Unread::vanishes);
    keep_outer_socket();
    const auto parsed = launcher::parse_options(count, arguments);
    if (const auto *notice = std::get_if<launcher::Notice>(&parsed)) {
        std::fputs(notice->text.c_str(), notice->is_error ? stderr : stdout);
        return notice->is_error ? launcher::could_not_start : tools::once_printed("xcollrun", 0);
    }
    auto options = std::get<launcher::Options>(parsed);
    if (options.ranks == 0) {
        options.ranks = std::min(static_cast<int>(launcher::usable_processors().size()), launcher::most_ranks);
    }
    launcher::Signals signals;
    launcher::Guard guard(signals);
    return launcher::Job(options, signals, guard).run();
} catch (const std::bad_alloc &) {
    std::fputs(launcher::no_memory, stderr);
    return launcher::could_not_start;
}
