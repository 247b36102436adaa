#!/usr/bin/env bash
# xcoll-perf runs every operation in every form, finds every result right, and says what it measured.
# shellcheck source=tests/faults/xcollrun_helpers.bash
# timeout: 480
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

# Those in whose description the header says that send, or recv of a root, may be XCOLL_IN_PLACE, and their relatives.
in_place=22

# Among threads and among processes, in every form and loop; odd numbers of ranks, sizes that do not divide.
for ranks in 1 2 3 5 8; do
    run 0 -t $ranks --op all --form all --loop all --sizes 0,4,52,20004 --check --csv $quick
    lines out $((1 + (operations - 1) * 4 * 5 * 2 + 10)) # a barrier has one size
    awk -F, 'NR > 1 && $NF != "0"' "$work/out" | grep . && wrong "wrong results among $ranks threads"
done
for ranks in 1 3 5; do
    run 0 -t $ranks --op all --form all --place in --buffers all --range 100K --sizes 4,20004 --check --csv $quick
    lines out $((1 + in_place * 2 * 5 * 2))
    awk -F, 'NR > 1 && $NF != "0"' "$work/out" | grep . && wrong "wrong results in place among $ranks threads"
done
tool=$xcollrun run 0 -n 3 "$perf" --op all --form all --sizes 4,4004 --buffers all --range 20K --check $quick
silent out ' -nan'
silent out ' nan '
sed 1,3d "$work/out" | awk '!/^\* |^  other / && $NF != "0"' | grep . && wrong "wrong results among processes"
[ "$(grep -cE ' (hot|cold) ' "$work/out")" -eq $((((operations - 1) * 2 * 5 + 5) * 2)) ] || wrong 'the table lacks lines'

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
run 0 -t 3 --sizes 8:128:4,1K --seconds 0.001 --csv
column() { # NAME: of $work/out
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print $at }' "$work/out"
}
[ "$(column bytes | paste -sd' ')" = '8 32 128 1024' ] || wrong 'these are not the sizes'
ascending() { # NAMES...: these columns ascend in every line, from above 0
    paste $(for name in "$@"; do echo "$work/$name"; done) | awk '{ last = 0; for (i = 1; i <= NF; i++) { if ($i < last) bad = 1; last = $i } if ($1 <= 0) bad = 1 } END { exit bad }' ||
        wrong "$* do not ascend"
}
for name in min_us median_us p90_us p99_us max_us rank_min_us rank_median_us rank_max_us; do column $name >"$work/$name"; done
ascending min_us median_us p90_us p99_us max_us
ascending rank_min_us rank_median_us rank_max_us
run 0 -t 2 --sizes 64,1K --op bcast,barrier --form blocking,i --json $quick
cp "$work/out" "$work/before"
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || wrong 'the output of --json is not JSON, or not complete'
import json, sys
results = json.load(open(sys.argv[1]))["results"]
assert [(r["op"], r["form"], r["bytes"]) for r in results] == [
    ("bcast", "blocking", 64), ("bcast", "i", 64), ("bcast", "blocking", 1024), ("bcast", "i", 1024),
    ("barrier", "blocking", 0), ("barrier", "i", 0)], results
assert all(r["median_us"] > 0 and r["ranks"] == 2 and r["placement"] == "threads" for r in results)
assert all(r["place"] == "out" and r["buffers"] == "hot" and r["wrong"] is None for r in results)
assert results[0]["ratio"] == 1 and abs(results[1]["ratio"] - results[1]["median_us"] / results[0]["median_us"]) < 0.01
END
fi

# Sizes as other benchmarks take them.
sizes_are() { # EXPECTED ARGUMENTS...
    local expected=$1
    shift
    run 0 -t 1 --csv $quick "$@"
    [ "$(column bytes | paste -sd' ')" = "$expected" ] || wrong "$* gives the sizes $(column bytes | paste -sd' ')"
}
sizes_are '8 16 32 64' -b 8 -e 64
sizes_are '1024 4096' -b 1K -e 4K -f 4
sizes_are '100 140 180' -b 100 -e 199 -i 40
sizes_are '0 64 128' -b0 -e128 -i64
for rest in '-b 8 --sizes 8' '-f 1' '-b 64 -e 8' '-f 2 -i 8' '-b 8 -e 1M -i 4' '-b x'; do run 2 -t 1 $rest; done

# A cache line's way there and back is told where two ranks have a processor each, and only there.
run 0 -t 1 --sizes 8 --csv $quick
[ "$(column round_trip_ns)" = '' ] || wrong 'one rank has a round trip'
if "$BUILD/xcoll-info" --json | grep -qE '"usable_processors": ([2-9]|[0-9]{2})'; then
    run 0 -t 2 --sizes 8,64 --csv $quick
    column round_trip_ns | awk '!($1 > 0)' | grep . && wrong 'a round trip is missing'
fi

# Against an earlier run: a ratio where there is the same line, none where there is not.
run 0 -t 2 --sizes 64,128 --op bcast --csv --compare "$work/before" $quick
grep -qE ',64,.*,[0-9]+\.[0-9]+,$' "$work/out" || wrong 'no ratio to the earlier run'
grep -qE ',128,.*,,$' "$work/out" || wrong 'a ratio to what was not measured'
# Two files, without a job. The first was written before all of today's columns existed; a machine that changed is told.
line() { # MEDIAN ROUND-TRIP
    printf '{"results": [{"op": "bcast", "dtype": "float32", "reduce": "", "ranks": 2, "bytes": 64, "median_us": %s, "round_trip_ns": %s}]}' "$1" "$2"
}
line 2 100 >"$work/first"
for trip in 150 null; do
    line 3 $trip >"$work/second"
    run 0 --compare "$work/first" "$work/second"
    grep -qE '^bcast +64 .* 1\.50$' "$work/out" || wrong 'not the ratio of two files'
    silent out '*'
