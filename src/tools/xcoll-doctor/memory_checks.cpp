// Can ranks make the memory that they share?
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/shared/limits.h"
#include "tools/shared/sizes.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/check.h"

namespace xcoll::doctor {

using tools::format;

namespace {

// Makes a file without a name as the library does; returns the step that failed, or nullptr.
const char *try_memory_file() {
    const int file = memfd_create("xcoll-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) {
        return "memfd_create";
    }
    constexpr off_t bytes = 1 << 16;
    const char *failed = nullptr;
    if (ftruncate(file, bytes) != 0) {
        failed = "ftruncate";
    } else if (errno = posix_fallocate(file, 0, bytes); errno != 0) {
        failed = "posix_fallocate";
    } else if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        failed = "sealing";
    }
    const int cause = errno;
    close(file);
    errno = cause;
    return failed;
}

Finding look_at_memory_files(const Patient &) {
    if (const char *failed = try_memory_file()) {
        return problem(format("%s fails: %s", failed, std::strerror(errno)),
                       "ranks share memory by files without a name, and cannot make them here",
                       "allow memfd_create, ftruncate, fallocate and fcntl in the filter of this container (seccomp), "
                       "and use a kernel from 3.17 on");
    }
    return good("a file without a name can be made, filled and sealed");
}

uint64_t soft_limit(__rlimit_resource_t resource) {
    rlimit values{};
    return getrlimit(resource, &values) == 0 && values.rlim_cur != RLIM_INFINITY ? values.rlim_cur : tools::no_limit;
}

// 0: the library could not be asked.
uint64_t segment_bytes(const Patient &patient) {
    return static_cast<uint64_t>(patient.description["memory"]["segment_bytes"].number());
}

Finding look_at_file_size(const Patient &patient) {
    const uint64_t limit = soft_limit(RLIMIT_FSIZE), needed = segment_bytes(patient);
    if (needed == 0 && limit != tools::no_limit) {
        return good(format("files may have %s; not compared: the library could not be asked",
                           tools::show_bytes(limit).c_str()));
    }
    if (limit < needed) {
        return problem(format("files may have %s, a rank's segment has %s", tools::show_bytes(limit).c_str(),
                              tools::show_bytes(needed).c_str()),
                       "a segment is a file, most of which takes no memory; the limit counts all of it",
                       "raise the limit in the shell that starts the job: ulimit -f unlimited; or lower XCOLL_HEAP");
    }
    return good("large enough for segments");
}

Finding look_at_address_space(const Patient &patient) {
    const uint64_t limit = soft_limit(RLIMIT_AS);
    const uint64_t needed = segment_bytes(patient) * static_cast<uint64_t>(patient.ranks);
    const bool fits_none = needed == 0 && limit != tools::no_limit;
    if (limit < needed || fits_none) {
        const std::string seen = format("limited to %s, ", tools::show_bytes(limit).c_str());
        return problem(seen + (fits_none
                                   ? "and the library could not map one segment"
                                   : format("%d segments take %s", patient.ranks, tools::show_bytes(needed).c_str())),
                       "each rank maps the segments of all ranks of the machine; most of that takes no memory",
                       "raise the limit in the shell that starts the job: ulimit -v unlimited");
    }
    return good(format("large enough for the segments of %s", tools::counted(patient.ranks, "rank", "ranks").c_str()));
}

Finding look_at_locked_memory(const Patient &patient) {
    // What network cards are usually given for their buffers.
    constexpr uint64_t wanted = uint64_t{64} << 20;
    const uint64_t limit = soft_limit(RLIMIT_MEMLOCK);
    const bool has_cards = access((patient.root + "/sys/class/infiniband").c_str(), F_OK) == 0;
    if (has_cards && limit < wanted) {
        return warning(format("there are network cards, and %s may be locked", tools::show_bytes(limit).c_str()),
                       "messages between machines fall back to slower ways where buffers cannot be locked",
                       "raise memlock in /etc/security/limits.conf, or ulimit -l unlimited");
    }
    return good(has_cards ? "enough may be locked for the network cards" : "no network cards here that need it");
}

Finding look_at_huge_pages(const Patient &patient) {
    const auto enabled = read_line(patient, "/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    if (!enabled) {
        return good("the kernel has none for shared memory; small pages serve");
    }
    const size_t open = enabled->find('['), close = enabled->find(']');
    const std::string mode =
        open < close && close != std::string::npos ? enabled->substr(open + 1, close - open - 1) : *enabled;
    return mode == "force" || mode == "always"
               ? warning("shared memory is made of huge pages: " + mode,
                         "every segment, most of which is never touched, may take memory in steps of 2 MiB",
                         "echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled")
               : good("shared memory uses small pages unless a program asks: " + mode);
}

constexpr Check table[] = {{"memory files", look_at_memory_files},
                           {"file size", look_at_file_size},
                           {"address space", look_at_address_space},
                           {"locked memory", look_at_locked_memory},
                           {"huge pages", look_at_huge_pages}};

} // namespace

std::span<const Check> memory_checks() {
    return table;
}

} // namespace xcoll::doctor
