#!/usr/bin/env bash
# The tree holds no promise of later work, and no volatile where an atomic is meant.
set -u
cd "$SRC" || exit 2
bad=0
files=$(find Makefile configure.ac .build .ci src include bench examples bindings tests man -type f ! -path tests/house/words.sh 2>/dev/null)
grep -nE '\b(TODO|FIXME|HACK)\b|[Nn]ot (yet )?implemented' $files && { echo "Finish it or leave it out."; bad=1; }
sources=$(find src include -type f \( -name '*.h' -o -name '*.cpp' \))
[ -z "$sources" ] || grep -nE '(^|[^_a-z])volatile\b' $sources | grep -vE 'asm +volatile|//.*volatile' && { echo "volatile orders nothing between threads: use std::atomic."; bad=1; }
exit $bad
