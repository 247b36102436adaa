#!/usr/bin/env bash
# What make coverage says of lines is true: a line counts once, as reached if it was for any type, and too few are a
# failure.
set -u
command -v gcovr >/dev/null || { echo "there is no gcovr"; exit 77; }
$CXX -x c++ -dM -E /dev/null | grep -q __clang__ && { echo "$CXX does not count as gcc does"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/part" "$work/src/whole" "$work/build/obj" "$work/build/tests" "$work/build/examples"
cd "$work" || exit 2

cat >src/part/part.cpp <<'END'
template <class T> int choose(T number) {
    if (number > 0)
        return 1;
    return 2;
}
int part(int number) {
    if (number < 0)
        return choose(-1.0);
    return choose(number);
}
int never() {
    return 3;
}
END
cat >src/whole/whole.cpp <<'END'
int part(int number);
int main(int count, char **) {
    return part(count) - 1;
}
END
for source in part/part whole/whole; do
    $CXX -O0 --coverage -c "src/$source.cpp" -o "build/obj/$(basename $source).o" || exit 1
done
$CXX --coverage build/obj/*.o -o build/program && build/program || exit 1

# Of part.cpp: 3 of 4 lines of the template, 3 of 4 of part(), none of 2 of never().
bad=0
says() { # EXPRESSION
    grep -qE "$1" out || { echo "not said: $1"; bad=1; }
}
sh "$SRC/.build/coverage.sh" build . "$CXX" 50 whole >out 2>&1 || { echo 'enough is not enough'; bad=1; }
says '^src/part/ +10 +6 +60\.0 %$'
says '^src/whole/ +2 +2 +100\.0 %$'
says '^all +12 +8 +66\.7 %$'
[ -s build/coverage/index.html ] || { echo 'there is no page'; bad=1; }
sh "$SRC/.build/coverage.sh" build . "$CXX" 90 whole >out 2>&1 && { echo 'too little is enough'; bad=1; }
says '^src/part/part\.cpp +10 +6 +60\.0 %$'
says '^The target is 90 %\.$'
sh "$SRC/.build/coverage.sh" build . "$CXX" 90 >out 2>&1 || { echo 'some tests are held against the target'; bad=1; }
[ $bad -eq 0 ] || cat out
exit $bad
