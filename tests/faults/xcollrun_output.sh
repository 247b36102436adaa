#!/usr/bin/env bash
# Where the ranks' input comes from and where their output goes.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
. "$(dirname "$0")/xcollrun_helpers.bash"

# Rank 0 reads the input, the others find none.
echo 'for rank 0' >"$work/in"
input=$work/in run 0 -n 3 --label cat
lines out 1
says out '[0] for rank 0'
"$xcollrun" -n 2 --label sh -c 'cat; echo end' <&- >"$work/out" 2>"$work/err" || wrong 'fails without an input'
lines out 2

# Lines stay whole, whatever the pieces in which they were written; both streams have labels.
run 0 -n 4 --label bash -c '
    for ((i = 0; i < 300; i++)); do
        printf "begin "; printf "%0500d" $i; printf " %s " $XCOLL_RANK; printf "end\n"
        printf "note %s\n" $XCOLL_RANK >&2
    done'
lines out 1200
lines err 1200
for rank in 0 1 2 3; do
    whole=$(grep -E "^\[$rank\] begin [0-9]+ $rank end$" "$work/out" | awk 'length == 516' | wc -l)
    [ "$whole" -eq 300 ] || wrong "lines of rank $rank were torn"
    [ "$(grep -cxF "[$rank] note $rank" "$work/err")" -eq 300 ] || wrong "notes of rank $rank were torn"
done
"$xcollrun" -n 4 --label bash -c 'for ((i = 0; i < 300; i++)); do printf "%03000d\n" 1; echo note >&2; done' >"$work/out" 2>&1
lines out 2400
[ "$(grep -E '^\[[0-3]\] (0+1|note)$' "$work/out" | awk 'length == 3004 || length == 8' | wc -l)" -eq 2400 ] || wrong 'lines of both streams were torn'

# A last line without an end is not lost, and neither is one of a rank that dies.
run 0 -n 2 --label printf 'no end'
lines out 2
says out '[1] no end'
run 137 -n 2 --label sh -c 'printf "last words"; test $XCOLL_RANK = 1 || kill -9 $$; sleep 0.1'
says out '[0] last words'
run 0 -n 2 --label printf 'one\n\ntwo\n'
lines out 6
says out '[0] '

# A reader that is slow gets all; one that goes away ends the ranks as it would without xcollrun.
"$xcollrun" -n 2 --label seq 200000 | { sleep 1; cat; } >"$work/out"
lines out 400000
"$xcollrun" -n 2 --label yes 2>"$work/err" | head -n 1 >"$work/out"
until_true none_left
lines out 1
says err "killed by signal 13"
# One that has no room is told of, once, the other stream goes on, and the job does not end well.
"$xcollrun" -n 1 --label sh -c 'echo lost; sleep 0.1; echo kept >&2' >/dev/full 2>"$work/err"
[ $? -eq 1 ] || wrong 'what could not be written counts as a success'
says err "xcollrun: cannot write the ranks' output: No space left on device"
says err '[0] kept'
lines err 2

# Without labels the streams are inherited as they are.
run 0 -n 2 sh -c 'printf x; printf y >&2'
[ "$(cat "$work/out")$(cat "$work/err")" = xxyy ] || wrong 'output was changed on its way'

# Closed descriptors are not taken by something else.
"$xcollrun" -n 2 sh -c 'echo lost; test -S /proc/self/fd/$XCOLL_CONTROL_FD' >&- 2>&- <&-
[ $? -le 1 ] || wrong 'fails without standard descriptors'
run 0 -n 2 sh -c 'test -S /proc/self/fd/$XCOLL_CONTROL_FD'

finish
