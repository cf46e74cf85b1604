package verb

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// UpdateIn is the input of Update. What is left out stays; "" and [] clear a field.
type UpdateIn struct {
	ID          task.ID    `json:"id" doc:"task to change" cli:"arg"`
	Title       *string    `json:"title" doc:"new title"`
	Body        *string    `json:"body" doc:"new body, in Markdown"`
	Labels      *[]string  `json:"labels" doc:"new labels, in place of the old" cli:"flag=label" from:"labels"`
	Priority    *string    `json:"priority" doc:"0 (drop everything) to 4 (someday)" values:"0=drop everything,1=high,2=normal,3=low,4=someday"`
	Parent      *task.ID   `json:"parent" doc:"task that groups it"`
	Assignee    *string    `json:"assignee" doc:"who holds it from now on: an actor, me, or unassigned" from:"actors"`
	Checks      *[]CheckIn `json:"checks" doc:"new checks, in place of the old; one that asks for the same keeps its result" cli:"flag=check"`
	Acceptance  *[]string  `json:"acceptance" doc:"new acceptance criteria, in place of the old"`
	AddDeps     []task.ID  `json:"add_deps,omitempty" doc:"tasks that must be closed before it can start" cli:"flag=add-dep"`
	RemoveDeps  []task.ID  `json:"remove_deps,omitempty" doc:"tasks that it no longer waits for" cli:"flag=remove-dep"`
	To          *string    `json:"to" doc:"state to move it to, through the same gates as transition" from:"states"`
	Note        string     `json:"note,omitempty" doc:"text for the provenance entry"`
	Reason      string     `json:"reason,omitempty" doc:"why; needed to take away a check once work has begun, and a dependency that is open"`
	ExpectedRev string     `json:"expected_rev,omitempty" doc:"rev that the task must still have, else CONFLICT"`
	Once
}

// Update changes what a task says, in one entry.
func (w *Workspace) Update(ctx context.Context, in UpdateIn) (Task, error) {
	edit, text, err := w.edit(in)
	if err != nil {
		return Task{}, err
	}
	s, err := w.open()
	if err != nil {
		return Task{}, err
	}
	var to task.Status
	if edit.To != nil {
		to = *edit.To
	}
	preview := func(t task.Task) (task.Task, error) {
		here := edit
		here.To = nil
		if err := in.expects(t); err != nil {
			return t, err
		}
		after, entry, err := s.Config.Flow.Update(t, here, task.Proof{}, s.Find, w.stamp(text))
		if err == nil && entry != nil { // a person is asked before commands run for minutes
			err = w.unconfirmed(s.Config.Flow.Asks(t, after, *entry, s.Find))
		}
		return after, err
	}
	decide := func(sc scene, p task.Proof) (task.Task, *task.Entry, error) {
		if err := in.expects(sc.t); err != nil {
			return sc.t, nil, err
		}
		t, entry, err := s.Config.Flow.Update(sc.t, edit, p, sc.tx.Find, w.stamp(text))
		if err == nil && entry != nil && edit.Assignee != nil {
			err = w.reassign(ctx, s, sc, *edit.Assignee)
		}
		return t, entry, err
	}
	return w.move(ctx, s, in.ID, transit{to, preview, decide})
}

// expects returns CONFLICT if the task has another revision than the caller decided on.
func (in UpdateIn) expects(t task.Task) error {
	if in.ExpectedRev == "" || task.Rev(in.ExpectedRev) == t.Rev {
		return nil
	}
	return task.Errorf(task.Conflict, "has revision %s, not %s", t.Rev, in.ExpectedRev).
		WithHint("read the task again and decide anew").WithNext("get", map[string]any{"id": string(in.ID)}).ForGood()
}

// edit reads an input as an edit and the text of its entry.
func (w *Workspace) edit(in UpdateIn) (task.Edit, string, error) {
	ed := task.Edit{
		Title: in.Title, Body: in.Body, Labels: in.Labels, Parent: in.Parent, Acceptance: in.Acceptance,
		AddDeps: in.AddDeps, RemoveDeps: in.RemoveDeps, To: (*task.Status)(in.To), MayWeaken: w.mayWeaken(),
		Explains: in.Assignee != nil && in.Note == "",
	}
	if in.Priority != nil {
		p, err := task.ParsePriority(*in.Priority)
		if err != nil {
			return ed, "", err
		}
		ed.Priority = &p
	}
	if in.Assignee != nil {
		who, err := w.actor(*in.Assignee)
		if err != nil {
			return ed, "", err
		}
		ed.Assignee = &who
	}
	if in.Checks != nil {
		checks, err := w.declaredChecks(*in.Checks)
		if err != nil {
			return ed, "", err
		}
		ed.Checks = &checks
	}
	if err := cmp.Or(task.ValidText("note", in.Note), task.ValidText("reason", in.Reason)); err != nil {
		return ed, "", err
	}
	if in.To != nil && *in.To == "" {
		return ed, "", badInput("to", "is empty").WithHint("leave it out to move the task nowhere")
	}
	text := in.Reason
	if in.Note != "" && text != "" {
		text += "\n"
	}
	text += in.Note
	return ed, text, task.ValidText("note and reason together", text)
}

// reassign gives a task to somebody. What another holds only a person may give away; its session ends as abandoned.
func (w *Workspace) reassign(ctx context.Context, s *store.Store, sc scene, to task.Actor) error {
	if to == sc.hold.Actor && sc.hold.How != session.Behind || to == sc.t.Assignee && sc.hold.Actor == "" {
		return nil // they hold it already, and keep it as they do
	}
	mine := sc.hold.Mine(w.Actor, s.Worktree)
	if !sc.hold.Free(w.Actor, s.Worktree) && !w.Actor.Human() {
		return w.refusal(ctx, s, sc, false)
	}
	if err := w.mayEndSession(sc, mine); err != nil {
		return err
	}
	switch to {
	case "":
		sc.tx.Claim(sc.t.ID, nil)
	case w.Actor:
		sc.tx.Claim(sc.t.ID, w.lease(ctx, s, "", sc.now))
	default: // theirs in whichever worktree they claim it
		sc.tx.Claim(sc.t.ID, &session.Lease{Actor: to, Since: sc.now.UTC(), Seen: sc.now.UTC()})
	}
	sc.endLive(session.Abandoned, "reassigned by "+string(w.Actor))
	return nil
}
