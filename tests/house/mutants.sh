#!/usr/bin/env bash
# Every way in which tests/mutants/ breaks the library still fits the sources, and NOTICED.md tells of these and no others.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/mutants/run.py" --check
