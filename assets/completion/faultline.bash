# Completion of faultline for bash: commands, options and the words that options and kb take, read from
# the program's own --help, so it knows what the installed version knows.  Paths are completed where
# nothing else is meant.  Use it with: source assets/completion/faultline.bash
_faultline() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=$1
    local commands command= other options=
    commands=$("$program" --help 2>/dev/null | sed -n 's/^  faultline \([a-z][a-z]*\).*/\1/p')
    for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ -z $command && " ${commands//$'\n'/ } " == *" $other "* ]] && command=$other
    done
    COMPREPLY=()
    case $before in
        -f | --format) options=$("$program" $command --help | sed -n '/--format/,/^ *-/p' |
            grep -oE '\b(text|json|markdown|html|dot)\b') ;;
        --color) options='auto always never' ;;
        kb) options=$("$program" kb --help | sed -n '/^usage:/,/^$/p' | grep -oE '\b[a-z]+\b' |
            grep -vxE 'usage|faultline|kb') ;;
        explain) [[ $word == -* ]] || options=$("$program" kb list | cut -d' ' -f1) ;;
    esac
    if [[ -z $options && $word == -* ]]; then
        options=$("$program" $command --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
    elif [[ -z $options && -z $command && $COMP_CWORD -eq 1 ]]; then
        options=$commands
    fi
    [[ -n $options ]] && mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}
complete -o default -F _faultline faultline
