package store

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
)

// there reads what the files say in the places where live state was written: on other branches, and in other worktrees.
// Each is read once. It is used by one goroutine, and starts no git.
type there struct {
	*Store
	worktrees map[string]*live.Clone // nil for one that is gone
	files     map[thereAt]session.Placed
}

type thereAt struct {
	of record.Ref
	at session.Place
}

func newThere(s *Store) *there {
	return &there{s, map[string]*live.Clone{}, map[thereAt]session.Placed{}}
}

// all are the files in the places that a state names, without the one in which somebody asks. One that cannot be read
// is left out.
func (t *there) all(state *session.State, here session.Place) (all []session.Placed) {
	for _, at := range state.Places() {
		if at == here || at.Worktree == "" && at.Branch == "" {
			continue
		}
		key := thereAt{state.Ref, at}
		one, known := t.files[key]
		if !known {
			one = session.Placed{Place: at, Files: t.read(at, state.Ref)}
			t.files[key] = one
		}
		if len(one.Files) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// read reads a record in a place: the file in its worktree, which may have come along from the branch, and, if another
// branch is checked out by now, what was committed on this one. Where worktree or branch is gone nothing can be told.
func (t *there) read(at session.Place, of record.Ref) (all []record.Header) {
	k, ok := kind.Named(of.Kind)
	w := t.worktree(at.Worktree)
	if !ok || w == nil {
		return nil
	}
	add := func(src []byte, err error) bool {
		v, bad := k.Parse(src)
		if err != nil || bad != nil {
			return false
		}
		all = append(all, k.Header(v))
		return true
	}
	var src []byte
	err := place.Try(w.Layout, k, of.ID, func(path string) (err error) { src, err = layout.ReadFile(path); return err })
	switch add(src, err); {
	case w.Head(context.Background()).Branch == at.Branch:
		return all
	case t.Repo == nil || at.Branch == "" || !add(t.Repo.FileOn(at.Branch, t.InRepo(k.File(of.ID)))):
		return nil // the branch may be gone
	}
	return all
}

// worktree is the workspace in a worktree of the clone; nil if that is gone.
func (t *there) worktree(top string) *live.Clone {
	if top == "" {
		return nil
	}
	w, known := t.worktrees[top]
	if !known {
		if c, err := t.InWorktree(top); err == nil {
			w = &c
		}
		t.worktrees[top] = w
	}
	return w
}
