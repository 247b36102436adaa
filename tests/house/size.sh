#!/usr/bin/env bash
# No file is longer than one idea: 400 lines. The public header is the one exception, because users get one header;
# results of measurements are written by programs. Examples are read at a glance: they have less than 80.
set -u
cd "$SRC" || exit 2
find Makefile configure.ac .build .ci src include tests bench examples bindings -type f \
    ! -path include/xcoll.h ! -path 'bench/results/*' ! -name '*.json' ! -name '*.abi' -print0 2>/dev/null |
    xargs -0 wc -l | awk '
        $2 == "total" {next}
        $1 > 400 {print $2 " has " $1 " lines, more than 400: split it by idea"; bad = 1}
        $2 ~ "^examples/" && $1 >= 80 {print $2 " has " $1 " lines: show less, in under 80"; bad = 1}
        END {exit bad}'
