package gates

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Stands is on what a command of a task stands.
type Stands struct {
	Check   int            `json:"check"` // index
	Desc    string         `json:"desc"`
	Guards  []guard.Guard  `json:"guards"`
	Changed []GuardChanged `json:"changed"`
}

// GuardChanged is a file on which a check stands, and which the work has changed.
type GuardChanged struct {
	Path string `json:"path"`
	How  string `json:"how"`  // changed, added or deleted
	Why  string `json:"why"`  // it is guarded
	Owed bool   `json:"owed"` // nothing accounts for the change: no person looked at it, and no plan allows it
	Glob string `json:"glob"`
	Part string `json:"part,omitempty"` // what counts of it; "" for all
}

// StandsOn says on which files the commands of a task stand, and which of them its work has changed since a commit; ""
// where that is not known.
func StandsOn(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) (base string, all []Stands, err error) {
	files, err := FilesOf(s, t)
	if err != nil {
		return "", nil, err
	}
	tree, absent := treeAndAbsent(ctx, files)
	g, err := guardsOf(ctx, s, t, files, tree, absent, nil)
	if err != nil || g == nil {
		return "", nil, err
	}
	state := g.state(w.Actor())
	for i, c := range g.checks {
		if c.Manual() {
			continue
		}
		key := c.Key(t.ID)
		one := Stands{Check: i, Desc: c.Desc, Guards: verb.NoNil(g.guards(ctx, c, key).All), Changed: []GuardChanged{}}
		owed := record.SetOf(record.Each(state.Owed(t, i), func(f task.GuardFile) string { return f.Path }))
		for _, c := range g.changed[key] {
			one.Changed = append(one.Changed, GuardChanged{Path: c.Path, How: c.how(), Why: c.by.Why, Glob: c.by.Glob, Part: c.by.Part, Owed: owed[c.Path]})
		}
		all = append(all, one)
	}
	return g.base, all, nil
}

// how says in a word what became of a file.
func (c change) how() string {
	switch {
	case c.Was == "":
		return "added"
	case c.Now == "":
		return "deleted"
	}
	return "changed"
}

// SeeGuards records that a person looked at the changed files on which the checks of a task stand, as they are now.
func SeeGuards(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, text string) (verb.Task, error) {
	t, err := w.ReadForWrite(s, id)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	files, err := FilesOf(s, t)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	tree, absent := treeAndAbsent(ctx, files)
	guards, err := guardsOf(ctx, s, t, files, tree, absent, nil)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	return w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		return task.SeeGuards(wc.Task, guards.state(w.Actor()), w.Stamp(text))
	})
}
