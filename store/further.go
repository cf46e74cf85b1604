package store

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Further is a record as the work tree of its own has it (layout.OwnBranch), which has carried it further than the file
// here. What people do in worktrees of theirs is theirs until they commit and merge it.
type Further struct {
	Value any
	Place session.Place
	Root  string // the workspace there
}

// FurtherOf finds records that are carried further elsewhere in this clone, for one reader: it reads each worktree's
// place once.
func (s *Store) FurtherOf() func(k *kind.Kind, here record.Header, known session.Live) (Further, bool) {
	t := newThere(s)
	return t.further
}

// further is the record of a kind in a work tree of its own that live state names, if that has entries which the file
// here lacks. It is not believed where it is closed, which only a merge makes true, and where no entry brought it to its
// state, since whoever works there can write anything into it.
func (t *there) further(k *kind.Kind, here record.Header, known session.Live) (Further, bool) {
	if known.State == nil || slices.Contains(known.Closed, here.Status) {
		return Further{}, false
	}
	had := here.Log.Hashes()
	for _, at := range known.State.Worktrees() {
		w := t.worktree(at.Worktree)
		if at.Worktree == t.Worktree || w == nil {
			continue
		}
		at.Branch = w.Head(context.Background()).Branch // an agent may have written on a branch of its own, and be brought back
		if at.Branch != layout.OwnBranch(here.Ref.ID) {
			continue
		}
		f, err := workTree{*w}.readFile(k, here.Ref.ID, layout.Patient())
		if err != nil {
			continue
		}
		h := k.Header(f.value)
		more := slices.ContainsFunc(h.Log, func(e record.Entry) bool { return !had[e.Hash()] })
		if more && said(h) && !slices.Contains(known.Closed, h.Status) {
			return Further{f.value, at, w.Root}, true
		}
	}
	return Further{}, false
}

// said reports whether the newest entry that moved a record brought it to the state that it has.
func said(h record.Header) bool {
	last, so := session.Moved(h)
	return so || last.Entry == ""
}
