package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// UndoIn is the input of Undo.
type UndoIn struct {
	ID      string      `json:"id,omitempty" doc:"task whose last write to take back, if that is yours; without, what you wrote last, several tasks too" cli:"arg" from:"written"`
	IDs     []record.ID `json:"ids,omitempty" doc:"several tasks, all or none" cli:"flag=id"`
	Redo    bool        `json:"redo,omitempty" doc:"take back the last undo instead"`
	Confirm bool        `json:"confirm,omitempty" doc:"do it; without, only what would be taken back is shown" cli:"flag=yes"`
	verb.Once
}

// Undone is what Undo took back, or would: of the last task, where the write was of several.
type Undone struct {
	ID       record.ID     `json:"id"`
	Takes    string        `json:"takes"` // what is taken back, in words
	By       string        `json:"by"`    // how, in words
	Done     bool          `json:"done"`  // false for a preview
	Task     *verb.Task    `json:"task,omitempty"`
	Trash    string        `json:"trash,omitempty"`
	Before   []Undone      `json:"before,omitempty"`  // the same of the other tasks of the write
	Notices  []verb.Notice `json:"notices,omitempty"` // what cairn check finds in the tasks as they are now
	Replayed bool          `json:"replayed,omitempty"`
}

// shortUndone is Undone with the task in short.
type shortUndone struct {
	verb.Short
	Takes  string        `json:"takes"`
	By     string        `json:"by"`
	Done   bool          `json:"done"`
	Trash  string        `json:"trash,omitempty"`
	Before []shortUndone `json:"before,omitempty"`
}

// Short says how the task stands.
func (u Undone) Short(v verb.Verb) any { return u.short(v) }

func (u Undone) short(v verb.Verb) shortUndone {
	out := shortUndone{Takes: u.Takes, By: u.By, Done: u.Done, Trash: u.Trash}
	if u.Task != nil {
		out.Short, _ = u.Task.Short(v).(verb.Short)
	}
	out.ID, out.Replayed = string(u.ID), u.Replayed
	for _, one := range u.Before {
		out.Before = append(out.Before, one.short(v))
	}
	return out
}

// Replay says what became of the task. It may be in the trash.
func (Undone) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	out := Undone{ID: made.Task, Done: true, Replayed: true}
	for _, id := range made.Tasks {
		out.ID = id
	}
	if t, err := w.View(s).TaskByID(out.ID); err == nil {
		out.Task = &t
	}
	return out, nil
}

// errPreview ends a write that was only to be decided.
var errPreview = errors.New("only a preview")

// Undo takes back the last write to a task, or the last one to several, if it is the caller's; and the next time the one
// before it. It rewrites nothing: the opposite is written, as one more entry, by the rules and through the gates that it
// would have to pass anyway. What an update replaced is in the journal of the clone that wrote it, and is not taken back
// elsewhere; nor are results, sessions and approvals, which are facts.
func Undo(ctx context.Context, w *verb.Workspace, s *store.Store, in UndoIn) (Undone, error) {
	ids := verb.AsTexts(in.IDs)
	if in.ID != "" {
		ids = append([]string{in.ID}, ids...)
	}
	if len(ids) == 0 {
		var err error
		if ids, err = lastWritten(ctx, w, s, in.Redo); err != nil {
			return Undone{}, err
		}
	}
	if len(ids) == 1 {
		id, gone, err := undoable(s, ids[0])
		switch {
		case err != nil:
			return Undone{}, err
		case gone:
			return undelete(ctx, w, s, in, Undone{ID: id, Done: in.Confirm})
		}
		ids[0] = string(id)
	}
	return undoSeveral(ctx, w, s, in, record.Unique(ids))
}

