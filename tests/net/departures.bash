# Jobs of three ranks of which one goes away or does not come, as tests/net/departures does in each manner: counts the ranks that stay
# and are told what they should be. Sourced, after failed=0.
departures() { # what stands before the program
    local how stay good
    for how in done freed aborted late astray elsewhere aborts sleeps killed cut exited; do
        stay=3
        case $how in killed | cut | exited) stay=2 ;; esac
        echo "+ 3 ranks, of which one is: $how, $*"
        # Of 1800 seconds nobody waits for the end.
        good=$(env XCOLL_TIMEOUT=25 UCX_TLS=tcp timeout 60 "$BUILD/xcollrun" -n 3 "$@" "$BUILD/tests/net/departures" $how |
            grep -c good)
        [ "$good" = $stay ] || {
            echo "$good of $stay ranks were told what they should be"
            failed=1
        }
    done
}
