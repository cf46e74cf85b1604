package proposals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const maxPlan = 500 // tasks

// PlanIn is the input of Plan. It has tasks, or the name of a proposal that has them.
type PlanIn struct {
	Tasks    []PlanItem `json:"tasks,omitempty" doc:"tasks as create takes them, each with a key by which deps and parent of others can name it" cli:"file"`
	Proposal string     `json:"proposal,omitempty" doc:"proposal to make real, in place of tasks" from:"proposals"`
	DryRun   bool       `json:"dry_run,omitempty" doc:"check everything and write nothing"`
	verb.Once
}

// PlanItem is a task of a plan.
type PlanItem struct {
	Key string `json:"key,omitempty" doc:"name for it within the plan, for deps and parent"`
	tasks.TaskIn
	Deps   []Ref `json:"deps,omitempty" doc:"tasks that must be closed before this one can start: keys, ids, or #0 for the first of the plan"`
	Parent Ref   `json:"parent,omitempty" doc:"task that groups it: a key, an id, or #0 for the first of the plan"`
}

// Ref names a task in a plan: by its key, by its id, or by #N for the one with that index, from 0.
type Ref string

// PlanOut is what Plan made, in the order of its input.
type PlanOut struct {
	Tasks    []verb.Row    `json:"tasks" result:"rows"`
	Notices  []verb.Notice `json:"notices,omitempty"` // what was understood otherwise than it was written
	DryRun   bool          `json:"dry_run,omitempty"` // nothing was written; #0 stands for the id of the first task
	Replayed bool          `json:"replayed,omitempty"`
}

// Short leaves out what the caller wrote.
func (p PlanOut) Short(verb.Verb) any {
	return struct {
		Tasks    []verb.Short  `json:"tasks"`
		Notices  []verb.Notice `json:"notices,omitempty"`
		DryRun   bool          `json:"dry_run,omitempty"`
		Replayed bool          `json:"replayed,omitempty"`
	}{verb.ShortRows(p.Tasks), p.Notices, p.DryRun, p.Replayed}
}

// Plan creates several tasks in one write: all of them, or, if one may not be created, none.
func Plan(ctx context.Context, w *verb.Workspace, s *store.Store, in PlanIn) (PlanOut, error) {
	if !in.DryRun && w.Profile < verb.Operator {
		return PlanOut{}, record.Errorf(record.Forbidden, "a %s can make plans, and not make them real", w.Profile).
			WithHint("send dry_run true, or propose it: somebody with the profile operator makes it real")
	}
	items, err := in.items(s)
	if err != nil {
		return PlanOut{}, err
	}
	tasks, err := plannedTasks(w, s, items)
	if err != nil {
		return PlanOut{}, err
	}
	out := PlanOut{Notices: notices(s, items), DryRun: in.DryRun}
	if in.DryRun {
		out.Tasks, err = dryRun(w, s, tasks)
		return out, err
	}
	ids := idsOf(tasks)
	_, err = verb.Change{Made: &session.Key{Tasks: ids}, Decide: func(wc verb.WriteContext) (any, error) {
		created, err := s.Config.Flow.Plan(tasks, kind.Deps(wc.Tx, s.Config.Flow), w.Stamp(""))
		if err != nil {
			return nil, inPlan(err, ids)
		}
		for _, t := range created {
			kind.Tasks.Put(wc.Tx, t)
		}
		if in.Proposal == "" {
			return nil, nil
		}
		return nil, makeReal(wc.Tx, in.Proposal, ids, w.Stamp(""))
	}}.Run(ctx, w, s)
	if err != nil {
		return PlanOut{}, err
	}
	if in.Proposal == "" {
		approveWritten(ctx, w, s, tasks, items)
	}
	made, err := w.View(s).Several(ids)
	out.Tasks = made.Tasks
	return out, err
}

// approveWritten lets the commands run that the tasks of a plan declare, as tasks.ApproveWritten does.
func approveWritten(ctx context.Context, w *verb.Workspace, s *store.Store, planned []task.Task, items []PlanItem) {
	var written []store.Command
	for i, item := range items {
		written = append(written, tasks.Written(ctx, s, task.Task{}, planned[i], item.Checks)...)
	}
	tasks.ApproveWritten(ctx, w, s, written)
}

// notices are those of all tasks of a plan, each with the place of its task.
func notices(s *store.Store, items []PlanItem) []verb.Notice {
	var out []verb.Notice
	for i, item := range items {
		for _, n := range item.Notices(s.Config.Flow) {
			out = append(out, verb.Notice{Code: n.Code, Message: indexRef(i) + ": " + n.Message})
		}
	}
	return out
}

// Replay shows the tasks as they are now.
func (PlanOut) Replay(w *verb.Workspace, s *store.Store, key session.Key) (any, error) {
	made, err := w.View(s).Several(key.Tasks)
	return PlanOut{Tasks: made.Tasks}, verb.NotHere(err, "a task of the plan")
}

