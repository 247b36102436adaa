#!/usr/bin/env bash
# What configure is told it does, or says that it does not: no value of an option is passed over.
source "$(dirname "$0")/building.bash"
mkdir "$work/elsewhere" && cd "$work/elsewhere" || exit 2
configure() { CC="$CC" CXX="$CXX" "$BUILD/configure" "$@" >"$work/log" 2>&1; }
for library in ucx crypto hwloc; do
    configure --with-$library=/opt && stop "--with-$library=/opt is taken"
    grep -q -e "--with-$library takes yes or no, not \"/opt\"; .* PKG_CONFIG_PATH" "$work/log" ||
        { cat "$work/log"; stop "it is not told what is wrong with --with-$library=/opt"; }
done
configure --without-ucx --with-crypto=no --with-hwloc=no || { cat "$work/log"; stop "--without-ucx is not taken"; }
for library in ucx crypto hwloc; do
    grep -qx "$library := no" config.mk || stop "$library was not left out"
done
exit 0
