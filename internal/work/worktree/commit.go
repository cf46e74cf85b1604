package worktree

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// commitLimit is how long the hooks of a commit may take.
const commitLimit = 10 * time.Minute

// Commit commits all that is uncommitted in a work tree on its branch, with the user's hooks, and returns the commit;
// "" if there is nothing to commit. An untracked repository in the work tree is left out, since a commit would hold its
// name and not its files.
//
// It returns the errors of Verify, and GIT with what a hook said if one refuses. Then the changes are as before, but
// staged.
func (w *Worktrees) Commit(ctx context.Context, t Tree, message string) (string, error) {
	if err := w.mayWrite(); err != nil {
		return "", err
	}
	return w.on(t).commit(ctx, message)
}

func (w work) commit(ctx context.Context, message string) (string, error) {
	if err := w.verify(ctx); err != nil {
		return "", err
	}
	if err := w.stage(ctx); err != nil {
		return "", err
	}
	_, err := git.Run(ctx, w.tree.Path, "diff-index", "--cached", "--quiet", "HEAD", "--")
	if err == nil {
		return "", nil
	}
	if git.Exited(err) != 1 {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, commitLimit)
	defer cancel()
	_, err = git.Writing{Hooks: true}.Run(limited, w.tree.Path, "commit", "--quiet", "--cleanup=whitespace", "-m", message)
	if err != nil {
		return "", refused(err)
	}
	return w.tip(ctx)
}

// stage stages all changes but untracked repositories.
func (w work) stage(ctx context.Context) error {
	there, err := opened(w.tree.Path)
	if err != nil {
		return err
	}
	changes, err := there.Changes(ctx, git.Looks{})
	if err != nil {
		return err
	}
	args := []string{"add", "--all", "--", ":/"}
	for _, c := range changes {
		if c.Untracked && strings.HasSuffix(c.Path, "/") {
			args = append(args, ":(top,exclude,literal)"+strings.TrimSuffix(c.Path, "/"))
		}
	}
	_, err = git.Writing{Magic: true}.Run(ctx, w.tree.Path, args...)
	return err
}

// refused is the error of a commit that was not made, with what a hook said.
func refused(err error) error {
	said := git.Complaints(err, 5)
	if len(said) == 0 || git.Exited(err) == 0 {
		return err
	}
	return record.Errorf(record.Git, "git did not make the commit: %s", record.Clip(strings.Join(said, "; "), 500)).
		WithHint("a hook may have refused it; what was to be committed is staged")
}
