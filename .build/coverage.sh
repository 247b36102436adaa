#!/bin/sh
# Says which lines of src/ the programs in BUILD have reached since their counters were deleted: a table by folder, the
# files below the target, and all lines in BUILD/coverage/index.html. With the word whole, it fails below the target.
#
# A line counts once, and as reached if any of the functions that a compiler made of it was: of a template for many types,
# of a source for several instruction sets, of a header in many objects.
#
# usage: coverage.sh BUILD SOURCES CXX TARGET [whole]     TARGET in percent
set -eu
build=$1 sources=$(realpath "$2") compiler=$3 target=$4 whole=${5:-}
# The counters are read by the gcov that comes with the compiler: `ccache g++-12` has gcov-12.
gcov=gcov$(printf '%s' "${compiler##* }" | sed -n 's/.*g++\(-[0-9][0-9]*\)$/\1/p')
rm -rf "$build/coverage" && mkdir -p "$build/coverage"
gcovr --root "$sources" --filter "$sources/src/" --gcov-executable "$gcov" -j"$(nproc)" --gcov-ignore-parse-errors \
    --csv "$build/coverage/lines.csv" --html-details "$build/coverage/index.html" "$build/obj" "$build/tests" "$build/examples" >"$build/coverage/log" 2>&1 ||
    { cat "$build/coverage/log" >&2; exit 1; }

awk -F , -v target="$target" -v whole="$whole" -v page="$build/coverage/index.html" '
function share(name) { return 100 * reached[name] / lines[name] }
function row(name) { return sprintf("%-44s %7d %8d %7.1f %%", name, lines[name], reached[name], share(name)) }
function count(name) { lines[name] += $2; reached[name] += $3 }
NR == 1 || !$2 { next }
{
    split($1, parts, "/")
    folder = parts[1] "/" parts[2] "/"
    count($1); count(folder); count("all")
    folders[folder]
    files[$1]
}
END {
    printf "\n%-44s %7s %8s\n", "", "lines", "reached"
    for (name in folders) print row(name) | "sort"
    close("sort")
    print row("all")
    printf "\nFiles below %d %%:\n", target
    for (name in files) if (share(name) < target) print row(name) | "sort"
    close("sort")
    print "\nLine by line: " page
    if (whole && share("all") < target) { print "The target is " target " %."; exit 1 }
}' "$build/coverage/lines.csv"
