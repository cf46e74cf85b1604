package task

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// commit appends an entry to a task, and returns the entry as it was written.
func commit(t Task, e record.Entry) (Task, *record.Entry, error) {
	t = t.With(e)
	last := t.Provenance.Last()
	return t, &last, nil
}

// Move moves a task to a state, through both gates. The results of p.Run are recorded in the same entry. A closed task
// that somebody else than its assignee opens again is nobody's, so that work on it can begin anew. A move to the
// state that the task is in, without text or results, changes nothing.
func (f Flow) Move(t Task, to record.Status, p Proof, find Find, s record.Stamp) (Task, *record.Entry, error) {
	if err := f.Gate(t, to, p, find, s.Who); err != nil {
		return t, nil, err
	}
	if t.Status == to && s.Text == "" && p.Run == nil {
		return t, nil, nil
	}
	reopened := f.IsClosed(t.Status) && !f.IsClosed(to)
	t, e := moved(t, to, s.Entry(record.Transitioned))
	if reopened && t.Assignee != "" && t.Assignee != s.Who { // whoever did it has done it, and anybody may go on
		t, e = assign(t, "", e)
	}
	t, e = f.recordProof(t, p, e)
	return commit(t, e)
}

// moved sets the status, and records it in the entry if it changed.
func moved(t Task, to record.Status, e record.Entry) (Task, record.Entry) {
	if t.Status == to {
		return t, e
	}
	e.From, e.To = t.Status, to
	return t.After(record.Entry{To: to}), e
}

// recordProof records what a move was judged by. That is the run that was made for it, or else, if the move needed
// checks that depend on the files, the state of the files.
func (f Flow) recordProof(t Task, p Proof, e record.Entry) (Task, record.Entry) {
	was := t
	was.Status = e.From
	asked := e.To != "" && (f.AsksTree(was, e.To) ||
		slices.ContainsFunc(t.Checks, func(c Check) bool { return !c.Manual() && f.needs(was, e.To, c) }))
	switch {
	case p.Run != nil && len(p.Run.Results) > 0:
		t, e = t.recordRun(p.Run, e)
	case asked:
		e.Commit, e.Tree = p.Commit, p.Tree
	}
	if f.bindsReview(was, e.To) && e.To != "" && p.Reviewed != "" && p.Reviewed != e.Tree {
		d := e.Said()
		d.Reviewed = p.Reviewed
		e = e.Saying(d)
	}
	if e.To != "" && f.ClaimsDone(e.To) {
		d := e.Said()
		for i, c := range t.Checks {
			if key := c.Key(t.ID); !c.Manual() && f.needs(was, e.To, c) && p.Guards.Red[key] && !f.Red(t, i) {
				d.Red = append(d.Red, key)
			}
		}
		if t.Repeats() {
			d.Round = string(t.ID.Next())
		}
		e = e.Saying(d)
	}
	return t, e
}

// recordRun records a run in the checks and in the entry.
func (t Task) recordRun(run *Run, e record.Entry) (Task, record.Entry) {
	e.Results, e.Commit, e.Tree = run.Results, run.Commit, run.Tree
	if run.Base != "" {
		d := e.Said()
		d.Base = run.Base
		e = e.Saying(d)
	}
	t.Checks = slices.Clone(t.Checks)
	result := run.results(t.ID)
	for i, c := range t.Checks {
		if r, ok := result(c); ok {
			t.Checks[i].Result = r
		}
	}
	return t, e
}

// RecordRun appends the results of running some of the task's commands, without moving it.
func RecordRun(t Task, run *Run, s record.Stamp) (Task, *record.Entry, error) {
	if run == nil || len(run.Results) == 0 {
		return t, nil, nil
	}
	t, e := t.recordRun(run, s.Entry(record.Checked))
	return commit(t, e)
}

// Note appends text without changing anything else.
func Note(t Task, s record.Stamp) (Task, *record.Entry, error) {
	if err := record.RequiredText("text", s.Text, "say what is worth remembering"); err != nil {
		return t, nil, err
	}
	return commit(t, s.Entry(record.Noted))
}

