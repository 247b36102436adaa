#!/bin/sh
# Installs those peers that come as Python packages into a virtual environment of their own, FOLDER, where bench.mk and
# run.py look for them. What cannot be installed is named with the reason; the benchmark then leaves it out.
#
# usage: peers.sh FOLDER
set -u
folder=$1

install() { # NAME PACKAGES...
    name=$1
    shift
    echo "  PEER     $name"
    # A package that is asked for twice is there already.
    said=$("$folder/bin/pip" install --quiet --disable-pip-version-check "$@" 2>&1) ||
        echo "  $name is not installed: $(printf '%s' "$said" | grep -v WARNING | tail -n 1)"
}

[ -x "$folder/bin/pip" ] || python3 -m venv "$folder" || {
    echo "There are no peers from Python packages without python3 and its venv (Debian, Ubuntu: apt-get install python3-venv)."
    exit 0
}
install 'Intel MPI' impi-devel
# From 2021.17 on the library for processors needs one that only the package for graphics processors has.
install oneCCL 'oneccl-cpu-devel<2021.17' 'oneccl-cpu<2021.17'
