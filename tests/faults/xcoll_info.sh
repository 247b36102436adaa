#!/usr/bin/env bash
# xcoll-info speaks of this library, this machine, these settings and this job.
# shellcheck source=tests/faults/xcollrun_helpers.bash
tool=xcoll-info
. "$(dirname "$0")/xcollrun_helpers.bash"

# It names the version, every setting with its default and every operation.
run 0
says out "xcoll $(sed -nE 's/^#define XCOLL_VERSION_(MAJOR|MINOR|PATCH) //p' "$SRC/include/xcoll.h" | paste -sd.)"
settings=$(sed -n '/^constexpr Variable table/,/^};/p' "$SRC/src/base/config.cpp" | sed -nE 's/^ *\{"([A-Z_]+)", "([^"]*)".*/\1 \2/p')
[ "$(wc -l <<<"$settings")" -gt 10 ] || wrong "no table found in config.cpp: this check needs mending"
while read -r name value; do
    grep -qE "^ +XCOLL_$name +$value +default " "$work/out" || wrong "XCOLL_$name with its default '$value' is missing"
done <<<"$settings"
for operation in $(sed -nE 's/^OPERATION\(([a-z_]+),.*/\1/p' "$SRC/src/api/operations.def"); do
    case $operation in
    *_typed | *w) ;; # served as the operation without this ending
    *) grep -qE "^ +$operation +[a-z]" "$work/out" || wrong "nobody serves $operation" ;;
    esac
done
for section in machine job limits; do grep -qx "$section" "$work/out" || wrong "there is no section $section"; done

# A setting that was given is told from a default.
XCOLL_TIMEOUT=7.5 XCOLL_ALLREDUCE=two_shot run 0 settings algorithms
grep -qE 'XCOLL_TIMEOUT +7\.5 +environment .*\(default 1800\)' "$work/out" || wrong 'the given timeout is not shown as such'
grep -qE '^ +allreduce +two_shot$' "$work/out" || wrong 'the setting does not show in the choice'
says out 'XCOLL_ALLREDUCE=two_shot names another'
silent out 'open files'

# A misspelled one is an error, and the table that helps to mend it comes all the same.
XCOLL_TIMOUT=3 run 1 settings
says err '"XCOLL_TIMOUT" is not a setting'
grep -qE 'XCOLL_TIMEOUT +1800 +default' "$work/out" || wrong 'the table of settings is missing after a bad one'
XCOLL_ALLREDUCE=fastest run 1 job
says err 'XCOLL_ALLREDUCE=fastest: "fastest" is not an algorithm of allreduce'

# It sees the machine as this process may use it, and the limits that hold for it.
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$first" "$tool" machine job -n 2 >"$work/out" || wrong 'fails when bound'
says out '1 processor for this process'
says out 'gives the processor away'
[ "$(nproc --all)" = 1 ] || says out "(for this process: $first)"
(ulimit -n 77 && "$tool" limits) >"$work/out" || wrong 'fails with few open files'
grep -qE 'open files +77 ' "$work/out" || wrong 'the limit of open files is not shown'

# In a job it speaks of that job, once; alone of as many ranks as it is told.
tool=$xcollrun run 0 -n 3 "$tool" job
lines out 7
says out 'large buffers '
says out '3 ranks, 3 on this machine'
run 0 job -n5
says out '5 ranks, 5 on this machine'
XCOLL_CMA=off tool=$xcollrun run 0 -n 2 "$tool" job
says out 'through the ring: XCOLL_CMA=off'
tool=$xcollrun run 2 -n 2 "$tool" -n 4
says err 'without a launcher'

# It says who would compute the proofs of ranks that meet over TCP, and why that is not the crypto library.
XCOLL_CRYPTO=own run 0 job
says out "xcoll's own code: XCOLL_CRYPTO=own"
XCOLL_PLUGIN_PATH=$work/nothing run 0 job
says out "xcoll's own code: the plug-in for the crypto library cannot be loaded: $work/nothing"
XCOLL_PLUGIN_PATH=$work/nothing XCOLL_CRYPTO=library run 0 job
says out 'nobody: the plug-in for the crypto library cannot be loaded'
if [ -e "$BUILD/xcoll/libxcoll_crypto.so" ]; then
    run 0 job
    grep -qE '^ +TCP proofs +OpenSSL [0-9.]+$' "$work/out" || wrong 'the crypto library does not serve'
fi

# It says who described the machine, and why that was not hwloc if it was to.
unset HWLOC_XMLFILE HWLOC_SYNTHETIC
XCOLL_TOPOLOGY=sysfs run 0 machine
grep -qE '^ +told by +sysfs$' "$work/out" || wrong 'it is not told that sysfs describes the machine'
HWLOC_SYNTHETIC='pack:2 core:1 pu:1' XCOLL_PLUGIN_PATH=$work/nothing run 0 machine
says out "sysfs: the plug-in for hwloc cannot be loaded: $work/nothing"
XCOLL_TOPOLOGY=lstopo run 1 machine
says err 'XCOLL_TOPOLOGY=lstopo is not valid: expected auto, sysfs or hwloc'
XCOLL_TOPOLOGY=hwloc XCOLL_PLUGIN_PATH=$work/nothing run 1 machine
says err 'XCOLL_TOPOLOGY=hwloc, but the plug-in for hwloc cannot be loaded'
if [ -e "$BUILD/xcoll/libxcoll_hwloc.so" ]; then
    HWLOC_SYNTHETIC="pack:1 l3:1 core:1 pu:1(indexes=$first)" XCOLL_TOPOLOGY=hwloc tool=taskset run 0 -c "$first" "$tool" machine
    says out 'told by       hwloc, interface 2'
    # As in a container that hides the kernel's files: hwloc, which then complains to nobody.
    if unshare --mount mount -t tmpfs hidden /sys 2>/dev/null; then
        unshare --mount bash -c 'mount -t tmpfs hidden /sys && exec "$0" machine' "$tool" >"$work/out" 2>"$work/err" || wrong 'fails without /sys'
        grep -qE '^ +told by +hwloc, interface 2' "$work/out" || wrong 'hwloc does not serve where /sys is hidden'
        [ ! -s "$work/err" ] || wrong "where /sys is hidden there is said: $(cat "$work/err")"
    fi
fi

# For programs there is everything as one object; the sections are members of it.
run 0 --json
lines out 1
for member in build machine memory lending authentication settings algorithms passed_over limits; do says out "\"$member\": "; done
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || wrong 'the output of --json is not JSON, or not complete'
import json, sys
told = json.load(open(sys.argv[1]))
assert told["size"] >= 2 and told["machine"]["usable_processors"] >= 1 and told["machine"]["processors"]
assert all({"name", "value", "default", "source", "meaning"} <= set(s) for s in told["settings"])
for name, choices in told["algorithms"].items():
    assert choices[-1]["up_to"] is None, name
    serving = {choice["algorithm"] for choice in choices}
    never = {o["algorithm"] for o in told["passed_over"][name] if o["above"] == 0 and o["up_to"] is None}
    assert not serving & never, name
END
fi

# What cannot be meant is an error that says what can.
run 2 sections
says err 'expected build, machine, job, settings, limits, algorithms'
run 2 --json settings
run 2 -n 0
says err 'from 1 to'
run 2 -n
run 2 --jsn
says err "unknown option '--jsn'"

finish
