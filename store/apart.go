package store

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/live"
)

// Later is what writes in a worktree that may be thrown away would have told the clone: who holds what, how far it was
// carried, which call was made. Apply tells it once the work has come home; to drop it is to have written nothing. It
// may be used by one goroutine.
type Later struct {
	records map[record.Ref]toldLater
	order   []record.Ref
	silent  []string
	key     *session.Key
}

// toldLater is a record as the first of some writes found it, and as the last one left it.
type toldLater struct {
	was, now   record.Header
	wrote      bool // its file was written, and not its claim alone
	held       bool // its kind can be held
	claims     bool // lease replaces that in the live state
	lease      *session.Lease
	supersedes bool
}

// told is what a write makes of a record.
func (st *staged) told() toldLater {
	return toldLater{st.was(), st.header(), st.changed(), st.kind.Held(), st.claims, st.lease, st.supersedes}
}

// Apart returns the store as one whose writes change files alone. They take the locks of the clone and are as safe as
// any other, and what they would have made of the live state is kept in the Later. Heartbeats are dropped: they are
// about the moment.
//
// It is for a worktree in which something is tried before it counts: nobody else in the clone learns of its states.
func (s *Store) Apart() (*Store, *Later) {
	out := *s
	out.later = &Later{records: map[record.Ref]toldLater{}}
	return &out, out.later
}

// take notes what a write has made.
func (l *Later) take(tx *Tx) {
	for ref, st := range tx.records {
		if !st.changed() && !st.claims {
			continue
		}
		told := st.told()
		if before, again := l.records[ref]; again {
			told.was, told.wrote = before.was, told.wrote || before.wrote
			told.supersedes = told.supersedes || before.supersedes
			if !told.claims {
				told.claims, told.lease = before.claims, before.lease
			}
		} else {
			l.order = append(l.order, ref)
		}
		l.records[ref] = told
	}
	l.silent = append(l.silent, tx.silent...)
	if tx.key != nil {
		l.key = tx.key
	}
}

// Apply tells the clone what was written, as written on a branch whose newest commit has it. The worktree is the one
// that has the branch checked out; "" if none has. It returns the errors of Update. After a kill or an error a part may
// be told. What is not told is known from the files of the branch, and a claim that stays lapses.
func (l *Later) Apply(ctx context.Context, s *Store, branch, worktree, commit string) error {
	if l == nil || len(l.order)+len(l.silent) == 0 && l.key == nil {
		return nil
	}
	slices.SortFunc(l.order, record.CompareRefs)
	return s.writer().exclusively(ctx, func() error {
		for _, ref := range l.order {
			if told := l.records[ref]; told.held || told.claims {
				at := session.Progress{Branch: branch, Worktree: worktree, Head: commit}
				if err := s.Put(told.next(s.Clone, at)); err != nil {
					return err
				}
			}
		}
		for _, ses := range l.silent {
			if err := disk.RemoveFile(s.Live.Heartbeat(ses)); err != nil {
				return s.Live.Failed(err)
			}
		}
		if l.key == nil {
			return nil
		}
		return s.Write(s.Live.Key(l.key.Call), l.key)
	})
}

// next is the state of the record after the writes, which were made in a place.
func (told toldLater) next(c live.Clone, at session.Progress) session.State {
	state := session.State{Ref: told.now.Ref}
	if known := c.State(told.now.Ref); known != nil {
		state = *known
	}
	last := told.now.Log.Last()
	lease := told.lease
	if !told.claims {
		lease = c.NextLease(state.Lease, last, at.Branch)
	}
	if !told.wrote {
		return state.WithLease(lease)
	}
	at.Status, at.Entry = told.now.Status, last.Hash()
	return state.After(told.was, at, lease, told.supersedes)
}
