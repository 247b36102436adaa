#!/usr/bin/env bash
# xcoll-doctor -p says of a job that hangs who keeps whom waiting, whether its processes run or are stopped; and the
# README's example of it works word for word.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
# timeout: 240
tool=xcoll-doctor
. "$(dirname "$0")/xcollrun_helpers.bash"
hangs=$BUILD/tests/faults/hangs
[ -x "$hangs" ] || { echo "there is no $hangs"; exit 77; }

begin() { # RANKS WAY: a job in the background, $job
    "$xcollrun" -n "$1" "$hangs" "$2" "$marker" >"$work/log.$2" 2>&1 &
    job=$!
}
stop_job() {
    kill -TERM "$job"
    wait "$job"
    until_true none_left
}
is_stopped() { # PID
    [ "$(state "$1")" = T ]
}
rank_pids() { # in the order of ranks
    sed -nE 's/^  [0-9]+ +([0-9]+) .*/\1/p' "$work/out"
}
# The doctor is asked again until it has something to say: the job needs a second until it counts as hanging.
tells() { # TEXT ARGUMENTS...
    local text=$1
    shift
    "$tool" "$@" >"$work/out" 2>"$work/err"
    grep -qF -- "$text" "$work/out"
}

# A rank stays away: seen from the launcher, and from any of the ranks.
begin 3 away
until_true tells 'rank 2 has not entered operation 20, allreduce(sum, 1024 x int32); ranks 0 and 1 have waited for' -p "$job"
run 1 -p "$job"
grep -qE '^  0 +[0-9]+ +waits +20 +[0-9.]+ s +allreduce\(sum, 1024 x int32\), [a-z_]+$' "$work/out" || wrong 'no row of rank 0'
grep -qE '^  2 +[0-9]+ +outside +19 +- +allreduce\(sum, 1024 x int32\) was its last$' "$work/out" || wrong 'no row of rank 2'
says out "is in the program's own code"
mapfile -t pids < <(rank_pids)
[ ${#pids[@]} -eq 3 ] || wrong "the processes of three ranks are not told: ${pids[*]}"
run 1 -p "${pids[2]}"
says out 'rank 2 has not entered operation 20'
run 1 --jobs
says out 'rank 2 has not entered operation 20'

# The same while all of them are stopped.
kill -STOP "${pids[@]}"
for pid in "${pids[@]}"; do until_true is_stopped "$pid"; done
run 1 -p "$job"
says out 'rank 2 has not entered operation 20'
says out "rank 0 (process ${pids[0]}) is stopped"
says out "rank 2 (process ${pids[2]}) is stopped"
silent out "own code"
[ "$(grep -c "^rank 2 .* is stopped" "$work/out")" -eq 1 ] || wrong 'a stopped rank is told more than once'
run 1 -p "$job" --json
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END_OF_PYTHON' || wrong 'the output of --json is not JSON, or not right'
import json, sys
(comm,) = json.load(open(sys.argv[1]))["communicators"]
assert [r["state"] for r in comm["ranks"]] == ["waits", "waits", "outside"]
assert [r["operation"] for r in comm["ranks"]] == ["20", "20", "19"]
assert all(r["stopped"] and r["process"] > 0 for r in comm["ranks"])
assert comm["ranks"][0]["seconds"] >= 1 and comm["findings"]
END_OF_PYTHON
fi
kill -CONT "${pids[@]}"
stop_job

# Two communicators in another order: each rank keeps the other waiting.
begin 2 cross
until_true tells 'rank 1 has not entered operation 1, allreduce' -p "$job"
until_true tells 'rank 0 has not entered operation 3, allreduce' -p "$job"
says out 'communicator 2 "?[31mrows é ? ? ??" of 2 ranks'
grep -qE '^rank 1 \(process [0-9]+\) waits in communicator 1, as rank 1 in operation 3, allreduce' "$work/out" || wrong 'rank 1 is not seen in the other communicator'
grep -qE '^rank 0 \(process [0-9]+\) waits in communicator 2 "\?\[31mrows é \? \? \?\?", as rank 0 in operation 1, allreduce' "$work/out" || wrong 'rank 0 is not seen in the other communicator'
stop_job

# A message that nobody sends; a request that is tested.
begin 2 receive
until_true tells 'in recv from rank 1, 1 bytes' -p "$job"
stop_job
begin 3 receive_first
until_true tells 'ranks 0 and 2 have not entered operation 1, barrier; rank 1 has waited for' -p "$job"
until_true tells 'in recv from rank 2, 1 bytes' -p "$job"
[ "$(grep -c "own code" "$work/out")" -eq 1 ] || wrong 'a rank that waits for a message is said to be elsewhere'
grep -qE "^rank 2 \(process [0-9]+\) is in the program's own code\.$" "$work/out" || wrong 'it is not told what rank 2 does'
grep -qE '^rank 0 \(process [0-9]+\) has waited for [0-9]+ s in recv from rank 2, 1 bytes\.$' "$work/out" || wrong 'it is not told what rank 0 does'
stop_job
begin 2 test
until_true tells 'rank 1 has not entered operation 1, barrier; rank 0 has waited for' -p "$job"
stop_job
# Many requests at once: they all wait for the first.
begin 2 many
until_true tells 'rank 1 has not entered operation 1, barrier; rank 0 has waited for' -p "$job"
stop_job

# Who has freed the communicator, and who has ended.
begin 3 leave
until_true tells 'has freed this communicator' -p "$job"
until_true tells 'on rank 0 it has failed: XCOLL_ERR_ABORTED' -p "$job"
until_true tells 'on rank 1 it has failed: XCOLL_ERR_ABORTED' -p "$job"
stop_job
begin 3 end
until_true tells 'has ended' -p "$job"
grep -qE '^rank 2 \(process [0-9]+\) has ended\.$' "$work/out" || wrong 'the wrong rank has ended'
stop_job

# A child that a rank has forked has the descriptor, but shows nothing: the parents are told.
begin 2 fork
until_true tells 'rank 1 has not entered operation 2' -p "$job"
for pid in $(rank_pids); do
    grep -qsxE "PPid:\s*$pid" /proc/[0-9]*/status || wrong "process $pid is told, and has no child"
done
[ "$(rank_pids | wc -l)" -eq 2 ] || wrong 'there are not two ranks'
stop_job

# Threads as ranks.
"$hangs" threads "$marker" &
job=$!
until_true tells 'rank 0 has not entered operation 2, allreduce' -p "$job"
[ "$(rank_pids | sort -u)" = "$job" ] || wrong 'the threads are not of one process'
kill "$job"
wait "$job"
# Which of them waits in another communicator is not known: the one that keeps both waiting is in none.
"$hangs" split_threads "$marker" &
job=$!
until_true tells 'ranks 0 and 1 have not entered operation 3, allreduce' -p "$job"
until_true tells 'rank 1 has not entered operation 1, allreduce' -p "$job"
silent out ') waits in communicator'
says out "rank 1 (process $job) is in the program's own code or in another communicator: it shares its process"
kill "$job"
wait "$job"

# What cannot be looked into.
sleep 1000 "$marker" &
job=$!
run 2 -p "$job"
says err 'nor one that it started shows a communicator'
kill "$job"
wait "$job"
run 2 -p "$job"
says err 'there is no process'
if command -v python3 >/dev/null; then
    python3 -c 'import os, time; os.memfd_create("xcoll-flight"); time.sleep(1000)' "$marker" &
    job=$!
    has_file() { readlink /proc/$job/fd/* 2>/dev/null | grep -q xcoll-flight; }
    until_true has_file
    for form in '' --json; do
        run 2 -p "$job" $form
        says err "process $job cannot be looked into: what it shows is not of xcoll"
    done
    kill "$job"
    wait "$job"
fi
run 2 -p 0
# Without /proc there is nothing to look into, and it says so.
if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
    LD_LIBRARY_PATH=$BUILD unshare -m sh -c 'mount -t tmpfs none /proc && exec "$0" --jobs' "$tool" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] || wrong 'without /proc --jobs does not return 2'
    says err '/proc shows no process'
fi
run 2 -p world

# Options that belong to the machine, or exclude each other.
for wrong_too in '-n 2' --strict '--root /' --jobs; do
    # shellcheck disable=SC2086
    run 2 -p $$ $wrong_too
done

# The session of the README, but that the doctor is asked again until it says the same: the machine may be slow.
[ -z "$SANITIZER" ] || finish
session=$work/session
mkdir -p "$session/bin"
compiler=${CC%% *} # which may be called cc itself
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$compiler")${CC#"$compiler"}" >"$session/bin/cc"
printf '#!/bin/sh\necho "-I%s -L%s -lxcoll -Wl,-rpath,%s"\n' "$SRC/include" "$BUILD" "$BUILD" >"$session/bin/pkg-config"
printf '#!/bin/sh\nexec %s "$@" %s\n' "$xcollrun" "$marker" >"$session/bin/xcollrun" # so that at_end finds the ranks
chmod +x "$session"/bin/*
section=$(awk '/^## / {here = $0 == "## When a program hangs"} here' "$SRC/README.md")
sed -n '/^```c$/,/^```$/p' <<<"$section" | sed '/^```/d' >"$session/hang.c"
mapfile -t commands < <(sed -n 's/^    \$ //p' <<<"$section")
[ ${#commands[@]} -ge 4 ] || wrong "the README has ${#commands[@]} commands of a session: this check needs mending"
plain() { # FILE: without what differs between runs and machines: processes, times, algorithms
    sed -E 's/\(process [0-9]+\)/(process N)/; s/^( +[0-9]+ +)[0-9]+ +/\1N /; s/ [0-9.]+ s( |\.|$)/ T\1/
        s/(int32\)), [a-z_]+$/\1, A/; s/ +/ /g; s/^ //; s/ $//; /^$/d' "$1"
}
sed -n '/^    communicator/,/^    \$/p' <<<"$section" | sed 's/^    //; /^\$/d' >"$work/told"
plain "$work/told" >"$work/told.plain"
[ "$(wc -l <"$work/told.plain")" -ge 6 ] || wrong 'the README does not show what the doctor says: this check needs mending'
as_told() { # COMMAND
    eval "$1" >"$work/out" 2>"$work/err"
    plain "$work/out" >"$work/out.plain"
    diff "$work/told.plain" "$work/out.plain" >"$work/log.session"
}
cd "$session" || exit 1
PATH=$session/bin:$BUILD:$PATH
for command in "${commands[@]}"; do
    case $command in
    xcoll-doctor*) until_true as_told "$command" ;;
    *) eval "$command" >"$work/log.command" 2>&1 || wrong "the README's command fails: $command" ;;
    esac
done
wait
until_true none_left

finish
