#!/usr/bin/env bash
# What all tools do alike: they tell their version, take everything after -- as words, and say what they cannot write
# and why: a file, or what they print, on a full disk or where their output is closed.
# shellcheck source=tests/faults/xcollrun_helpers.bash
. "$(dirname "$0")/xcollrun_helpers.bash"
version=$(sed -nE 's/^#define XCOLL_VERSION_(MAJOR|MINOR|PATCH) //p' "$SRC/include/xcoll.h" | paste -sd.)
in_build() { # TOOL ARGUMENTS...: as run
    tool=$BUILD/$1 run "${@:2}"
}

for program in xcollrun xcoll-info xcoll-perf xcoll-tune xcoll-doctor; do
    in_build $program 0 --version
    [ "$(cat "$work/out")" = "$program $version" ] || wrong "$program --version says: $(cat "$work/out")"
done

# How many ranks there may be is told by the page as by the tool. xcollrun ends as its page says.
refuses_ranks() { # EXPECTED-CODE TOOL OPTION
    local bounds
    in_build "$2" "$1" "$3" 0
    bounds=$(grep -oE 'from 1 to [0-9]+' "$work/err") || wrong "$2 $3 0 does not tell the bounds: $(cat "$work/err")"
    sed -n "/^\.It Fl ${3#-} Ar/,/^\.It/p" "$SRC/man/man1/$2.1" | paste -sd' ' | grep -qF "$bounds" ||
        wrong "the page of $2 does not say that $3 takes a number $bounds"
}
refuses_ranks 125 xcollrun -n
for program in xcoll-info xcoll-tune xcoll-doctor; do refuses_ranks 2 $program -n; done
refuses_ranks 2 xcoll-perf -t

in_build xcoll-info 0 -- limits
says out 'open files'
in_build xcoll-info 2 -- --json
says err --json

# The name is as long as names may be, so that the temporary file beside it can have none.
longest=$work/$(printf 'x%.0s' {1..255})
in_build xcoll-perf 1 -t 1 --op bcast --sizes 64 --seconds 0.00001 --plot "$longest"
says err "cannot write $longest: File name too long"
in_build xcoll-tune 1 -n 2 --ops allreduce --sizes 8 --time 1 -o "$longest"
says err "cannot write $longest: File name too long"
[ "$(find "$work" -name 'x*' | wc -l)" -eq 0 ] || wrong "something was left: $(ls "$work")"

is_told_of() { # TOOL ARGUMENTS...: that what it prints is lost
    "$BUILD/$1" "${@:2}" >/dev/full 2>"$work/err" </dev/null
    [ $? -eq 1 ] || wrong "$* returned something else than 1 where what it prints was lost"
    says err "$1: cannot write to standard output: "
}
for program in xcollrun xcoll-info xcoll-perf xcoll-tune xcoll-doctor; do
    is_told_of $program --version
    is_told_of $program --help
done
is_told_of xcoll-info limits
is_told_of xcoll-info --json
is_told_of xcoll-doctor -n 2
is_told_of xcoll-perf -t 1 --op bcast --sizes 64 --seconds 0.00001
is_told_of xcoll-perf -t 1 --op bcast --sizes 64 --seconds 0.00001 --json
is_told_of xcoll-perf --list
is_told_of xcoll-tune -n 2 --ops allreduce --sizes 8 --time 1

# Where it is closed too: what is opened instead does not get what was printed.
is_closed() { # TOOL ARGUMENTS...
    "$BUILD/$1" "${@:2}" >&- 2>"$work/err" <&-
    [ $? -eq 1 ] || wrong "$* returned something else than 1 where its output is closed"
    says err "$1: cannot write to standard output: "
}
is_closed xcoll-info
is_closed xcoll-doctor -n 2
is_closed xcoll-perf --op bcast --sizes 64 --seconds 0.00001 --plot "$work/plot"
silent plot 'bytes  '
is_closed xcoll-tune -n 2 --ops allreduce --sizes 8 --time 1

finish
