#!/usr/bin/env bash
# What tests/run_all leaves in the environment renames nothing: a make that a test starts calls itself again by its name.
set -u
said=$(printf 'say:\n\t@echo "$(MAKE)"\n' | env -u MAKEFLAGS make -sf -)
[ "$said" = make ] || { echo "expected make to call itself make, not: $said"; exit 1; }
