#!/usr/bin/env bash
# xcoll-api.json names every operation of xcoll.h in its four forms, and nothing else has four forms.
set -u
json=$BUILD/xcoll-api.json header=$SRC/include/xcoll.h
wrong=0
declared() {
    grep -qE "^XCOLL_API xcoll_result_t $1\(" "$header"
}
names=$(sed -nE 's/^ *\{"name": "([a-z_]+)",$/\1/p' "$json")
[ "$(wc -w <<<"$names")" -ge 20 ] || { echo "$json names only: $names"; exit 1; }
for name in $names; do
    for function in "xcoll_$name" "xcoll_i$name" "xcoll_${name}_init" "xcoll_${name}_enqueue"; do
        declared "$function" || { echo "xcoll.h does not declare $function"; wrong=1; }
        grep -qF "\"$function\"" "$json" || { echo "xcoll-api.json does not name $function"; wrong=1; }
    done
done
for name in $(sed -nE 's/^XCOLL_API xcoll_result_t xcoll_([a-z_]+)_enqueue\(.*/\1/p' "$header"); do
    [ "$name" = start ] || grep -qx "$name" <<<"$names" || { echo "xcoll-api.json lacks $name"; wrong=1; }
done
exit $wrong