done
line 3 210 >"$work/second"
run 0 --compare "$work/first" "$work/second"
grep -qE '^bcast +64 .* 210\* +1\.50$' "$work/out" || wrong 'not told that the machine changed'
says out '* The machine changed'
run 0 --compare "$work/first" "$work/second" --csv
[ "$(column moved)" = since ] || wrong 'the file does not tell that the machine changed'
rm -f "$work/drawn."*
tool=$xcollrun run 0 -n 3 sh -c '"$0" --compare "$1" "$2" --csv --plot "$3.$XCOLL_RANK"' "$perf" "$work/first" "$work/second" "$work/drawn"
lines out 2
[ "$(echo "$work/drawn."*)" = "$work/drawn.0" ] || wrong 'not the first rank alone draws what two files say'
run 2 --compare "$work/first" "$work/second" "$work/second"
for rest in '--op bcast' '--sizes 64' '-b 8' '--seconds 1' --check '-t 2'; do
    run 2 --compare "$work/first" "$work/second" $rest
    says err "${rest% *}: nothing is measured where two files are compared"
done
run 2 --compare "$work/first" "$work/there-is-none"
echo '{"results": [' >"$work/broken"
run 2 -t 2 --compare "$work/broken"
says err "$work/broken: not JSON at byte"
run 2 -t 2 --compare "$work/there-is-none"
echo '{"checks": []}' >"$work/other"
run 2 -t 2 --compare "$work/other"
says err 'has no results: expected what xcoll-perf --json printed'

# Without a range of its own, what is cold is in no cache of this machine.
if "$BUILD/xcoll-info" --json | grep -qE '"l[23]_bytes": [1-9]'; then
    run 0 -t 1 --op bcast --sizes 64 --buffers cold --csv $quick
    [ "$(column buffers)" = cold ] || wrong 'the buffers are not cold'
else
    run 2 -t 1 --op bcast --sizes 64 --buffers cold
    says err 'expected --range'
fi

# A picture: a panel for each operation, a curve for each of the forms in each, dotted ones for the earlier run.
run 0 -t 2 --op bcast,allreduce,barrier --form blocking,i --sizes 0,64,1K --json --plot "$work/plot.svg" $quick
cp "$work/out" "$work/before"
counts() { # NUMBER TEXT: so many elements of the picture have it
    [ "$(grep -c -- "$2" "$work/plot.svg")" -eq "$1" ] || wrong "the picture has $(grep -c -- "$2" "$work/plot.svg") instead of $1 '$2'"
}
counts 6 '<path'
counts 14 '<circle'
for operation in bcast allreduce barrier; do counts 1 ">$operation<"; done
counts 1 'prefers-color-scheme: dark'
counts 0 'nan'
run 0 -t 2 --op bcast --form i --sizes 64,1K --compare "$work/before" --plot "$work/plot.svg" $quick
counts 2 '<path'
counts 1 '<path.*dasharray'
counts 1 '>now<'
run 0 --compare "$work/before" "$work/before" --plot "$work/plot.svg"
counts 12 '<path'
if command -v python3 >/dev/null; then
    python3 - "$work/plot.svg" <<'END' || wrong 'the picture is not XML, or draws beyond its border'
import sys, xml.etree.ElementTree as tree
svg = tree.parse(sys.argv[1]).getroot()
width, height = float(svg.get("width")), float(svg.get("height"))
for element in svg:
    for name in "x", "x1", "x2", "cx":
        assert 0 <= float(element.get(name, 0)) <= width, (element.tag, name, element.get(name))
    for name in "y", "y1", "y2", "cy":
        assert 0 <= float(element.get(name, 0)) <= height, (element.tag, name, element.get(name))
END
fi
for file in "$work" "$work/none/plot.svg"; do run 2 -t 2 --plot "$file"; done

# What cannot be meant is an error that says what can, once in a job, and nobody hangs.
run 2 --op allredduce
says err 'expected all or some of barrier bcast reduce'
run 2 --dtype float
says err 'expected one of int8'
run 2 --sizes 6
says err '6 bytes are not a whole number of float32'
for sizes in x 8:4 0:8 8:64:1 8:16:2:2 '' 1Q 99T; do run 2 --sizes "$sizes"; done
for rest in "--form blocking,later" "--loop fast" "--place here" "--buffers warm" "--range x" "--op bcast --place in" "--seconds 0" "-t 0" "--reduce mean" "allreduce" "--jsn" "--json --csv" "-i 0" "--plot=" "--compare="; do run 2 -t 1 $rest; done
tool=$xcollrun run 2 -n 3 "$perf" --op none
[ "$(grep -c '^xcoll-perf:' "$work/err")" -eq 1 ] || wrong "a mistake is told more than once: $(cat "$work/err")"
tool=$xcollrun run 2 -n 2 "$perf" -t 2
run 1 -t 3 --dtype float32 --reduce band
says err XCOLL_ERR_OP

finish
