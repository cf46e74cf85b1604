package worktree

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// baseMove moves a base from one commit forward to another.
type baseMove struct {
	*clone
	base     string // short name
	from, to string // commits
	why      string // for git's log of the base
}

// run moves the base and returns the commit that it then has. moved says that it failed because the base was not at
// from any more.
func (m baseMove) run(ctx context.Context) (commit string, moved bool, err error) {
	held, err := m.holderOf(ctx, m.base)
	if err != nil {
		return "", false, err
	}
	if held != nil {
		err = m.forward(ctx, held)
	} else {
		_, err = git.Writing{}.Run(ctx, m.repo.Top, "update-ref", "-m", m.why, "refs/heads/"+m.base, m.to, m.from)
	}
	if err == nil {
		return m.to, false, nil
	}
	_, now, lookErr := m.clone.base(ctx, m.base)
	if now == m.to { // a hook failed, or git was killed, after the base had moved
		return m.to, false, nil
	}
	return "", lookErr == nil && now != m.from, err
}

// writePatience is how long a merge waits for other writes of records.
const writePatience = 10 * time.Second

// forward moves the base where it is checked out, and the files there with it. It holds the lock of cairn's writes, so
// that no record is written meanwhile.
func (m baseMove) forward(ctx context.Context, held *holder) error {
	lock, err := filelock.AcquireWithin(ctx, m.layout.Live.Lock(), writePatience)
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return record.Errorf(record.Busy, "another process writes to the workspace for too long").WithHint("try again later")
	case err != nil:
		return m.layout.Live.Failed(err)
	}
	defer func() { _ = lock.Release() }()
	held.awaitGit(ctx)
	if err := held.mustBeClean(ctx); err != nil {
		return err
	}
	r := replacement{holder: held, from: m.from, to: m.to}
	if err := r.find(ctx); err != nil {
		return err
	}
	err = r.run(ctx)
	if err == nil {
		_, err = git.Writing{}.Run(ctx, held.Top, "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-verify", m.to)
	}
	if err != nil {
		r.undo(context.WithoutCancel(ctx))
	}
	return err
}
