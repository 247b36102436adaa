#!/usr/bin/env bash
# XCOLL_TRACE and xcoll-doctor --trace tell every operation of every rank once, with what it was and when, also of a job
# that hangs or was killed; what cannot be written or read is told; and the README's example of it works word for word.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
# timeout: 240
tool=xcoll-doctor
. "$(dirname "$0")/xcollrun_helpers.bash"
traced=$BUILD/tests/faults/traced
[ -x "$traced" ] || { echo "there is no $traced"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed: JSON needs somebody who reads it"; exit 77; }
folder=$work/trace
here=$(cd "$(dirname "$0")" && pwd)

fresh() { # an empty folder
    rm -rf "$folder" && mkdir "$folder"
}
job() { # RANKS WAY: to its end
    XCOLL_TRACE=$folder "$xcollrun" -n "$1" "$traced" "$2" "$marker" >"$work/log.$2" 2>&1 || {
        wrong "the job $2 of $1 ranks fails"
        cat "$work/log.$2"
    }
}
look() { # JOB NUMBERS: what the doctor prints is what traced.cpp has done
    python3 -B "$here/timeline.py" "$1" "$work/out" "${@:2}" >"$work/log.look" 2>&1
}
holds() {
    look "$@" || {
        wrong "the trace is not that of: $*"
        tail -n 5 "$work/log.look"
    }
}
stuck() { # RANKS
    "$tool" --trace "$folder" >"$work/out" 2>"$work/err" && look away "$1"
}

# Every form of call, of processes and of threads.
for ranks in 1 2 3 13; do
    fresh
    job $ranks processes
    [ "$(ls "$folder" | wc -l)" -eq $ranks ] || wrong "there is not one file for each of $ranks ranks"
    run 0 --trace "$folder"
    holds all_forms $ranks
done
# The last job, as if rank 0 had been on another machine that runs since an hour less: the ranks meet all the same.
python3 -B - "$folder"/rank-0.* <<'END_OF_PYTHON'
import struct, sys
page, hour = 4096, 3600 * 10**9
data = bytearray(open(sys.argv[1], "rb").read())
def earlier(at, by):
    (word,) = struct.unpack_from("q", data, at)
    struct.pack_into("q", data, at, word - by if word else 0)
earlier(32, -hour)                                           # FileHeader::realtime
data[56:64] = b"other\0\0\0"                                 # FileHeader::host
section = page
while section < len(data):
    capacity = struct.unpack_from("Q", data, section + 8)[0] # Section::capacity, then created and ended
    for at in (56, 64):
        earlier(section + at, hour)
    for event in range(section + page, section + page + 64 * capacity, 64):
        for at in (8, 16):                                   # event_begin, event_end
            earlier(event + at, hour)
    section += page + 64 * capacity
open(sys.argv[1], "wb").write(data)
END_OF_PYTHON
"$tool" --trace "$folder" >"$work/out" 2>"$work/err"
says out 'rank 0 of 13 on other'
holds met 13

# Ranks that share no memory with anybody, as on machines of their own.
# UCX and ThreadSanitizer both rewrite the functions that map memory.
if [ -e "$BUILD/xcoll/libxcoll_ucx.so" ] && [ "$SANITIZER" != thread ]; then
    fresh
    XCOLL_SHM=off UCX_TLS=tcp job 3 hundred
    run 0 --trace "$folder"
    holds met 3
fi

fresh
XCOLL_TRACE=$folder "$traced" threads "$marker" || wrong 'the threads fail'
run 0 --trace "$folder"
holds all_forms 3

# While it hangs, and when it was killed.
fresh
XCOLL_TRACE=$folder "$xcollrun" -n 3 "$traced" away "$marker" >"$work/log.away" 2>&1 &
launcher=$!
until_true stuck 3
for pid in $(marked); do
    [ "$pid" = $launcher ] || kill -9 "$pid" 2>/dev/null
done
wait $launcher
run 0 --trace "$folder"
holds away 3

# More operations than there is room for; the last ones are kept, and it says so.
fresh
XCOLL_TRACE_EVENTS=64 job 2 hundred
run 0 --trace "$folder"
says err '72 operations were followed by so many that they were not kept'
holds hundred 2

# Times are in the unit that viewers expect.
fresh
begun=$(date +%s%N)
job 3 paused
lasted=$(($(date +%s%N) - begun))
run 0 --trace "$folder"
holds paused 3 $lasted

# A child of fork leaves its parent's file alone.
fresh
job 2 fork
[ "$(ls "$folder" | wc -l)" -eq 2 ] || wrong 'a child has made a file'
run 0 --trace "$folder"
holds forked 2

# Nothing is written unless somebody asks for it.
fresh
(cd "$folder" && XCOLL_TRACE='' "$xcollrun" -n 2 "$traced" hundred "$marker") || wrong 'an empty XCOLL_TRACE fails'
[ -z "$(ls "$folder")" ] || wrong "an empty XCOLL_TRACE writes: $(ls "$folder")"

# Two jobs in one folder.
fresh
job 2 fork
job 2 fork
run 1 --trace "$folder"
says err 'a folder is for one job'
holds two_jobs 2

# A folder that cannot be used: on all ranks, and on one of them, of which the others are told.
refused() { # VALUE TEXT [NAME=VALUE...]
    local value=$1 text=$2
    shift 2
    env "$@" XCOLL_TRACE="$value" "$traced" hundred "$marker" >"$work/out" 2>&1 && wrong "XCOLL_TRACE=$value is taken"
    says out "XCOLL_ERR_CONFIG"
    says out "XCOLL_TRACE=$value: $text"
}
touch "$work/file"
refused "$work/absent" 'cannot make '
says out 'No such file or directory. Expected the name of a folder in which files can be made'
refused "$work/file" 'cannot make '
refused "/$(printf 'x%.0s' {1..300})" 'cannot make '
(
    failures=0
    ulimit -f 2048 && refused "$folder" 'there is no room for 4104 KiB in '
    exit $failures
) || wrong 'a limit of the size of files is not told'
env XCOLL_TRACE="$folder" XCOLL_TRACE_EVENTS=none "$traced" hundred "$marker" >"$work/out" 2>&1 && wrong 'XCOLL_TRACE_EVENTS=none is taken'
says out 'XCOLL_TRACE_EVENTS=none is not valid: expected a number of operations, such as 64K, of up to 64M'
fresh
"$xcollrun" -n 3 "$traced" "$folder" "$marker" >"$work/out" 2>&1 || { wrong 'a rank without a folder is not told to all'; cat "$work/out"; }

# A disk that is full: for a first communicator that is an error, a later one has no place, and it says so.
if unshare -m mount -t tmpfs none "$folder" 2>/dev/null; then
    on_disk() { # KIB COMMAND...: with a folder of so much
        local kib=$1
        shift
        LD_LIBRARY_PATH=$BUILD XCOLL_TRACE=$folder unshare -m sh -c 'mount -t tmpfs -o "size=$1k" none "$XCOLL_TRACE"; shift
            "$@"; code=$?; cp "$XCOLL_TRACE"/* "$0" 2>/dev/null; exit $code' "$work/kept" "$kib" "$@" >"$work/out" 2>&1
    }
    mkdir "$work/kept"
    on_disk 1000 "$traced" hundred "$marker" && wrong 'a full disk is no error'
    says out 'No space left on device. Name a folder that has more, or lower XCOLL_TRACE_EVENTS'
    on_disk 6000 "$xcollrun" -n 1 "$traced" processes "$marker" || { wrong 'a job fails for the trace of its second communicator'; cat "$work/out"; }
    run 1 --trace "$work/kept"
    says err 'has no room for 1 more communicators: No space left on device'
fi

# What is no trace.
run 2 --trace "$work/absent"
says err 'expected the folder that XCOLL_TRACE named'
fresh
run 2 --trace "$folder"
says err 'there is no file *.xcoll-trace in it'
run 2 --trace ''
run 2 --trace "$folder" -p $$
run 2 --trace "$folder" --jobs
run 2 --trace "$folder" --strict
XCOLL_TRACE_EVENTS=64 job 2 processes
file=$(echo "$folder"/rank-0.*)
echo 'something else' >"$folder/rank-9.other.1.xcoll-trace"
: >"$folder/rank-8.other.1.xcoll-trace"
run 1 --trace "$folder"
says err 'rank-9.other.1.xcoll-trace is not a trace'
says err 'rank-8.other.1.xcoll-trace is not a trace'
rm "$folder"/rank-[89].*
holds all_forms 2
"$tool" --trace "$folder" >/dev/full 2>"$work/err" && wrong 'a full disk is not noticed'
says err 'xcoll-doctor: cannot write to standard output: '

# Files that were cut off, or say anything, are read without harm.
cp "$file" "$work/whole"
for seed in {1..20}; do
    python3 -B - "$work/whole" "$file" "$seed" <<'END_OF_PYTHON'
import random, sys
random.seed(int(sys.argv[3]))
data = bytearray(open(sys.argv[1], "rb").read())
for _ in range(random.randrange(200)):
    data[random.choice((random.randrange(4200), 4096 + random.randrange(300), random.randrange(len(data))))] = random.randrange(256)
if random.random() < 0.5:
    del data[random.randrange(len(data)):]
open(sys.argv[2], "wb").write(data)
END_OF_PYTHON
    "$tool" --trace "$folder" >"$work/out" 2>"$work/err"
    [ $? -le 1 ] || wrong "a file with changes $seed is not read"
    holds readable 2
done

# The session of the README.
[ -z "$SANITIZER" ] || finish
section=$(awk '/^## / {here = $0 == "## See what a program waits for"} here' "$SRC/README.md")
mapfile -t commands < <(sed -n 's/^    \$ //p' <<<"$section")
[ ${#commands[@]} -eq 3 ] || wrong "the README has ${#commands[@]} commands of a session: this check needs mending"
mkdir "$work/session" && cd "$work/session" || exit 1
printf '#!/bin/sh\nexec %s processes %s\n' "$traced" "$marker" >program
chmod +x program
for command in "${commands[@]}"; do
    (PATH=$BUILD:$PATH && eval "$command") >"$work/log.command" 2>&1 || { wrong "the README's command fails: $command"; cat "$work/log.command"; }
done
cp job.json "$work/out"
holds all_forms 3

finish
