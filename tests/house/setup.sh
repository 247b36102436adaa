#!/usr/bin/env bash
# What a machine lacks is told with what to do about it, and installed by a package manager that can; one that cannot
# reach its sources says so. The machine here is a folder of programs: no compiler, and an apt-get that takes down words.
source "$(dirname "$0")/building.bash"
bin=$work/bin && mkdir "$bin"
for program in /usr/bin/* /bin/*; do
    case ${program##*/} in
    *gcc* | *g++* | *c++* | *clang* | cc | c89* | c99* | *-cc | autoconf | apt-get | apt-cache | sudo | id) ;;
    *) [ -e "$bin/${program##*/}" ] || ln -s "$program" "$bin/" ;;
    esac
done
stub() { # NAME: a program of the lines that come
    { echo '#!/bin/sh'; cat; } >"$bin/$1" && chmod +x "$bin/$1"
}
setup() { # EXPECTED-STATUS WORD...
    : >"$work/calls"
    env -u CC -u CXX XCOLL_NO_INSTALL="${forbidden-}" PATH="$bin" CALLS="$work/calls" \
        sh "$SRC/.build/setup.sh" "${@:2}" >"$work/said" 2>&1
    [ $? -eq "$1" ] || { cat "$work/said"; stop "setup.sh ${*:2}: expected the status $1"; }
}
said() { # TEXT
    grep -qF -- "$1" "$work/said" || { cat "$work/said"; stop "expected: $1"; }
}
called() { # TEXT
    grep -qF -- "$1" "$work/calls" || { cat "$work/calls"; stop "expected a call: $1"; }
}

stub id <<<'echo 1000'
setup 1 demo "$work/build"
said 'g++ '
said 'There is no apt-get here.'

stub apt-get <<<'echo "apt-get $*" >>"$CALLS"'
setup 1 demo "$work/build"
said 'Neither root nor sudo is available.'
said '    apt-get install --no-install-recommends g++ autoconf'
[ ! -s "$work/calls" ] || stop "without a right to install something was called: $(cat "$work/calls")"

# To apt-cache a name that it does not know is a pattern.
stub id <<<'echo 0'
stub apt-cache <<<'[ "$2" != g++ ] || printf "dpkg:\n  Installed: 1.2\n  Candidate: 1.2\n"'
stub apt-get <<<'echo "W: Failed to fetch http://archive.example/InRelease"'
setup 1 demo "$work/build"
said 'Failed to fetch'
said 'has g++.'

stub apt-get <<<'echo "apt-get $*" >>"$CALLS"'
stub apt-cache <<<'[ "$2" = clang-14 ] || printf "%s:\n  Installed: (none)\n  Candidate: 1.2\n" "$2"'
setup 0 fuzz "$work/build"
called 'apt-get install -y -qq --no-install-recommends g++ autoconf'
called 'apt-get install -y -qq --no-install-recommends clang'
setup 0 clang "$work/build"
called ' clang'
[ -e "$work/build/packages-changed" ] || stop "configure is not told that packages came"

forbidden=1 setup 0 fuzz "$work/build"
said 'XCOLL_NO_INSTALL=1: nothing is installed'
[ ! -s "$work/calls" ] || stop "against XCOLL_NO_INSTALL was called: $(cat "$work/calls")"

# Whoever goes without it is told by configure too.
mkdir "$work/configured"
(cd "$work/configured" && env -u CC -u CXX PATH="$bin" sh "$BUILD/configure" --srcdir="$SRC") >"$work/said" 2>&1 &&
    stop "configure finds a compiler where none is"
said 'apt-get install g++'
exit 0
