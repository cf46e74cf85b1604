#compdef cairn
# Completion of cairn for zsh. To install it, save this as _cairn in a folder of $fpath, before compinit runs:
#
#     cairn completion zsh > "${fpath[1]}/_cairn"
#
# or put this line into ~/.zshrc, behind compinit:
#
#     source <(cairn completion zsh)
#
# Nothing on the line is evaluated: it is handed to cairn as text, and what comes back is inserted as text.
_cairn() {
    local line value about
    local -a values shown open opened # behind those that are open more is typed at once
    line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX"
    while IFS=$'\t' read -r value about; do
        if [[ $value == *[=~:,\<] ]]; then
            open+=("$value")
            opened+=("$value${about:+  -- $about}")
        else
            values+=("$value")
            shown+=("$value${about:+  -- $about}")
        fi
    done < <(command cairn completion zsh --line "$line" 2>/dev/null </dev/null)
    if (( $#values + $#open == 0 )); then
        _files
        return
    fi
    (( $#values )) && compadd -U -l -V cairn -d shown -a values
    (( $#open )) && compadd -U -l -V cairn -S '' -d opened -a open
    return 0
}
if [[ ${funcstack[1]-} == _cairn ]]; then
    _cairn "$@"
else
    compdef _cairn cairn
fi
