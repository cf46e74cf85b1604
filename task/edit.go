package task

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Edit is a change of what a task says. What it does not name stays as it is.
type Edit struct {
	Set                     Values
	AddLabels, RemoveLabels []string // beside labels: added behind those that stay
	Assignee                *record.Actor
	Checks                  *[]Check      // replaces the list; a check that asks for the same keeps its result
	Acceptance              *[]string     // replaces the manual checks that anyone may attest
	Reviewer                *record.Actor // replaces the check that stands for a reviewer; "" takes it away
	AddDeps, RemoveDeps     []record.ID
	To                      *record.Status // moves through the same gates as Move
	MayWeaken               bool           // the caller may take away checks and open dependencies: a person, or a maintainer
	Takes                   bool           // who gives the task to themselves takes it up, and does not only plan to
	NoNote                  bool           // an edit that changes nothing is not recorded as a note, whatever its text
}

// Values are what fields become, by name: of a field of Settable what a task holds, and of one in Task.Own a text, as
// OwnFields.Read returns it. The empty value clears a field.
type Values map[string]any

// Update applies an edit in one entry. It returns INVALID_INPUT for values that are not allowed, DANGLING_DEP or
// DEP_CYCLE for edges, the gates' refusals for To, TASK_CLOSED for the checks of a closed task, and FORBIDDEN for
// dropping or changing a check (see mayWeaken) or an open dependency (see mayDropDeps) without the right to. An edit
// that changes nothing appends no entry.
func (f Flow) Update(t Task, ed Edit, p Proof, find Find, s record.Stamp) (Task, *record.Entry, error) {
	u := &update{flow: f, edit: ed, find: find, before: t, task: t, entry: s.Entry(record.Updated)}
	u.fields()
	for _, step := range []func() error{u.edges, u.checks, u.valid} {
		if err := step(); err != nil {
			return t, nil, err
		}
	}
	if ed.To != nil {
		if err := f.Gate(u.task, *ed.To, p, find, s.Who); err != nil {
			return t, nil, err
		}
		u.task, u.entry = moved(u.task, *ed.To, u.entry)
	}
	after, e := f.recordProof(u.task, p, u.entry)
	e.Fields = changedFields(t, after)
	if e.Did = kindOfEdit(t, after, e); e.Did == record.Assigned && ed.Takes && after.Assignee == s.Who && !f.IsClosed(after.Status) {
		e.Did = record.Claimed
	}
	if e.Did == "" || e.Did == record.Noted && ed.NoNote {
		return t, nil, nil
	}
	return commit(after, e)
}

// update is an edit that is being applied.
type update struct {
	flow   Flow
	edit   Edit
	find   Find
	before Task
	task   Task         // as it becomes
	entry  record.Entry // that says so
}

// fields sets what can be set without reading other tasks.
func (u *update) fields() {
	named := Settable()
	for _, f := range named {
		if value, set := u.edit.Set[f.Name]; set {
			u.task = f.With(u.task, value)
		}
	}
	for name, value := range u.edit.Set {
		if !slices.ContainsFunc(named, func(f Field) bool { return f.Name == name }) {
			u.task = Field{Name: name}.With(u.task, value)
		}
	}
	if len(u.edit.AddLabels)+len(u.edit.RemoveLabels) > 0 {
		u.task.Labels = record.Relabeled(u.task.Labels, u.edit.AddLabels, u.edit.RemoveLabels)
	}
	if u.edit.Assignee != nil {
		u.task, u.entry = assign(u.task, *u.edit.Assignee, u.entry)
	}
}

// valid checks the fields that the edit sets. What else is wrong with the file is not the caller's doing.
func (u *update) valid() error {
	names := append(slices.Collect(maps.Keys(u.edit.Set)), "priority")
	if len(u.edit.AddLabels) > 0 {
		names = append(names, "labels")
	}
	if u.edit.Checks != nil || u.edit.Acceptance != nil || u.edit.Reviewer != nil {
		names = append(names, "checks")
	}
	if err := u.flow.Fields.keepsRequired(u.before.Own, u.edit.Set); err != nil {
		return err
	}
	if err := ValidFields(u.task, names...); err != nil {
		return err
	}
	return ValidCounts(u.before, u.task)
}

