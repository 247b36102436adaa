#!/usr/bin/env bash
# xcoll-perf and xcoll-tune tell a user at a terminal what they are at, once however many ranks there are, and clean up
# behind them; files and pipes get nothing of it.
# shellcheck source=tests/faults/xcollrun_helpers.bash
. "$(dirname "$0")/xcollrun_helpers.bash"
command -v script >/dev/null || { echo "script is not installed, which would make a terminal"; exit 77; }
perf="$BUILD/xcoll-perf --op allreduce,bcast --sizes 8,64 --seconds 0.001"
tune="$BUILD/xcoll-tune -n 2 --ops allreduce --sizes 8 --time 1"
escape=$'\033' clear=$'\r\033[K'

at_terminal() { # COMMAND: what a terminal shows of it, in $work/terminal
    script -qec "$1" /dev/null >"$work/terminal" </dev/null || wrong "at a terminal this fails: $1"
}
tells_of() { # TEXT...: it shows each once, on a line that it cleared before, and then clears the last one
    local text
    for text in "$@"; do
        [ "$(grep -oF -- "$clear$text" "$work/terminal" | wc -l)" -eq 1 ] || { wrong "not told once: $text"; cat -v "$work/terminal"; }
    done
    [ "$(tail -c ${#clear} "$work/terminal")" = "$clear" ] || wrong "the last line is left on the terminal: $1"
}
is_plain() { # FILE: it has lines, and nothing that is for terminals
    [ -s "$work/$1" ] || wrong "$1 is empty"
    ! grep -qF "$escape" "$work/$1" || { wrong "$1 has what is for terminals"; cat -v "$work/$1"; }
}

for ranks in 1 3; do
    at_terminal "$xcollrun -n $ranks $perf >$work/table"
    tells_of 'line 1 of 4: allreduce of 8 B' 'line 2 of 4: allreduce of 64 B' 'line 3 of 4: bcast of 8 B' 'line 4 of 4: bcast of 64 B'
    is_plain table
done
at_terminal "$perf -t 2 >$work/table"
tells_of 'line 1 of 4: allreduce of 8 B'
is_plain table
at_terminal "$tune >$work/table"
tells_of 'pass 1 of '
is_plain table

# The table is what counts on a terminal; progress that goes elsewhere is none.
at_terminal "$perf -t 2 2>$work/err"
is_plain terminal
[ ! -s "$work/err" ] || { wrong 'a file has progress'; cat -v "$work/err"; }
at_terminal "$tune 2>$work/err"
is_plain terminal
! grep -qF "$escape" "$work/err" || wrong 'a file has progress'
$perf -t 2 2>&1 | cat >"$work/table"
is_plain table
silent table 'line 1 of'
finish
