package git

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// CommitTree reads the tree of a commit, named in any way git understands. It fails with GIT if there is none of that
// name.
func (r *Repo) CommitTree(ctx context.Context, rev string) (Tree, error) {
	files, err := r.FilesOf(ctx, rev, "")
	if err != nil {
		return nil, err
	}
	t := Tree{}
	for _, f := range files {
		t.set(f.Path, f.Mode, f.ID)
	}
	return t, nil
}

// CommitFingerprint is the fingerprint of a commit's tree.
func (r *Repo) CommitFingerprint(ctx context.Context, rev string) (string, error) {
	t, err := r.CommitTree(ctx, rev)
	if err != nil {
		return "", err
	}
	return t.Fingerprint(), nil
}

// indexMode is the mode that the index has for a mode in a tree. Old trees hold modes such as 100664.
func indexMode(mode string) string {
	if !strings.HasPrefix(mode, "100") {
		return mode
	}
	if (mode[3]-'0')&1 != 0 {
		return modeExec
	}
	return modeFile
}

// records splits an output at its NUL bytes.
func records(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// garbled is the error of an output that is not what the command is documented to print.
func garbled(command, line string) error {
	return task.Errorf(task.Git, "git %s printed a line that is not understood: %q", command, line)
}
