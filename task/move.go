package task

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Stamp is what every entry says about the write that appended it, whatever that write did.
type Stamp struct {
	Who     Actor
	At      time.Time
	Text    string // a reason, a summary, a note
	Session string
	Key     string // hash of the idempotency key
}

func (s Stamp) entry(did Did) Entry {
	return Entry{Who: s.Who, At: s.At, Did: did, Text: s.Text, Session: s.Session, Key: s.Key}
}

// Entry is what a stamp says of a record that is no task.
func (s Stamp) Entry(did Did) Entry { return s.entry(did) }

func commit(t Task, e Entry) (Task, *Entry, error) {
	t = t.With(e)
	last := t.Provenance.Last()
	return t, &last, nil
}

// Move takes a task to a state, through both gates. The results of p.Run are recorded in the same entry. A move to the
// state the task is in, without text or results, changes nothing.
func (f Flow) Move(t Task, to Status, p Proof, find Find, s Stamp) (Task, *Entry, error) {
	if err := f.Gate(t, to, p, find, s.Who); err != nil {
		return t, nil, err
	}
	if t.Status == to && s.Text == "" && p.Run == nil {
		return t, nil, nil
	}
	e := s.entry(Transitioned)
	t, e = f.move(t, to, e)
	t, e = f.ran(t, p, e)
	return commit(t, e)
}

// Gate returns why an actor may not move a task to a state: UNKNOWN_STATE, or the refusal of a gate.
func (f Flow) Gate(t Task, to Status, p Proof, find Find, who Actor) error {
	if err := f.Known(to); err != nil {
		return err
	}
	if err := f.DepsGate(t, to, find); err != nil {
		return err
	}
	return f.ChecksGate(t, to, p, who)
}

// move sets the status, and says so in the entry if it was another.
func (f Flow) move(t Task, to Status, e Entry) (Task, Entry) {
	if t.Status != to {
		e.From, e.To, t.Status = t.Status, to, to
	}
	return t, e
}

// ran records what a move was judged by: the run that was made for it, or the state of the tree that passes had been earned on, if
// the move asked for passes of commands.
func (f Flow) ran(t Task, p Proof, e Entry) (Task, Entry) {
	moved := t
	moved.Status = e.From
	asked := e.To != "" && (f.AsksTree(moved, e.To) ||
		slices.ContainsFunc(t.Checks, func(c Check) bool { return !c.Manual() && f.gates(moved, e.To, c) }))
	switch {
	case p.Run != nil && len(p.Run.Results) > 0:
		return t.ran(p.Run, e)
	case asked:
		e.Commit, e.Tree = p.Commit, p.Tree
	}
	return t, e
}

// ran records a run in the checks and in the entry.
func (t Task) ran(run *Run, e Entry) (Task, Entry) {
	e.Results, e.Commit, e.Tree = run.Results, run.Commit, run.Tree
	return t.record(run), e
}

// RecordRun appends the results of running some of the task's commands, without moving it.
func RecordRun(t Task, run *Run, s Stamp) (Task, *Entry, error) {
	if run == nil || len(run.Results) == 0 {
		return t, nil, nil
	}
	t, e := t.ran(run, s.entry(Checked))
	return commit(t, e)
}

// record writes the results of a run into the checks they belong to.
func (t Task) record(run *Run) Task {
	t.Checks = slices.Clone(t.Checks)
	ran := run.results(t.ID)
	for i, c := range t.Checks {
		if r, ok := ran(c); ok {
			t.Checks[i].Result = r
		}
	}
	return t
}

// Note appends text without changing anything else.
func Note(t Task, s Stamp) (Task, *Entry, error) {
	if err := RequiredText("text", s.Text, "say what is worth remembering"); err != nil {
		return t, nil, err
	}
	return commit(t, s.entry(Noted))
}

