package store

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/task"
)

// Later is what writes in a worktree that may be thrown away would have told the clone: who holds what, how far it was
// carried, which call was made. Apply tells it once the work has come home; to drop it is to have written nothing. It
// may be used by one goroutine.
type Later struct {
	records map[record.Ref]*staged // as the first write found it, and as the last one left it
	order   []record.Ref
	silent  []string
	key     *session.Key
	saw     []task.Fact
}

// Apart returns the store as one whose writes change files alone. They take the locks of the clone and are as safe as
// any other, and what they would have made of the live state is kept in the Later. Heartbeats are dropped: they are
// about the moment.
//
// It is for a worktree in which something is tried before it counts: nobody else in the clone learns of its states.
func (s *Store) Apart() (*Store, *Later) {
	out := *s
	out.later = &Later{records: map[record.Ref]*staged{}}
	return &out, out.later
}

// take notes what a write has made.
func (l *Later) take(tx *Tx) {
	for ref, st := range tx.records {
		if !st.changed() && !st.claims {
			continue
		}
		before := l.records[ref]
		if before == nil {
			l.order = append(l.order, ref)
			before = st
		}
		last := *st
		last.file, last.put = before.file, before.put || st.put
		last.supersedes = last.supersedes || before.supersedes
		if !st.claims {
			last.claims, last.lease = before.claims, before.lease
		}
		l.records[ref] = &last
	}
	l.silent = append(l.silent, tx.silent...)
	l.saw = append(l.saw, tx.saw...)
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
	sorted.By(l.order, record.CompareRefs)
	return s.exclusively(ctx, func() error {
		for _, ref := range l.order {
			if st := l.records[ref]; st.kind.Held() || st.claims {
				at := session.Progress{Branch: branch, Worktree: worktree, Head: commit}
				if err := s.Put(st.state(s.Clone, at)); err != nil {
					return err
				}
			}
		}
		for _, ses := range l.silent {
			if err := disk.RemoveFile(s.Live.Heartbeat(ses)); err != nil {
				return s.Live.Failed(err)
			}
		}
		if lines := s.sawLines(l.saw); lines != "" {
			if err := live.Append(s.Live.Seen(), []byte(lines)); err != nil {
				return s.Live.Failed(err)
			}
		}
		if l.key == nil {
			return nil
		}
		return s.Write(s.Live.Key(l.key.Call), l.key)
	})
}

// state is the state of the record after the write, which is made in a place.
func (st *staged) state(c live.Clone, at session.Progress) session.State {
	now := st.header()
	state := session.State{Ref: now.Ref}
	if known := c.State(now.Ref); known != nil {
		state = *known
	}
	last, lease := now.Log.Last(), st.lease
	if !st.claims {
		lease = c.NextLease(state.Lease, last, at.Branch)
	} else if lease != nil && len(now.Log) > 0 && now.Assignee == lease.Actor { // else the file does not say so
		made := *lease
		made.Made = session.Mark{Entry: last.Hash(), Place: session.Place{Worktree: at.Worktree, Branch: at.Branch}}
		lease = &made
	}
	if !st.changed() {
		return state.WithLease(lease)
	}
	at.Status, at.Entry = now.Status, last.Hash()
	return state.After(st.was(), at, lease, st.supersedes)
}
