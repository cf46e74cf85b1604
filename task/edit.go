package task

import (
	"slices"
	"strings"
)

// Edit is a change of what a task says. A nil field stays as it is; an empty one is cleared.
type Edit struct {
	Title      *string
	Body       *string
	Labels     *[]string
	Priority   *Priority
	Parent     *ID
	Assignee   *Actor
	Checks     *[]Check  // replaces the list; a check that asks for the same keeps its result
	Acceptance *[]string // replaces the manual checks that anyone may attest
	AddDeps    []ID
	RemoveDeps []ID
	To         *Status // moves through the same gates as Move
	MayWeaken  bool    // the caller may take away checks and open dependencies: a person, or a maintainer
	Explains   bool    // the text says why the edit is made; where nothing changes it is no note
}

// Update applies an edit in one entry. It returns INVALID_INPUT for values that may not stand, DANGLING_DEP or DEP_CYCLE
// for edges, the gates' refusals for To, TASK_CLOSED for checks of a closed task, and FORBIDDEN for dropping or changing a check
// (see mayWeaken) or dropping an open dependency (see mayDropDeps) without the right to. An edit that says what is so already
// changes nothing.
func (f Flow) Update(t Task, ed Edit, p Proof, find Find, s Stamp) (Task, *Entry, error) {
	before := t
	e := s.entry(Updated)
	t = ed.fields(t)
	t, err := ed.edges(t, find)
	if err == nil {
		err = f.mayDropDeps(before, ed, find, e)
	}
	if err != nil {
		return before, nil, err
	}
	e = e.changedDeps(before, t)
	if t, e, err = f.editChecks(t, ed, e); err != nil {
		return before, nil, err
	}
	if ed.Assignee != nil {
		t, e = assign(t, *ed.Assignee, e)
	}
	if err := ed.valid(t); err != nil {
		return before, nil, err
	}
	if err := ValidCounts(before, t); err != nil {
		return before, nil, err
	}
	if ed.To != nil {
		if err := f.Gate(t, *ed.To, p, find, s.Who); err != nil {
			return before, nil, err
		}
		t, e = f.move(t, *ed.To, e)
	}
	t, e = f.ran(t, p, e)
	e.Fields = changedFields(before, t)
	if e.Did = kindOfEdit(before, t, e); e.Did == "" || e.Did == Noted && ed.Explains {
		return before, nil, nil
	}
	return commit(t, e)
}

// fields sets what needs no look at other tasks.
func (ed Edit) fields(t Task) Task {
	if ed.Title != nil {
		t.Title = *ed.Title
	}
	if ed.Body != nil {
		t.Body = CleanBody(*ed.Body)
	}
	if ed.Labels != nil {
		t.Labels = unique(*ed.Labels)
	}
	if ed.Priority != nil {
		t.Priority = *ed.Priority
	}
	return t
}

// valid looks at the fields that the edit sets. What else is wrong with a file is not the caller's doing.
func (ed Edit) valid(t Task) error {
	looked := Task{Title: "-", Priority: t.Priority}
	if ed.Title != nil {
		looked.Title = t.Title
	}
	if ed.Body != nil {
		looked.Body = t.Body
	}
	if ed.Labels != nil {
		looked.Labels = t.Labels
	}
	if ed.Checks != nil || ed.Acceptance != nil {
		looked.Checks = t.Checks
	}
	return ValidFields(looked)
}

// edges sets deps and parent.
func (ed Edit) edges(t Task, find Find) (Task, error) {
	if err := ValidDeps(t.ID, ed.AddDeps, find); err != nil {
		return t, err
	}
	if err := t.hasDeps(ed.RemoveDeps); err != nil {
		return t, err
	}
	t.Deps = Entry{AddDeps: ed.AddDeps, RemoveDeps: ed.RemoveDeps}.WithDeps(t.Deps)
	if ed.Parent == nil {
		return t, nil
	}
	t.Parent = *ed.Parent
	return t, ValidParent(t.ID, t.Parent, find)
}

// changedDeps says in an entry how the dependencies changed, if they did.
func (e Entry) changedDeps(before, after Task) Entry {
	e.AddDeps, e.RemoveDeps = without(after.Deps, before.Deps), without(before.Deps, after.Deps)
	if len(e.AddDeps)+len(e.RemoveDeps) > 0 {
		e.Deps = DepsHash(after.ID, after.Deps)
	}
	return e
}

// hasDeps returns INVALID_INPUT if one of the tasks that are to be taken out of the deps is not among them: it is most likely
// a slip, and the task would wait on for what was meant.
func (t Task) hasDeps(ids []ID) error {
	for _, id := range ids {
		if !slices.Contains(t.Deps, id) {
			return Errorf(InvalidInput, "%s is not one of its deps", clip(string(id), maxID)).WithHint("its deps are %s", orNone(t.Deps))
		}
	}
	return nil
}

