#!/bin/sh
# Packs the sources so that the same sources give the same bytes, on any machine and at any time: sorted names, nobody's
# files, one time for all of them. Works in a git checkout (what git tracks) and in an unpacked archive (what is there).
#
# usage: dist.sh SOURCES VERSION ARCHIVE
set -eu
sources=$1 version=$2 archive=$(realpath -m "$3")
cd "$sources"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
# The time of the last commit; in an unpacked archive its files have it.
if [ -e .git ]; then
    tracked=$(git ls-files) || { echo 'This is a git checkout, and git does not tell which files belong to it.' >&2; exit 1; }
    echo "$tracked" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$list"
    time=$(git log -1 --format=%ct)
else
    find . -type f ! -path './build*' | sed 's|^\./||' >"$list"
    time=$(stat -c %Y Makefile)
fi
sort -o "$list" "$list"
# What may be run may be run by all; nothing else of the modes counts.
tar --create --file - --files-from "$list" --transform "s|^|xcoll-$version/|" --format=ustar --owner=0 --group=0 \
    --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$time}" --mode='u=rwX,go=rX' | gzip -9n >"$archive"
echo "$archive"