// edges sets deps and parent.
func (u *update) edges() error {
	t := u.task
	if err := ValidDeps(t.ID, u.edit.AddDeps, u.find); err != nil {
		return err
	}
	for _, id := range u.edit.RemoveDeps {
		if !slices.Contains(t.Deps, id) { // most likely a mistake: the task would go on waiting for the one that was meant
			return record.Errorf(record.InvalidInput, "%s is not one of its deps", record.Clip(string(id), record.MaxID)).
				WithHint("its deps are %s", cmp.Or(record.JoinIDs(t.Deps, ", "), "none"))
		}
	}
	u.task.Deps = record.Entry{AddDeps: u.edit.AddDeps, RemoveDeps: u.edit.RemoveDeps}.WithDeps(t.Deps)
	if u.edit.Set["parent"] != nil {
		if err := ValidParent(t.ID, u.task.Parent, u.find); err != nil {
			return err
		}
	}
	if err := u.mayDropDeps(); err != nil {
		return err
	}
	u.entry.AddDeps, u.entry.RemoveDeps = without(u.task.Deps, t.Deps), without(t.Deps, u.task.Deps)
	if len(u.entry.AddDeps)+len(u.entry.RemoveDeps) > 0 {
		u.entry.Deps = DepsHash(t.ID, u.task.Deps)
	}
	return nil
}

// mayDropDeps decides whether dependencies that are still open may be taken away. That needs a reason; once work has
// begun it also needs a person or a maintainer. A dependency that is closed, or does not exist, may always go.
func (u *update) mayDropDeps() error {
	open := u.flow.openDeps(u.before, u.edit.RemoveDeps, u.find)
	if len(open) == 0 {
		return nil
	}
	names := record.JoinIDs(open, ", ")
	switch {
	case u.flow.HasLeft(u.before) && !u.edit.MayWeaken:
		return record.Errorf(record.Forbidden, "work has begun, and %s is open: only a person may let it go", names).
			WithHint("ask a person to run %s with a reason", record.CallTo("update", "id", u.before.ID).ByPerson()).
			WithNext(record.CallTo("get", "id", open[0]))
	case strings.TrimSpace(u.entry.Text) == "":
		return record.Errorf(record.InvalidInput, "%s is open: to wait for it no more needs a reason", names).
			WithHint("say why: %s", dropDeps(u.before.ID, "WHY", u.edit.RemoveDeps...))
	}
	return nil
}

// dropDeps is the call that takes dependencies away for a reason.
func dropDeps(id record.ID, reason string, deps ...record.ID) record.Call {
	call := record.CallTo("update", "id", id)
	for _, dep := range deps {
		call.Args = append(call.Args, record.Arg{Name: "remove_deps", Value: string(dep)})
	}
	call.Args = append(call.Args, record.Arg{Name: "reason", Value: reason})
	return call.OnlyShown()
}

// checks sets the list of checks.
func (u *update) checks() error {
	was, after := u.before.Checks, u.edit.newChecks(u.before.Checks, u.task.Repo)
	explained := u.before.ChecksExplained()
	evidence := u.before.RequiresEvidence && !u.task.RequiresEvidence // it is no longer asked for
	if u.before.RequiresEvidence == u.task.RequiresEvidence && slices.EqualFunc(after, was, Check.Same) && (explained || u.edit.Checks == nil) && !u.answersForChecks() {
		u.task.Checks = after // time limits may differ
		return nil
	}
	if u.flow.IsClosed(u.before.Status) {
		return closedError(u.before)
	}
	u.task.Checks = after
	gone := unrecorded(u.before, u.task)
	if len(gone) > 0 && u.edit.Checks == nil {
		return goneError(u.before, gone)
	}
	if dropped := Dropped(was, after); len(dropped)+len(gone) > 0 || evidence || !explained && u.flow.HasLeft(u.before) {
		if err := u.mayWeaken(dropped, gone); err != nil {
			return err
		}
	}
	u.entry.Checks = u.task.CheckHashes()
	return nil
}

// goneError refuses an edit that states no list of checks, of a task whose file lacks checks that were declared: the
// entry would say that whoever wrote it took them away.
func goneError(t Task, gone []string) *record.Error {
	return record.Errorf(record.Forbidden, "its file lacks what was declared last (%s), and no entry took that away", unnamed(gone)).
		WithHint("git shows who took it out; write it back, or %s states the whole list in checks, with a reason", record.CallTo("update", "id", t.ID).ByPerson())
}

// unnamed describes checks of which nothing but their hashes is known.
func unnamed(hashes []string) string {
	checks := slices.DeleteFunc(slices.Clone(hashes), func(h string) bool { return h == evidenceMark })
	words := fmt.Sprintf("%d checks: %s", len(checks), strings.Join(checks, ", "))
	switch {
	case len(checks) == 0:
		return "the need for evidence"
	case len(checks) == 1:
		words = "the check with the declaration " + checks[0]
	}
	if len(checks) < len(hashes) {
		words += ", and the need for evidence"
	}
	return words
}

