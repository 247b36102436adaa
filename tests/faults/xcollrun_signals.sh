#!/usr/bin/env bash
# Signals reach every rank once, however they were sent, and stop and continue the whole job.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
. "$(dirname "$0")/xcollrun_helpers.bash"
set -m # jobs of their own process groups, as in a user's shell

# A signal that this run cannot trap, whatever made it so, cannot be told from one that xcollrun lost.
for signal in HUP INT QUIT USR1 USR2 TERM; do
    bash -c "trap 'exit 7' $signal; kill -$signal \$\$; exit 0"
    [ $? -eq 7 ] || { echo "SIG$signal is ignored or blocked here, and cannot be trapped"; exit 77; }
done

# Ranks that write a line for each signal, and end on SIGTERM. They wait without a child, which could get a signal too.
mkfifo "$work/silence"
cat >"$work/rank" <<'END'
for signal in HUP INT QUIT USR1 USR2; do trap "echo $signal >>$1.\$XCOLL_RANK" $signal; done
trap 'echo TERM >>$1.$XCOLL_RANK; exit 0' TERM
touch $1.$XCOLL_RANK
exec 8<>"$2"
while true; do read -rt 0.05 -u 8; done
END
start() {
    rm -f "$work"/log.*
    "$xcollrun" -n 3 bash "$work/rank" "$work/log" "$work/silence" "$marker" >"$work/out" 2>"$work/err" </dev/null &
    launcher=$!
    for rank in 0 1 2; do until_true exists "$work/log.$rank"; done
}
logged() { # TEXT: each rank has logged exactly this
    local rank
    for rank in 0 1 2; do
        [ "$(tr '\n' ' ' <"$work/log.$rank")" = "$1 " ] || return 1
    done
}

for target in '' -; do # to xcollrun alone, to its process group
    start
    sent=
    for signal in HUP USR1 USR2 QUIT INT; do
        sent="$sent$signal"
        kill -$signal -- $target$launcher
        until_true logged "$sent"
        sent="$sent "
    done
    kill -TERM -- $target$launcher
    wait $launcher
    code=$?
    [ $code -eq 0 ] || wrong "ranks that end well on SIGTERM gave $code"
    logged "${sent}TERM" || wrong "not every signal arrived once: $(cat "$work"/log.*)"
done

# A second SIGINT ends ranks that do not end by themselves.
start
kill -INT $launcher
until_true logged INT
kill -INT $launcher
wait $launcher
[ $? -eq 130 ] || wrong 'the code of an interrupted job is not 130'
says err 'interrupted again'
until_true none_left

# What was ignored when xcollrun started stays ignored.
(
    trap '' HUP
    exec "$xcollrun" -n 2 sh -c "kill -HUP \$PPID; kill -HUP \$\$; echo survived" >"$work/out" 2>"$work/err"
)
lines out 2

# The job stops as a whole, and continues as a whole.
all_in_state() {
    local pid
    for pid in $(marked); do [[ $(state "$pid") =~ $1 ]] || return 1; done
}
stop_and_continue() { # '' or -: the launcher, or its group
    start
    kill -TSTP -- $1$launcher
    until_true all_in_state T
    [ "$(marked | wc -l)" -ge 5 ] || wrong 'the job is not there while it is stopped'
    kill -CONT -- $1$launcher
    until_true all_in_state '[RS]'
    kill -USR1 $launcher
    until_true logged USR1
    kill -TSTP -- -$launcher
    until_true all_in_state T
    kill -9 $launcher
    wait $launcher 2>/dev/null
    until_true none_left
}
stop_and_continue '' # twice, and no loop, which bash leaves when a job of its own stops at the wrong moment
stop_and_continue -

# A job that was stopped and goes on ends as any other.
start
kill -TSTP -- $launcher
until_true all_in_state T
kill -CONT -- $launcher
until_true all_in_state '[RS]'
kill -TERM -- $launcher
wait -f $launcher
code=$?
[ $code -eq 0 ] || wrong "ranks that were stopped for a time and end well on SIGTERM gave $code"
until_true none_left

# Keys of a terminal: the kernel sends them to every process, and nobody sends them once more.
# `exec`, since a shell between them would die of the first key, and its terminal would hang up.
export SHELL=/bin/sh
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    rm -f "$work"/log.*
    mkfifo "$work/keys"
    script -qec "exec $xcollrun -n 3 bash $work/rank $work/log $work/silence $marker" /dev/null <"$work/keys" >"$work/out" 2>&1 &
    terminal=$!
    exec 9>"$work/keys"
    for rank in 0 1 2; do until_true exists "$work/log.$rank"; done
    printf '\034' >&9 # Ctrl-\
    until_true logged QUIT
    printf '\003' >&9 # Ctrl-C
    until_true logged 'QUIT INT'
    printf '\003' >&9
    exec 9>&-
    wait $terminal
    [ $? -eq 130 ] || wrong 'the code of a job interrupted at a terminal is not 130'
    # The launcher may have got the second Ctrl-C first, and its SIGTERM may overtake the key.
    for rank in 0 1 2; do
        [[ $(tr '\n' ' ' <"$work/log.$rank") =~ ^QUIT\ INT( INT)?( TERM)?\ $ ]] ||
            wrong "not every key arrived once at rank $rank: $(tr '\n' ' ' <"$work/log.$rank")"
    done
    grep -qF 'interrupted again' "$work/out" || wrong 'a second Ctrl-C does not end the job'
fi

finish