// Claim makes the actor the holder. Whether the task is free to be claimed is decided by session.Holder, which also knows
// the live state. Claiming what one holds changes nothing; a closed task is TASK_CLOSED. With takeover the entry says so.
func (f Flow) Claim(t Task, takeover bool, s Stamp) (Task, *Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	if t.Assignee == s.Who && !takeover {
		return t, nil, nil
	}
	e := s.entry(Claimed)
	if takeover {
		e.Did = TakenOver
	}
	t, e = assign(t, s.Who, e)
	return commit(t, e)
}

// Release lets a task go. Only its holder may, or a person; one that nobody holds stays as it is. live says that there is
// a claim beside the file, which then ends even if the file names nobody.
func Release(t Task, live bool, s Stamp) (Task, *Entry, error) {
	if t.Assignee == "" && !live {
		return t, nil, nil
	}
	if t.Assignee != "" && t.Assignee != s.Who && !s.Who.Human() {
		return t, nil, Errorf(NotYours, "held by %s", t.Assignee).WithHint("ask %s, or a person, to release it", t.Assignee)
	}
	t, e := assign(t, "", s.entry(Released))
	return commit(t, e)
}

// Begin makes the actor the holder and takes a task in the initial state to the working one, through the gates. The stamp
// names the session. It always appends an entry: a session begins once.
func (f Flow) Begin(t Task, takeover bool, find Find, s Stamp) (Task, *Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	e := s.entry(Began)
	if takeover {
		e.Did = TakenOver
	}
	if t.Status == f.Initial && f.Working != "" {
		if err := f.Gate(t, f.Working, Proof{}, find, s.Who); err != nil {
			return t, nil, err
		}
		t, e = f.move(t, f.Working, e)
	}
	t, e = assign(t, s.Who, e)
	return commit(t, e)
}

// Finish hands a task over for review: it moves to the review state, through the gates, and keeps its holder.
func (f Flow) Finish(t Task, p Proof, find Find, s Stamp) (Task, *Entry, error) {
	e := s.entry(Finished)
	if f.Review != "" && !f.IsClosed(t.Status) {
		if err := f.Gate(t, f.Review, p, find, s.Who); err != nil {
			return t, nil, err
		}
		t, e = f.move(t, f.Review, e)
	}
	t, e = f.ran(t, p, e)
	return commit(t, e)
}

// Cancel gives a task up without moving it: the stamp names the session that ends, and the claim goes if the session's
// actor still holds it.
func Cancel(t Task, holder Actor, s Stamp) (Task, *Entry, error) {
	e := s.entry(Canceled)
	if t.Assignee == holder {
		t, e = assign(t, "", e)
	}
	return commit(t, e)
}

// assign sets the holder, and says so in the entry if it was another.
func assign(t Task, to Actor, e Entry) (Task, Entry) {
	if t.Assignee != to {
		t.Assignee, e.Assignee = to, &to
	}
	return t, e
}

func closedError(t Task) *Error {
	return Errorf(TaskClosed, "is closed (%s)", t.Status).WithHint("move it to an open state first, if there is more to do")
}

// Delete appends a task's last entry. It returns HAS_DEPENDENTS, naming them, while one of all depends on it or is grouped
// by it.
func Delete(t Task, all []Task, s Stamp) (Task, *Entry, error) {
	var names []string
	for _, other := range all {
		if other.Parent == t.ID || slices.Contains(other.Deps, t.ID) {
			names = append(names, string(other.ID))
		}
	}
	if len(names) > 0 {
		return t, nil, hasDependents(names)
	}
	return commit(t, s.entry(Deleted))
}

const dependentsNamed = 5

func hasDependents(names []string) error {
	shown := names[:min(len(names), dependentsNamed)]
	more := ""
	if n := len(names) - len(shown); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	e := Errorf(HasDependents, "needed by %s%s", strings.Join(shown, ", "), more).
		WithHint("look at what needs it; a task that is given up is moved to an abandoned state instead").
		WithNext("get", map[string]any{"id": names[0]})
	e.Details = map[string]any{"dependents": shown, "total": len(names)}
	return e
}
