#!/usr/bin/env bash
# What the guides in .github/ name is there, and what they quote stands so in the file that they named last.
set -u
cd "$SRC" || exit 2
awk '
function lines_of(name,    line) {
    if (name in known) return
    known[name] = 1
    while ((getline line < name) > 0) { gsub(/^ +/, "", line); text[name] = text[name] "\n" line }
    close(name)
}
{
    quotation = $0 ~ /^       /
    for (rest = $0; !quotation && match(rest, /`(src|include|tests|man|bench|examples)\/[^`]*`/); rest = substr(rest, RSTART + RLENGTH)) {
        place = substr(rest, RSTART + 1, RLENGTH - 2)
        if (system("test -e \"" place "\"") != 0) { print FILENAME ":" FNR ": there is no " place; bad = 1 }
        if (place !~ /\/$/) file = place
    }
    if (quotation) {
        line = $0
        gsub(/^ +/, "", line)
        lines_of(file)
        if (!index(text[file], "\n" line)) { print FILENAME ":" FNR ": not in " file ": " line; bad = 1 }
    }
}
END { exit bad }' .github/*.md
