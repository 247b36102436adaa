#!/usr/bin/env bash
# Completion in bash offers what the tools take.
# shellcheck source=tests/faults/xcollrun_helpers.bash
. "$(dirname "$0")/xcollrun_helpers.bash"
# shellcheck source=src/tools/shared/completion.bash
. "$SRC/src/tools/shared/completion.bash"

offers() { # EXPECTED WORDS...: some of what is offered for the last word
    local expected=$1 word
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _xcoll
    for word in $expected; do
        [[ " ${COMPREPLY[*]} " == *" $word "* ]] || wrong "'$*' does not offer $word, but: ${COMPREPLY[*]}"
    done
    [ -n "$expected" ] || [ ${#COMPREPLY[@]} -eq 0 ] || wrong "'$*' offers ${COMPREPLY[*]}"
}

for program in xcollrun xcoll-info xcoll-perf xcoll-tune xcoll-doctor; do
    complete -p $program >/dev/null || wrong "$program has no completion"
    # Whatever is offered as an option is one.
    offers '--help --version' "$BUILD/$program" --
    options=$("$BUILD/$program" --help | grep -oE '^  --?[a-z]+')
    for option in $options; do offers "$option" "$BUILD/$program" "${option:0:2}"; done
done
offers 'core' "$xcollrun" --bind c
offers 'cat' "$xcollrun" -n 2 ca
offers '' "$xcollrun" -n ''
offers 'settings' "$BUILD/xcoll-info" se
offers 'allreduce allgather allgatherv all' "$BUILD/xcoll-perf" --op all
offers 'allreduce' "$BUILD/xcoll-tune" --ops allr
for option in "xcoll-tune --ops" "xcoll-perf --dtype" "xcoll-perf --reduce"; do # which do not take that word
    COMP_WORDS=("$BUILD/${option% *}" "${option#* }" '') COMP_CWORD=2 && _xcoll
    [[ " ${COMPREPLY[*]} " != *" all "* ]] || wrong "$option offers all"
done
offers "$SRC/src/tools/shared" "$BUILD/xcoll-doctor" --trace "$SRC/src/tools/sh"
offers 'all' "$BUILD/xcoll-perf" --loop a
offers 'bfloat16' "$BUILD/xcoll-perf" --dtype b
offers 'persistent' "$BUILD/xcoll-perf" --form p
offers 'honest' "$BUILD/xcoll-perf" --loop ''
offers 'cold' "$BUILD/xcoll-perf" --buffers c
offers 'in' "$BUILD/xcoll-perf" --place i
finish
