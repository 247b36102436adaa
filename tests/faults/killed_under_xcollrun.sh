#!/usr/bin/env bash
# A rank of a job under xcollrun is killed inside the library: the others are told who it was, xcollrun returns its code,
# and nothing of the job is left.
# shellcheck source=tests/faults/xcollrun_helpers.bash
. "$(dirname "$0")/xcollrun_helpers.bash"

shared_files() {
    find /dev/shm /tmp -maxdepth 1 -user "$(id -un)" -name '*xcoll*' 2>/dev/null | sort
}
shared_files >"$work/before"
for ranks in 2 3 5; do
    run 137 -n $ranks "$BUILD/tests/faults/dies" "$marker"
    lines out $((ranks - 1))
    [ "$(grep -cE '^XCOLL_ERR_(PEER_DEAD|ABORTED) .*rank 1 \(process [0-9]+\) has died' "$work/out")" -eq $((ranks - 1)) ] || {
        wrong 'a survivor was not told who died:'
        cat "$work/out"
    }
    none_left || wrong 'a rank outlived the job'
done
shared_files >"$work/after"
left=$(comm -13 "$work/before" "$work/after")
[ -z "$left" ] || wrong "left behind: $left"
finish
