#!/usr/bin/env bash
# The plug-ins beside the library are found by whatever name a program finds it, and wherever the program has gone since.
source "$(dirname "$0")/building.bash"
[ -z "$SANITIZER" ] || { echo "a program of another build does not start with a sanitizer's library"; exit 77; }
[ -e "$BUILD/xcoll/libxcoll_hwloc.so" ] || { echo "the library was built without hwloc"; exit 77; }
cat >"$work/user.c" <<'EOT'
#include <stdio.h>
#include <unistd.h>
#include <xcoll.h>
int main(int count, char **words) {
    xcoll_comm_t world;
    if (count > 1 && chdir(words[1]) != 0)
        return 2;
    if (xcoll_init(&world) == XCOLL_SUCCESS)
        return xcoll_comm_free(&world) != XCOLL_SUCCESS || xcoll_finalize() != XCOLL_SUCCESS;
    puts(xcoll_last_error());
    return 1;
}
EOT
quietly $CC -o "$work/user" "$work/user.c" -I"$SRC/include" -L"$BUILD" -lxcoll
export XCOLL_TOPOLOGY=hwloc
mkdir "$work/links" && ln -s "$BUILD"/libxcoll.so.1 "$work/links/"
LD_LIBRARY_PATH=$work/links quietly "$work/user"
cd "$BUILD" && LD_LIBRARY_PATH=. quietly "$work/user" /
exit 0
