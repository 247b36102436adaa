#!/usr/bin/env bash
# What `make install` puts somewhere is enough to build and run a program with, even in a folder whose name has a
# space; `make uninstall` takes all of it away again.
# timeout: 300
source "$(dirname "$0")/building.bash"
cat >"$work/user.c" <<'EOT'
#include <stdio.h>
#include <xcoll.h>
int main(void) {
    int major = -1;
    if (xcoll_version(&major, NULL, NULL) != XCOLL_SUCCESS)
        return 1;
    printf("xcoll %d of %d\n", major, XCOLL_VERSION_MAJOR);
    return major != XCOLL_VERSION_MAJOR;
}
EOT

prefix="$work/a place/xcoll"
make_it prefix="$prefix" install
grep -q '^  CXX ' "$work/log" && stop "make install compiled again what make tests had built"
for file in include/xcoll.h lib/libxcoll.so lib/libxcoll.so.1 lib/pkgconfig/xcoll.pc lib/cmake/xcoll/xcoll-config.cmake \
    share/bash-completion/completions/xcoll-perf share/modulefiles/xcoll; do
    [ -e "$prefix/$file" ] || stop "$file was not installed"
done
for tool in "$prefix"/bin/*; do
    [ -e "$tool" ] || continue
    "$tool" --help >/dev/null 2>&1 || stop "the installed $(basename "$tool") --help does not run"
done
for way in "" --static; do
    eval "$CC -o '$work/user' '$work/user.c' $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config $way --cflags --libs xcoll)" ||
        stop "a program does not build with the flags of pkg-config $way"
    LD_LIBRARY_PATH="$prefix/lib" "$work/user" || stop "a program built with the flags of pkg-config $way does not run"
done
static=$(find "$prefix" -name '*.a')
[ -z "$static" ] || stop "a process could have a second copy of the library, from $static"

# The environment module, read as the modules command would: what it puts first in a variable is there.
if command -v tclsh >/dev/null; then
    cat >"$work/modulecmd.tcl" <<'EOT'
foreach said {module-whatis conflict} { proc $said {args} {} }
proc prepend-path {variable path} {
    if {![file isdirectory $path]} { puts "$variable: there is no $path"; exit 1 }
    puts "$variable $path"
}
source [lindex $argv 0]
EOT
    quietly tclsh "$work/modulecmd.tcl" "$prefix"/share/modulefiles/xcoll/*.*.*
    for said in "PATH $prefix/bin" "LD_LIBRARY_PATH $prefix/lib" "CPATH $prefix/include"; do
        grep -qxF "$said" "$work/log" || { cat "$work/log"; stop "the environment module does not say: $said"; }
    done
else
    echo "tclsh is not installed: the environment module was not tried"
fi

# CMake finds it too, in the version that is asked for and in none that is later; a tree that was moved serves as well.
if command -v cmake >/dev/null; then
    mkdir "$work/moved" "$work/project" && cp -a "$prefix" "$work/moved/"
    mv "$work/user.c" "$work/project/"
    # From the environment it takes a compiler behind a cache as well.
    cmake() { env -u MAKEFLAGS -u BUILD CC="$CC" cmake "$@"; }
    consume() { # VERSION
        printf 'cmake_minimum_required(VERSION 3.13)\nproject(user C)\nfind_package(xcoll %s REQUIRED)\nadd_executable(user user.c)\ntarget_link_libraries(user xcoll::xcoll)\n' \
            "$1" >"$work/project/CMakeLists.txt"
        rm -rf "$work/cmake"
        cmake -S "$work/project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/moved/xcoll" >"$work/log" 2>&1
    }
    consume 1.0 && cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log"; stop "a program does not build with CMake"; }
    "$work/cmake/user" || stop "a program built with CMake does not run"
    for version in 0.5...1.5 1.0...2 1.0.0...1.0.0 1...1.0.0; do
        consume $version || { cat "$work/log"; stop "CMake does not take this version for $version"; }
    done
    for version in 1.9 2 0.9 0.5...0.9 1.1...1.5 0.5...\<1.0.0 2...3; do
        consume "$version" && stop "CMake takes this version for $version"
    done
else
    echo "cmake is not installed: its package was not tried"
fi

make_it prefix="$prefix" uninstall
left=$(find "$prefix" ! -type d)
[ -z "$left" ] || stop "make uninstall left: $left"

# What would be another folder for everybody, or spoil what is installed, is refused before anything is there.
refused() { # VARIABLE=FOLDER
    $make "$1" DESTDIR="$work/refused" install </dev/null >"$work/log" 2>&1 && stop "$1 is taken"
    grep -qF "${1%%=*}=" "$work/log" && grep -qF "expected a path from / on" "$work/log" ||
        { cat "$work/log"; stop "it is not told what is wrong with $1"; }
    [ ! -e "$work/refused" ] || stop "with $1 something was installed"
}
for folder in "" relative "~/xcoll" "/it's" "/a|b" "/a[b]" "/a&b" '/a\b' '/a$$b' "/a#b" "/a:b"; do refused "prefix=$folder"; done
refused libdir=lib64

# DESTDIR goes before every path and into none.
make_it prefix=/opt/xcoll DESTDIR="$work/package root" install
[ -e "$work/package root/opt/xcoll/lib/libxcoll.so.1" ] || stop "DESTDIR was not heeded"
grep -r "package root" "$work/package root" && stop "a file of the package names DESTDIR"
grep -q '^prefix=/opt/xcoll$' "$work/package root/opt/xcoll/lib/pkgconfig/xcoll.pc" || stop "xcoll.pc does not name the prefix"

# Where there is neither UCX nor OpenSSL nor hwloc, everything but the plug-ins is there.
make_it ucx=no crypto=no hwloc=no prefix=/opt/xcoll DESTDIR="$work/plain" install
[ ! -e "$work/plain/opt/xcoll/lib/xcoll" ] || stop "plug-ins are installed that were left out"
difference=$(diff <(cd "$work/package root" && find . | grep -v /lib/xcoll) <(cd "$work/plain" && find .))
[ -z "$difference" ] || stop "without plug-ins other files are installed: $difference"
exit 0
