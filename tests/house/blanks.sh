#!/usr/bin/env bash
# Of a path with blanks, which make takes for several, the build says so: of the tree, of the build directory, and of
# where make runs.
source "$(dirname "$0")/building.bash"
tree="$work/a b"
mkdir -p "$tree/build" "$work/c"
cp -a "$SRC"/{Makefile,configure.ac,.build,include} "$tree/" || exit 1
refused() { # WORD...: by make
    env -u BUILD make -n "$@" </dev/null >"$work/log" 2>&1 && stop "make $* takes a path with blanks"
    grep -q 'expected a path without blanks' "$work/log" || { cat "$work/log"; stop "make $* does not say what is wrong"; }
}
refused -C "$tree" all
refused -C "$tree" help
refused -C "$work/c" -f "$tree/Makefile" all
refused -C "$tree" -f "$SRC/Makefile" all
refused -C "$SRC" "BUILD=$tree/build" all
exit 0
