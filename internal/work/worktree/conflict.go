package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// conflict is the error of a merge or a rebase that failed in a work tree. If files are in conflict there, it has the
// code and the hint, and what followed by the files as message. Else it is the error that git failed with.
func conflict(ctx context.Context, top string, failed error, code record.Code, what string, hint record.Hint) error {
	if git.Exited(failed) == 0 {
		return failed
	}
	files, err := conflicting(ctx, top)
	if err != nil || len(files) == 0 {
		return failed
	}
	return &record.Error{Code: code, Msg: what + " " + someOf(files), Hint: hint}
}

// conflicting lists the paths that a merge or a rebase left in conflict in a work tree.
func conflicting(ctx context.Context, top string) ([]string, error) {
	out, err := git.Run(ctx, top, "diff", "--name-only", "--diff-filter=U", "-z")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// someOf names the first of many paths, and how many more there are.
func someOf(paths []string) string {
	const most = 10
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}
