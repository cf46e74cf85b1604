package refs

import (
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// pullPaths are what the addresses of pull requests have between the repository and the number, on the hosts that are
// most used.
var pullPaths = []string{"/-/merge_requests/", "/pull/", "/pulls/", "/pull-requests/"}

// pullIn reads the number and the repository of a pull request from its address; 0 if the address does not say.
func pullIn(address string) (number int, repo string) {
	for _, between := range pullPaths {
		before, after, ok := strings.Cut(address, between)
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(after, "/")
		digits, _, _ = strings.Cut(digits, "?")
		digits, _, _ = strings.Cut(digits, "#")
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			return n, record.RepoOf(before)
		}
	}
	return 0, ""
}
