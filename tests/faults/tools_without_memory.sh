#!/usr/bin/env bash
# Where there is no memory, xcollrun and the tools say so and end: none crashes, none hangs, and no rank is left. One
# allocation after the other fails, in every process of a tool.
# timeout: 240
. "$(dirname "$0")/xcollrun_helpers.bash"
[ -z "$SANITIZER" ] || { echo "a sanitizer has an allocator of its own"; exit 77; }
! grep -q __gcov_exit "$xcollrun" || { echo "gcov, which counts the lines, crashes where there is no memory"; exit 77; }
command -v "$CC" >/dev/null || { echo "there is no $CC"; exit 77; }
cat >"$work/poor.c" <<'END_OF_C'
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long first = -1, last;
static atomic_long asked;
static int refuses(void) {
    if (first < 0) {
        const char *from = getenv("POOR_FROM"), *to = getenv("POOR_TO");
        last = to ? atol(to) : 0;
        first = from ? atol(from) : 0;
    }
    const long n = ++asked;
    errno = ENOMEM;
    return first > 0 && n >= first && n <= last;
}
void *malloc(size_t bytes) { return refuses() ? 0 : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return refuses() ? 0 : __libc_calloc(count, bytes); }
void *realloc(void *old, size_t bytes) { return refuses() ? 0 : __libc_realloc(old, bytes); }
END_OF_C
"$CC" -shared -fPIC -o "$work/poor.so" "$work/poor.c" || { echo "$CC makes no shared object"; exit 77; }

# 1 to 125 are exit codes of tools; 137: the launcher had no memory left to look for what it must end, and its guard did.
poor() { # FIRST LAST COMMAND...
    local code
    POOR_FROM=$1 POOR_TO=$2 LD_PRELOAD=$work/poor.so "${@:3}" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    [ $code -le 125 ] || [ $code -eq 137 ] || wrong "without the allocations $1 to $2, ${*:3} ends with $code"
    [ $code -eq 0 ] || [ -s "$work/err" ] || wrong "without the allocations $1 to $2, ${*:3} says nothing"
    silent err 'terminate called'
}
all=1000000
# The first one is the library's, as it is loaded.
for ((n = 2; n <= 60; n++)); do
    poor $n $n "$xcollrun" -n 2 --label echo "$marker"
    poor $n $all "$xcollrun" -n 2 true "$marker"
done
until_true none_left
for ((n = 2; n <= 120; n += 5)); do
    poor $n $n "$BUILD/xcoll-info" build
    poor $n $n "$BUILD/xcoll-tune" -n 0
    poor $n $n "$BUILD/xcoll-doctor" --trace "$work/absent"
    poor $n $all "$BUILD/xcoll-perf" -t 2 -e 8 --seconds 0.001
done
POOR_FROM=2 POOR_TO=$all LD_PRELOAD=$work/poor.so "$BUILD/xcoll-info" >/dev/null 2>"$work/err"
says err 'xcoll-info: out of memory: free some, or raise the limit (ulimit -v'

finish
