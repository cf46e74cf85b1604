package verb

import (
	"context"
	"path/filepath"
	"reflect"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// followed is a record that was followed to another worktree.
type followed struct {
	id    string
	place session.Place
	from  *Workspace // the caller's own
}

// Caller is the workspace of the caller, before it followed a record.
func (w *Workspace) Caller() *Workspace {
	if w.followed.from != nil {
		return w.followed.from
	}
	return w
}

// at is where the record lies, for somebody who looks from elsewhere.
func (f followed) at(status record.Status) *Elsewhere {
	return &Elsewhere{Status: status, Branch: f.place.Branch, Worktree: f.place.Worktree}
}

// Follow is the workspace in the worktree of the clone that has carried the record furthest which an input names, so
// that whoever reads it or says something of it and whoever works on it in a work tree have one record between them. It
// is the caller's own for a record that is as far here, and for one that is nowhere.
func (w *Workspace) Follow(s *store.Store, in any) (*Workspace, *store.Store) {
	root, to := "", followed{}
	if id := inputText(in, "ID"); id != "" {
		if k, v, err := kind.Find(s, id); err == nil {
			h := k.Header(v)
			f, _ := s.FurtherOf()(k, h, s.Known(h.Ref))
			root, to = f.Root, followed{id: id, place: f.Place}
		} else if kind.Handoffs.ParseID(id) == nil { // an agent asked it while it works
			root, to = w.rootOfAsked(s, id)
		}
	} else if id := inputText(in, "Session"); id != "" {
		root = rootOfSession(s, id)
	}
	if root == "" {
		return w, s
	}
	there := w.At(root)
	at, err := there.Open()
	if err != nil {
		return w, s
	}
	to.from = w
	there.followed = to
	return there, at
}

// notFurther returns ELSEWHERE for an input that names a task which the work tree of its own has brought to another state:
// what is written here would be seen by nobody who looks there. An input says by StaysHere if it may be.
func (w *Workspace) notFurther(s *store.Store, in any) error {
	if one, ok := in.(interface{ StaysHere(kind.Config) bool }); ok && !one.StaysHere(s.Config) {
		return nil
	}
	ids := []record.ID{record.ID(inputText(in, "ID"))}
	if several, ok := in.(interface{ Others() []record.ID }); ok {
		ids = append(ids, several.Others()...)
	}
	further := s.FurtherOf()
	for _, id := range ids {
		t, err := kind.Tasks.Get(s, id)
		if err != nil {
			continue // the verb says what is wrong
		}
		known := s.Known(t.ID.Ref())
		f, found := further(kind.Tasks.Kind, t.Header(), known)
		if there, _ := f.Value.(task.Task); found && there.Status != t.Status {
			err = record.Errorf(record.Elsewhere, "%s on branch %s, worktree %s", there.Status, f.Place.Branch, filepath.Base(f.Place.Worktree)).
				WithHint("go on there, or merge that work here")
			return WithID(OfJob(s, t.ID, session.Holder(t.Header(), known, w.Now()), err), t.ID)
		}
	}
	return nil
}

// rootOfAsked is the workspace in the work tree of a task that has a handoff which is not here; "" for none.
func (w *Workspace) rootOfAsked(s *store.Store, id string) (root string, to followed) {
	g, err := w.Graph(context.Background(), s)
	if err != nil {
		return "", to
	}
	for _, at := range g.WorkTrees() {
		there, err := s.InWorktree(at.Place.Worktree)
		if err == nil && place.There(there.Layout, kind.Handoffs.Kind, id) {
			return at.Root, followed{id: id, place: at.Place}
		}
	}
	return "", to
}

// inputText is what an input says in a field that names a record; "" for an input without it.
func inputText(in any, field string) string {
	v := reflect.ValueOf(in)
	if v.Kind() != reflect.Struct {
		return ""
	}
	if f := v.FieldByName(field); f.IsValid() && f.Kind() == reflect.String {
		return f.String()
	}
	return ""
}

// rootOfSession is the workspace in the worktree where a session works or has worked that is not here; "" for none.
func rootOfSession(s *store.Store, id string) (root string) {
	if _, err := kind.Sessions.Get(s, id); record.CodeOf(err) != record.NotFound || s.Heartbeat(id) == nil {
		return ""
	}
	_ = s.EachHeld(func(of record.Ref) {
		state := s.State(of)
		if state == nil || root != "" || !state.Under(id) {
			return
		}
		for _, at := range state.Worktrees() {
			there, err := s.InWorktree(at.Worktree)
			if err == nil && place.There(there.Layout, kind.Sessions.Kind, id) {
				root = there.Root
			}
		}
	})
	return root
}
