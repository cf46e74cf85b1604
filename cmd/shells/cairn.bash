# Completion of cairn for bash. To install it, put this line into ~/.bashrc:
#
#     source <(cairn completion bash)
#
# Nothing on the line is evaluated: it is handed to cairn as text, and what comes back is inserted as text.
_cairn_completion() {
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(command cairn completion bash --line "${COMP_LINE:0:COMP_POINT}" --breaks "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
    # Behind these more is typed at once.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=~:,\<] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
# Where cairn has nothing to offer, bash completes the names of files.
# The order is cairn's, but in a bash older than 4.4, which sorts.
complete -o default -o nosort -F _cairn_completion cairn 2>/dev/null || complete -o default -F _cairn_completion cairn
