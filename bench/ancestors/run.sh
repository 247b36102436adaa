#!/usr/bin/env bash
# Runs the programs of this folder, which ancestors.mk has built, and writes their tables to
# BUILD/bench/results/ancestors.md. Called as: run.sh BUILD [--rounds N] [--batch-ms N]
set -eu
build=$1
shift
results=$build/bench/results/ancestors.md
mkdir -p "$(dirname "$results")"

# With more ranks than cores a waiting rank gives its core away, and times say how much work there is in all.
{
    echo "# Four patterns of today's models, and how they are done without xcoll's way"
    echo
    echo "Measured by \`make bench-ancestors\` on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores;"
    echo "bench/README.md says how, and what the columns mean."
    echo
} >"$results"
for program in tp_decode zero_fetch ulysses dp_attention; do
    for ranks in 2 4; do
        bind=core
        [ "$ranks" -le "$(nproc)" ] || bind=none
        "$build/xcollrun" -n "$ranks" --bind $bind --timeout 600 "$build/bench/ancestors/$program" "$@" | tee -a "$results"
    done
done
