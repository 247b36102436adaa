# Two network namespaces, $job-0 and $job-1: two machines, as far as the library can tell. A pair of virtual network
# cards joins them, with the addresses 10.231.77.1 and 10.231.77.2; they vanish when the script ends. Needs root, and a
# library with messages between machines; else the script ends as skipped. Sourced.
skip() {
    echo "$1"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "only root may make network namespaces: sudo make check KINDS=net"
command -v ip >/dev/null || skip "needs ip (Debian, Ubuntu: apt-get install iproute2)"
[ -e "$BUILD/xcoll/libxcoll_ucx.so" ] || skip "the library was built without UCX"

job=xcoll-$$
clean_up() {
    # A namespace takes its end of the pair with it.
    for n in 0 1; do ip netns delete $job-$n 2>/dev/null; done
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
for n in 0 1; do ip netns add $job-$n 2>/dev/null || skip "this root may not make network namespaces"; done
# It mounts, which fails for instance where the root folder is no mount point, as in a chroot.
message=$(ip netns exec $job-0 true 2>&1) || skip "no program can be started in a network namespace here: $message"
ip link add x0-$$ netns $job-0 type veth peer name x1-$$ netns $job-1 || skip "this kernel has no virtual network cards"
for n in 0 1; do
    ip -n $job-$n address add 10.231.77.$((n + 1))/24 dev x$n-$$ || exit 1
    ip -n $job-$n link set x$n-$$ up || exit 1
    ip -n $job-$n link set lo up || exit 1
done
# The kernel notices a moment later that both ends are up, and UCX takes no card before.
for n in 0 1; do
    for _ in {1..100}; do
        ip -n $job-$n link show dev x$n-$$ | grep -q 'state UP' && continue 2
        sleep 0.1
    done
    echo "the virtual network card of $job-$n did not come up"
    exit 1
done
