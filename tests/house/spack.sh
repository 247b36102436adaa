#!/usr/bin/env bash
# The recipe of `make spack` is one that Spack can follow: it names the archive with its checksum, and what it tells make
# builds and installs from that archive. Spack itself is not needed: a module in its place takes down what the recipe says.
# timeout: 300
source "$(dirname "$0")/building.bash"
command -v python3 >/dev/null || { echo "python3 is not installed: recipes are written in it"; exit 77; }
[ ! -e "$SRC/.git" ] || git -C "$SRC" ls-files >/dev/null 2>&1 || { echo "git does not tell which files belong to this tree"; exit 77; }
make_it spack
repository=$BUILD/spack
grep -qx '  namespace: xcoll' "$repository/repo.yaml" || stop "repo.yaml names no namespace"

mkdir "$work/spack"
cat >"$work/spack/package.py" <<'END'
said = []
def takes_down(directive):
    return lambda *words, **options: said.append((directive, words, options))
version, variant, depends_on, conflicts = map(takes_down, ("version", "variant", "depends_on", "conflicts"))
class MakefilePackage:
    prefix = "/opt/xcoll"
    class spec:
        satisfies = staticmethod(lambda wish: wish.startswith("~"))
END
cat >"$work/follow.py" <<'END'
import hashlib, runpy, sys
from spack.package import said
recipe = runpy.run_path(sys.argv[1])["Xcoll"]
(number, options), = [(words[0], options) for directive, words, options in said if directive == "version"]
archive = recipe.url.removeprefix("file://")
if hashlib.sha256(open(archive, "rb").read()).hexdigest() != options["sha256"] or number not in archive:
    sys.exit("the recipe does not name the archive")
package = recipe()
print(archive)
print("\n".join(package.build_targets))
END
PYTHONPATH=$work python3 "$work/follow.py" "$repository/packages/xcoll/package.py" >"$work/said" || stop "the recipe cannot be followed"
mapfile -t said <"$work/said"

# As Spack does: unpacked somewhere, with the recipe's words for make. One file stands for all that is compiled.
tar -xzf "${said[0]}" -C "$work" || stop "the archive does not unpack"
unset MAKEFLAGS
CC=$CC CXX=$CXX make_there "$work"/xcoll-*.*.* "${said[1]}" build/obj/base/error.o
make_there "$work"/xcoll-*.*.* -n "${said[@]:1}" install
grep -q 'install -d .*/opt/xcoll/include' "$work/log" || { cat "$work/log"; stop "it is not installed where Spack wants it"; }
for variant in ucx crypto hwloc; do
    grep -qx "$variant := no" "$work"/xcoll-*.*.*/build/config.mk || stop "the variant ~$variant is not heeded"
done
exit 0
