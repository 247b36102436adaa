# For the scripts that test xcollrun and the other tools; sourced. `tool` names the one that is tested.
set -u
xcollrun=${BUILD:-./build}/xcollrun
tool=${BUILD:-./build}/${tool:-xcollrun}
for program in "$xcollrun" "$tool"; do [ -x "$program" ] || { echo "there is no $program"; exit 77; }; done
work=$(mktemp -d) || exit 2
# Ranks carry this in their command line. No process of the test's own does.
marker=98765.$$
failures=0

marked() { # pids of all processes that carry the marker, but for zombies
    local file pid
    for file in /proc/[0-9]*/cmdline; do
        pid=${file//[^0-9]/}
        grep -qaF "$marker" "$file" 2>/dev/null && [ "$(state "$pid")" != Z ] && echo "$pid"
    done
}

state() { # of a process: R, S, T, Z ...; nothing if it is gone
    sed -nE 's/^.*\) (.) .*$/\1/p' "/proc/$1/stat" 2>/dev/null
}

at_end() {
    local left
    left=$(marked)
    # shellcheck disable=SC2086
    [ -z "$left" ] || kill -9 $left 2>/dev/null
    rm -rf "$work"
}
trap at_end EXIT

wrong() {
    echo "WRONG: $*"
    failures=$((failures + 1))
}

# run EXPECTED-CODE ARGUMENTS...: the tool with its output in $work/out and $work/err.
run() {
    local expected=$1 code
    shift
    "$tool" "$@" >"$work/out" 2>"$work/err" <"${input:-/dev/null}"
    code=$?
    [ $code -eq "$expected" ] || {
        wrong "$(basename "$tool") $* returned $code instead of $expected"
        tail -n 20 "$work/out" "$work/err"
    }
}

says() { # FILE TEXT: some line contains it
    grep -qF -- "$2" "$work/$1" || {
        wrong "no line of $1 contains '$2':"
        cat "$work/$1"
    }
}

silent() { # FILE TEXT: no line contains it
    ! grep -F -- "$2" "$work/$1" || wrong "a line of $1 contains '$2'"
}

lines() { # FILE NUMBER: it has so many
    local there
    there=$(wc -l <"$work/$1")
    [ "$there" -eq "$2" ] || {
        wrong "$1 has $there lines instead of $2:"
        head -n 20 "$work/$1"
    }
}

notices() { # NUMBER: xcollrun has printed so many lines of its own
    local there
    there=$(grep -c '^xcollrun: ' "$work/err")
    [ "$there" -eq "$1" ] || {
        wrong "xcollrun printed $there lines instead of $1:"
        cat "$work/err"
    }
}

# Waits until a condition holds. The driver's time limit ends what never comes true, and learns what that was.
waiting_for=
until_true() {
    waiting_for=$*
    until "$@"; do sleep 0.02; done
    "$@" || until_true "$@" # with job control, bash leaves loops when a job of its own stops
    waiting_for=
}
out_of_time() {
    local pid
    echo "WRONG: out of time; waiting for: ${waiting_for:-a process to end}"
    for pid in $(marked); do echo "process $pid in state $(state "$pid"): $(tr '\0' ' ' <"/proc/$pid/cmdline")"; done
    grep -Hs '^Sig' /proc/$$/status
    tail -n 5 "$work"/log.* "$work"/out "$work"/err 2>/dev/null
    exit 1
}
trap out_of_time TERM
none_left() {
    [ -z "$(marked)" ]
}
exists() {
    [ -e "$1" ]
}

finish() {
    [ $failures -eq 0 ] || exit 1
    exit 0
}
