package store

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/branches"
)

// Local are the leases of one clone alone, where the write lock decides: whoever writes first has the record. They
// implement session.Leases.
type Local struct{}

var _ session.Leases = Local{}

// Take calls write, which is refused under the write lock if somebody holds the record.
func (Local) Take(_ context.Context, _ []session.Want, write func() error) error { return write() }

// Release calls write.
func (Local) Release(_ context.Context, _ []session.Want, write func() error) error { return write() }

// Renew does nothing: in the clone each write and heartbeat of the holder is a sign of life.
func (Local) Renew(context.Context) ([]session.OwnClaim, error) { return nil, nil }

// Read returns nil: there is nothing beyond the clone.
func (Local) Read(context.Context, record.Ref, time.Duration) (*session.Remote, error) {
	return nil, nil
}

// Shares reports whether claims hold among clones, through a git remote. A store apart claims nothing among them.
func (s *Store) Shares() bool { return s.Config.Claims.On() && s.Repo != nil && s.later == nil }

// shared returns what the clone knows of the claims of all clones, for many records at one moment.
func (s *Store) shared() func(record.Ref) *session.Remote {
	if !s.Shares() {
		return func(record.Ref) *session.Remote { return nil }
	}
	known, _ := s.Shared(s.Config.Claims.Key())
	tracked := branches.Source{Clone: s.Clone, Remote: s.Config.Claims.Remote, Except: s.Config.Claims.Namespace}
	shared, progress := known.Index(), tracked.Read().Progress()
	return func(of record.Ref) *session.Remote {
		r := shared(of)
		r.Branches = progress[of]
		return r
	}
}

// Steps lists, for each record of a kind that can be held, who holds it after the write and what else the arbiter among
// clones must know of it.
func (tx *Tx) Steps() []session.Step {
	var steps []session.Step
	knownOf := tx.s.KnownOf()
	for of, st := range tx.records {
		if !st.kind.Held() || !st.claims && !st.changed() {
			continue
		}
		known := knownOf(of)
		before, now := st.was(), st.header()
		step := session.Step{
			Ref: of, Lease: st.lease, Takes: st.claims, Did: now.Log.Last().Did,
			Moved: st.file.doc != nil && before.Status != now.Status, Over: st.gone || tx.s.Config.Over(of, now.Status),
			Known: known, To: session.Progress{Status: now.Status, Entry: now.Log.Last().Hash()},
		}
		if !st.claims && known.State != nil {
			step.Lease = known.State.Lease
		}
		if st.gone {
			step.Lease, step.Over = nil, false
		}
		steps = append(steps, step)
	}
	return steps
}

// Placed adds to progress where it was made: the branch and the commit that are checked out.
func (s workTree) Placed(ctx context.Context, p session.Progress) session.Progress {
	head := s.Head(ctx)
	p.Branch, p.Head, p.Worktree = head.Branch, head.Commit, s.Worktree
	return p
}
