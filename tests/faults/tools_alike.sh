#!/usr/bin/env bash
# What all tools do alike: they tell their version, take everything after -- as words, and say which file they cannot
# write and why.
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

finish
