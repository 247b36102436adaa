#!/usr/bin/env bash
# xcoll-perf runs every operation in every form, finds every result right, and says what it measured.
# shellcheck source=tests/faults/xcollrun_helpers.bash
# timeout: 240
tool=xcoll-perf
. "$(dirname "$0")/xcollrun_helpers.bash"
perf=$tool
quick="--seconds 0.00001"

# Every operation of the table, and no other.
run 0 --list
listed=$(sed -n 's/^operations: //p' "$work/out" | tr ' ' '\n' | sort)
known=$(sed -nE 's/^OPERATION\(([a-z_]+),.*/\1/p' "$SRC/src/api/operations.def" | sort)
[ "$listed" = "$known" ] || wrong "operations differ: $(diff <(echo "$listed") <(echo "$known"))"
operations=$(wc -w <<<"$listed")

# Among threads and among processes, in every form and loop; odd numbers of ranks, sizes that do not divide.
for ranks in 1 2 3 5 8; do
    run 0 -t $ranks --op all --form all --loop all --sizes 0,4,52,20004 --check --csv $quick
    lines out $((1 + (operations - 1) * 4 * 5 * 2 + 10)) # a barrier has one size
    awk -F, 'NR > 1 && $NF != "0"' "$work/out" | grep . && wrong "wrong results among $ranks threads"
done
tool=$xcollrun run 0 -n 3 "$perf" --op all --form all --sizes 4,4004 --check $quick
silent out ' nan'
grep -vE '^[0-9]+ ranks|^operation' "$work/out" | awk '$NF != "0"' | grep . && wrong "wrong results among processes"
lines out $((2 + (operations - 1) * 2 * 5 + 5))

# Every type with every reduction that it has, with more ranks than small types can add up ones.
run 0 --list
types=$(sed -n 's/^types: //p' "$work/out") reductions=$(sed -n 's/^reductions: //p' "$work/out")
[ "$(wc -w <<<"$types")" -eq "$(grep -cE '^    XCOLL_[A-Z0-9_]+ = 0x1000' "$SRC/include/xcoll.h")" ] || wrong "not all types: $types"
[ "$(wc -w <<<"$reductions")" -eq "$(grep -cE '^    XCOLL_[A-Z]+ = 0x2000' "$SRC/include/xcoll.h")" ] || wrong "not all reductions: $reductions"
served=0
for type in $types; do
    for reduction in $reductions; do
        "$perf" -t 13 --op allreduce,reduce_scatterv --dtype "$type" --reduce "$reduction" --sizes 480 --check $quick \
            >"$work/out" 2>"$work/err" && served=$((served + 1)) && continue
        grep -q 'XCOLL_ERR_OP' "$work/err" || wrong "$reduction of $type: $(cat "$work/err")"
    done
done
[ $served -gt 100 ] || wrong "only $served pairs of a type and a reduction are served"

# The numbers: in order, and the same line in all three outputs.
run 0 -t 2 --sizes 8:128:4,1K --seconds 0.001 --csv
[ "$(cut -d, -f8 "$work/out" | paste -sd' ')" = 'bytes 8 32 128 1024' ] || wrong 'these are not the sizes'
awk -F, 'NR > 1 && !($10 <= $9 && $9 <= $11 && $11 <= $12 && $10 > 0)' "$work/out" | grep . && wrong 'min <= median <= p99 <= max does not hold'
run 0 -t 2 --sizes 64,1K --op bcast,barrier --form blocking,i --json $quick
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || wrong 'the output of --json is not JSON, or not complete'
import json, sys
results = json.load(open(sys.argv[1]))["results"]
assert [(r["op"], r["form"], r["bytes"]) for r in results] == [
    ("bcast", "blocking", 64), ("bcast", "i", 64), ("bcast", "blocking", 1024), ("bcast", "i", 1024),
    ("barrier", "blocking", 0), ("barrier", "i", 0)], results
assert all(r["median_us"] > 0 and r["ranks"] == 2 and r["placement"] == "threads" for r in results)
assert results[0]["ratio"] == 1 and abs(results[1]["ratio"] - results[1]["median_us"] / results[0]["median_us"]) < 0.01
END
fi

# Against an earlier run: a ratio where there is the same line, none where there is not.
cp "$work/out" "$work/before"
run 0 -t 2 --sizes 64,128 --op bcast --csv --compare "$work/before" $quick
grep -qE ',64,.*,[0-9]+\.[0-9]+,$' "$work/out" || wrong 'no ratio to the earlier run'
grep -qE ',128,.*,,$' "$work/out" || wrong 'a ratio to what was not measured'
echo '{"results": [' >"$work/broken"
run 2 -t 2 --compare "$work/broken"
says err 'not JSON at byte'
run 2 -t 2 --compare "$work/there-is-none"

# What cannot be meant is an error that says what can, once in a job, and nobody hangs.
run 2 --op allredduce
says err 'expected all or some of barrier bcast reduce'
run 2 --dtype float
says err 'expected one of int8'
run 2 --sizes 6
says err '6 bytes are not a whole number of float32'
for sizes in x 8:4 0:8 8:64:1 8:16:2:2 '' 1Q 99T; do run 2 --sizes "$sizes"; done
for rest in "--form blocking,later" "--loop fast" "--seconds 0" "-t 0" "--reduce mean" "allreduce" "--jsn"; do run 2 $rest; done
tool=$xcollrun run 2 -n 3 "$perf" --op none
[ "$(grep -c '^xcoll-perf:' "$work/err")" -eq 1 ] || wrong "a mistake is told more than once: $(cat "$work/err")"
tool=$xcollrun run 2 -n 2 "$perf" -t 2
run 1 -t 3 --dtype float32 --reduce band
says err XCOLL_ERR_OP

finish
