#!/usr/bin/env bash
# A limit of 64 open files is enough for a rank, however many ranks there are: under xcollrun, which raises its own limit
# as far as it may, and at a unique id, where the root sends those for whom it has no room on to others.
# timeout: 240
. "$(dirname "$0")/xcollrun_helpers.bash"
hello=$BUILD/examples/01_hello met=$BUILD/examples/08_unique_id
for program in "$hello" "$met"; do [ -x "$program" ] || { echo "there is no $program"; exit 77; }; done
# A sanitizer makes processes large.
many=100
[ -z "$SANITIZER" ] || many=20

few() { # LIMIT COMMAND...
    (ulimit "$1" 64 && "${@:2}") >"$work/out" 2>"$work/err" || {
        wrong "64 open files (ulimit $1) are not enough for: ${*:2}"
        sort -u "$work/err" | head -n 5
    }
}

few -n "$xcollrun" -n 16 "$hello"
few -Sn "$xcollrun" -n $many "$hello"
few -n "$met" 16
few -n "$met" $many
says out "$many processes met; their ranks add up to $((many * (many - 1) / 2))"

# Who is missing is told by all, also by those who were sent on.
present=30
port=$((10000 + RANDOM % 20000))
while (exec 3<>"/dev/tcp/localhost/$port") 2>/dev/null; do port=$((10000 + RANDOM % 20000)); done # somebody answers
ranks=()
for ((rank = 0; rank < present; rank++)); do
    (ulimit -n 64 && exec env XCOLL_ROOT=localhost:$port XCOLL_SECRET=of-this-test-alone XCOLL_RANK=$rank \
        XCOLL_SIZE=$((present + 1)) XCOLL_TIMEOUT=10 "$hello") >/dev/null 2>"$work/log.$rank" &
    ranks+=($!)
done
for pid in "${ranks[@]}"; do wait "$pid" && wrong 'a rank starts without the missing one'; done
for ((rank = 0; rank < present; rank++)); do says log.$rank "rank $present did not come"; done

# Where nothing is left, it is told what the limit is and what to do.
(ulimit -n 16 && "$met" 20) >"$work/out" 2>"$work/err" && wrong '16 open files are enough for a root'
says err 'as many files as it may, 16; raise the limit (ulimit -n)'

finish