// items are the tasks of the plan, wherever they come from.
func (in PlanIn) items(s *store.Store) ([]PlanItem, error) {
	switch {
	case in.Proposal != "" && len(in.Tasks) > 0:
		return nil, verb.BadInput("proposal", "is given, and tasks are too").WithHint("leave out one of the two")
	case in.Proposal != "":
		p, err := kind.Proposals.Get(s, in.Proposal)
		if err == nil {
			err = pending(s, p)
		}
		if err != nil {
			return nil, err
		}
		return storedItems(p)
	case len(in.Tasks) == 0:
		return nil, verb.BadInput("tasks", "is empty").WithHint("name at least one task, or a proposal")
	case len(in.Tasks) > maxPlan:
		return nil, verb.BadInput("tasks", "has %d tasks, more than %d", len(in.Tasks), maxPlan).WithHint("split the plan")
	default:
		return in.Tasks, nil
	}
}

// plannedTasks reads items as tasks with ids, and what they say of one another as those ids.
func plannedTasks(w *verb.Workspace, s *store.Store, items []PlanItem) ([]task.Task, error) {
	keys, err := keysOf(items, s.Config.Prefix)
	if err != nil {
		return nil, err
	}
	ids, err := mintAll(w, s, len(items))
	if err != nil {
		return nil, err
	}
	names := names{ids: ids, keys: keys, prefix: s.Config.Prefix, there: kind.Deps(s, s.Config.Flow)}
	out := make([]task.Task, len(items))
	for i, item := range items {
		if out[i], err = plannedTask(w, s, item, names); err != nil {
			return nil, inItem(err, i)
		}
		out[i].ID = ids[i]
	}
	return out, nil
}

// mintAll mints ids that sort in the order of the plan: each a millisecond younger than the one before.
func mintAll(w *verb.Workspace, s *store.Store, n int) ([]record.ID, error) {
	ids := make([]record.ID, n)
	now := w.Now()
	for i := range ids {
		var err error
		if ids[i], err = record.NewID(s.Config.Prefix, now.Add(time.Duration(i)*time.Millisecond), w.Rand); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func plannedTask(w *verb.Workspace, s *store.Store, item PlanItem, names names) (task.Task, error) {
	t, err := tasks.New(w, s, item.TaskIn)
	if err == nil {
		err = task.ValidFields(t) // so that the refusal names the item
	}
	if err != nil {
		return t, err
	}
	for n, ref := range item.Deps {
		id, err := names.resolve(fmt.Sprintf("deps[%d]", n), ref)
		if err != nil {
			return t, err
		}
		t.Deps = append(t.Deps, id)
	}
	if item.Parent != "" {
		t.Parent, err = names.resolve("parent", item.Parent)
	}
	return t, err
}

// inItem says which item an error is about, as tasks[2].checks[0].cmd if the error names a field of it. inPlan says
// which one a rule's error is about: its id was minted for nothing.
func inItem(err error, i int) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok {
		return err
	}
	renamed, between := *e, ": "
	field := strings.TrimRight(e.Msg[:strings.IndexAny(e.Msg+" ", " .:[")], "s")
	if slices.ContainsFunc(itemFields(), func(f verb.Field) bool { return strings.TrimRight(f.Name, "s") == field }) {
		between = "."
	}
	renamed.Msg = fmt.Sprintf("tasks[%d]%s%s", i, between, e.Msg)
	return &renamed
}

// itemFields are the fields of a task of a plan.
var itemFields = sync.OnceValue(func() []verb.Field { return verb.FieldsOf[PlanItem]() })

func inPlan(err error, ids []record.ID) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok {
		return err
	}
	renamed := *e
	for i, id := range ids {
		renamed.Msg = strings.ReplaceAll(renamed.Msg, string(id), indexRef(i))
		renamed.Hint = renamed.Hint.Replace(string(id), indexRef(i))
	}
	return &renamed
}

func indexRef(i int) string { return fmt.Sprintf("#%d", i) }

func idsOf(tasks []task.Task) (ids []record.ID) {
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// dryRun shows what a plan would make. Tasks that do not exist are named by their index.
func dryRun(w *verb.Workspace, s *store.Store, tasks []task.Task) ([]verb.Row, error) {
	ids, deps := idsOf(tasks), kind.Deps(s, s.Config.Flow)
	created, err := s.Config.Flow.Plan(tasks, deps, w.Stamp(""))
	if err != nil {
		return nil, inPlan(err, ids)
	}
	find := verb.FindIn(created)
	among := func(id record.ID) (task.Task, bool) {
		if t, ok := find(id); ok {
			return t, true
		}
		return deps(id)
	}
	view, out := w.View(s), []verb.Row{}
	for i, id := range ids {
		t, _ := find(id)
		r := view.CutRow(view.RowOfTask(t, among))
		r.ID, r.Parent = record.ID(indexRef(i)), byIndex(r.Parent, ids)
		for _, refs := range [][]record.ID{r.Deps, r.BlockedBy} {
			for n, ref := range refs {
				refs[n] = byIndex(ref, ids)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

func byIndex(id record.ID, ids []record.ID) record.ID {
	if i := slices.Index(ids, id); i >= 0 {
		return record.ID(indexRef(i))
	}
	return id
}
