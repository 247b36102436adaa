#!/usr/bin/env bash
# What xcollrun returns and says when programs end well, badly, or do not start.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
. "$(dirname "$0")/xcollrun_helpers.bash"

run 0 -n 3 true
notices 0
run 0 -n 3 sh -c 'echo $XCOLL_RANK/$XCOLL_SIZE $XCOLL_LOCAL_RANK/$XCOLL_LOCAL_SIZE'
for rank in 0 1 2; do says out "$rank/3 $rank/3"; done

# One failing rank gives its code, and one line with its name.
run 7 -n 3 sh -c 'test $XCOLL_RANK != 1 || exit 7'
notices 1
says err 'xcollrun: rank 1 (pid '
says err 'exited with code 7'
run 137 -n 2 sh -c 'test $XCOLL_RANK = 0 || kill -9 $$; sleep 1'
notices 1
says err 'killed by signal 9 (Killed)'

# Who dies of a signal is the cause of what else fails at the same time.
run 139 -n 3 --env FILE="$work/dying" sh -c '
    if [ $XCOLL_RANK = 2 ]; then echo $$ >$FILE.new; mv $FILE.new $FILE; kill -SEGV $$; fi
    until [ -e $FILE ]; do sleep 0.05; done
    while grep -q "^State:.[^Z]" /proc/$(cat $FILE)/status; do sleep 0.05; done 2>$FILE.gone
    exit 1'
says err 'rank 2 (pid '

# Programs that do not start: one message, not one for each rank.
run 127 -n 4 no-such-program-anywhere
notices 1
says err 'program not found: no-such-program-anywhere'
run 127 -n 4 ./no/such/program
notices 1
echo 'no program' >"$work/file"
run 126 -n 4 "$work/file"
notices 1
says err 'Permission denied'
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
run 126 "$work/script"
notices 1
says err 'interpreter'
# A name is looked for in PATH alone, whatever this folder has of that name.
cd "$work"
cp script xcoll-not-in-path
run 127 xcoll-not-in-path
says err 'program not found: xcoll-not-in-path (not in PATH; ./xcoll-not-in-path?)'
cd "$OLDPWD"

# Mistakes on the command line are named, and the usage is shown.
run 125 --no-such-option true
says err "unknown option '--no-such-option'"
says err 'usage: xcollrun'
run 125 -x true
says err "unknown option '-x'"
for n in 0 -1 4097 x 1x '' 99999999999; do
    run 125 -n "$n" true
    says err "-n $n: expected a number of ranks from 1 to"
done
run 125 -n
says err '-n needs a value'
run 125 --bind socket true
says err '--bind socket: expected core or none'
run 125 --timeout soon true
says err '--timeout soon'
run 125 --timeout -1 true
run 125 --env NOTHING true
says err 'NAME=VALUE'
run 125
says err 'no program to run'
run 0 --help
says out 'usage: xcollrun'
run 0 --version
says out 'xcollrun '

# Other ways to write the same.
run 0 -n2 --bind=none --env=A=1 --env B=2=3 -- sh -c 'echo $A $B'
says out '1 2=3'
lines out 2
run 0 -n 1 --env XCOLL_RANK=5 sh -c 'echo $XCOLL_RANK'
says out 0

# One rank for each processor that may be used, and each on its own if asked for.
first=$(sed -nE 's/^Cpus_allowed_list:\s*([0-9]+).*/\1/p' /proc/self/status)
taskset -c "$first" "$xcollrun" sh -c 'echo $XCOLL_SIZE' >"$work/out" || wrong 'taskset failed'
says out 1
lines out 1
run 0 -n 1 --bind core grep Cpus_allowed_list /proc/self/status
grep -qE ":\s*$first$" "$work/out" || wrong "rank 0 is not bound to processor $first"
taskset -c "$first" "$xcollrun" -n 2 --bind core true 2>"$work/err"
says err 'not binding'

finish