// Claim makes the actor the holder. It does not ask whether the task is free: session.Holder decides that, because it
// also knows the live state. Claiming what one took up changes nothing; who was only assigned takes it up by an entry,
// so that other clones know. It returns TASK_CLOSED for a closed task.
// takeover is recorded in the entry, which then names no session: one that it named would be the session that took
// over.
func (f Flow) Claim(t Task, takeover bool, s record.Stamp) (Task, *record.Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	if t.Assignee == s.Who && !takeover && t.Header().Taken() {
		return t, nil, nil
	}
	e := s.Entry(record.Claimed)
	if takeover {
		e.Did, e.Session = record.TakenOver, ""
	}
	t, e = assign(t, s.Who, e)
	return commit(t, e)
}

// Release gives a task up. Only its holder may, or a person. A task that nobody holds stays as it is, unless live says
// that there is a claim beside the file: that ends even if the file names nobody.
func Release(t Task, live bool, s record.Stamp) (Task, *record.Entry, error) {
	if t.Assignee == "" && !live {
		return t, nil, nil
	}
	if t.Assignee != "" && t.Assignee != s.Who && !s.Who.Human() {
		return t, nil, record.Errorf(record.NotYours, "held by %s", t.Assignee).WithHint("ask %s, or a person, to release it", t.Assignee)
	}
	t, e := assign(t, "", s.Entry(record.Released))
	return commit(t, e)
}

// Begin makes the actor the holder and moves a task in the initial state to the working one, through the gates. The
// stamp names the session. It always appends an entry, because a session begins only once.
func (f Flow) Begin(t Task, takeover bool, find Find, s record.Stamp) (Task, *record.Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	e := s.Entry(record.Began)
	if takeover {
		e.Did = record.TakenOver
	}
	if t.Status == f.Initial && f.Working != "" {
		if err := f.Gate(t, f.Working, Proof{}, find, s.Who); err != nil {
			return t, nil, err
		}
		t, e = moved(t, f.Working, e)
	}
	t, e = assign(t, s.Who, e)
	return commit(t, e)
}

// Start makes the actor the holder and moves the task to the working state, through the gates, in one entry; a task
// that is there and that the actor holds stays as it is. It names no session. It returns TASK_CLOSED for a closed task.
// Whether the task is free is not asked; see Claim.
func (f Flow) Start(t Task, takeover bool, find Find, s record.Stamp) (Task, *record.Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, record.Errorf(record.TaskClosed, "is closed (%s)", t.Status).WithHint("%s opens it again", record.CallTo("transition", "id", t.ID, "to", record.Reopening(f.Initial)).OnlyShown())
	}
	e := s.Entry(record.Updated)
	if f.Working != "" && t.Status != f.Working {
		if err := f.Gate(t, f.Working, Proof{}, find, s.Who); err != nil {
			return t, nil, err
		}
		t, e = moved(t, f.Working, e)
	}
	t, e = assign(t, s.Who, e)
	switch {
	case takeover:
		e.Did, e.Session = record.TakenOver, ""
	case e.To == "" && e.Assignee == nil && t.Header().Taken():
		return t, nil, nil
	case e.To == "":
		e.Did = record.Claimed
	case e.Assignee == nil:
		e.Did = record.Transitioned
	}
	return commit(t, e)
}

// Finish hands a task over for review: it moves to the review state, through the gates, and keeps its holder.
func (f Flow) Finish(t Task, p Proof, find Find, s record.Stamp) (Task, *record.Entry, error) {
	e := s.Entry(record.Finished)
	if f.Review != "" && !f.IsClosed(t.Status) {
		if err := f.Gate(t, f.Review, p, find, s.Who); err != nil {
			return t, nil, err
		}
		t, e = moved(t, f.Review, e)
	}
	t, e = f.recordProof(t, p, e)
	return commit(t, e)
}

// EndAttempt records that an attempt was given up (canceled), or was carried to its end and failed, without moving the
// task. The stamp names the session that ends. The task loses its holder if that still is the session's actor.
func EndAttempt(t Task, how record.Did, actor record.Actor, s record.Stamp) (Task, *record.Entry, error) {
	e := s.Entry(how)
	if t.Assignee == actor {
		t, e = assign(t, "", e)
	}
	return commit(t, e)
}

// assign sets the holder, and records it in the entry if it changed.
func assign(t Task, to record.Actor, e record.Entry) (Task, record.Entry) {
	if t.Assignee != to {
		t.Assignee, e.Assignee = to, &to
	}
	return t, e
}

