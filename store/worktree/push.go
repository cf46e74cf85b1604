package worktree

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// pushLimit is how long a push may take, its hooks included.
const pushLimit = 5 * time.Minute

// Push pushes the branch of a work tree to a remote, "" for origin, with the user's credentials and hooks. Nothing can ask for a password:
// what would is an error. A branch that was rebased since it was pushed replaces what was pushed, unless somebody else has pushed to it.
//
// It returns INVALID_INPUT if there is no such remote, CONFLICT if the remote refuses because its branch holds other commits, and GIT for
// whatever else keeps git from pushing, or if it takes more than five minutes.
func (w *Worktrees) Push(ctx context.Context, t Tree, remote string) error {
	if err := w.mayWrite(); err != nil {
		return err
	}
	remote = cmp.Or(remote, "origin")
	release, err := w.lockTask(ctx, t.Task)
	if err != nil {
		return err
	}
	defer release()
	if err := w.hasRemote(ctx, remote); err != nil {
		return err
	}
	tip, err := w.tip(ctx, t)
	if err != nil {
		return err
	}
	m, ok, err := w.read(t.Task)
	if err != nil {
		return err
	}
	ref := "refs/heads/" + t.Branch
	args := []string{"push", "--porcelain", "--no-recurse-submodules", "--no-signed"}
	if last := m.Pushed[remote]; ok && last != "" {
		args = append(args, "--force-with-lease="+ref+":"+last)
	}
	limited, cancel := context.WithTimeout(ctx, pushLimit)
	defer cancel()
	with := git.Writing{Hooks: true, Network: true, Batch: os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == ""}
	out, err := with.Run(limited, w.repo.Top, append(args, "--", remote, tip+":"+ref)...)
	if err != nil {
		return notPushed(limited, t, remote, string(out), err)
	}
	if !ok {
		return nil
	}
	if m.Pushed == nil {
		m.Pushed = map[string]string{}
	}
	m.Pushed[remote] = tip
	return w.write(m)
}

// hasRemote returns INVALID_INPUT unless the clone has a remote of a name.
func (w *Worktrees) hasRemote(ctx context.Context, name string) error {
	out, err := git.Run(ctx, w.repo.Top, "remote")
	if err != nil {
		return err
	}
	names := strings.Fields(string(out))
	if slices.Contains(names, name) {
		return nil
	}
	hint := "git remote add " + task.Clip(name, 40) + " URL adds it"
	if len(names) > 0 {
		hint = "there are " + strings.Join(names, ", ")
	}
	return task.Errorf(task.InvalidInput, "the clone has no remote %q", task.Clip(name, 40)).WithHint("%s", hint)
}

// notPushed is the error of a push that failed.
func notPushed(ctx context.Context, t Tree, remote, out string, err error) error {
	if ctx.Err() != nil {
		return task.Errorf(task.Git, "pushing %s to %s took too long and was stopped", t.Branch, remote).WithHint("try git push by hand: it may have to ask something")
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "!") && (strings.Contains(line, "stale info") || strings.Contains(line, "non-fast-forward") || strings.Contains(line, "fetch first")) {
			return task.Errorf(task.Conflict, "%s of %s holds commits that are not in the branch here", t.Branch, remote).
				WithHint("git fetch %s; then see what was pushed there", remote)
		}
	}
	said := strings.Join(git.Complaints(err, 5), "; ")
	if said == "" {
		return err
	}
	return task.Errorf(task.Git, "%s was not pushed to %s: %s", t.Branch, remote, task.Clip(said, 500)).
		WithHint("git push %s %s by hand shows what is wrong; nothing here may ask for a password", remote, t.Branch)
}
