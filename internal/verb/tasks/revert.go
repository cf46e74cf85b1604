package tasks

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// RevertIn is the input of Revert.
type RevertIn struct {
	Commit string `json:"commit" doc:"the commit whose changes of tasks are taken back" cli:"arg"`
	Reason string `json:"reason,omitempty" doc:"why, for the record"`
	verb.Once
}

// Reverted is what Revert took back.
type Reverted struct {
	Commit   string        `json:"commit"`
	Tasks    []RevertedOne `json:"tasks"`
	Left     []NotReverted `json:"left,omitempty"`    // what the commit changed and stays as it is
	Notices  []verb.Notice `json:"notices,omitempty"` // what cairn check finds in the tasks as they are now
	Replayed bool          `json:"replayed,omitempty"`
}

// RevertedOne is what became of one task.
type RevertedOne struct {
	ID     record.ID     `json:"id"`
	Title  string        `json:"title"`
	Status record.Status `json:"status"`
	By     string        `json:"by"` // what was done, in words
}

// NotReverted is a record that the commit changed, and why that stays.
type NotReverted struct {
	Record string `json:"record"`
	Why    string `json:"why"`
}

// Replay says which tasks it were.
func (Reverted) Replay(_ *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	out := Reverted{Tasks: []RevertedOne{}, Replayed: true}
	for _, id := range made.Tasks {
		if t, err := kind.Tasks.Get(s, id); err == nil {
			out.Tasks = append(out.Tasks, RevertedOne{ID: id, Title: t.Title, Status: t.Status})
		}
	}
	return out, nil
}

// Revert takes back what a commit changed of tasks, of all or of none, by writing the opposite: each field that the
// commit changed is again what it was before, in one entry for each task, by the rules and through the gates. A task
// that it created is given up, and one that it deleted comes back as it was. The entries of the commit stay, and so do
// facts: notes, results, sessions, references, and what records of other kinds say. It runs no command.
//
// It returns CONFLICT, with the tasks and the fields, if somebody changed one of them since; NOT_FOUND if there is nothing
// to take back; INVALID_INPUT for a merge, and for a commit that is not in the history of what is checked out.
func Revert(ctx context.Context, w *verb.Workspace, s *store.Store, in RevertIn) (Reverted, error) {
	if err := record.ValidText("reason", in.Reason); err != nil {
		return Reverted{}, err
	}
	commit, err := s.Git().Commit(ctx, "commit", in.Commit)
	if err != nil {
		return Reverted{}, err
	}
	changed, err := snapshot.ChangedBy(ctx, s.Layout, commit)
	if err != nil {
		return Reverted{}, err
	}
	r := revert{ctx: ctx, w: w, s: s, commit: commit, reason: in.Reason}
	for _, c := range changed {
		r.sort(c)
	}
	made := &session.Key{}
	for _, one := range r.changes {
		made.Tasks = append(made.Tasks, one.id())
	}
	_, err = verb.Change{Made: made, Decide: func(wc verb.WriteContext) (any, error) { return nil, r.stage(wc) }}.Run(ctx, w, s)
	if err != nil {
		return Reverted{}, err
	}
	r.out.Notices = verb.Findings(ctx, w, s, made.Tasks...)
	return r.out, nil
}

// revert is one call of Revert.
type revert struct {
	ctx     context.Context //nolint:containedctx // of the one call that it serves
	w       *verb.Workspace
	s       *store.Store
	commit  string
	reason  string
	changes []change
	left    []NotReverted
	out     Reverted
}

// change is a task that the commit changed: as it was, and as it left it.
type change struct {
	snapshot.Changed
	was, now task.Task
}

func (c change) id() record.ID { return record.ID(c.Ref.ID) }

// sort puts a record that the commit changed among those that are taken back, or those that stay.
func (r *revert) sort(c snapshot.Changed) {
	if c.Ref.Kind != record.TaskKind {
		r.left = append(r.left, NotReverted{c.Ref.ID, "only changes of tasks are taken back"})
		return
	}
	one := change{Changed: c}
	for _, side := range []struct {
		src  []byte
		into *task.Task
	}{{c.Was, &one.was}, {c.Now, &one.now}} {
		if side.src == nil {
			continue
		}
		t, err := kind.Tasks.Parse(side.src)
		if err != nil {
			r.left = append(r.left, NotReverted{c.Ref.ID, "its file cannot be read as it was"})
			return
		}
		*side.into = t
	}
	r.changes = append(r.changes, one)
}