// mayDropDeps decides whether dependencies that are still open may be taken away. It needs a reason, for what the task waits for
// was asked of it; once work has begun it needs a person or a maintainer too. One that is closed, or does not exist, gates
// nothing and may go.
func (f Flow) mayDropDeps(t Task, ed Edit, find Find, e Entry) error {
	open := f.openDeps(t, ed.RemoveDeps, find)
	if len(open) == 0 {
		return nil
	}
	names := joinIDs(open, ", ")
	switch {
	case f.HasLeft(t) && !ed.MayWeaken:
		return Errorf(Forbidden, "work has begun, and %s is open: only a person may let it go", names).
			WithHint("ask a person to run %s with a reason", CallTo("update", "id", t.ID).ByPerson()).
			WithNext("get", map[string]any{"id": string(open[0])})
	case strings.TrimSpace(e.Text) == "":
		return Errorf(InvalidInput, "%s is open: to wait for it no more needs a reason", names).
			WithHint("say why in reason")
	}
	return nil
}

func (f Flow) editChecks(t Task, ed Edit, e Entry) (Task, Entry, error) {
	after := ed.newChecks(t.Checks)
	explained := t.ChecksExplained()
	if slices.EqualFunc(after, t.Checks, Check.Same) && (explained || ed.Checks == nil) && !f.vouches(t, ed, e) {
		t.Checks = after // time limits may differ
		return t, e, nil
	}
	if f.IsClosed(t.Status) {
		return t, e, closedError(t)
	}
	if dropped := Dropped(t.Checks, after); len(dropped) > 0 || !explained && f.HasLeft(t) {
		if err := f.mayWeaken(t, ed, dropped, e); err != nil {
			return t, e, err
		}
	}
	t.Checks = after
	e.Checks = t.CheckHashes()
	return t, e, nil
}

// vouches reports whether a person says of the list as it stands, with a reason, that it is right. The record keeps that, since
// it answers for what was taken away before.
func (f Flow) vouches(t Task, ed Edit, e Entry) bool {
	return ed.Checks != nil && e.Who.Human() && e.Text != "" && f.HasLeft(t) && !f.IsClosed(t.Status)
}

// mayWeaken decides whether the writer of an entry may drop checks, or vouch for a list that the record does not explain. Until
// work has begun a person, and whoever alone declared the list, may drop what is no default check; everything else takes a person
// or a maintainer, and a reason.
func (f Flow) mayWeaken(t Task, ed Edit, dropped []Check, e Entry) error {
	planned := !f.HasLeft(t) && (e.Who.Human() || t.declaredBy(e.Who))
	switch {
	case planned && len(Dropped(dropped, f.Defaults)) == len(dropped):
		return nil
	case !ed.MayWeaken:
		return Errorf(Forbidden, "a check that others rely on can be taken away or changed by a person only").
			WithHint("ask a person to run %s with a reason; adding checks is free", CallTo("update", "id", t.ID).ByPerson())
	case strings.TrimSpace(e.Text) == "":
		return Errorf(InvalidInput, "taking away or changing a check needs a reason").WithHint("say why in reason")
	default:
		return nil
	}
}

// declaredBy reports whether nobody else ever had a hand in the list of checks.
func (t Task) declaredBy(who Actor) bool {
	return len(t.Provenance) > 0 && !slices.ContainsFunc(t.Provenance, func(e Entry) bool {
		return (e.Checks != nil || e.Did == Created) && e.Who != who
	})
}

// newChecks is the list that the edit asks for.
func (ed Edit) newChecks(now []Check) []Check {
	if ed.Checks == nil && ed.Acceptance == nil {
		return now
	}
	after := slices.Clone(now)
	if ed.Checks != nil {
		after = slices.Clone(*ed.Checks)
	} else {
		after = slices.DeleteFunc(after, func(c Check) bool { return c.Manual() && c.By == ByAnyone })
	}
	if ed.Acceptance != nil {
		after = append(after, Acceptance(*ed.Acceptance)...)
	}
	return carryResults(now, after)
}

// changedFields names the keys of the file that differ and that no other part of an entry tells of.
func changedFields(before, after Task) []string {
	var out []string
	for _, field := range []struct {
		name    string
		changed bool
	}{
		{"title", before.Title != after.Title},
		{"priority", before.Priority != after.Priority},
		{"labels", !slices.Equal(before.Labels, after.Labels)},
		{"parent", before.Parent != after.Parent},
		{"timeout", timeoutChanged(before.Checks, after.Checks)},
		{"body", before.Body != after.Body},
	} {
		if field.changed {
			out = append(out, field.name)
		}
	}
	return out
}

// timeoutChanged reports whether a check that asks for what it asked for has another time limit.
func timeoutChanged(before, after []Check) bool {
	limits := make(map[string]Check, len(before))
	for _, c := range before {
		limits[c.Desc] = c
	}
	return slices.ContainsFunc(after, func(c Check) bool {
		old, ok := limits[c.Desc]
		return ok && old.Same(c) && old.Timeout != c.Timeout
	})
}

// kindOfEdit names the entry after what changed, or returns "" if nothing did.
func kindOfEdit(before, after Task, e Entry) Did {
	moved := after.Status != before.Status
	held := after.Assignee != before.Assignee
	rest := len(e.Fields) > 0 || e.Deps != "" || e.Checks != nil
	switch {
	case rest || moved && held:
		return Updated
	case moved:
		return Transitioned
	case held:
		return Assigned
	case e.Text != "":
		return Noted
	default:
		return ""
	}
}
