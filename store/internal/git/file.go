package git

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// FileAt reads a file of a commit, by its path from the top with slashes. It returns false if the commit has no such file,
// or is not there itself.
func (r *Repo) FileAt(ctx context.Context, commit, path string) ([]byte, bool, error) {
	out, err := runInput(ctx, strings.NewReader(commit+":"+path+"\n"), r.Top, "cat-file", "--batch")
	if err != nil {
		return nil, false, err
	}
	head, rest, _ := bytes.Cut(out, []byte("\n")) // "ID blob SIZE", or "NAME missing"
	fields := strings.Fields(string(head))
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, false, nil
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size > len(rest) {
		return nil, false, garbled("cat-file", string(head))
	}
	return rest[:size], true, nil
}
