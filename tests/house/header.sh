#!/usr/bin/env bash
# The public header stands alone in every C and C++ that a user may have, and the library exports the functions that
# it declares and nothing else.
set -u
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#include <xcoll.h>\nint main(void) { return XCOLL_SUCCESS; }\n' >"$work/user.c"
cp "$work/user.c" "$work/user.cpp"

try() { # compiler source options...
    local compiler=$1 source=$2
    shift 2
    $compiler "$@" -pedantic-errors -Wall -Wextra -Wconversion -Wshadow -Werror -I"$SRC/include" -fsyntax-only "$work/$source" ||
        { echo "xcoll.h does not compile with: $compiler $*"; bad=1; }
}
for standard in c99 c11 c17; do try "$CC" user.c -std=$standard; done
for standard in c++98 c++11 c++20; do try "$CXX" user.cpp -std=$standard; done

# What a line with default visibility declares, after the preprocessor.
$CC -E -P "$SRC/include/xcoll.h" | tr '\n' ' ' | tr ';' '\n' | grep 'visibility("default")' |
    grep -oE '\bxcoll_[a-z0-9_]+ *\(' | awk -F'[ (]' '{print $1}' | sort -u >"$work/declared"
nm -D --defined-only "$BUILD/libxcoll.so" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort -u >"$work/exported"
[ -s "$work/declared" ] || { echo "no declaration found in xcoll.h: this check needs mending"; bad=1; }

missing=$(comm -23 "$work/declared" "$work/exported")
surplus=$(comm -13 "$work/declared" "$work/exported")
[ -z "$missing" ] || { printf 'Declared in xcoll.h, but not exported by libxcoll.so:\n%s\n' "$missing"; bad=1; }
[ -z "$surplus" ] || { printf 'Exported by libxcoll.so, but not declared in xcoll.h:\n%s\n' "$surplus"; bad=1; }
exit $bad
