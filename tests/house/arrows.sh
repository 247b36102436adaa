#!/usr/bin/env bash
# Proves from the #include lines that no file of src includes upward, and that what is outside src sees only what a
# user sees. The table of floors is the order of the library, from the ground up.
#
# usage: arrows.sh [TREE]
set -u
cd "${1:-${SRC:-.}}" || exit 2

files=$(find src include examples tests/ranks bindings \( -name '*.h' -o -name '*.c' -o -name '*.cpp' -o -name '*.hpp' \) 2>/dev/null | sort)
[ -n "$files" ] || { echo "no sources in $PWD"; exit 2; }

awk '
BEGIN {
    # Folders of one floor do not see each other.
    floors = "base:0 run:1 kernels:1 topo:1 boot:1 fabric:2 coll:3 fused:4 core:5 api:6"
    n = split(floors, part, " ")
    for (i = 1; i <= n; i++) { split(part[i], pair, ":"); floor[pair[1]] = pair[2] }
    # The header that a plug-in and its loader share; the protocol between the launcher and what it starts; what a
    # process shows or leaves to xcoll-doctor.
    loads_plugins = " base topo boot fabric fused core "
    of_use_to_tools = " base/amount.h base/clock.h base/descriptor.h base/list_folder.h base/quoted.h base/read_text.h base/utf8.h "
    hidden_from_coll = " thread mutex shared_mutex condition_variable future fstream filesystem iostream "
}
function forbid(why) {
    printf "%s:%d: %s must not include %s: %s\n", FILENAME, FNR, from, target, why
    bad = 1
}
# The first two folders of a path as one word: base, plugins/ucx, tools/xcollrun.
function place(path,   p) {
    split(path, p, "/")
    if (p[1] == "tools") { sub(/\.[a-z]+$/, "", p[2]); return p[1] "/" p[2] }
    if (p[1] == "plugins") return p[2] ~ /\./ ? "plugins" : p[1] "/" p[2]
    return p[1]
}
function exists(path,   line, there) {
    there = (getline line <path) >= 0
    close(path)
    return there
}
FNR == 1 { outside = FILENAME !~ /^src\//; from = outside ? FILENAME : place(substr(FILENAME, 5)) }
/^[ \t]*#[ \t]*(include|import)/ {
    text = $0
    quoted = text ~ /include[ \t]*"/
    if (!match(text, /["<][^">]+[">]/)) { target = text; forbid("the name must be written out"); next }
    target = substr(text, RSTART + 1, RLENGTH - 2)

    if (FILENAME == "include/xcoll.h") {
        if (target != "stddef.h" && target != "stdint.h") forbid("only <stddef.h> and <stdint.h>")
        next
    }
    if (target ~ /(^|\/)\.\.?\//) { forbid("name it from src"); next }
    if (target == "xcoll.h") next

    split(target, part, "/")
    ours = part[1] in floor || part[1] == "plugins" || part[1] == "tools"
    if (outside) {
        if (ours) forbid("only the public header is for users")
        next
    }
    if (quoted && target !~ /\//) {
        if (target == "config.h") next
        folder = FILENAME
        sub(/[^\/]*$/, "", folder)
        if (!exists(folder target)) forbid("there is no such file beside it; name it from src")
        next
    }
    if (!ours) {
        if (quoted) { forbid("unknown folder; the table of floors stands in tests/house/arrows.sh"); next }
        if (from == "coll" && (target ~ /[.\/]/ || index(hidden_from_coll, " " target " ")))
            forbid("an algorithm makes no system call and knows no thread")
        next
    }

    to = place(target)
    if (from == to) next
    if (from ~ /^tools/) {
        if (target == "boot/launcher_protocol.h") next
        if (to == "tools/shared" || target == "api/operations.def" || index(of_use_to_tools, " " target " ")) next
        if (from == "tools/xcoll-doctor" && (target == "base/flight.h" || target == "base/trace.h")) next
        if (from == "tools/xcoll-sim" && (target ~ /^fabric\/sim/ || to == "coll")) next
        forbid("a tool sees the public header, the operation table, tools/shared, boot/launcher_protocol.h, some small things of base and, xcoll-doctor, base/flight.h and base/trace.h")
    } else if (from ~ /^plugins/) {
        if (target == "plugins/plugin.h" && from != "plugins") next
        if (to != "base") forbid("a plug-in sees plugins/plugin.h and base")
    } else if (!(from in floor)) {
        forbid("it lies in an unknown folder; the table of floors stands in tests/house/arrows.sh")
    } else if (to == "plugins") {
        if (target != "plugins/plugin.h" || !index(loads_plugins, " " from " ")) forbid("only the loader of plug-ins sees plugins/plugin.h")
    } else if (!(to in floor)) {
        forbid("nothing includes a tool or a plug-in")
    } else if (floor[to] == floor[from]) {
        forbid("the two stand side by side")
    } else if (floor[to] > floor[from]) {
        forbid("it stands above")
    }
}
END { exit bad }
' $files
