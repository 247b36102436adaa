#!/usr/bin/env bash
# Messages between ranks of one machine: through shared memory if the settings ask for algorithms that work by messages,
# through the network if the ranks are told not to share memory. Needs no root.
# timeout: 300
set -u
. "$SRC/tests/net/departures.bash"
failed=0
run() { # ranks, ranks that share memory, variables...
    local ranks=$1 together=$2
    shift 2
    echo "+ $ranks ranks, $*"
    env "$@" "$BUILD/xcollrun" -n "$ranks" "$BUILD/tests/net/messages" "$together" || failed=1
}
# With layout, how the ranks reach each other does not show.
bits() { # ranks, variables...
    local ranks=$1
    shift
    env XCOLL_DETERMINISM=layout "$@" "$BUILD/xcollrun" -n "$ranks" "$BUILD/tests/net/bits"
}
same_bits() { # ranks, variables...
    local shared elsewhere
    echo "+ $1 ranks, layout, ${*:2}"
    shared=$(bits "$1") && elsewhere=$(bits "$@") && [ -n "$shared" ] && [ "$shared" = "$elsewhere" ] && return
    echo "the bits are $elsewhere instead of $shared"
    failed=1
}
for ranks in 2 3 4; do
    run $ranks $ranks XCOLL_ALLREDUCE=ring XCOLL_BCAST=tree
    run $ranks $ranks XCOLL_ALLREDUCE=doubling XCOLL_BARRIER=dissemination
done
same_bits 6 XCOLL_GROUPS=2,1 XCOLL_ALLREDUCE=two_shot
same_bits 6 XCOLL_ALLREDUCE=doubling XCOLL_REDUCE=messages
if [ -e "$BUILD/xcoll/libxcoll_ucx.so" ]; then
    run 2 1 XCOLL_SHM=off UCX_TLS=tcp
    run 3 1 XCOLL_SHM=off UCX_TLS=tcp XCOLL_ALLREDUCE=ring
    for ranks in 2 3 5; do
        echo "+ $ranks ranks, what goes wrong"
        XCOLL_SHM=off UCX_TLS=tcp "$BUILD/xcollrun" -n "$ranks" "$BUILD/tests/net/apart" || failed=1
        echo "+ $ranks ranks, groups of several stages in flight"
        XCOLL_SHM=off UCX_TLS=tcp "$BUILD/xcollrun" -n "$ranks" "$BUILD/tests/ranks/stages_in_flight" || failed=1
    done
    for ranks in 2 4 6; do
        same_bits $ranks XCOLL_SHM=off UCX_TLS=tcp
        same_bits $ranks XCOLL_SHM=off UCX_TLS=tcp XCOLL_ALLREDUCE=ring
    done
    for settings in XCOLL_ALLREDUCE=auto XCOLL_ALLREDUCE=ring; do
        departures env XCOLL_SHM=off $settings
    done
    # A container whose /dev/shm is too small for what UCX wants of it. What UCX is told to use, it has to find.
    if unshare -m mount -t tmpfs none /dev/shm 2>/dev/null; then
        crowded() { env "$@" XCOLL_SHM=off unshare -m sh -c 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"' sh \
            "$BUILD/xcollrun" -n 2 "$BUILD/tests/net/messages" 1; }
        echo "+ 2 ranks, a small /dev/shm"
        crowded -u UCX_TLS || failed=1
        crowded UCX_TLS=self,posix >/dev/null 2>&1 && echo "UCX was told to use another network than the user's" && failed=1
    fi
    echo "+ 2 ranks, all that xcoll-perf measures"
    measured=$(XCOLL_SHM=off UCX_TLS=tcp "$BUILD/xcollrun" -n 2 "$BUILD/xcoll-perf" --op all --sizes 8 --seconds 0.001 2>&1)
    case $measured in
    *"without send, recv, sendrecv: "*"reshard "*) ;;
    *)
        echo "xcoll-perf says: $measured"
        failed=1
        ;;
    esac
    # A plug-in that is not there.
    message=$(XCOLL_SHM=off XCOLL_PLUGIN_PATH=/nowhere "$BUILD/xcollrun" -n 2 "$BUILD/tests/net/messages" 1 2>&1)
    case $message in
    *XCOLL_ERR_UNSUPPORTED*/nowhere*libucx0*) ;;
    *)
        echo "without its plug-in the library says: $message"
        failed=1
        ;;
    esac
    # A network that is not there: the message says what was asked for.
    message=$(XCOLL_SHM=off UCX_TLS=no_network "$BUILD/xcollrun" -n 2 "$BUILD/tests/net/messages" 1 2>&1)
    case $message in
    *XCOLL_ERR_UNSUPPORTED*UCX_TLS=no_network*) ;;
    *)
        echo "without a network the library says: $message"
        failed=1
        ;;
    esac
fi
exit $failed
