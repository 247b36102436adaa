#!/usr/bin/env bash
# Checks the models of this folder with Spin: each must hold as it is, and fail in every variant that leaves something
# out. A model that nothing can break proves nothing.
#
# timeout: 600
#
#     tests/model/run.sh [DIRECTORY]    where to build; a temporary one by default
set -u
here=$(cd "$(dirname "$0")" && pwd)
compiler=${CC:-cc}
for tool in spin "${compiler%% *}"; do
    command -v "$tool" >/dev/null || { echo "the models need $tool, which is not installed"; exit 77; }
done
if [ $# -gt 0 ]; then
    build=$1
    mkdir -p "$build"
else
    build=$(mktemp -d)
    trap 'rm -rf "$build"' EXIT
fi
failures=0

# check MODEL holds|fails [DEFINITION...]
check() {
    local model=$1 wanted=$2
    shift 2
    local name=$model${*:+ $*} directory=$build/$model-${*// /-}
    directory=${directory// /-}
    rm -rf "$directory"
    mkdir -p "$directory"
    local definitions=() word
    for word in "$@"; do definitions+=("-D$word"); done
    if ! (cd "$directory" && spin -a ${definitions[@]+"${definitions[@]}"} "$here/$model.pml" >spin.log 2>&1 &&
        $compiler -w -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -o pan pan.c >cc.log 2>&1 &&
        ./pan -m1000000 >pan.log 2>&1); then
        printf 'FAILED  %-32s could not be built or run; see %s\n' "$name" "$directory"
        cat "$directory"/*.log
        failures=$((failures + 1))
        return
    fi
    local errors states verdict=fails
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$directory/pan.log")
    states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$directory/pan.log")
    if grep -q 'search not completed\|max search depth too small\|out of memory' "$directory/pan.log" && [ "$errors" = 0 ]; then
        verdict=incomplete
    elif [ "$errors" = 0 ]; then
        verdict=holds
    fi
    if [ "$verdict" = "$wanted" ]; then
        printf 'ok      %-32s %s (%s states)\n' "$name" "$verdict" "$states"
    else
        printf 'FAILED  %-32s %s, expected: %s\n' "$name" "$verdict" "$wanted"
        cat "$directory/pan.log"
        [ "$verdict" = fails ] && (cd "$directory" && spin -t -p ${definitions[@]+"${definitions[@]}"} "$here/$model.pml")
        failures=$((failures + 1))
    fi
}

check doorbell holds
check doorbell holds STRONG_STORE
for left_out in NO_BARRIER NO_SECOND_LOOK LOOK_FIRST COUNT_LATE WAKE_ONLY; do
    check doorbell fails $left_out
done

check cell holds
check cell holds IN_SLOTS LAST=5
for left_out in NO_CREDIT LATE_CREDIT EARLY_DONE NO_PREFIX OPTIMISTIC_LAG RELAXED; do
    check cell fails $left_out
done
for left_out in NO_SLOT_CREDIT EARLY_DONE RELAXED; do
    check cell fails IN_SLOTS $left_out
done

check stamped holds
for left_out in NO_ZERO NO_SECOND_LOOK RELAXED SAME_STAMP; do
    check stamped fails $left_out
done

check visit holds
for left_out in WEAK_VISIT WEAK_FAREWELL LOOK_FIRST LOOK_ONCE EARLY_END NO_WAIT; do
    check visit fails $left_out
done

[ $failures -eq 0 ]