// stage stages the opposite of the commit. It may be called more than once.
func (r *revert) stage(wc verb.WriteContext) error {
	r.out = Reverted{Commit: r.commit, Tasks: []RevertedOne{}, Left: slices.Clone(r.left)}
	var conflicts []string
	for _, c := range r.changes {
		later, err := r.one(wc, c)
		if err != nil {
			return verb.WithID(err, c.id())
		}
		conflicts = append(conflicts, later...)
	}
	switch {
	case len(conflicts) > 0:
		return record.Errorf(record.Conflict, "what %.12s changed was changed again since: %s", r.commit, listed(conflicts)).
			WithHint("revert the later commits first, or change the tasks by hand").ForGood()
	case len(r.out.Tasks) == 0:
		return record.Errorf(record.NotFound, "nothing that %.12s changed of tasks is left to take back", r.commit).
			WithHint("%s tells what happened to a task", record.CallTo("log", "id", "ID").OnlyShown())
	}
	return nil
}

const conflictsNamed = 10

func listed(all []string) string {
	shown := all[:min(len(all), conflictsNamed)]
	return strings.Join(shown, ", ") + record.AndMore(len(all)-len(shown))
}

// one stages what becomes of one task, and returns what stands in the way of that.
func (r *revert) one(wc verb.WriteContext, c change) (conflicts []string, err error) {
	t, err := kind.Tasks.Get(wc.Tx, c.id())
	there := err == nil
	switch {
	case err != nil && record.CodeOf(err) != record.NotFound:
		return nil, err
	case c.Now == nil && there, c.Was == nil && !there:
		return nil, nil // it was taken back already
	case c.Now == nil:
		if string(c.was.ID) != c.Ref.ID {
			return []string{c.Ref.ID + " (its file had the id " + string(c.was.ID) + ")"}, nil
		}
		if lacks := r.lacks(wc, c.was); len(lacks) > 0 {
			return []string{fmt.Sprintf("%s (needs %s, which is not here)", c.Ref.ID, strings.Join(lacks, ", "))}, nil
		}
		wc.Tx.Bring(c.Path, c.Was)
		r.did(c.was, "it comes back as it was")
		return nil, r.w.InScope(c.id())
	case !there:
		return []string{c.Ref.ID + " (deleted)"}, nil
	case c.Was == nil:
		return r.created(wc, c, t)
	}
	return r.edited(wc, c, t)
}

// lacks are what a task needs and is neither here nor comes back with it.
func (r *revert) lacks(wc verb.WriteContext, t task.Task) (out []string) {
	for _, id := range notHere(kind.Deps(wc.Tx, wc.Store.Config.Flow), t) {
		if !slices.ContainsFunc(r.changes, func(c change) bool { return c.Now == nil && c.id() == id }) {
			out = append(out, string(id))
		}
	}
	return out
}

// did notes what was done.
func (r *revert) did(t task.Task, by string) {
	r.out.Tasks = append(r.out.Tasks, RevertedOne{t.ID, t.Title, t.Status, by})
}

// leave notes that what the commit changed of a task stays, at least in part.
func (r *revert) leave(id record.ID, why string) {
	r.out.Left = append(r.out.Left, NotReverted{string(id), why})
}

// created gives up a task that the commit made: its entries are to stay.
func (r *revert) created(wc verb.WriteContext, c change, t task.Task) (conflicts []string, err error) {
	flow := r.s.Config.Flow
	switch {
	case flow.IsAbandoned(t.Status):
		return nil, nil
	case t.Status != c.now.Status:
		return []string{string(t.ID) + " (status)"}, nil
	case len(flow.Abandoned) == 0:
		return nil, record.Errorf(record.InvalidInput, "the commit created it, and the config names no abandoned state to give it up in").
			WithHint("%s takes it away", record.CallTo("delete", "id", t.ID).OnlyShown())
	}
	to := flow.Abandoned[0]
	return nil, r.edit(wc, t.ID, task.Edit{To: &to}, "the commit created it, and it is given up: "+string(to))
}

