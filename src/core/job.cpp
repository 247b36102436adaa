// The communicators of xcoll_init: duplicates of one that nobody gets, over all ranks of the job.
#include "core/create.h"
#include "core/process.h"

namespace xcoll {

namespace {
// Whoever started this process says more about its job than variables that it may have inherited.
std::unique_ptr<Bootstrap> find_job(const Settings &settings) {
    if (auto launcher = boot_launcher()) {
        return launcher;
    }
    if (auto environment = boot_environment(process().cryptos(), settings)) {
        return environment;
    }
    return boot_alone();
}
} // namespace

std::unique_ptr<Comm> world(const Wishes &wishes) {
    Process::Job &job = process().job();
    const std::lock_guard lock(job.mutex);
    if (job.world && job.world->trouble() != XCOLL_SUCCESS) {
        job.world.reset(); // the call that it failed in has failed on all ranks, so all of them begin anew
    }
    if (job.world) {
        job.world->watcher().set_timeout(settings_of(wishes).timeout_ms);
    } else {
        Wishes own = wishes;
        own.is_internal = true;
        job.world = connect(*find_job(settings_of(wishes)), own);
    }
    try {
        std::unique_ptr<Comm> comm = dup(*job.world, wishes);
        ++job.users;
        return comm;
    } catch (...) {
        if (job.users == 0) {
            job.world.reset(); // nobody would give it back, and it may be what failed
        }
        throw;
    }
}

void refuse_world() noexcept {
    Process::Job &job = process().job();
    const std::lock_guard lock(job.mutex);
    if (job.world) {
        job.world->refuse();
    }
}

bool release_world() {
    Process::Job &job = process().job();
    const std::lock_guard lock(job.mutex);
    if (job.users == 0) {
        return false;
    }
    if (--job.users == 0) {
        job.world.reset();
    }
    return true;
}

} // namespace xcoll
