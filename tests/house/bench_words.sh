#!/usr/bin/env bash
# The benchmark refuses a word that it does not know before it measures anything, and lists those that it knows.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
cd "$SRC" || exit 2
failures=0

refuses() { # TEXT OPTION...
    local text=$1 said
    shift
    said=$(python3 -B bench/run.py --build /nowhere --output /nowhere "$@" 2>&1)
    if [ $? -ne 2 ] || [[ $said != *"$text"* ]]; then
        echo "expected bench/run.py $* to be refused with: $text"
        echo "$said"
        failures=1
    fi
}

refuses "'openmpl' is none of xcoll, heap, persistent, nonblocking, openmpi, " --contenders xcoll,openmpl
refuses "'' is none of xcoll, " --contenders xcoll,
refuses "'reduct' is none of barrier, " --ops reduct
refuses "'f31' is none of f32, " --dtype f31
refuses "'quick' is none of osu, honest" --loops quick
refuses '--also build: expected NAME=DIR' --also build
refuses '--also xcoll=build: expected NAME=DIR, the name none of xcoll, ' --also xcoll=build

# Whoever is listed takes part by that name.
python3 -B - <<'END' || failures=1
import sys

sys.path.insert(0, "bench")
from harness import contenders

known = list(contenders.makers("/nowhere", more_builds=[("older", "/older")]))
made = [contender.name for contender in contenders.standard("/nowhere", known, False, [("older", "/older")])]
if made != known:
    sys.exit(f"expected {known}, made {made}")
END
exit $failures
