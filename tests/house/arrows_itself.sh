#!/usr/bin/env bash
# Tests arrows.sh: builds a tree of one file for each line of the table and asks whether its include is found.
set -u
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bad=0

while IFS='|' read -r verdict file include; do
    [ -n "$verdict" ] || continue
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/$(dirname "$file")"
    printf '// A comment.\n#include %s\n' "$include" >"$tree/$file"
    [ "$include" = '"neighbour.h"' ] && touch "$tree/$(dirname "$file")/neighbour.h"
    said=$(bash "$SRC/tests/house/arrows.sh" "$tree")
    case $? in
    0) got=good ;;
    1) got=bad ;;
    *) got=broken ;;
    esac
    [ $got = "$verdict" ] && { [ $got = good ] || [[ $said == *"$file:2: "* ]]; } && continue
    echo "$file with $include: expected $verdict, got $got: $said"
    bad=1
done <<'EOT'
good|src/base/a.cpp|<vector>
good|src/base/a.cpp|"base/b.h"
good|src/base/a.cpp|"xcoll.h"
good|src/base/a.cpp|"config.h"
good|src/base/a.cpp|"neighbour.h"
bad|src/base/a.cpp|"missing.h"
bad|src/base/a.h|"run/wait.h"
bad|src/base/a.h|<run/wait.h>
bad|src/base/a.cpp|"../run/wait.h"
bad|src/base/a.cpp|"elsewhere/b.h"
bad|src/base/a.cpp|CONFIGURED_HEADER
good|src/run/a.cpp|"base/b.h"
bad|src/run/a.cpp|"kernels/kernels.h"
bad|src/kernels/a.cpp|"topo/machine.h"
bad|src/topo/a.cpp|"boot/boot.h"
good|src/topo/a.cpp|"plugins/plugin.h"
bad|src/topo/a.cpp|"plugins/hwloc/tree.h"
bad|src/boot/a.cpp|"run/wait.h"
bad|src/run/a.cpp|"fabric/window.h"
good|src/fabric/a.cpp|"boot/boot.h"
good|src/fabric/a.cpp|<unistd.h>
good|src/fabric/a.cpp|"plugins/plugin.h"
bad|src/fabric/a.cpp|"plugins/ucx/worker.h"
bad|src/fabric/shm/a.cpp|"coll/ring.h"
good|src/coll/a.cpp|"fabric/window.h"
good|src/coll/a.cpp|<algorithm>
bad|src/coll/a.cpp|<unistd.h>
bad|src/coll/a.cpp|<sys/mman.h>
bad|src/coll/a.cpp|<ucp/api/ucp.h>
bad|src/coll/a.cpp|<thread>
bad|src/coll/a.cpp|"plugins/plugin.h"
bad|src/coll/a.cpp|"core/communicator.h"
bad|src/coll/a.cpp|"fused/gemm.h"
good|src/fused/a.cpp|"coll/ring.h"
bad|src/fused/a.cpp|"core/communicator.h"
good|src/core/a.cpp|"fused/gemm.h"
bad|src/core/a.cpp|"api/errors.h"
good|src/api/a.cpp|"core/communicator.h"
bad|src/api/a.cpp|"tools/xcollrun/options.h"
bad|src/attic/a.cpp|"base/b.h"
good|src/plugins/ucx/a.cpp|"plugins/plugin.h"
good|src/plugins/ucx/a.cpp|"base/b.h"
good|src/plugins/ucx/a.cpp|"plugins/ucx/worker.h"
bad|src/plugins/ucx/a.cpp|"plugins/cuda/device.h"
bad|src/plugins/ucx/a.cpp|"fabric/transport.h"
good|src/plugins/plugin.h|<stdint.h>
bad|src/plugins/plugin.h|"plugins/ucx/worker.h"
good|src/tools/xcollrun.cpp|"boot/launcher_protocol.h"
good|src/tools/xcollrun.cpp|"tools/xcollrun/options.h"
good|src/tools/xcollrun/a.cpp|"tools/xcollrun/options.h"
good|src/tools/xcollrun/a.cpp|"tools/shared/text.h"
bad|src/tools/shared/a.cpp|"tools/xcollrun/options.h"
bad|src/tools/shared/a.cpp|"base/error.h"
good|src/tools/xcoll-perf/a.cpp|"api/operations.def"
bad|src/tools/xcoll-perf/a.cpp|"api/handle.h"
bad|src/tools/xcollrun/a.cpp|"tools/xcoll-info/table.h"
bad|src/tools/xcollrun/a.cpp|"boot/boot.h"
bad|src/tools/xcollrun/a.cpp|"base/error.h"
good|src/tools/xcoll-sim.cpp|"coll/ring.h"
good|src/tools/xcoll-sim.cpp|"fabric/sim.h"
bad|src/tools/xcoll-sim.cpp|"core/communicator.h"
good|include/xcoll.h|<stdint.h>
bad|include/xcoll.h|<stdbool.h>
good|examples/a.c|<xcoll.h>
good|examples/a.c|<stdio.h>
bad|examples/a.c|"base/dtype.h"
bad|tests/ranks/a.cpp|"core/communicator.h"
EOT
exit $bad
