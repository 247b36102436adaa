#!/usr/bin/env bash
# The archive of `make dist` has every file of the tree, is the same whoever packs it and when, and builds without git.
# timeout: 300
source "$(dirname "$0")/building.bash"
[ -e "$SRC/.git" ] || { echo "this tree is no git checkout"; exit 77; }
git -C "$SRC" ls-files >/dev/null 2>&1 || { echo "git does not tell which files belong to this tree"; exit 77; }
pack() { # SOURCES ARCHIVE
    quietly sh "$SRC/.build/dist.sh" "$1" 1.2.3 "$2"
}

pack "$SRC" "$work/one.tar.gz"
git clone -q "$SRC" "$work/clone" 2>/dev/null || stop "the tree cannot be cloned"
git -C "$SRC" diff HEAD --binary >"$work/changes"
[ ! -s "$work/changes" ] || git -C "$work/clone" apply --index "$work/changes" || stop "the clone does not take the changes"
(umask 077 && find "$work/clone" -type f -exec chmod go= {} + && TZ=Asia/Tokyo pack "$work/clone" "$work/two.tar.gz") || exit 1
cmp "$work/one.tar.gz" "$work/two.tar.gz" || stop "two archives of the same sources differ"
tar -xzf "$work/one.tar.gz" -C "$work" || stop "the archive does not unpack"
tree=$work/xcoll-1.2.3
missing=$(git -C "$work/clone" ls-files | while read -r file; do cmp -s "$work/clone/$file" "$tree/$file" || echo "$file"; done)
[ -z "$missing" ] || stop "not in the archive as in the tree: $missing"
pack "$tree" "$work/three.tar.gz"
cmp "$work/one.tar.gz" "$work/three.tar.gz" || stop "an archive made of an unpacked one differs"

# Everything that the build asks for is there, and it asks for no git. Some pieces stand for all.
mkdir "$work/bin"
printf '#!/bin/sh\necho "git was called" >&2\nexit 1\n' >"$work/bin/git" && chmod +x "$work/bin/git"
build() {
    PATH="$work/bin:$PATH" CC=$CC CXX=$CXX make_there "$tree" "$@"
    grep 'git was called' "$work/log" && stop "the build calls git"
}
build build/obj/base/dtype.o build/obj/tools/shared/shape.o build/xcoll-api.json build/xcoll.pc
build -n all tests install

# What else lies in a checkout is not packed either where git does not tell.
PATH="$work/bin:$PATH" sh "$SRC/.build/dist.sh" "$work/clone" 1.2.3 "$work/four.tar.gz" >"$work/log" 2>&1 &&
    stop "a git checkout is packed without git"
grep -q 'git does not tell' "$work/log" || { cat "$work/log"; stop "it is not told why a checkout cannot be packed"; }
[ ! -e "$work/four.tar.gz" ] || stop "half an archive is there"
exit 0
