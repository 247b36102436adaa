#!/usr/bin/env bash
# Every installed file is in exactly one Debian package; what the packages unpack to is enough to build and run a program.
# timeout: 300
source "$(dirname "$0")/building.bash"
command -v dpkg-deb >/dev/null || { echo "dpkg-deb is not installed: this is no Debian"; exit 77; }
command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-shlibdeps is not installed (Debian, Ubuntu: dpkg-dev)"; exit 77; }

# Packages that name no version of what they need are not made.
PATH=$work /bin/sh "$SRC/.build/deb.sh" tree 1.2.3 sources "$work/deb" 2>"$work/log" && stop "packages are made without dpkg-shlibdeps"
grep -q 'apt-get install dpkg-dev' "$work/log" || { cat "$work/log"; stop "it is not told what make deb needs"; }

make_it deb
packages=("$BUILD"/deb/*.deb)
[ ${#packages[@]} -eq 4 ] || stop "expected four packages: ${packages[*]}"

for package in "${packages[@]}"; do
    dpkg-deb -x "$package" "$work/root" || stop "$package does not unpack"
    dpkg-deb -c "$package" | awk '$1 !~ /^d/ {print $6}' >>"$work/packed"
    dpkg-deb -f "$package" Depends | grep -q 'libxcoll\|libc6\|^$' || stop "$package depends on: $(dpkg-deb -f "$package" Depends)"
done
twice=$(sort "$work/packed" | uniq -d)
[ -z "$twice" ] || stop "in two packages: $twice"
installed=$(cd "$BUILD/deb/tree" && find . ! -type d | sed '/share\/man/s/$/.gz/' | sort)
missing=$(comm -23 <(echo "$installed") <(sort "$work/packed"))
[ -z "$missing" ] || stop "in no package: $missing"

# As Debian itself would look at them; it knows no package of its own with this name.
if command -v lintian >/dev/null; then
    quietly lintian --allow-root --fail-on error,warning "${packages[@]}"
else
    echo "lintian is not installed: the packages were not looked at by it"
fi

cat >"$work/user.c" <<'END'
#include <xcoll.h>
int main(void) {
    xcoll_comm_t world;
    int one = 1, sum = 0, size = 0;
    return xcoll_init(&world) || xcoll_comm_size(world, &size) ||
           xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, world) || sum != size || xcoll_comm_free(&world) ||
           xcoll_finalize();
}
END
libraries=$(dirname "$(find "$work/root" -name libxcoll.so)")
$CC -o "$work/user" "$work/user.c" -I"$work/root/usr/include" -L"$libraries" -lxcoll || stop "a program does not build with the packages"
LD_LIBRARY_PATH=$libraries "$work/root/usr/bin/xcollrun" -n 3 "$work/user" || stop "a program does not run with the packages"
exit 0
