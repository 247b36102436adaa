#!/usr/bin/env bash
# Ranks on two machines, started by xcollrun. Needs root.
# timeout: 300
set -u
. "$SRC/tests/net/two_machines.bash"
. "$SRC/tests/net/departures.bash"

# Rank r lives on machine r mod 2. The socket to the launcher is inherited.
on_its_machine='exec ip netns exec '$job'-$((XCOLL_RANK % 2)) "$@"'
failed=0
run() { # ranks per machine, variables...
    local each=$1
    shift
    echo "+ $((2 * each)) ranks, $*"
    env UCX_TLS=tcp "$@" "$BUILD/xcollrun" -n $((2 * each)) bash -c "$on_its_machine" bash "$BUILD/tests/net/messages" "$each" ||
        failed=1
}
run 1 XCOLL_ALLREDUCE=ring
run 1 XCOLL_ALLREDUCE=doubling
run 1 XCOLL_TIMEOUT=60
run 2 XCOLL_ALLREDUCE=ring

# Ranks 0 and 1 share a machine.
departures bash -c 'exec ip netns exec '$job'-$((XCOLL_RANK / 2)) "$@"' bash

# With layout, it does not show on how many machines the ranks run.
echo '+ 4 ranks, layout'
together=$(XCOLL_DETERMINISM=layout "$BUILD/xcollrun" -n 4 "$BUILD/tests/net/bits")
apart=$(UCX_TLS=tcp XCOLL_DETERMINISM=layout "$BUILD/xcollrun" -n 4 bash -c "$on_its_machine" bash "$BUILD/tests/net/bits")
[ -n "$together" ] && [ "$together" = "$apart" ] || {
    echo "on two machines the bits are $apart instead of $together"
    failed=1
}
exit $failed
