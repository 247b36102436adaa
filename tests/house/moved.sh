#!/usr/bin/env bash
# A tree may be moved after it was configured: it is configured again from where it lies now, and from nowhere else.
source "$(dirname "$0")/building.bash"
tree=$work/there
mkdir -p "$tree/build"
cp -a "$SRC"/{Makefile,configure.ac,.build,src,include,man} "$tree/" || exit 1
cp -a "$BUILD"/{configure,config.status,config.mk,config.h,Makefile} "$tree/build/" || exit 1
for time in once again; do
    touch "$tree/configure.ac"
    make_there "$tree" build/config.mk
    grep -qx " *sources *$tree" "$tree/build/configure.out" ||
        { cat "$tree/build/configure.out"; stop "it is not configured from its own sources ($time)"; }
done
exit 0
