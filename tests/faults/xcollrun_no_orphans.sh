#!/usr/bin/env bash
# However a job ends, no process of it is left.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
. "$(dirname "$0")/xcollrun_helpers.bash"

start() { # ARGUMENTS...: xcollrun in the background; $launcher is its pid
    "$xcollrun" "$@" >"$work/out" 2>"$work/err" </dev/null &
    launcher=$!
}
ready() { # NUMBER: so many sleepers run
    [ "$(pgrep -cxf "sleep $marker")" -ge "$1" ]
}
child_of() {
    pgrep -P "$1"
}
command -v pgrep >/dev/null || { echo 'pgrep is not installed'; exit 77; }

# A rank is killed: the others have a moment to end by themselves and are ended if they do not.
start -n 3 bash -c "echo \$\$ >$work/pid.\$XCOLL_RANK; trap 'echo asked >$work/term.\$XCOLL_RANK' TERM
    if [ \$XCOLL_RANK = 2 ]; then sleep 0.1; else while true; do sleep $marker; done; fi"
until_true ready 2
kill -9 "$(cat "$work/pid.0")"
wait $launcher
[ $? -eq 137 ] || wrong 'the code of a killed rank is not 137'
notices 1
says err "rank 0 (pid $(cat "$work/pid.0")) was killed by signal 9"
none_left || wrong 'a rank outlived the failure of another one'
exists "$work/term.1" || wrong 'a rank was killed without having been asked to end'
exists "$work/term.2" && wrong 'a rank that ended in time was asked to end'

# The launcher is killed, with wrappers between it and the programs.
for wrapper in "exec sleep $marker" "sleep $marker; true" "sh -c 'sleep $marker; true'; true" \
    "setsid sleep $marker & wait" "trap '' TERM HUP INT; sleep $marker; true"; do
    start -n 3 sh -c "$wrapper"
    until_true ready 3
    kill -9 $launcher
    wait $launcher 2>/dev/null
    until_true none_left
done

# The process behind it is killed.
start -n 3 sh -c "sleep $marker; true"
until_true ready 3
kill -9 "$(child_of $launcher)"
wait $launcher
[ $? -eq 137 ] || wrong 'the code of a killed launcher is not 137'
none_left || wrong 'processes outlived the launcher proper'
says err 'the launcher was killed'

# Both are: the ranks themselves still die with them.
start -n 3 sleep $marker
until_true ready 3
kill -9 $launcher "$(child_of $launcher)"
wait $launcher 2>/dev/null
until_true none_left

# All processes that bear its name are killed at once.
start -n 2 sh -c "sleep $marker; true"
until_true ready 2
for pid in $(pgrep -x xcollrun); do
    [ "$pid" = "$launcher" ] && kill -9 "$pid"
done
wait $launcher 2>/dev/null
until_true none_left

# What a job leaves running at its end is ended as well.
run 0 -n 2 sh -c "setsid sleep $marker & exit 0"
none_left || wrong 'a background process outlived the job'

# Time is up.
run 124 --timeout 0.3 -n 2 sh -c "trap '' TERM; sleep $marker; sleep $marker; true"
notices 1
says err 'within 0.3 s'
none_left || wrong 'a rank outlived the timeout'
run 0 --timeout 60 -n 2 true

finish
