#!/usr/bin/env bash
# The same sources give the same library, plug-ins and tools, byte for byte, wherever they are built. To be quick, the
# test compiles one file of each kind and links everything, in two places; `make reproducible` compiles everything in both.
# timeout: 300
source "$(dirname "$0")/building.bash"
# A cache would give one place what was compiled in the other.
export CCACHE_DISABLE=1
tree=$(realpath "$SRC") built=$(realpath "$BUILD")
name=${built#"$tree"/}
[[ $name != */* ]] || { echo "the build directory does not lie in the tree"; exit 77; }
products() {
    find . -maxdepth 2 -type f -perm -u+x \( -path './xcoll*' -o -path './libxcoll.so*' \) | sort
}

jobs=-j1
[ "${1-}" != all ] || jobs=-j$(nproc)
for place in "$work/here" "$work/another/place"; do
    mkdir -p "$place/$name"
    cp -a "$tree"/{Makefile,configure.ac,.build,src,include,man} "$place/" || exit 1
    cp -a "$built"/{configure,config.status,config.mk,config.h,Makefile,flags.txt,xcoll-api.json} "$place/$name/" || exit 1
    if [ "${1-}" != all ]; then
        cp -a "$built/obj" "$place/$name/" || exit 1
        for kind in base api plugins/ucx plugins/crypto plugins/hwloc tools tools/shared; do
            smallest=$(find "$place/$name/obj/$kind" -maxdepth 1 -name '*.o' -printf '%s %p\n' 2>/dev/null | sort -n | head -n 1)
            [ -z "$smallest" ] || rm "${smallest#* }"
        done
    fi
    make_there "$place" "$jobs" BUILD="$name" all
    grep -q '^  CXX ' "$work/log" || { cat "$work/log"; stop "nothing was compiled again"; }
done

cd "$work/here/$name" || exit 1
[ -n "$(products)" ] || stop "nothing was built"
for product in $(products); do
    cmp "$product" "$work/another/place/$name/$product" || stop "$product shows where it was built"
done
echo "$(grep -c '^  C' "$work/log") files compiled in each of two places: $(products | wc -l) products are the same, byte for byte"
