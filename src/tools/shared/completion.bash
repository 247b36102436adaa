# Completion of the command lines of xcollrun and the other tools in bash. What there is to choose from is what the tools themselves
# print.
_xcoll_offer() { # WORDS: those of them that go on with what is typed
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$_xcoll_current")
}

# The line of `xcoll-perf --list` with these names.
_xcoll_perf_names() {
    "$1" --list 2>/dev/null | sed -n "s/^$2: //p"
}

_xcoll_values() { # TOOL OPTION: offers the option's values; false if it has none to offer
    case $1:$2 in
    *xcollrun:--bind) _xcoll_offer 'core none' ;;
    *xcoll-perf:--op) _xcoll_offer "all $(_xcoll_perf_names "$1" operations)" ;;
    *xcoll-perf:--dtype) _xcoll_offer "$(_xcoll_perf_names "$1" types)" ;;
    *xcoll-perf:--reduce) _xcoll_offer "$(_xcoll_perf_names "$1" reductions)" ;;
    *xcoll-perf:--form) _xcoll_offer "all $(_xcoll_perf_names "$1" forms)" ;;
    *xcoll-perf:--loop) _xcoll_offer "all $(_xcoll_perf_names "$1" loops)" ;;
    *xcoll-perf:--place) _xcoll_offer "all $(_xcoll_perf_names "$1" places)" ;;
    *xcoll-perf:--buffers) _xcoll_offer "all $(_xcoll_perf_names "$1" buffers)" ;;
    *xcoll-tune:--ops) _xcoll_offer "$(_xcoll_perf_names "${1/%tune/perf}" operations)" ;;
    *xcoll-perf:--compare | *xcoll-perf:--plot | *xcoll-tune:--check | *xcoll-tune:-o) mapfile -t COMPREPLY < <(compgen -f -- "$_xcoll_current") ;;
    *xcoll-doctor:--root | *xcoll-doctor:--trace) mapfile -t COMPREPLY < <(compgen -d -- "$_xcoll_current") ;;
    *:-n | *:-p | *:-t | *:--timeout | *:--env | *:--sizes | *:--range | *:-b | *:-e | *:-f | *:-i | *:--seconds | *:--time) ;; # a value of one's own
    *) return 1 ;;
    esac
}

_xcoll() {
    local _xcoll_current=${COMP_WORDS[COMP_CWORD]} tool=${COMP_WORDS[0]}
    COMPREPLY=()
    _xcoll_values "$tool" "${COMP_WORDS[COMP_CWORD - 1]}" && return
    case $_xcoll_current in
    -*) _xcoll_offer "$("$tool" --help 2>/dev/null | grep -oE '^  --?[a-z]+(, --[a-z]+)*' | tr -d ,)" ;;
    *)
        case $tool in
        *xcoll-info) _xcoll_offer 'build machine job settings limits algorithms' ;;
        *xcollrun) mapfile -t COMPREPLY < <(compgen -c -- "$_xcoll_current"; compgen -f -- "$_xcoll_current") ;;
        esac ;;
    esac
}
complete -F _xcoll xcollrun xcoll-info xcoll-perf xcoll-tune xcoll-doctor
