#!/bin/sh
# Prints the name of the clang++ here that has libFuzzer; fails where none has.
for compiler in clang++-14 clang++; do
    command -v $compiler >/dev/null 2>&1 &&
        echo 'extern "C" int LLVMFuzzerTestOneInput(const char *, long) { return 0; }' |
        $compiler -x c++ -fsanitize=fuzzer - -o /dev/null >/dev/null 2>&1 && echo $compiler && exit 0
done
exit 1