// undoSeveral takes back what one write made of some tasks: of all, or, if one of them stays as it is, of none.
func undoSeveral(ctx context.Context, w *verb.Workspace, s *store.Store, in UndoIn, ids []string) (Undone, error) {
	var all []Undone
	change := verb.Change{Kind: kind.Tasks.Kind, IDs: ids, Decide: func(wc verb.WriteContext) (any, error) {
		if string(wc.Task.ID) == ids[0] { // it may be decided more than once
			all = nil
		}
		last, prior := lastStep(wc.Task.Provenance, in.Redo)
		out := Undone{ID: wc.Task.ID, Done: in.Confirm}
		after, err := undo{ctx: ctx, w: w, wc: wc, last: last, redo: in.Redo, prior: prior, together: ids, out: &out}.decide()
		all = append(all, out)
		if err == nil && !in.Confirm && len(all) == len(ids) {
			err = errPreview
		}
		return after, err
	}}
	if len(ids) > 1 {
		made := session.Key{}
		for _, id := range ids {
			made.Tasks = append(made.Tasks, record.ID(id))
		}
		change.Made = &made
	}
	if _, err := change.Run(ctx, w, s); err != nil && !errors.Is(err, errPreview) {
		return Undone{}, err
	}
	for i := range all {
		if t, err := w.View(s).TaskByID(all[i].ID); err == nil {
			all[i].Task = &t
		}
	}
	out := all[len(all)-1]
	out.Before = all[:len(all)-1]
	if in.Confirm {
		out.Notices = verb.Findings(ctx, w, s, record.Each(all, func(one Undone) record.ID { return one.ID })...)
	}
	return out, nil
}

// undoable finds the task by its id or a part of it: among the tasks, or else in the trash.
func undoable(s *store.Store, part string) (id record.ID, gone bool, err error) {
	found, err := s.Resolve(kind.Tasks.Kind, part)
	if err == nil {
		return record.ID(found), false, nil
	}
	if record.CodeOf(err) != record.NotFound {
		return "", false, err
	}
	if id, trashErr := inTrash(s, part); trashErr == nil {
		return id, true, nil
	}
	return "", false, err
}

func undelete(ctx context.Context, w *verb.Workspace, s *store.Store, in UndoIn, out Undone) (Undone, error) {
	src, err := layout.ReadFile(s.Trash().File(out.ID.Ref()))
	if err != nil {
		return Undone{}, kind.Tasks.NotFound(string(out.ID))
	}
	v, err := kind.Tasks.Parse(src)
	if err != nil {
		return Undone{}, err
	}
	last, _ := lastStep(kind.Tasks.Header(v).Log, in.Redo)
	switch {
	case last.Did == "":
		return Undone{}, nothingLeft(out.ID, in.Redo)
	case last.Did != record.Deleted || last.Who != w.Actor():
		return Undone{}, notYourLast(out.ID, last)
	}
	out.Takes, out.By = "deleted", "it comes back out of the trash"
	if !in.Confirm {
		return out, nil
	}
	t, err := Restore(ctx, w, s, RestoreIn{ID: string(out.ID), Reason: undoes + last.ShortHash(), Once: in.Once})
	if err == nil {
		out.Task, out.Notices = &t, t.Notices
	}
	return out, err
}

func notYourLast(id record.ID, last record.Entry) error {
	return verb.WithID(record.Errorf(record.NotYours, "the last write is %s by %s: one takes back one's own", last.Did, last.Who).
		WithHint("%s shows who did what", record.CallTo("history", "id", string(id)).OnlyShown()), id)
}

type undo struct {
	ctx  context.Context //nolint:containedctx // of the one call that it serves
	w    *verb.Workspace
	wc   verb.WriteContext
	last record.Entry // that is taken back
	out  *Undone

	redo     bool       // it is itself an undo
	prior    record.Log // what was before it
	together []string   // the tasks whose write is taken back
}

func (u undo) decide() (task.Task, error) {
	switch {
	case u.last.Did == "":
		return u.wc.Task, nothingLeft(u.wc.Task.ID, u.redo)
	case u.last.Who != u.w.Actor():
		return u.wc.Task, notYourLast(u.wc.Task.ID, u.last)
	case u.last.Did == record.Created && len(u.prior) == 0:
		return u.create()
	case u.last.Did == record.Noted:
		return u.note()
	case u.last.Did == record.Claimed && (u.holderBefore() == "" || u.holderBefore() == u.last.Who):
		return u.claim()
	case u.last.Did == record.Claimed, u.last.Did == record.Released, u.last.Did == record.Assigned, u.last.Did == record.Transitioned:
		return u.edit()
	case u.last.Did == record.Updated && len(u.last.Results) == 0:
		return u.edit()
	}
	return u.wc.Task, u.refused()
}

