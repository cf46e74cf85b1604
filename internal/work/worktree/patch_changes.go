package worktree

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/rogpeppe/go-internal/diff"
)

const (
	mostShown   = 1 << 20 // bytes of a file whose change is shown
	mostChanged = 500     // files
)

// Open opens a work tree as a repository.
func (w *Worktrees) Open(t Tree) (*git.Repo, error) { return w.opened(t.Path) }

// PatchOfChanges is what the files of a work tree, but for those of the record, have beside the commit that is checked out
// there, as a patch for people to read: of a file that is binary or large, or comes behind 500 others, only the name. The
// caller trusts the clone.
func PatchOfChanges(ctx context.Context, there *git.Repo) (string, error) {
	changes, err := there.Changes(ctx, git.Looks{Shallow: true})
	if err != nil {
		return "", err
	}
	changes = slices.DeleteFunc(changes, func(c git.Change) bool {
		return there.SetsAside(c.Path) || c.Untracked && there.LeavesLocal(c.Path) || c.Submodule || strings.HasSuffix(c.Path, "/")
	})
	var out strings.Builder
	shown := slices.DeleteFunc(slices.Clone(changes), func(c git.Change) bool { return strings.Contains(c.Path, "\n") })
	shown = shown[:min(len(shown), mostChanged)]
	for _, c := range changes {
		if !slices.Contains(shown, c) {
			fmt.Fprintf(&out, "diff --git %q %[2]q\nBinary files %[1]q and %[2]q differ\n", "a/"+c.Path, "b/"+c.Path)
		}
	}
	changes = shown
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = "HEAD:" + c.Path
	}
	err = there.Objects().Blobs(ctx, names, mostShown, func(i int, was git.Blob) {
		path := changes[i].Path
		now, err := there.Content(path, mostShown)
		fmt.Fprintf(&out, "diff --git a/%s b/%s\n", path, path)
		gone := changes[i].Deleted
		if was.Size > mostShown && !was.Missing || err != nil && !gone || bytes.IndexByte(was.Content, 0) >= 0 || bytes.IndexByte(now, 0) >= 0 {
			fmt.Fprintf(&out, "Binary files a/%s and b/%s differ\n", path, path)
			return
		}
		from, to := "a/"+path, "b/"+path
		switch {
		case was.Missing:
			from = "/dev/null"
			out.WriteString("new file mode 100644\n")
		case gone:
			to = "/dev/null"
			out.WriteString("deleted file mode 100644\n")
		}
		_, lines, _ := strings.Cut(string(diff.Diff(from, was.Content, to, now)), "\n") // without the line of the command
		out.WriteString(lines)
	})
	return out.String(), err
}
