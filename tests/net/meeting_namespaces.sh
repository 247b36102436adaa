#!/usr/bin/env bash
# Ranks on two machines that nobody launched: they meet at the root, by variables of xcoll or of torchrun, and work
# together over the network and, on each machine, through shared memory. Needs root.
# timeout: 300
set -u
. "$SRC/tests/net/two_machines.bash"

failed=0
export UCX_TLS=tcp XCOLL_SECRET=two-machines-of-a-test XCOLL_TIMEOUT=60
run() { # ranks per machine, variables; @ stands for the rank
    local each=$1 rank ranks=() words
    shift
    echo "+ $((2 * each)) ranks, $*"
    # The root comes last: the others call it until it is there.
    for ((rank = 2 * each - 1; rank >= 0; --rank)); do
        words=("$@")
        ip netns exec $job-$((rank % 2)) env "${words[@]//@/$rank}" "$BUILD/tests/net/messages" "$each" &
        ranks+=($!)
    done
    for rank in "${ranks[@]}"; do wait "$rank" || failed=1; done
}
run 1 XCOLL_ROOT=10.231.77.1:4711 XCOLL_SIZE=2 XCOLL_RANK=@
run 2 XCOLL_ROOT=10.231.77.1:4711 XCOLL_SIZE=4 XCOLL_RANK=@
run 1 MASTER_ADDR=10.231.77.1 MASTER_PORT=4711 WORLD_SIZE=2 RANK=@
run 1 XCOLL_ROOT=10.231.77.1:4711 XCOLL_SIZE=2 XCOLL_RANK=@ XCOLL_INTERFACE=x@-$$

# Nobody comes from the other machine.
message=$(ip netns exec $job-0 env XCOLL_ROOT=10.231.77.1:4711 XCOLL_SIZE=2 XCOLL_RANK=0 XCOLL_TIMEOUT=1 "$BUILD/tests/net/messages" 1 2>&1)
case $message in
*XCOLL_ERR_TIMEOUT*"rank 1 did not come"*) ;;
*)
    echo "a rank that does not come is reported as: $message"
    failed=1
    ;;
esac
exit $failed
