#!/usr/bin/env bash
# xcoll-doctor finds nothing where jobs run, and finds what was made wrong: limits, affinity, variables, plug-ins, and
# the files of another machine.
# shellcheck source=tests/faults/xcollrun_helpers.bash disable=SC2016
# timeout: 240
tool=xcoll-doctor
. "$(dirname "$0")/xcollrun_helpers.bash"
doctor=$tool

found() { # STATE CHECK TEXT: the line of this check
    grep -E "^$1 +$2 +" "$work/out" | grep -qF -- "$3" || {
        wrong "expected $1 of '$2' with '$3':"
        grep -F " $2 " "$work/out" "$work/err"
    }
}
limited() { # EXPECTED-CODE SHELL-COMMAND ARGUMENTS...: the doctor after a change of its own process
    local expected=$1 change=$2 code
    shift 2
    (eval "$change" && exec "$doctor" "$@") >"$work/out" 2>"$work/err"
    code=$?
    [ $code -eq "$expected" ] || wrong "after '$change' it returned $code instead of $expected: $(cat "$work/out" "$work/err")"
}

# Here jobs run, as the other tests show.
run 0 -n 2
found ok 'shared memory' '2 processes exchanged'
found ok 'memory files' 'sealed'
found ok settings 'all as they come'
grep -qE '^0 problems, [0-9]+ warnings?, for a job of 2 ranks$' "$work/out" || wrong 'no summary'
grep -E '^(warning|problem)' -A 2 "$work/out" | grep -vE '^(warning|problem|  +means: .|  +to do: .|--)' && wrong 'a finding without meaning or advice'

# Each limit is found, and so is what comes of it.
limited 1 'ulimit -f 1000' -n 2
found problem 'file size' 'files may have 1000 KiB'
found problem 'shared memory' ''
limited 1 "ulimit -f $((1 << 20))" -n 2
found problem 'file size' 'files may have 1 GiB'
[ "$(nproc)" -eq 1 ] || found ok processors ''
XCOLL_HEAP=512M limited 0 "ulimit -f $((1 << 20))" -n 2
found ok 'file size' ''
limited 1 'ulimit -n 60' -n 2
found problem 'open files' '60, at most 60'
# With --label xcollrun needs 74 for so many ranks, and starts them with 73 without it.
limited 0 'ulimit -n 73' -n 12
found warning 'open files' '73, at most 73, enough for 12 ranks, but xcollrun needs 74'
found ok 'shared memory' '12 processes exchanged'
limited 1 'ulimit -n 73' -n 24
found problem 'open files' '73, at most 73, but 24 ranks need 64 in each of them and 74 in xcollrun'
launched() { # EXPECTED-CODE LIMIT ARGUMENTS...: xcollrun, with no descriptors but the standard ones
    (for fd in /proc/self/fd/*; do ((${fd##*/} < 3)) || eval "exec ${fd##*/}>&-"; done; ulimit -n "$2" && exec "$xcollrun" "${@:3}" true) 2>"$work/err"
    [ $? -eq "$1" ] || wrong "with $2 open files xcollrun ${*:3} does not return $1: $(cat "$work/err")"
}
launched 0 74 -n 24
launched 0 74 -n 12 --label
launched 125 73 -n 24
launched 125 73 -n 12 --label
launched 0 73 -n 12
if [ -z "$SANITIZER" ]; then # one takes more address space than that for itself
    limited 1 'ulimit -v 200000' -n 5
    found problem 'address space' 'could not map one segment'
    grep -q 'ok *messages' "$work/out" && wrong 'a library that tells nothing has messages that are ok'
    limited 1 'ulimit -v 1500000' -n 5
    found problem 'address space' '5 segments'
fi
limited 0 'taskset -cp $(taskset -cp $BASHPID | sed "s/.*: //; s/[-,].*//") $BASHPID >/dev/null' -n 3
found warning processors '3 ranks, but 1 processor'
limited 1 'taskset -cp $(taskset -cp $BASHPID | sed "s/.*: //; s/[-,].*//") $BASHPID >/dev/null' -n 3 --strict

