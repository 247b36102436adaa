#!/usr/bin/env bash
# xcoll-tune writes files that the library obeys, replaces them whole or not at all, and compares them with no file.
# shellcheck source=tests/faults/xcollrun_helpers.bash
# timeout: 240
tool=xcoll-tune
. "$(dirname "$0")/xcollrun_helpers.bash"
tune=$tool
info=$BUILD/xcoll-info
few="--ops allreduce,bcast --sizes 8,32K --time 1"
own='[a-z_]+ bytes [0-9]+[KM]?(\.\.[0-9]+[KM]?)? ranks 3 groups [0-9]+ local -> [a-z_]+ # [0-9.]+ to [0-9.]+ times as fast as [a-z_ ]+'

a_written_file_is_accepted_and_obeyed() {
    run 0 -n 3 $few -o "$work/written"
    says out "XCOLL_TUNING_FILE=$work/written"
    grep -vxE "#.*|$own" "$work/written" && wrong 'these lines have another form'
    [ "$(sed -n 's/^# Ranks: //p' "$work/written" | cut -d' ' -f1)" = 3 ] || wrong 'the header does not tell the ranks'
    # Whatever was found, and a line that surely counts.
    echo 'allreduce bytes 8 ranks 3 local -> gathered' >>"$work/written"
    XCOLL_TUNING_FILE=$work/written "$xcollrun" -n 3 "$info" --json >"$work/out" || wrong 'the library refuses the file'
    says out "line $(wc -l <"$work/written") of $work/written"
    [ "$(grep -c . <<<"$(ls "$work"/written*)")" -eq 1 ] || wrong "something was left beside the file: $(ls "$work")"
}

replaces_a_file_whole() {
    echo 'no tuning file' >"$work/old"
    chmod 600 "$work/old"
    run 0 -n 2 $few -o "$work/old"
    silent old 'no tuning file'
    says old '# Made by xcoll-tune'
}

runs_in_a_job_that_exists_already() {
    tool=$xcollrun run 0 -n 2 "$tune" $few -o "$work/in-job"
    lines out "$(($(grep -c '(.* to .*)$' "$work/out") + 4))"
    says in-job '# Ranks: 2 '
    tool=$xcollrun run 2 -n 2 "$tune" -n 2
    says err 'this job has its ranks already'
}

# Variables of another launcher that tell of no job.
starts_ranks_of_its_own_unless_there_is_a_job() {
    WORLD_SIZE=4 run 0 -n 2 $few
    local expected=0 # one for each processor
    [ "$(nproc)" -gt 1 ] || expected=2
    WORLD_SIZE=4 run $expected --ops allreduce --sizes 8 --time 1
}

# What compares a file with nothing, and all with all, gives all of them the same memory.
compares_like_with_like() {
    : >"$work/empty"
    run 0 -n 2 --time 1 --check "$work/empty"
    says out 'names nothing for these ranks and sizes'
    XCOLL_SHM_BUDGET=18M run 2 -n 2 $few
    says err 'XCOLL_SHM_BUDGET has no room for slots of one size'
}

is_not_led_by_choices_of_the_environment() {
    XCOLL_ALLREDUCE=gathered XCOLL_TUNING_FILE=/there/is/none run 0 -n 2 $few -o "$work/own"
    silent own 'as gathered'
}

writes_nothing_unless_asked() {
    run 0 -n 2 $few
    silent out 'is written'
}

check_shows_where_the_file_names_another() {
    local chosen # for the smallest; it depends on the machine
    chosen=$("$xcollrun" -n 2 "$info" algorithms | awk '$1 == "bcast" {print $2}' | tr -d ,)
    printf 'allreduce bytes 8 -> gathered\nbcast bytes 8 -> %s\nreduce -> gathered\n' "$chosen" >"$work/named"
    run 0 -n 2 --ops bcast --sizes 8,32K --time 1 --check "$work/named"
    says out 'names nothing for these ranks and sizes'
    "$tune" -n 2 --ops allreduce,bcast --sizes 8,32K --time 1 --check "$work/named" >"$work/out" 2>"$work/err"
    [ $? -le 1 ] || wrong "$(cat "$work/err")"
    grep -qE '^allreduce +8 +one_shot .* gathered .* (faster|slower|no clear difference)$' "$work/out" || wrong "$(cat "$work/out")"
    grep '^bcast' "$work/out" && wrong 'a size is shown for which the file names what the library chooses'
    echo 'allreduce -> no_such' >"$work/bad"
    run 1 -n 2 $few --check "$work/bad"
    says err 'line 1 of'
    run 2 -n 2 $few --check "$work/none"
    says err "xcoll-tune: --check $work/none: No such file or directory: expected a tuning file"
    [ "$(grep -c "$work/none" "$work/err")" = 1 ] || wrong 'it is said more than once'
}

a_quick_look_takes_fewer_sizes() {
    echo 'allreduce -> gathered' >"$work/gathered"
    "$tune" -n 2 --ops allreduce --quick --time 1 --check "$work/gathered" >"$work/out" 2>"$work/err"
    [ $? -le 1 ] || wrong "$(cat "$work/err")"
    says out ' 256K '
    silent out ' 1M '
}

# 32 MiB are written and read some two hundred times, for which no machine has only a second.
says_what_cannot_be_done_in_the_time() {
    run 0 -n 2 --ops allreduce --sizes 32M --time 1
    says err 'xcoll-tune: --time 1 is not enough to tell what is faster'
    lines err 1
}

refuses_a_target_before_it_measures() {
    local target
    for target in "$work" "$work/no/folder" /dev/null; do
        run 2 -n 2 -o "$target"
        says err 'expected a f'
    done
    run 2 -n 2 -o ''
    run 2 -n 2 -o 'a;b'
}

refuses_what_cannot_be_meant() {
    run 2 -n 1
    says err 'expected -n 2 or more'
    run 2 -n 2 --ops allredduce
    run 2 -n 2 --ops barrier
    says err 'one algorithm alone'
    run 2 -n 2 --sizes 6
    says err 'expected a multiple of 4'
    local rest
    for rest in "--sizes 0" "--time 0" "--time x" "-n 0" "-n 5000" "file" "--quik" "-o a --check b" "--check="; do
        run 2 $rest
    done
    [ "$(grep -c '^xcoll-tune:' "$work/err")" -eq 1 ] || wrong "a mistake is told more than once: $(cat "$work/err")"
}

a_written_file_is_accepted_and_obeyed
replaces_a_file_whole
runs_in_a_job_that_exists_already
starts_ranks_of_its_own_unless_there_is_a_job
compares_like_with_like
is_not_led_by_choices_of_the_environment
writes_nothing_unless_asked
check_shows_where_the_file_names_another
a_quick_look_takes_fewer_sizes
says_what_cannot_be_done_in_the_time
refuses_a_target_before_it_measures
refuses_what_cannot_be_meant
finish
