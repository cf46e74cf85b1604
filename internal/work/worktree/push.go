package worktree

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// pushLimit is how long a push may take, its hooks included.
const pushLimit = 5 * time.Minute

// Push pushes the branch of a work tree to a remote, "" for origin, with the user's credentials and hooks. It never
// asks for a password; if one is needed, it fails. A branch that was rebased since it was pushed replaces what was
// pushed, unless somebody else has pushed to it.
//
// It returns INVALID_INPUT if there is no such remote, CONFLICT if the remote refuses because its branch holds other
// commits, and GIT for whatever else keeps git from pushing, or if it takes more than five minutes.
func (w *Worktrees) Push(ctx context.Context, t Tree, remote string) error {
	release, err := w.lockTask(ctx, t.Task)
	if err != nil {
		return err
	}
	defer release()
	p := push{w.on(t), cmp.Or(remote, "origin")}
	if err := p.known(ctx); err != nil {
		return err
	}
	tip, err := p.tip(ctx)
	if err != nil {
		return err
	}
	m, ok, err := w.records().read(t.Task)
	if err != nil {
		return err
	}
	if err := p.send(ctx, tip, m.Pushed[p.remote]); err != nil || !ok {
		return err
	}
	if m.Pushed == nil {
		m.Pushed = map[string]string{}
	}
	m.Pushed[p.remote] = tip
	return w.records().write(m)
}

type push struct {
	work
	remote string
}

// known returns INVALID_INPUT if the clone has no such remote.
func (p push) known(ctx context.Context) error {
	names, err := p.repo.Remotes().Names(ctx)
	if err != nil || slices.Contains(names, p.remote) {
		return err
	}
	hint := "git remote add " + record.Clip(p.remote, 40) + " URL adds it"
	if len(names) > 0 {
		hint = "there are " + strings.Join(names, ", ")
	}
	return record.Errorf(record.InvalidInput, "the clone has no remote %q", record.Clip(p.remote, 40)).WithHint("%s", hint)
}

// send pushes a commit to the branch in the remote. last is what was pushed before, which it may replace; "" if nothing
// was.
func (p push) send(ctx context.Context, tip, last string) error {
	ref := "refs/heads/" + p.tree.Branch
	args := []string{"push", "--porcelain", "--no-recurse-submodules", "--no-signed"}
	if last != "" {
		args = append(args, "--force-with-lease="+ref+":"+last)
	}
	limited, cancel := context.WithTimeout(ctx, pushLimit)
	defer cancel()
	with := git.Networked()
	with.Hooks = true
	out, err := with.Run(limited, p.repo.Top, append(args, "--", p.remote, tip+":"+ref)...)
	if err == nil {
		return nil
	}
	return p.failed(limited, string(out), err)
}

// failed is the error of a push that failed: out is what git printed, and err what it ended with.
func (p push) failed(ctx context.Context, out string, err error) error {
	if ctx.Err() != nil {
		return record.Errorf(record.Git, "pushing %s to %s took too long and was stopped", p.tree.Branch, p.remote).
			WithHint("try git push by hand: it may have to ask something")
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "!") && (strings.Contains(line, "stale info") || strings.Contains(line, "non-fast-forward") || strings.Contains(line, "fetch first")) {
			return record.Errorf(record.Conflict, "%s of %s holds commits that are not in the branch here", p.tree.Branch, p.remote).
				WithHint("git fetch %s; then see what was pushed there", p.remote)
		}
	}
	said := git.WithoutCredentials(strings.Join(git.Complaints(err, 5), "; "))
	if said == "" {
		return err
	}
	return record.Errorf(record.Git, "%s was not pushed to %s: %s", p.tree.Branch, p.remote, record.Clip(said, 500)).
		WithHint("git push %s %s by hand shows what is wrong; nothing here may ask for a password", p.remote, p.tree.Branch)
}
