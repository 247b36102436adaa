#!/bin/sh
# Writes a repository for Spack whose one package is this archive, with its checksum.
#
# usage: spack.sh ARCHIVE VERSION SOURCES OUT
set -eu
archive=$(realpath "$1") version=$2 sources=$3 out=$4
folder=$out/packages/xcoll
mkdir -p "$folder"
printf 'repo:\n  namespace: xcoll\n' >"$out/repo.yaml"
sum=$(sha256sum "$archive" | cut -d ' ' -f 1)
sed -e "s|@version@|$version|g" -e "s|@archive@|file://$archive|" -e "s|@sha256@|$sum|" "$sources/.build/spack.py.in" >"$folder/package.py"
echo "$folder/package.py"
