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

# For another machine, this one's libraries are of no use; what the build runs itself is compiled for this one.
mkdir "$work/for_another" && cd "$work/for_another" || exit 2
configure --build=a-linux --host=b-linux CXX_FOR_BUILD=builder || { cat "$work/log"; stop "--host is not taken"; }
for line in "ucx := no" "crypto := no" "hwloc := no" "CXX_FOR_BUILD := builder"; do
    grep -qx "$line" config.mk || stop "for another machine, expected $line"
done
exit 0
