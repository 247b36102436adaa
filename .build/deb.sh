#!/bin/sh
# Makes Debian packages of an installed tree: the library, what is needed to build with it, the tools, the manual. For a
# machine of one's own; a distribution's packages are made by its own means.
#
# usage: deb.sh TREE VERSION SOURCES OUT     TREE was installed with prefix=/usr and the multiarch libdir
set -eu
tree=$1 version=$2 sources=$3 out=$4
command -v dpkg-shlibdeps >/dev/null || { echo "make deb needs dpkg-shlibdeps (apt-get install dpkg-dev)." >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
architecture=$(dpkg --print-architecture)
soname=$(basename "$(find "$tree/usr/lib" -name 'libxcoll.so.[0-9]' | head -n 1)")
library=libxcoll${soname#libxcoll.so.}

# The first pattern that fits a file says where it goes.
package_of() {
    case $1 in
    usr/lib/*/cmake/*) echo libxcoll-dev ;;
    usr/lib/*/libxcoll.so.* | usr/lib/*/xcoll/*) echo "$library" ;;
    usr/include/* | usr/lib/* | usr/share/xcoll/* | usr/share/man/man3/*) echo libxcoll-dev ;;
    usr/bin/* | usr/share/man/man1/* | usr/share/bash-completion/*) echo xcoll-tools ;;
    usr/share/man/man7/*) echo xcoll-doc ;;
    *) echo "deb.sh: no package has a place for $1" >&2 && return 1 ;;
    esac
}
(cd "$tree" && find . ! -type d | sed 's|^\./||' | sort) >"$work/files"
while read -r file; do
    package=$(package_of "$file")
    mkdir -p "$work/$package/$(dirname "$file")"
    cp -a "$tree/$file" "$work/$package/$file"
done <"$work/files"

# The pages of manuals are packed, programs leave their symbols behind, and a library is no program.
find "$work" -path '*/share/man/*' -type f -exec gzip -9n {} +
find "$work/$library" "$work/xcoll-tools/usr/bin" -type f -exec strip --strip-unneeded {} +
find "$work/$library" -name '*.so*' -type f -exec chmod a-x {} +
shared=$(find "$work/$library" -name "$soname")

needs() { # PROGRAM...: the packages that these are linked with, but for our own
    mkdir -p "$work/shlibs/debian" && touch "$work/shlibs/debian/control"
    found=$(cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info -l"$(dirname "$shared")" "$@" 2>"$work/said" |
        sed -n 's/^shlibs:Depends=//p')
    [ -n "$found" ] || { cat "$work/said" >&2; found=libc6; }
    echo "$found"
}

# Packages without a maintainer are refused; this one stands for nobody.
maintainer="${DEBFULLNAME:-Whoever built this} <${DEBEMAIL:-unknown@example.org}>"

time=@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$sources/.github/CHANGELOG.md")}

# The changes in the words of CHANGELOG.md and in the form and width that Debian reads.
changelog() {
    awk -v signed=" -- $maintainer  $(date --utc --rfc-email --date="$time")" -v width=78 '
        function end_item() {
            for (i = 1; i <= words; i++) {
                if (length(line) + length(item[i]) >= width) { print line; line = "   " }
                line = line " " item[i]
            }
            if (words) print line
            words = 0
        }
        { first = 1 }
        /^## / {
            end_item()
            if (entries++) print "\n" signed "\n"
            sub(/,.*/, "", $2)
            print "xcoll (" $2 ") unstable; urgency=medium\n"
            next
        }
        /^- / { end_item(); line = "  *"; first = 2 }
        entries { for (i = first; i <= NF; i++) item[++words] = $i }
        END { end_item(); print "\n" signed }' "$sources/.github/CHANGELOG.md"
}

# Nothing is granted here that the sources do not grant.
copyright() {
    echo "This package was made by \`make deb\` of the sources of xcoll $version."
    echo
    if [ -f "$sources/LICENSE" ]; then
        cat "$sources/LICENSE"
    else
        echo "Copyright (C) $(date --utc --date="$time" +%Y) the authors of xcoll. The sources name no licence:"
        echo "whoever wants to hand this package on asks them."
    fi
}

pack() { # PACKAGE ARCHITECTURE SECTION FIELDS SHORT LONG
    folder=$work/$1
    mkdir -p "$folder/DEBIAN" "$folder/usr/share/doc/$1"
    changelog | gzip -9nc >"$folder/usr/share/doc/$1/changelog.gz"
    copyright >"$folder/usr/share/doc/$1/copyright"
    cat >"$folder/DEBIAN/control" <<END
Package: $1
Version: $version
Architecture: $2
Section: $3
Priority: optional
Maintainer: $maintainer
Installed-Size: $(du -sk "$folder/usr" | cut -f1)
${4}Description: $5
 $6
END
    (cd "$folder" && find usr -type f -exec md5sum {} + | sort -k 2 >DEBIAN/md5sums)
    chmod -R u=rwX,go=rX "$folder"
    dpkg-deb --root-owner-group --build "$folder" "$out/${1}_${version}_$2.deb" >/dev/null
    echo "$out/${1}_${version}_$2.deb"
}
# Without what a plug-in is linked with the library works all the same.
recommended=
needed() { # PLUG-IN PREFIX: the package with this beginning
    needs "$1" | tr , '\n' | sed -n "s/^ *\\($2[^ ]*\\).*/\\1/p"
}
for plugin in "$work/$library"/usr/lib/*/xcoll/*.so; do
    case $plugin in
    */libxcoll_ucx.so) recommended="$recommended, libucx0" ;;
    */libxcoll_crypto.so) recommended="$recommended, $(needed "$plugin" libssl)" ;;
    */libxcoll_hwloc.so) recommended="$recommended, $(needed "$plugin" libhwloc)" ;;
    esac
done
[ -z "$recommended" ] || recommended="Recommends: ${recommended#, }
"
mkdir -p "$work/$library/DEBIAN" "$out"
printf 'activate-noawait ldconfig\n' >"$work/$library/DEBIAN/triggers"
# Programs that are linked with it need this version or a later one.
echo "libxcoll ${soname#libxcoll.so.} $library (>= $version)" >"$work/$library/DEBIAN/shlibs"
pack "$library" "$architecture" libs "Depends: $(needs "$shared")
$recommended" 'collective communication between the ranks of a parallel job' \
    'The library, and its plug-ins for messages between machines, OpenSSL and hwloc.'
pack libxcoll-dev "$architecture" libdevel "Depends: $library (= $version)
" 'collective communication: what programs are built with' \
    'The header, files for pkg-config and CMake, a manual page for each function.'
pack xcoll-tools "$architecture" utils "Depends: $(needs "$work"/xcoll-tools/usr/bin/*), $library (= $version)
" 'collective communication: tools' 'Start jobs, show settings and choices, measure, look for what is wrong.'
pack xcoll-doc all doc '' 'collective communication: introduction' \
    'Manual pages that introduce the library, its variables and its promises.'