// answersForChecks reports whether a person states the list of checks, with a reason, after work began. Such an entry
// is recorded even if the list is as it was, because it excuses what was taken away before; see record.Entry.Excuses.
func (u *update) answersForChecks() bool {
	return u.edit.Checks != nil && u.entry.Who.Human() && u.entry.Text != "" &&
		u.flow.HasLeft(u.before) && !u.flow.IsClosed(u.before.Status)
}

// mayWeaken decides whether the writer may drop checks, those among them that are gone from the file already, by their
// hash, or state a list that the provenance does not explain. Before
// work begins, a person may drop any check that is not a default one, and so may an actor who alone has declared the
// list. Everything else needs a person or a maintainer, and a reason.
func (u *update) mayWeaken(dropped []Check, gone []string) error {
	who := u.entry.Who
	alone := len(u.before.Provenance) > 0 && !slices.ContainsFunc(u.before.Provenance, func(e record.Entry) bool {
		return (e.Checks != nil || e.Did == record.Created) && e.Who != who
	})
	planning := !u.flow.HasLeft(u.before) && (who.Human() || alone)
	defaults := u.flow.DefaultsOf(u.before)
	isGone := func(c Check) bool { return slices.Contains(gone, c.Hash(u.before.ID)) }
	switch {
	case planning && len(Dropped(dropped, defaults)) == len(dropped) && !slices.ContainsFunc(defaults, isGone):
		return nil
	case !u.edit.MayWeaken:
		return record.Errorf(record.Forbidden, "a check, or the need for evidence, that others rely on can be taken away or changed by a person only").
			WithHint("ask a person to run %s with a reason; adding checks is free", record.CallTo("update", "id", u.before.ID).ByPerson())
	case strings.TrimSpace(u.entry.Text) == "":
		return record.Errorf(record.InvalidInput, "taking away or changing a check needs a reason").
			WithHint("say why, with what you change: %s", record.CallTo("update", "id", u.before.ID, "reason", "WHY").OnlyShown())
	default:
		return nil
	}
}

// newChecks returns the list that the edit asks for, of a task whose files are in a repository.
func (ed Edit) newChecks(now []Check, repo string) []Check {
	if ed.Checks == nil && ed.Acceptance == nil && ed.Reviewer == nil && ed.Set["repo"] == nil {
		return now
	}
	after := slices.Clone(now)
	if ed.Checks != nil {
		after = slices.Clone(*ed.Checks)
	} else if ed.Acceptance != nil {
		after = slices.DeleteFunc(after, func(c Check) bool { return c.Manual() && c.By == ByAnyone })
	}
	if ed.Acceptance != nil {
		after = append(after, Acceptance(*ed.Acceptance)...)
	}
	if ed.Reviewer != nil {
		after = WithReviewer(after, *ed.Reviewer)
	}
	return carryResults(now, Task{Checks: after}.InRepo(repo).Checks)
}

// changedFields names the keys of the file that differ and that no other part of an entry describes.
func changedFields(before, after Task) []string {
	var out []string
	for _, f := range Settable() {
		if f.At != nil && f.Differs(before, after) {
			out = append(out, f.Name)
		}
	}
	if timeoutChanged(before.Checks, after.Checks) {
		out = append(out, "timeout")
	}
	own := after.TakenAway(before)
	for name, value := range after.Own {
		if before.Own[name] != value {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	return append(out, own...)
}

// timeoutChanged reports whether a check that otherwise stays the same has another time limit.
func timeoutChanged(before, after []Check) bool {
	limits := record.By(before, func(c Check) string { return c.Desc })
	return slices.ContainsFunc(after, func(c Check) bool {
		old, ok := limits[c.Desc]
		return ok && old.Same(c) && old.Timeout != c.Timeout
	})
}

// kindOfEdit names the entry after what changed, or returns "" if nothing did.
func kindOfEdit(before, after Task, e record.Entry) record.Did {
	moved := after.Status != before.Status
	held := after.Assignee != before.Assignee
	rest := len(e.Fields) > 0 || e.Deps != "" || e.Checks != nil
	switch {
	case rest || moved && held:
		return record.Updated
	case moved:
		return record.Transitioned
	case held:
		return record.Assigned
	case e.Text != "":
		return record.Noted
	default:
		return ""
	}
}
