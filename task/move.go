package task

import (
	"slices"
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

func commit(t Task, e Entry) (Task, *Entry, error) {
	t = t.With(e)
	last := t.Provenance.Last()
	return t, &last, nil
}

// RecordRun appends the results of running some of the task's commands, without moving it.
func RecordRun(t Task, run *Run, s Stamp) (Task, *Entry, error) {
	if run == nil || len(run.Results) == 0 {
		return t, nil, nil
	}
	t, e := t.ran(run, s.entry(Checked))
	return commit(t, e)
}

// Note appends text without changing anything else.
func Note(t Task, s Stamp) (Task, *Entry, error) {
	if err := RequiredText("text", s.Text, "say what is worth remembering"); err != nil {
		return t, nil, err
	}
	return commit(t, s.entry(Noted))
}
