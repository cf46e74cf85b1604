# Completion of cairn for fish. To install it:
#
#     cairn completion fish > ~/.config/fish/completions/cairn.fish
#
# Nothing on the line is evaluated: it is handed to cairn as text, and what comes back is inserted as text.
function __cairn_candidates
    set -g __cairn_found (command cairn completion fish --line (commandline --current-process --cut-at-cursor | string collect) 2>/dev/null </dev/null)
    test (count $__cairn_found) -gt 0
end
# Where cairn has nothing to offer, fish completes the names of files.
complete -c cairn -e
complete -c cairn -f -k -n __cairn_candidates -a '$__cairn_found'
