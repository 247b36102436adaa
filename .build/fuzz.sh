#!/bin/sh
# Lets libFuzzer drive a target, which begins with its own seeds and with what was found out before.
#
# usage: fuzz.sh TARGET SECONDS CORPUS
set -u
target=$1 seconds=$2 name=$(basename "$1") corpus=$3/$(basename "$1")
mkdir -p "$corpus"
# An input that takes more seconds, or more MiB, is a finding.
if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$target-" "$corpus" >"$target.log" 2>&1; then
    printf '  %-8s %s: %s\n' FUZZ "$name" "$(tail -n 1 "$target.log" | tr -d '\n')"
else
    tail -n 60 "$target.log"
    echo "An input broke $name. When it is mended, add the input to the seeds of the target."
    exit 1
fi
