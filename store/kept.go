package store

import (
	"context"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// While an agent works, what it and cairn wrote may lie uncommitted, and the agent uses git: a stash, a reset, a
// checkout or a rebase takes it away. So live state keeps each record as it was written last under a session, until its
// actor begins another one in the worktree, and Restore writes it again.

// What is kept: records of a write of so many at most, and each if it has no more bytes.
const (
	mostKept    = 20
	largestKept = 256 << 10
)

// keepSteps keep a record that was written under a session. What somebody writes who holds a task in a session is
// written under that, whether or not the entry names it. With a session that begins, what was kept of its actor's
// sessions that are over goes.
func (w *writing) keepSteps(st *staged, state session.State, after string) (out []redoLive) {
	header := st.header()
	last := header.Log.Last()
	ses := last.Session
	switch {
	case st.kind == kind.Sessions.Kind:
		ses = header.Ref.ID
	case ses == "" && state.Lease != nil:
		ses = state.Lease.Session
	}
	who := last.Who
	if state.Lease != nil && state.Lease.Session == ses { // others write to it too
		who = state.Lease.Actor
	}
	i := slices.IndexFunc(w.files, func(c *change) bool { return c.of == st && c.now != nil })
	if ses == "" || i < 0 || len(w.tx.order) > mostKept ||
		len(w.files[i].now) > largestKept || !utf8.Valid(w.files[i].now) {
		return nil
	}
	if last.Did == record.Began && ses == header.Ref.ID {
		kept := w.s.Kept()
		for _, k := range kept {
			if k.Who == last.Who && !working(kept, k.Session) {
				out = append(out, w.put(w.s.KeptFile(k.Ref), nil, after))
			}
		}
	}
	return append(out, w.put(w.s.KeptFile(header.Ref), session.Kept{
		Ref: header.Ref, Session: ses, Who: who, Worktree: w.s.Worktree, Branch: w.head.Branch,
		Entry: last.Hash(), Path: w.s.Rel(w.files[i].path), Text: string(w.files[i].now),
	}, after))
}

// Restore writes the records again that git took out of this worktree while a session of an actor worked here: each has
// its file as it was written last, or, if the file has got something else since, the entries that it lacks. What a branch
// has is left there, and so is what belongs to a session that is over, or whose task the branch that is checked out does
// not have. With whole none of that counts: the worktree is that of the session alone, whatever became of its branch. It
// returns the paths of what it wrote, from the workspace root, and the errors of Update.
func (s *Store) Restore(ctx context.Context, who record.Actor, whole bool) (paths []string, err error) {
	kept := s.Kept()
	if len(kept) == 0 {
		return nil, nil
	}
	branch := s.Head(ctx).Branch
	lost := slices.DeleteFunc(slices.Clone(kept), func(k session.Kept) bool {
		return !whole && (k.Who != who || k.Branch != branch && !s.hasTask(kept, k.Session) || !working(kept, k.Session)) || !s.lacks(k)
	})
	if !whole {
		if lost, err = s.nowhere(ctx, lost); err != nil {
			return nil, err
		}
	}
	if len(lost) == 0 {
		return nil, nil
	}
	err = s.Update(ctx, func(tx *Tx) error {
		paths = nil
		for _, k := range lost {
			written, err := tx.restore(ctx, k, record.Stamp{Who: who, At: time.Now()})
			if err != nil {
				return err
			}
			if written {
				paths = append(paths, k.Path)
			}
		}
		return nil
	})
	return paths, err
}

// nowhere leaves out what a branch of the clone has.
func (s *Store) nowhere(ctx context.Context, lost []session.Kept) ([]session.Kept, error) {
	if len(lost) == 0 || s.Repo == nil {
		return lost, nil
	}
	tips, err := s.Repo.Refs().Branches(ctx)
	if err != nil {
		return nil, err
	}
	refs := make([]record.Ref, len(lost))
	for i, k := range lost {
		refs[i] = k.Ref
	}
	has := map[string]bool{} // hashes of entries
	err = place.InCommits(ctx, s.Layout, tips, refs, func(of record.Ref, src []byte) {
		if k, ok := kind.For(of); ok {
			if v, err := k.Parse(src); err == nil {
				maps.Copy(has, k.Header(v).Log.Hashes())
			}
		}
	})
	return slices.DeleteFunc(lost, func(k session.Kept) bool { return has[k.Entry] }), err
}

// working reports whether a session was active when it was written last.
func working(kept []session.Kept, id string) bool {
	return keptSession(kept, id).Status == session.Active
}

// hasTask reports whether the files have the task of a session.
func (s *Store) hasTask(kept []session.Kept, id string) bool {
	task := keptSession(kept, id).Task
	return task != "" && place.There(s.Layout, kind.Tasks.Kind, string(task))
}

// keptSession is a session as it was written last; the zero value if it is not kept.
func keptSession(kept []session.Kept, id string) (ses session.Session) {
	i := slices.IndexFunc(kept, func(k session.Kept) bool { return k.Ref == kind.Sessions.Ref(id) })
	if i >= 0 {
		ses, _ = kind.Sessions.Parse([]byte(kept[i].Text)) // live state is not believed where it cannot be read
	}
	return ses
}

// lacks reports whether the file of a record is not there, or can be read and has not the newest entry that was written
// to it.
func (s *Store) lacks(kept session.Kept) bool {
	k, ok := kind.For(kept.Ref)
	if !ok {
		return false
	}
	v, err := s.Read(k, kept.Ref.ID)
	if err != nil {
		return record.CodeOf(err) == record.NotFound
	}
	return !k.Header(v).Log.Has(kept.Entry)
}

// restore stages a record that was kept, and reports whether it is to be written. A file that git put there, with no
// entry that is not kept, is replaced; another one gets the entries that it lacks, where its kind can do that.
func (tx *Tx) restore(ctx context.Context, kept session.Kept, by record.Stamp) (bool, error) {
	k, _ := kind.For(kept.Ref)
	whole, err := k.Parse([]byte(kept.Text))
	if err != nil || !tx.s.lacks(kept) || k.Header(whole).Ref != kept.Ref {
		return false, nil //nolint:nilerr // live state is not believed where it cannot be
	}
	f, err := tx.s.readFile(k, kept.Ref.ID, layout.Patient())
	if problem.Missing(err) {
		tx.replace(tx.s.Abs(tx.s.File(k, kept.Ref.ID)), nil, []byte(kept.Text))
		return true, nil
	}
	if err != nil {
		return false, err
	}
	had, known := k.Header(f.value).Log.Hashes(), k.Header(whole).Log.Hashes()
	maps.DeleteFunc(had, func(hash string, _ bool) bool { return known[hash] })
	if len(had) == 0 && tx.s.asCommitted(ctx, f.path, f.doc.Bytes()) {
		tx.replace(f.path, f.doc.Bytes(), []byte(kept.Text))
		return true, nil
	}
	v, err := tx.Read(k, kept.Ref.ID)
	if err != nil {
		return false, err
	}
	have := k.Header(v).Log.Hashes()
	lost := slices.DeleteFunc(slices.Clone(k.Header(whole).Log), func(e record.Entry) bool { return have[e.Hash()] })
	now, entry, _ := k.PutBack(tx.s.Config.Flow, v, lost, kind.Deps(tx, tx.s.Config.Flow), by)
	if entry != nil {
		tx.Put(k, now)
	}
	return entry != nil, nil
}

// asCommitted reports whether a file is as in the commit that is checked out, so that nobody edited it by hand.
func (s *Store) asCommitted(ctx context.Context, path string, src []byte) bool {
	head := s.Head(ctx).Commit
	if s.Repo == nil || head == "" {
		return false
	}
	same := false
	name := head + ":" + s.InRepo(s.Rel(path))
	err := s.Repo.Objects().Blobs(ctx, []string{name}, live.MaxFile, func(_ int, b git.Blob) {
		same = !b.Missing && string(b.Content) == string(src)
	})
	return err == nil && same
}