# Wrong settings are told, and the rest is looked at without them.
XCOLL_TIMOUT=1 run 1 -n 2
found problem settings '"XCOLL_TIMOUT" is not a setting'
found ok 'shared memory' ''
XCOLL_TIMEOUT=30 run 0 -n 2
found ok settings '1 is given'
XCOLL_TOPOLOGY=sysfs run 0 -n 2
found ok caches 'told by sysfs'
HWLOC_SYNTHETIC=nonsense XCOLL_PLUGIN_PATH=$work/nothing run 0 -n 2
found warning caches 'told by sysfs: the plug-in for hwloc cannot be loaded'
if grep -q '^ucx := no' "$BUILD/config.mk"; then
    found ok messages 'built without'
else
    XCOLL_PLUGIN_PATH=$work/nothing run 0 -n 2
    found warning messages 'plug-in'
fi

# A container that lets no process read another one: jobs run, with one copy more.
refused=$BUILD/tests/faults/refused
"$refused" "$doctor" -n 2 >"$work/out" 2>"$work/err"
code=$?
if [ $code -ne 77 ]; then
    [ $code -eq 0 ] || wrong "it returned $code where process_vm_readv is refused: $(cat "$work/out" "$work/err")"
    found warning cross-memory 'process_vm_readv fails: Operation not permitted'
    found ok 'shared memory' ''
fi

# A launcher that is not there is a problem of the machine, not of the doctor.
mkdir "$work/alone" && cp "$doctor" "$work/alone/"
LD_LIBRARY_PATH=$BUILD "$work/alone/xcoll-doctor" >"$work/out" 2>"$work/err" && wrong 'a missing launcher is no problem'
found problem 'shared memory' 'No such file'

# The files of other machines.
root=$work/machine
write() { mkdir -p "$root$(dirname "$1")" && echo "$2" >"$root$1"; }
write /sys/devices/system/clocksource/clocksource0/current_clocksource hpet
write /sys/devices/system/cpu/cpufreq/policy0/scaling_governor powersave
write /sys/devices/system/cpu/cpufreq/policy0/scaling_driver acpi-cpufreq
write /sys/kernel/mm/transparent_hugepage/shmem_enabled '[always] within_size advise never deny force'
write /proc/sys/kernel/yama/ptrace_scope 3
write /proc/self/status $'Name:\tsh\nSeccomp:\t2'
write /proc/self/uid_map '         0       1000          1'
mkdir -p "$root/sys/class/infiniband"
limited 0 'ulimit -l 64' -n 2 --root "$root"
found warning clock hpet
found warning speed powersave
found warning 'huge pages' always
found warning debuggers 'ptrace scope 3'
found warning 'locked memory' '64 KiB'
found ok 'call filter' 'seccomp mode 2'
found ok users 'a user namespace'
write /sys/devices/system/clocksource/clocksource0/current_clocksource tsc
write /sys/devices/system/cpu/cpufreq/policy0/scaling_driver intel_pstate
write /sys/kernel/mm/transparent_hugepage/shmem_enabled 'always within_size [advise] never deny force'
write /proc/sys/kernel/yama/ptrace_scope 1
write /proc/self/uid_map '         0          0 4294967295'
rmdir "$root/sys/class/infiniband"
limited 0 'ulimit -l 64' -n 2 --root "$root"
found ok clock tsc
found ok speed 'left to the processor'
found ok 'huge pages' advise
found ok debuggers 'ptrace scope 1'
found ok 'locked memory' ''
found ok users "the machine's own"

# For programs.
run 0 -n 2 --json
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || wrong 'the output of --json is not JSON, or not complete'
import json, sys
checks = json.load(open(sys.argv[1]))
assert len({c["check"] for c in checks}) == len(checks) >= 15
assert all(c["state"] in ("ok", "warning", "problem") and c["seen"] for c in checks)
END
fi
run 2 --what
run 2 now
run 2 -n 0
run 2 --root "$work/alone"
says err 'expected a folder with copies of /proc and /sys'
tool=$xcollrun run 2 -n 2 "$doctor"
says err 'started without a launcher'

finish
