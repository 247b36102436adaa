#!/usr/bin/env bash
# A limit of 64 open files is enough for a rank, however many ranks there are.
# timeout: 240
. "$(dirname "$0")/xcollrun_helpers.bash"
hello=$BUILD/examples/01_hello met=$BUILD/examples/08_unique_id
for program in "$hello" "$met"; do [ -x "$program" ] || { echo "there is no $program"; exit 77; }; done
# A sanitizer makes processes large.
many=100
[ -z "$SANITIZER" ] || many=20

few() { # LIMIT COMMAND...
    (ulimit "$1" 64 && "${@:2}") >"$work/out" 2>"$work/err" || {
        wrong "64 open files (ulimit $1) are not enough for: ${*:2}"
        sort -u "$work/err" | head -n 5
    }
}

few -Sn "$xcollrun" -n $many "$hello"
few -n "$met" 16

finish
