#!/usr/bin/env bash
# The example that makes its own processes takes a number of them, says so of everything else, and makes none then.
# shellcheck source=tests/faults/xcollrun_helpers.bash
. "$(dirname "$0")/xcollrun_helpers.bash"
tool=$BUILD/examples/08_unique_id
[ -x "$tool" ] || { echo "there is no $tool"; exit 77; }

run 0
says out '3 processes met; their ranks add up to 3'
run 0 2
says out '2 processes met; their ranks add up to 1'
refused() { # ARGUMENTS...
    run 2 "$@"
    says err 'usage: '
    [ ! -s "$work/out" ] || wrong "processes have met: $*"
}
for number in 0 -1 1025 99999999999999999999 abc 2x ''; do refused "$number"; done
refused 2 2

finish