func closedError(t Task) *record.Error {
	return record.Errorf(record.TaskClosed, "is closed (%s)", t.Status).WithHint("move it to an open state first, if there is more to do")
}

// Delete appends a task's last entry. It returns HAS_DEPENDENTS, naming them, if there are tasks that depend on it or
// have it as parent.
func (f Flow) Delete(t Task, dependents []string, s record.Stamp) (Task, *record.Entry, error) {
	if len(dependents) == 0 {
		return commit(t, s.Entry(record.Deleted))
	}
	shown := dependents[:min(len(dependents), dependentsNamed)]
	e := record.Errorf(record.HasDependents, "needed by %s%s", strings.Join(shown, ", "), record.AndMore(len(dependents)-len(shown))).
		WithHint("look at what needs it").WithNext(record.CallTo("get", "id", dependents[0]))
	for _, givenUp := range f.Abandoned[:min(1, len(f.Abandoned))] {
		e = e.WithHint("look at what needs it; a task that is given up is closed instead: %s", record.CallTo("transition", "id", t.ID, "to", string(givenUp)).OnlyShown())
	}
	e.Details = map[string]any{"dependents": shown, "total": len(dependents)}
	return t, nil, e
}

// Restore appends the entry that says that a task was taken out of the trash, as it was. It returns DANGLING_DEP or
// DEP_CYCLE if what it depends on, or its parent, is not there any more or depends on it.
func (f Flow) Restore(t Task, find Find, s record.Stamp) (Task, *record.Entry, error) {
	if err := cmp.Or(ValidDeps(t.ID, t.Deps, find), ValidParent(t.ID, t.Parent, find)); err != nil {
		return t, nil, err
	}
	return commit(t, s.Entry(record.Restored))
}

const dependentsNamed = 5

// Create returns a task as it is to be written first: in the initial state, with pending checks and its first entry. It
// returns INVALID_INPUT, DANGLING_DEP or DEP_CYCLE if there may be no such task.
func (f Flow) Create(t Task, find Find, s record.Stamp) (Task, error) {
	if err := cmp.Or(ValidFields(t), ValidCounts(Task{}, t), ValidDeps(t.ID, t.Deps, find), ValidParent(t.ID, t.Parent, find)); err != nil {
		return t, err
	}
	t = t.InRepo(t.Repo)
	t.Status = f.Initial
	t.Body = record.CleanBody(t.Body)
	for _, f := range Fields() {
		if f.At != nil {
			t = f.With(t, f.Of(t))
		}
	}
	t.Checks = carryResults(nil, t.Checks)
	e := s.Entry(record.Created)
	e.Checks, e.AddDeps, e.Deps = t.CheckHashes(), t.Deps, DepsHash(t.ID, t.Deps)
	if t.Assignee != "" {
		e.Assignee = &t.Assignee
	}
	t.Provenance = nil
	return t.With(e), nil
}

// Plan creates several tasks at once. They may name one another in deps and parent, and come in any order. It returns
// them as Create does, each behind those that it depends on, or the error of the first that may not be created.
func (f Flow) Plan(tasks []Task, find Find, s record.Stamp) ([]Task, error) {
	planned := record.By(tasks, func(t Task) record.ID { return t.ID })
	among := func(id record.ID) (Task, bool) {
		if t, ok := planned[id]; ok {
			return t, true
		}
		return find(id)
	}
	for _, t := range tasks {
		created, err := f.Create(t, among, s)
		if err != nil {
			return nil, err
		}
		planned[t.ID] = created
	}
	o := order{planned: planned}
	for _, t := range tasks {
		o.visit(t.ID)
	}
	return o.tasks, nil
}

// order sorts tasks so that each comes behind those that it names.
type order struct {
	planned map[record.ID]Task // those not yet visited
	tasks   []Task
}

// visit appends a task behind its deps, and behind its parent unless the parent depends on it.
func (o *order) visit(id record.ID) {
	t, ok := o.planned[id]
	if !ok {
		return
	}
	delete(o.planned, id)
	for _, dep := range t.Deps {
		o.visit(dep)
	}
	o.visit(t.Parent)
	o.tasks = append(o.tasks, t)
}