func (u undo) refused() error {
	id := u.wc.Task.ID
	e := record.Errorf(record.InvalidInput, "%s is not taken back", u.last.Did)
	switch u.last.Did {
	case record.Updated:
		if len(u.last.Results) > 0 {
			return e.WithHint("checks ran for it, and their results stay on the record; %s moves the task", record.CallTo("transition", "id", id).OnlyShown())
		}
		what := cmp.Or(strings.Join(changedOf(u.last), ", "), "it")
		e = record.Errorf(record.InvalidInput, "what %s said before is not kept here, so it is not taken back", what).
			WithHint("%s writes it anew; git has what was committed", record.CallTo("update", "id", string(id)).OnlyShown())
	case record.Began, record.TakenOver:
		e = e.WithHint("%s with a reason ends the session and releases the task", record.CallTo("cancel", "session", u.last.Session).OnlyShown())
	case record.Attested:
		e = e.WithHint("%s says otherwise, with a new entry", record.CallTo("attest", "id", id).OnlyShown())
	case record.Restored:
		e = e.WithHint("%s puts it back into the trash", record.CallTo("delete", "id", id).OnlyShown())
	default:
		e = e.WithHint("it is a fact, and stays on the record; %s moves the task", record.CallTo("transition", "id", id).OnlyShown())
	}
	return e
}

func changedOf(e record.Entry) []string {
	out := append([]string{}, e.Fields...)
	if e.Checks != nil {
		out = append(out, "checks")
	}
	return out
}

// says sets what is taken back and how, and returns the stamp of the entry.
func (u undo) says(takes, by string) record.Stamp {
	u.out.Takes, u.out.By = takes, by
	return u.w.Stamp(undoes + u.last.ShortHash())
}

// create takes back that the task was made: it goes into the trash. That asks for the rights to delete.
func (u undo) create() (task.Task, error) {
	if u.w.Profile < verb.Maintainer {
		return u.wc.Task, record.Errorf(record.Forbidden, "the profile %s deletes nothing, and a task is made undone by deleting it", u.w.Profile).
			WithHint("%s gives it up instead", record.CallTo("transition", "id", u.wc.Task.ID).OnlyShown())
	}
	if err := mayDelete(u.w, u.wc); err != nil {
		return u.wc.Task, err
	}
	stamp := u.says("created", "it goes into the trash")
	u.out.Trash = u.wc.Store.Trash().File(u.wc.Task.ID.Ref())
	return stageDelete(u.ctx, u.w, u.wc, stamp.Text, u.together...)
}

// note says of a note that it is taken back. The note itself stays on the record.
func (u undo) note() (task.Task, error) {
	t, _, err := task.Note(u.wc.Task, u.says("noted", "one more note says that it is taken back; the note stays on the record"))
	return t, err
}

func (u undo) claim() (task.Task, error) {
	if err := u.wc.MayEndSession(); err != nil {
		return u.wc.Task, err
	}
	t, e, err := task.Release(u.wc.Task, u.wc.Hold.Live(), u.says("claimed", "it is released"))
	if err == nil && e != nil {
		u.wc.Tx.Claim(t.ID.Ref(), nil)
	}
	return t, err
}

