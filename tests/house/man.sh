#!/usr/bin/env bash
# The manual says what the sources say: the synopses are the declarations of xcoll.h, xcoll_env(7) has the rows of the
# library's table of variables and its algorithms, references lead to pages, and the examples run.
# timeout: 300
set -u
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
complain() { # text lines
    [ -z "$2" ] || { printf '%s\n' "$1"; sed 's/^/    /' <<<"$2"; bad=1; }
}
cd "$SRC/man" || exit 2
pages=$(grep -L '^\.so ' man*/*)
same_spaces() {
    sed -E 's/[[:space:]]+/ /g; s/ ?([*(),]) ?/\1/g; s/^ | $//g' | sort
}

# ---- functions
$CC -E -P "$SRC/include/xcoll.h" | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*__attribute__((visibility("default")))//p' | same_spaces >"$work/declared"
synopsis() { # page: a line for each function
    awk '/^\.Sh/ {here = $2 == "SYNOPSIS"}
        here && /^\.Ft/ {type = substr($0, 5)}
        here && /^\.Fo/ {name = $2; list = ""}
        here && /^\.Fa/ {part = substr($0, 5); gsub(/"/, "", part); list = list (list == "" ? "" : ",") part}
        here && /^\.Fc/ {print type " " name "(" list ")"}' "$1"
}
for page in $pages; do synopsis "$page"; done | same_spaces >"$work/documented"
[ -s "$work/declared" ] || { echo "no declaration found in xcoll.h: this check needs mending"; bad=1; }
complain "Declared in xcoll.h, but in no synopsis:" "$(comm -23 "$work/declared" "$work/documented")"
complain "In a synopsis, but not declared so in xcoll.h:" "$(comm -13 "$work/declared" "$work/documented")"

# Each function's own file is the page that has it, or leads there.
for name in $(sed -E 's/\(.*//; s/.*[ *]//' "$work/declared"); do
    file=man3/$name.3
    target=$(sed -n 's/^\.so //p' "$file" 2>/dev/null)
    page=${target:-$file}
    [ -f "$page" ] && synopsis "$page" | grep -q "[ *]$name(" && sed -n '/^\.Sh NAME/,/^\.Nd/p' "$page" | grep -q "^\.Nm $name\>" ||
        complain "There is no page or no name for:" "$name: expected in $page"
done

# A function that is gone leaves no page behind, and xcoll(7) leads to every page.
sed -E 's/\(.*//; s/.*[ *]//' "$work/declared" | sort >"$work/names"
complain "Pages of no function of xcoll.h:" "$(cd man3 && ls | sed 's/\.3$//' | sort | comm -23 - "$work/names")"
complain "Pages that xcoll(7) does not lead to:" "$(for page in $pages; do
    [[ $page == man3/* ]] && ! grep -q "^\.Xr $(basename "$page" .3) 3" man7/xcoll.7 && echo "$page"
done)"
for tool in $(cd "$SRC/src/tools" && ls | sed 's/\..*//' | grep -vx shared | sort -u); do
    [ -f "man1/$tool.1" ] || complain "A tool without a page:" "$tool"
done
complain "References to pages that are not there:" "$(sed -n 's/^\.Xr \(xcoll[a-z_]*\) \([137]\).*/man\2\/\1.\2/p' $pages | sort -u |
    while read -r file; do [ -f "$file" ] || echo "$file"; done)"

# ---- variables, each with its default as one would write it
sed -n '/^constexpr Variable table/,/^};/p' "$SRC/src/base/config.cpp" |
    sed -nE 's/^ *\{"([A-Z_]+)", "([^"]*)".*/.It Ev XCOLL_\1 Pq Cm \2/p' | sed 's/ Pq Cm $//' | sort >"$work/table"
grep -h '^\.It Ev XCOLL_' man7/xcoll_env.7 | sort >"$work/variables"
[ -s "$work/table" ] || { echo "no table found in config.cpp: this check needs mending"; bad=1; }
complain "In the table of src/base/config.cpp, but not so in xcoll_env(7):" "$(comm -23 "$work/table" "$work/variables")"
complain "In xcoll_env(7), but not so in the table of src/base/config.cpp:" "$(comm -13 "$work/table" "$work/variables")"
complain "Variables that a page names and the table does not have:" "$(grep -ohE '(\.|It )Ev [^.]*' $pages | grep -oE 'XCOLL_[A-Z_]*[A-Z]' |
    sort -u | while read -r name; do grep -qE "^\.It Ev $name( |\$)" "$work/table" || echo "$name"; done)"

# ---- algorithms: those that the library lists when it is asked for one that it does not have
$CC -I"$SRC/include" -x c - -o "$work/names" -L"$BUILD" -lxcoll -Wl,-rpath,"$BUILD" <<'END' || bad=1
#include <stdio.h>
#include <xcoll.h>
int main(void) {
    xcoll_comm_t world;
    printf("%s\n", xcoll_init(&world) == XCOLL_SUCCESS ? "" : xcoll_last_error());
    return 0;
}
END
settings=$(sed -nE 's/^ *\{"([A-Z_]+)", "auto", its_algorithm,.*/\1/p' "$SRC/src/base/config.cpp")
[ -n "$settings" ] || { echo "no settings of algorithms found in config.cpp: this check needs mending"; bad=1; }
for setting in $settings; do
    complain "Algorithms that the library (<) and xcoll_env(7) (>) have for $setting differ:" "$(diff \
        <(env XCOLL_$setting=no-such "$work/names" | sed 's/.*expected one of //; s/, /\n/g' | sort) \
        <(sed -n "/^\.It Ev XCOLL_$setting /{n;p}" man7/xcoll_env.7 | sed 's/^\.Cm //; s/ , /\n/g' | sort) | grep '^[<>]')"
done

# ---- examples: a display is a program if it has main(), else a piece of one that has what xcoll(7) begins with
before='#include <stdio.h>
#include <stdlib.h>
#include <xcoll.h>
static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}
int main(void) {
    xcoll_comm_t world;
    int rank, size;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));
    {'
after='    }
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return size == 0;
}'
run_example() { # name
    local source=$work/$1.c log=$work/log
    grep -q '<mpi.h>' "$source" && return
    if ! grep -q '^main(' "$source"; then
        { printf '%s\n' "$before"; cat "$source"; printf '%s\n' "$after"; } >"$work/whole"
        mv "$work/whole" "$source"
    fi
    $CC -std=c99 -Wall -Wextra -pedantic-errors -Werror -I"$SRC/include" "$source" -o "$work/$1" \
        -L"$BUILD" -lxcoll -Wl,-rpath,"$BUILD" -pthread >"$log" 2>&1 &&
        (cd "$work" && timeout 30 "$BUILD/xcollrun" -n 2 "$work/$1") >"$log" 2>&1 ||
        complain "The example $1 does not compile without a warning, or fails with two ranks:" "$(cat "$log")"
}
for page in $pages; do
    awk -v name="$work/$(basename "$page")" '/^\.Bd -literal/ {file = name "-" ++number ".c"; next}
        /^\.Ed/ {file = ""} file != "" {gsub(/\\e/, "\\"); sub(/^\\&/, ""); print >file}' "$page"
done
found=0
for source in "$work"/*.c; do
    [ -f "$source" ] || continue
    found=$((found + 1))
    run_example "$(basename "$source" .c)"
done
complain "An example leaves a file outside of the folder that it runs in:" "$(grep -n 'fopen("/.*"w' $pages)"
[ $found -gt 10 ] || { echo "only $found examples found: this check needs mending"; bad=1; }

# ---- layout
if ! command -v mandoc >/dev/null; then
    [ $bad = 0 ] && echo "mandoc is not installed" && exit 77
    exit $bad
fi
complain "mandoc says:" "$(mandoc -T lint $pages 2>/dev/null | grep -v 'referenced manual not found')"
exit $bad
