// Pages of memory. Kernels differ in how long they are: 4 KiB on x86-64, up to 64 KiB elsewhere.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace xcoll {

// The longest that Linux is built with: what is a multiple of it begins a page everywhere.
inline constexpr size_t longest_page = size_t{64} << 10;

// The kernel's here.
inline size_t page_bytes() {
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace xcoll
