#!/usr/bin/env bash
# A test passes, fails or is skipped by its own exit status, whatever an earlier run has left, and may open no more files
# than a fresh machine allows.
source "$(dirname "$0")/building.bash"
tree=$work/tree logs=$work/build/tests/logs
mkdir -p "$tree/tests/unit" "$logs"
drive() { # EXPECTED-STATUS TEXT
    BUILD=$work/build SRC=$tree SANITIZER= bash "$SRC/tests/run_all" unit -- >"$work/said" 2>&1
    [ $? -eq "$1" ] && grep -qF "$2" "$work/said" || { cat "$work/said"; stop "expected the status $1 and: $2"; }
}

echo '[ "$(ulimit -Sn)" -le 1024 ]' >"$tree/tests/unit/files.sh"
drive 0 '1 passed, 0 failed, 0 skipped'
# A log that cannot be written, as one of root could not be by others.
echo 'echo the reason; exit 77' >"$tree/tests/unit/reason.sh"
ln -s "$work/nowhere/log" "$logs/unit_reason.sh.log"
drive 0 '1 passed, 0 failed, 1 skipped'
drive 0 'the reason'
echo 'exit 3' >"$tree/tests/unit/status.sh"
drive 1 '1 passed, 1 failed, 1 skipped'
drive 1 'status 3'
# Before all that it says, what it found.
echo 'seq 30; echo "[ RUN      ] a_promise"; echo 1 is not 2; echo "[  FAILED  ] a_promise"; exit 3' >"$tree/tests/unit/status.sh"
drive 1 '| > 1 is not 2'
exit 0