// edited gives each field that the commit changed its value before.
func (r *revert) edited(wc verb.WriteContext, c change, t task.Task) (conflicts []string, err error) {
	ed := task.Edit{MayWeaken: r.w.MayWeaken(), NoNote: true}
	by := r.fields(c, t, &ed, &conflicts)
	by = append(by, r.edges(c, t, &ed)...)
	if c.was.Status != c.now.Status && t.Status != c.was.Status {
		switch {
		case t.Status != c.now.Status:
			conflicts = append(conflicts, c.Ref.ID+" (status)")
		case r.s.Config.Flow.ClaimsDone(c.was.Status):
			return conflicts, record.Errorf(record.InvalidInput, "the commit opened it again, and to close it has to pass the gates").
				WithHint("%s", record.CallTo("transition", "id", t.ID, "to", string(c.was.Status)).OnlyShown())
		default:
			ed.To = &c.was.Status
			by = append(by, "it goes back to "+string(c.was.Status))
		}
	}
	if c.was.Assignee != c.now.Assignee && t.Assignee != c.was.Assignee {
		if t.Assignee != c.now.Assignee {
			conflicts = append(conflicts, c.Ref.ID+" (assignee)")
		}
		ed.Assignee = &c.was.Assignee
		by = append(by, map[bool]string{true: "nobody holds it", false: fmt.Sprintf("%s holds it", c.was.Assignee)}[c.was.Assignee == ""])
	}
	if !reflect.DeepEqual(c.was.Refs, c.now.Refs) {
		r.leave(t.ID, "its references stay")
	}
	if len(by) == 0 || len(conflicts) > 0 {
		if len(by) == 0 && len(conflicts) == 0 {
			r.leave(t.ID, "its entries stay, and nothing else is left of the change")
		}
		return conflicts, nil
	}
	return nil, r.edit(wc, t.ID, ed, strings.Join(by, ", "))
}

// fields sets what the commit changed of fields and checks, and returns that in words. What was changed since is a
// conflict.
func (r *revert) fields(c change, t task.Task, ed *task.Edit, conflicts *[]string) (by []string) {
	var names []string
	note := func(name string, was, now, here any) {
		switch {
		case reflect.DeepEqual(was, now) || reflect.DeepEqual(here, was):
		case !reflect.DeepEqual(here, now):
			*conflicts = append(*conflicts, c.Ref.ID+" ("+name+")")
		default:
			names = append(names, name)
		}
	}
	for _, f := range append(task.Settable(), ownOf(c.was, c.now)...) {
		if f.Name != "labels" && f.Name != "deps" {
			note(f.Name, f.Of(c.was), f.Of(c.now), f.Of(t))
		}
	}
	note("checks", c.was.CheckHashes(), c.now.CheckHashes(), t.CheckHashes())
	if !asBefore(ed, names, c.was) {
		r.leave(c.id(), "a field held more than one value")
	}
	if len(names) > 0 {
		by = append(by, strings.Join(names, ", ")+" as before")
	}
	return by
}

// ownOf are the fields of the config's own that one of two tasks has.
func ownOf(was, now task.Task) (all []task.Field) {
	var names []string
	for _, t := range []task.Task{was, now} {
		for name := range t.Own {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range record.Unique(names) {
		all = append(all, task.Field{Name: name})
	}
	return all
}

// edges takes away the labels and dependencies that the commit added, and adds those that it took away, as far as that
// was not done since.
func (r *revert) edges(c change, t task.Task, ed *task.Edit) (by []string) {
	ed.RemoveLabels = both(without(c.now.Labels, c.was.Labels), t.Labels)
	ed.AddLabels = without(without(c.was.Labels, c.now.Labels), t.Labels)
	ed.RemoveDeps = both(without(c.now.Deps, c.was.Deps), t.Deps)
	ed.AddDeps = without(without(c.was.Deps, c.now.Deps), t.Deps)
	if len(ed.RemoveLabels)+len(ed.AddLabels) > 0 {
		by = append(by, "its labels are as they were")
	}
	if len(ed.RemoveDeps)+len(ed.AddDeps) > 0 {
		by = append(by, "its dependencies are as they were")
	}
	return by
}

// without are the items of a list that another has not, and both those that it has too.
func without[T comparable](all, others []T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return slices.Contains(others, one) })
}

func both[T comparable](all, others []T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !slices.Contains(others, one) })
}

// edit stages an edit of one task, as update would, and notes what it did.
func (r *revert) edit(wc verb.WriteContext, id record.ID, ed task.Edit, by string) error {
	text := fmt.Sprintf("reverts %.12s", r.commit)
	if r.reason != "" {
		text += ": " + r.reason
	}
	_, err := wc.Stage(verb.Change{Kind: kind.Tasks.Kind, IDs: []string{string(id)}, Decide: func(wc verb.WriteContext) (any, error) {
		flow, find := wc.Store.Config.Flow, kind.Deps(wc.Tx, wc.Store.Config.Flow)
		after, e, err := flow.Update(wc.Task, ed, task.Proof{}, find, r.w.Stamp(text))
		if err == nil && e != nil {
			err = r.w.Confirmed(flow.Asks(wc.Task, after, *e, find))
		}
		if err == nil && e != nil && ed.Assignee != nil {
			err = reassign(r.ctx, r.w, wc, *ed.Assignee, after.Status)
		}
		if err == nil {
			r.did(after, by)
		}
		return after, err
	}})
	return err
}
