// Whether this process has, or has had, more than one thread. A locked instruction waits until all that was stored
// before it is in the caches, and nobody needs it where there is but one.
#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace xcoll {

// Where the C library does not tell, it may have some.
inline bool has_threads() {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded == 0;
#else
    return true;
#endif
}

} // namespace xcoll