// edit takes back a move, a holder, dependencies and fields as update would, through the gates; it runs no command.
func (u undo) edit() (task.Task, error) {
	flow, t := u.wc.Store.Config.Flow, u.wc.Task
	ed := task.Edit{MayWeaken: u.w.MayWeaken(), AddDeps: u.last.RemoveDeps, RemoveDeps: u.last.AddDeps}
	var by []string
	if u.last.To != "" {
		if t.Status != u.last.To {
			return t, u.changedSince("status")
		}
		if flow.IsClosed(u.last.From) {
			return t, record.Errorf(record.InvalidInput, "it was opened again, and to close it has to pass the gates").
				WithHint("%s", record.CallTo("transition", "id", t.ID, "to", string(u.last.From)).OnlyShown())
		}
		ed.To = &u.last.From
		by = append(by, "it goes back to "+string(u.last.From))
	}
	if holder, held := u.last.Holder(); held {
		if t.Assignee != holder {
			return t, u.changedSince("assignee")
		}
		before := u.holderBefore()
		ed.Assignee = &before
		by = append(by, map[bool]string{true: "nobody holds it", false: fmt.Sprintf("%s holds it", before)}[before == ""])
	}
	if len(ed.AddDeps)+len(ed.RemoveDeps) > 0 {
		by = append(by, "its dependencies are as they were")
	}
	if changed := changedOf(u.last); len(changed) > 0 {
		before, left, ok := u.before()
		if !ok || !asBefore(&ed, changed, before) {
			return t, u.refused()
		}
		if others := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return left[name] == task.Mark(t, name) }); len(others) > 0 {
			return t, u.changedSince(others...)
		}
		by = append(by, strings.Join(changed, ", ")+" as before")
	}
	if len(by) == 0 {
		return t, u.refused()
	}
	find := kind.Deps(u.wc.Tx, flow)
	after, e, err := flow.Update(t, ed, task.Proof{}, find, u.says(string(u.last.Did), strings.Join(by, ", ")))
	if err == nil && e != nil {
		err = u.w.Confirmed(flow.Asks(t, after, *e, find))
	}
	if err == nil && e != nil && ed.Assignee != nil {
		err = reassign(u.ctx, u.w, u.wc, *ed.Assignee, after.Status)
	}
	return after, err
}

// holderBefore is who had the task before the entry.
func (u undo) holderBefore() record.Actor {
	e, _ := u.prior.Newest(func(e record.Entry) bool { _, held := e.Holder(); return held })
	before, _ := e.Holder()
	return before
}

// changedSince refuses to take back what is not any more as the entry left it: a merge, or a hand, has changed it.
func (u undo) changedSince(fields ...string) error {
	return record.Errorf(record.Conflict, "a merge or an edit by hand has changed %s since your write", strings.Join(fields, ", ")).
		WithHint("%s shows what was written; %s writes it anew", record.CallTo("history", "id", u.wc.Task.ID).OnlyShown(),
			record.CallTo("update", "id", string(u.wc.Task.ID)).OnlyShown()).ForGood()
}

// before is the task as it was before the entry, without the provenance, and marks of what the entry left. It reports
// false if this clone did not write that entry, or did not keep what it replaced.
func (u undo) before() (task.Task, session.Marks, bool) {
	hash := u.last.Hash()
	for _, line := range slices.Backward(u.wc.Store.Journal(u.wc.Task.ID.Ref())) {
		if line.Before == "" || line.Entry.Hash() != hash {
			continue
		}
		before, err := kind.Tasks.Parse([]byte(line.Before))
		return before, line.Left, err == nil && before.ID == u.wc.Task.ID
	}
	return task.Task{}, nil, false
}

// asBefore makes an edit that gives some fields what they said before. It reports false if no edit changes one of them.
func asBefore(ed *task.Edit, names []string, before task.Task) bool {
	ed.Set = task.Values{}
	settable := task.Settable()
	for _, name := range names {
		if name == "checks" || name == "timeout" {
			checks := slices.Clone(before.Checks) // an edit gives no results
			for i := range checks {
				checks[i].Result = record.Pending
			}
			ed.Checks = &checks
			continue
		}
		field := task.Field{Name: name}
		if i := slices.IndexFunc(settable, func(f task.Field) bool { return f.Name == name }); i >= 0 {
			field = settable[i]
		} else if _, known := before.Own[name]; !known && before.Extra[name] != nil {
			return false // it held more than one value
		}
		ed.Set[name] = field.Of(before)
	}
	return true
}
