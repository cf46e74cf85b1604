package store

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// records are the announcements of what is about to be written: for each task who will hold it and how far it will be.
func (tx *Tx) records(ctx context.Context) []session.Record {
	head := tx.s.Head(ctx)
	var out []session.Record
	for _, id := range tx.order {
		st := tx.tasks[id]
		r := tx.settled(id)
		reach := session.Reach{
			Status: st.now.Status, Branch: head.Branch, Worktree: tx.s.Worktree, Head: head.Commit, Entry: st.now.Provenance.Last().Hash(),
		}
		intent := session.Intent{
			Lease: tx.s.nextLease(st, r.Lease, head.Branch), Reach: reach, New: st.was.ID == "", With: tx.created(), Session: st.opens, Key: tx.key, Ends: tx.ends(id),
		}
		out = append(out, r.Announce(st.was.Header(), intent, st.supersedes))
	}
	return out
}

// ends are the sessions on a task that this write ends.
func (tx *Tx) ends(id task.ID) (out []session.Session) {
	for _, ses := range slices.Sorted(maps.Keys(tx.sessions)) {
		if st := tx.sessions[ses]; st.now.Task == id && st.was.Status == session.Active && st.changed() {
			out = append(out, st.now)
		}
	}
	return out
}

func reachOf(r *session.Record) string {
	if r.Intent == nil {
		return ""
	}
	return r.Intent.Reach.Entry
}

// created are the tasks that the write makes, if it makes several.
func (tx *Tx) created() []task.ID {
	var ids []task.ID
	for _, id := range tx.order {
		if tx.tasks[id].file.doc == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) < 2 {
		return nil
	}
	return ids
}

// nextLease is the claim after the write. A holder's every write is a sign of life; if the worktree of the claim is gone, it
// goes on where the holder writes.
func (l Layout) nextLease(st *staged, now *session.Lease, branch string) *session.Lease {
	if st.claims {
		return st.lease
	}
	if last := st.now.Provenance.Last(); now != nil && last.Who == now.Actor {
		refreshed := *now
		refreshed.Seen = last.At
		place, there := l.worktreeOf(*now)
		if refreshed.Worktree = place; !there {
			refreshed.Worktree, refreshed.GitDir, refreshed.Branch = l.Worktree, l.GitDir(), branch
		}
		return &refreshed
	}
	return now
}

// announce writes the records, so that a killed process leaves word of what it was about to do.
func (tx *Tx) announce(records []session.Record) error {
	for _, r := range records {
		if err := tx.s.putRecord(r); err != nil {
			return err
		}
	}
	return nil
}

// finish settles the records of files that are in place, each once its entry is in the journal, and writes the heartbeats.
// The key comes first: as long as an announcement stands, whoever finds it can still write the key. Where nothing was
// announced it comes last, since it says that all the rest was done.
func (tx *Tx) finish(records []session.Record) error {
	if len(records) == 0 {
		if err := tx.finishLive(); err != nil {
			return err
		}
		return tx.s.putKey(tx.key)
	}
	if err := tx.s.putKey(tx.key); err != nil {
		return err
	}
	for _, r := range records {
		if st := tx.tasks[r.Task]; st.gone {
			r = session.Record{Task: r.Task}
			if err := tx.s.forget(r.Task); err != nil {
				return err
			}
		} else if err := tx.s.remember(st.now, r.Intent.Reach, tx.on[r.Task]); err != nil {
			return err
		}
		if err := tx.s.putRecord(r.Settle(true)); err != nil {
			return err
		}
	}
	return tx.finishLive()
}

// finishLive writes the claims on tasks whose files stay as they are, and the heartbeats.
func (tx *Tx) finishLive() error {
	for id, st := range tx.tasks {
		if st.put || !st.claims {
			continue
		}
		if err := tx.s.putRecord(tx.claimed(id, st.lease)); err != nil {
			return err
		}
	}
	for _, b := range tx.beats {
		if err := tx.s.writeJSON(tx.s.heartbeat(b.Session), b); err != nil {
			return err
		}
	}
	return nil
}

// claimed is the record of a task whose file stays as it is.
func (tx *Tx) claimed(id task.ID, lease *session.Lease) session.Record {
	return tx.settled(id).WithLease(lease)
}

// settled is the record of a task as it is before this write, with nothing left open.
func (tx *Tx) settled(id task.ID) session.Record {
	r := session.Record{}
	if old := tx.s.record(id); old != nil {
		r = old.Settle(tx.tasks[id].was.Provenance.Has(reachOf(old)))
	}
	r.Task = id
	return r
}

// settle judges each announced write by what its file now says, after some of them failed.
func (tx *Tx) settle(records []session.Record) error {
	for _, r := range records {
		if err := tx.s.settle(r); err != nil {
			return err
		}
	}
	return nil
}
