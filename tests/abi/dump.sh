#!/usr/bin/env bash
# The library keeps every function and every type that the committed record of its ABI has; new ones may join.
# `make abi` writes the record anew: after something was added, never to make a change pass.
set -u
record=$SRC/tests/abi/libxcoll.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in abidw abidiff; do
    command -v $program >/dev/null || { echo "$program is not installed (Debian, Ubuntu: abigail-tools)"; exit 77; }
done
[ -z "${SANITIZER-}" ] || { echo "a sanitizer changes what the library exports"; exit 77; }
readelf -S "$BUILD/libxcoll.so" | grep -q '\.debug_info' || { echo "the library was built without -g"; exit 77; }

dump() { # FILE
    abidw --exported-interfaces-only --header-file "$SRC/include/xcoll.h" --drop-private-types --no-corpus-path \
        --no-comp-dir-path --no-show-locs --type-id-style hash --out-file "$1" "$BUILD/libxcoll.so"
}
keeps() { # RECORD
    abidiff --no-added-syms --no-architecture --header-file1 "$SRC/include/xcoll.h" "$1" "$work/now.abi"
}
if [ "${1-}" = write ]; then
    dump "$record" && echo "$record"
    exit
fi

dump "$work/now.abi" || { echo "abidw cannot read the library"; exit 1; }
keeps "$record" >"$work/said" || { cat "$work/said"; echo "The ABI is a promise: restore what the record has."; exit 1; }

# The comparison finds what it is there for: a function that is gone, a parameter and a field of another type.
try() { # WHAT SED-SCRIPT
    sed "$2" "$record" >"$work/other.abi"
    cmp -s "$record" "$work/other.abi" && { echo "the record has nothing to change for: $1"; exit 1; }
    keeps "$work/other.abi" >"$work/said" && { echo "not found: $1"; exit 1; }
}
try 'a function that is gone' 's/xcoll_bcast\([^_a-z]\)/xcoll_bcast_of_old\1/g'
try 'a type of another size' "s/<type-decl name='int' size-in-bits='32'/<type-decl name='int' size-in-bits='16'/"
exit 0
