#!/bin/sh
# What is in the archive is enough: it builds in another place and without git, leaves its sources alone, computes well,
# installs, takes away what it has installed, and packs itself again to the same bytes.
#
# usage: distcheck.sh ARCHIVE VERSION FOLDER     CC and CXX compile; FOLDER is made, and goes if all is well
set -eu
archive=$(realpath "$1") version=$2 work=$(realpath -m "$3")
source=$work/xcoll-$version build=$work/out installed=$work/installed
say() {
    printf '  %-8s %s\n' "$1" "$2"
}
stop() {
    echo "$1" >&2
    exit 1
}
# The options of the make that called do not hold there, nor does a path of its own.
build() {
    env -u MAKEFLAGS -u BUILD XCOLL_NO_INSTALL=1 make -C "$work" -f "$source/Makefile" --no-print-directory BUILD="$build" \
        CC="$CC" CXX="$CXX" -j"$(nproc)" "$@" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; stop "make $* fails in an unpacked archive"; }
}
tests() { # KIND... -- [WORD...]
    env -u MAKEFLAGS BUILD="$build" SRC="$source" CC="$CC" CXX="$CXX" SANITIZER= \
        MAKE_HERE="make -C $work -f $source/Makefile BUILD=$build" bash "$source/tests/run_all" "$@" >"$work/log" 2>&1 ||
        { cat "$work/log"; stop "tests fail in an unpacked archive"; }
    tail -n 1 "$work/log"
}
# Root may write where nobody may: whether somebody did is seen from the bytes.
contents() {
    (cd "$source" && find . -type f -exec sha256sum {} + && find . -type d) | sort
}

writable() { # so that it can go
    [ ! -e "$work" ] || chmod -R u+w "$work"
}
trap writable EXIT
writable && rm -rf "$work" && mkdir -p "$work"
say UNPACK "$archive"
tar -xzf "$archive" -C "$work"
find "$source" -exec chmod a-w {} +
contents >"$work/before"

say BUILD "library, tools, examples"
build all examples
say CHECK "examples, installation"
tests examples --
tests house -- install

say INSTALL "$installed"
build prefix="$installed" install
"$installed/bin/xcollrun" -n 3 "$installed/bin/xcoll-perf" --check --op all --sizes 8,8K --seconds 0.01 >"$work/log" 2>&1 ||
    { tail -n 50 "$work/log"; stop "what was installed computes wrong results"; }
build prefix="$installed" uninstall
left=$(find "$installed" ! -type d)
[ -z "$left" ] || stop "make uninstall left: $left"

say DIST "once more"
build dist
cmp "$archive" "$build/xcoll-$version.tar.gz" || stop "an archive made of an unpacked one differs"
build distclean
[ ! -e "$build" ] || stop "make distclean left: $(ls -A "$build")"
contents | cmp -s - "$work/before" || stop "the build has changed its sources: $(contents | diff "$work/before" - | head)"

writable && rm -rf "$work"
echo "$(basename "$archive") builds, runs, installs and goes again."
