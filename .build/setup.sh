#!/bin/sh
# Installs the packages that a purpose needs and this machine lacks, and says which and why. Where nothing is missing
# it prints nothing and runs nothing. XCOLL_NO_INSTALL=1 leaves the machine as it is.
#
# usage: setup.sh demo|check|lint|clang|fuzz|coverage|bench [BUILD]     BUILD/packages-changed makes the build look again
set -u
purpose=$1
build=${2:-build}
missing= # a line for each: required|optional, the package or alternatives with commas, and what it is for

has_command() {
    for name; do command -v "$name" >/dev/null 2>&1 && return 0; done
    return 1
}
has_compiler() {
    has_command ${CXX:-g++ clang++ c++} && has_command ${CC:-gcc clang cc}
}
has_libfuzzer() {
    sh "$(dirname "$0")/libfuzzer.sh" >/dev/null
}
has_header() { # the text that includes it
    for compiler in ${CXX:-g++ clang++ c++}; do
        printf "$1" | $compiler -x c++ -E - >/dev/null 2>&1 && return 0
    done
    return 1
}
# cmocka.h does not include what it uses.
cmocka='#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <cmocka.h>\n'
need() { # package reason test...
    package=$1 reason=$2
    shift 2
    "$@" || missing="$missing${kind:-required} $package $reason
"
}

case $purpose in demo | check | lint | clang | fuzz | coverage | bench)
    need g++ "compiles the library" has_compiler
    need autoconf "writes configure" has_command autoconf ;;
*)
    echo "setup.sh: expected demo, check, lint, clang, fuzz, coverage or bench, not \"$purpose\"" >&2
    exit 2 ;;
esac
case $purpose in check | clang | coverage)
    need pkg-config "finds libraries" has_command pkg-config
    need libcmocka-dev "runs the unit tests" has_header "$cmocka"
    need iproute2 "makes the networks of the network tests" has_command ip
    need mandoc "checks the man pages" has_command mandoc
    need spin "checks the model of the shared-memory protocol" has_command spin
    kind=optional
    need libucx-dev "carries messages between machines" has_header "#include <ucp/api/ucp.h>"
    need libssl-dev "computes the proofs of ranks that meet over TCP" has_header "#include <openssl/evp.h>"
    need libhwloc-dev "knows machines that sysfs does not describe" has_header "#include <hwloc.h>"
    need abigail-tools "holds the library against the record of its ABI" has_command abidiff
    need cmake "tries the package for CMake" has_command cmake
    need tclsh,tcl "tries the environment module" has_command tclsh
    need dpkg-dev "tells what the Debian packages depend on" has_command dpkg-shlibdeps
    need lintian "looks for defects in the Debian packages" has_command lintian
    need python3 "reads the JSON that the tools write" has_command python3
    need procps "looks for processes that were left behind" has_command pgrep
    [ ! -e "$(dirname "$0")/../.git" ] || need git "tells which files belong to the archive of the sources" has_command git
    kind=required ;;
esac
case $purpose in lint)
    need clang-format-14,clang-format "checks the layout of the sources" has_command clang-format-14 clang-format
    need clang-tidy-14,clang-tidy "looks for defects in the sources" has_command clang-tidy-14 clang-tidy
    need cppcheck "looks for defects of other kinds" has_command cppcheck ;;
clang)
    need clang-14,clang "compiles the library, too" has_command clang++-14 clang++ ;;
fuzz)
    kind=optional
    need clang-14,clang "compiles what libFuzzer drives" has_command clang++-14 clang++
    need libclang-rt-14-dev,libclang-rt-dev "is libFuzzer" has_libfuzzer
    kind=required ;;
check)
    kind=optional
    need gcovr "tries make coverage" has_command gcovr
    kind=required ;;
coverage)
    need gcovr "adds up which lines were reached" has_command gcovr ;;
bench)
    need python3 "runs the benchmark" has_command python3
    kind=optional
    need openmpi-bin "is a peer to compare with" has_command mpirun.openmpi
    need libopenmpi-dev "compiles for that peer" has_command mpicc.openmpi
    need mpich "is a peer to compare with" has_command mpirun.mpich
    need libmpich-dev "compiles for that peer" has_command mpicc.mpich
    need libgloo-dev "is a peer to compare with" has_header "#include <gloo/config.h>"
    kind=required ;;
esac
[ -n "$missing" ] || exit 0

echo "This machine lacks:"
printf '%s' "$missing" | while read -r kind package reason; do
    [ "$kind" = optional ] && reason="$reason (optional)"
    printf '    %-38s %s\n' "$(echo "$package" | sed 's/,/ or /g')" "$reason"
done
required=$(printf '%s' "$missing" | awk '$1 == "required" {print $2}')
optional=$(printf '%s' "$missing" | awk '$1 == "optional" {print $2}')
# With no way to install, only what is required stops the user.
stop() {
    echo "$1" >&2
    [ -z "$required" ] && exit 0
    exit 1
}
first_names() {
    for package; do echo "${package%%,*}"; done | paste -sd' ' -
}

if [ "${XCOLL_NO_INSTALL:-0}" = 1 ]; then
    echo "XCOLL_NO_INSTALL=1: nothing is installed; what needs these packages will fail or be skipped."
    exit 0
fi
command="apt-get install --no-install-recommends $(first_names $required $optional)"
has_command apt-get ||
    stop "There is no apt-get here. Install these with the package manager of this machine, then try again."
if [ "$(id -u)" = 0 ]; then
    as_root=
elif has_command sudo; then
    as_root=sudo
else
    stop "Neither root nor sudo is available. Ask an administrator to run this, then try again:
    $command"
fi

# A name that apt does not know is a pattern to it, so that g++ finds whatever has a g.
candidate() { # the first of the alternatives that apt knows
    for name in $(echo "$1" | tr , ' '); do
        apt-cache policy "$name" 2>/dev/null | grep -A 2 -xF "$name:" | grep -q 'Candidate: [^(]' && echo "$name" && return 0
    done
    return 1
}
install() {
    echo "+ ${as_root:+$as_root }apt-get install --no-install-recommends $*"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >"$log" 2>&1 && return 0
    tail -n 20 "$log" >&2
    return 1
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

known=yes
for package in $required $optional; do candidate "$package" >/dev/null || known=no; done
if [ -n "$required" ] || [ $known = no ]; then
    echo "+ ${as_root:+$as_root }apt-get update"
    # What it could not reach it only warns of.
    $as_root apt-get update -qq >"$log" 2>&1 || true
    tail -n 5 "$log" >&2
fi

chosen=
for package in $required; do
    name=$(candidate "$package") || stop "No package source of this machine has $package. Install it by other means, then try again."
    chosen="$chosen $name"
done
if [ -n "$chosen" ]; then
    install $chosen || stop "The installation failed. Run it by hand, then try again:
    ${as_root:+$as_root }$command"
fi
for package in $optional; do
    name=$(candidate "$package") && install "$name" || echo "Going on without $package."
done
mkdir -p "$build" && touch "$build/packages-changed"
