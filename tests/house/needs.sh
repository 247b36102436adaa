#!/usr/bin/env bash
# The library needs libc and nothing else at run time, has the name that programs ask for, and brings no search path
# and no executable stack.
set -u
bad=0
so=$BUILD/libxcoll.so
dynamic=$(readelf -d "$so")
while read -r needed; do
    case $needed in
    libc.so.* | libm.so.* | ld-linux*.so.* | libpthread.so.* | libdl.so.* | librt.so.*) ;;
    *) echo "libxcoll.so needs $needed; expected libc only. Link it inside, or open it when it is first useful."; bad=1 ;;
    esac
done <<<"$(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' <<<"$dynamic")"

major=$(sed -n 's/^#define XCOLL_VERSION_MAJOR //p' "$SRC/include/xcoll.h")
grep -q "(SONAME).*\[libxcoll.so.$major\]" <<<"$dynamic" || { echo "expected the SONAME libxcoll.so.$major"; bad=1; }
grep -qE '\((RPATH|RUNPATH|TEXTREL)\)' <<<"$dynamic" && { echo "the library has a search path or text relocations"; bad=1; }
readelf -lW "$so" | grep -q 'GNU_STACK.*RWE' && { echo "the library asks for an executable stack"; bad=1; }
exit $bad
