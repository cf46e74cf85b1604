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
    local -a values shown
    line="${(j: :)words[1,CURRENT-1]} $PREFIX"
    while IFS=$'\t' read -r value about; do
        values+=("$value")
        shown+=("$value${about:+  -- $about}")
    done < <(command cairn completion zsh --line "$line" 2>/dev/null </dev/null)
    if (( $#values )); then
        compadd -U -l -d shown -a values
    else
        _files
    fi
}
if [[ ${funcstack[1]-} == _cairn ]]; then
    _cairn "$@"
else
    compdef _cairn cairn
fi
