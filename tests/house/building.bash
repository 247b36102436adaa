# What the house tests that build share: a folder of their own in $work, and the make that runs the tests.
set -u
# The variables of that make hold here too, or everything would be built again; its job slots do not.
MAKEFLAGS=$(sed 's/ *--jobserver-[a-z]*=[^ ]*//g; s/ *-j[0-9]*//g' <<<"${MAKEFLAGS-}")
export MAKEFLAGS
make=${MAKE_HERE-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stop() { # REASON
    echo "$1"
    exit 1
}
# What it said is told only if it failed.
quietly() { # COMMAND...
    "$@" </dev/null >"$work/log" 2>&1 || { cat "$work/log"; stop "$* failed"; }
}
# In this build directory.
make_it() { # WORD...
    quietly $make "$@"
}
# In a tree of its own.
make_there() { # TREE WORD...
    quietly env -u BUILD make -C "$@"
}
