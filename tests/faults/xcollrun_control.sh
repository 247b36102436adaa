#!/usr/bin/env bash
# The socket between a rank and xcollrun: who gets it, and what happens when a rank does with it what it should not.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
. "$(dirname "$0")/xcollrun_helpers.bash"

# Every rank gets exactly one, also through wrappers.
sockets='count=0; for fd in /proc/$$/fd/*; do [ -S $fd ] && count=$((count + 1)); done; echo $count sockets'
run 0 -n 3 bash -c "$sockets"
[ "$(grep -cxF '1 sockets' "$work/out")" -eq 3 ] || wrong "not one socket for each rank: $(cat "$work/out")"
run 0 -n 2 sh -c "env bash -c '$sockets'; true"
[ "$(grep -cxF '1 sockets' "$work/out")" -eq 2 ] || wrong "a wrapper loses the socket: $(cat "$work/out")"
run 0 -n 2 sh -c 'test -S /proc/self/fd/$XCOLL_CONTROL_FD'

# A job in a job has sockets of its own.
run 0 -n 2 "$xcollrun" -n 2 sh -c 'echo $XCOLL_RANK of $XCOLL_SIZE'
[ "$(grep -c ' of 2$' "$work/out")" -eq 4 ] || wrong 'a nested job does not run'
run 0 -n 1 "$xcollrun" -n 1 bash -c "$sockets"
says out '1 sockets'

# A rank that writes something else is named and ends the job.
run 1 -n 3 bash -c "if [ \$XCOLL_RANK = 1 ]; then echo garbage >&\$XCOLL_CONTROL_FD; fi; exec sleep $marker"
says err 'xcollrun: rank 1 (pid '
says err 'wrote 8 bytes to its control socket'
notices 1
none_left || wrong 'ranks outlived a job that was ended'

# A rank that ends without having come to the others is named too: here rank 0 waits for it in an allgather.
wait_for_others='printf "XCLL\002\000\003\000%b" "$(printf "\\\\000%.0s" {1..24})" >&$XCOLL_CONTROL_FD'
run 1 -n 2 bash -c "test \$XCOLL_RANK = 1 || { $wait_for_others; exec sleep $marker; }"
says err 'rank 1 (pid '
says err 'rank 0 waits for it in xcoll_init'
notices 1
none_left || wrong 'a rank waits for one that has ended'
# Its failure, if it failed, is the better message.
run 3 -n 2 bash -c "test \$XCOLL_RANK = 1 && { sleep 0.2; exit 3; }; $wait_for_others; exec sleep $marker"
says err 'exited with code 3'
notices 1
# Nothing is wrong with a rank that lives but has closed its socket, unless others wait for it.
run 0 -n 2 bash -c 'exec {XCOLL_CONTROL_FD}>&-; sleep 0.2'
run 1 -n 2 bash -c "test \$XCOLL_RANK = 0 && { $wait_for_others; exec sleep $marker; }
    exec {XCOLL_CONTROL_FD}>&-; exec sleep $marker"
says err 'rank 1 (pid '
says err 'closed its connection'

# Too few open files for so many ranks.
(ulimit -n 64 && "$xcollrun" -n 100 true) 2>"$work/err"
[ $? -eq 125 ] || wrong 'too few open files are no failure'
says err 'ulimit -Hn'
# If the launcher may have more of them, the ranks keep what they had.
(ulimit -Sn 50 && "$xcollrun" -n 20 sh -c 'ulimit -n') >"$work/out" || wrong 'does not raise its limit of open files'
[ "$(grep -cx 50 "$work/out")" -eq 20 ] || wrong 'the ranks have another limit of open files'

finish
