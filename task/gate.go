package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Proof is what is known at the moment of a move, beside the task itself.
type Proof struct {
	Commit   string // HEAD now, "" outside git
	Tree     string // fingerprint of the working tree now, or "" if unknown: then no pass of a command counts, and no signature made in git
	Reviewed string // fingerprint of the files that a reviewer was shown, where that is not Tree: of the branch that is merged
	Run      *Run   // results of a run made for this very move
	Guards   Guarded
}

// Gate returns why an actor may not move a task to a state: UNKNOWN_STATE, or the refusal of a gate.
func (f Flow) Gate(t Task, to record.Status, p Proof, find Find, who record.Actor) error {
	if err := f.Known(to); err != nil {
		return err
	}
	if err := f.DepsGate(t, to, find); err != nil {
		return err
	}
	if err := f.ChecksGate(t, to, p, who); err != nil {
		return err
	}
	return f.EvidenceGate(t, to, p)
}

// DepsGate returns DEPS_OPEN, naming what the task waits for, if the move starts the task while a dependency is not
// closed. A move starts a task if it leaves the initial state or an abandoned one, and enters neither. Leaving an
// abandoned state counts because any task may enter one: otherwise that would be a way around the gate. A dependency
// that cannot be found counts as open.
func (l Lifecycle) DepsGate(t Task, to record.Status, find Find) error {
	waits := t.Status == l.Initial || l.IsAbandoned(t.Status)
	if !waits || to == l.Initial || l.IsAbandoned(to) {
		return nil
	}
	open := l.BlockedBy(t, find)
	if len(open) == 0 {
		return nil
	}
	names := make([]string, len(open))
	for i, id := range open {
		names[i] = fmt.Sprintf("%s (missing)", id)
		if dep, ok := find(id); ok {
			names[i] = fmt.Sprintf("%s (%s)", id, dep.Status)
		}
	}
	e := record.Errorf(record.DepsOpen, "waits for %s", strings.Join(names, ", "))
	if _, ok := find(open[0]); !ok {
		e.Err = record.MissingError{Ref: open[0].Ref()}
		return e.WithHint("%s says why it cannot be read; bring its file back, or ask a person whether it is still to be waited for", record.CallTo("get", "id", open[0])).
			WithNext(record.CallTo("get", "id", t.ID))
	}
	return e.WithHint("%s", record.CallTo("get", "id", open[0]))
}

// ChecksGate returns CHECKS_FAILED or CHECKS_PENDING, naming the checks, if the task may not enter a state because of
// them. A closed state needs every check passed, an abandoned one none. Where the flow gates the review, entering it
// needs the commands passed. The refusal says what the actor can do next.
func (f Flow) ChecksGate(t Task, to record.Status, p Proof, who record.Actor) error {
	var failed, pending []string
	var open []int
	standing, evidence := f.Standings(t, p), t.EvidenceIndex()
	for i, c := range t.Checks {
		if !f.needs(t, to, c) {
			continue
		}
		switch standing(i) {
		case record.Pass:
			continue
		case record.Fail:
			failed = append(failed, c.Desc)
		default:
			pending = append(pending, c.Desc+f.whyUnsettled(t, i, p, evidence))
		}
		open = append(open, i)
	}
	if len(open) == 0 {
		if err := f.guardsGate(t, to, p); err != nil {
			return err
		}
		return f.redGate(t, to, p)
	}
	return f.sayWhatHelps(checksOpen(failed, pending), t, open, who)
}

// needs reports whether a check must have passed before the task may enter a state.
func (l Lifecycle) needs(t Task, to record.Status, c Check) bool {
	if t.Status == to {
		return false
	}
	if l.IsClosed(to) {
		return !l.IsAbandoned(to)
	}
	return l.GateReview && to == l.Review && !c.Manual()
}

func checksOpen(failed, pending []string) *record.Error {
	if len(failed) == 0 {
		return record.Errorf(record.ChecksPending, "not yet passed: %s", strings.Join(pending, "; "))
	}
	err := record.Errorf(record.ChecksFailed, "failed: %s", strings.Join(failed, "; "))
	if len(pending) > 0 {
		err.Msg += "; not yet passed: " + strings.Join(pending, "; ")
	}
	return err
}

// sayWhatHelps adds to a refusal what to do about the open checks. Commands come first, because the actor can make them
// pass. The next call is never the verdict on a manual check: an agent that makes every call it is given must not
// settle a check by that.
func (a Attesters) sayWhatHelps(err *record.Error, t Task, open []int, who record.Actor) error {
	if slices.ContainsFunc(open, func(i int) bool { return !t.Checks[i].Manual() }) {
		return err.WithHint("fix what the output shows, then %s", record.CallTo("run_checks", "id", t.ID))
	}
	i := open[0]
	err = err.WithNext(record.CallTo("get", "id", t.ID, "mode", "context"))
	by, sign := a.settledBy(t.Checks[i])
	if a.MaySettle(t.Checks[i], who) && !sign && who.Human() {
		return err.WithHint("look at whether it is as check %d demands, and do what is missing; then %s", i,
			record.CallTo("attest", "id", t.ID, "check", i, "pass", record.Either).OnlyShown())
	}
	if a.MaySettle(t.Checks[i], who) && !sign {
		return err.WithHint("look at whether it is as check %d demands, and do what is missing; then %s says what you found", i, record.CallTo("attest"))
	}
	if by == ByHuman {
		by = "a person"
	}
	return err.WithHint("%s looks at it and settles it: %s; in a session, %s hands the task over for review", by, a.attestCall(t, i), record.CallTo("finish"))
}

// EvidenceGate returns EVIDENCE_MISSING if the task requires evidence, would enter a closed state that is not an
// abandoned one, and has none: neither a reference to a commit or a pull request, nor a command check that stands at
// pass.
func (f Flow) EvidenceGate(t Task, to record.Status, p Proof) error {
	if t.Status == to || f.evidenced(t, to, f.Standings(t, p)) {
		return nil
	}
	return noEvidence(t, "before it is "+string(to))
}

func noEvidence(t Task, when string) *record.Error {
	return record.Errorf(record.EvidenceMissing, "needs evidence %s: a commit, a pull request, or a command check that passed", when).
		WithHint("%s names the commit that is checked out", record.CallTo("ref_add", "id", t.ID, "type", string(record.CommitRef)).OnlyShown())
}

// hasCode reports whether the task has a reference to a commit or a pull request that an entry brought.
func (t Task) hasCode() bool { return slices.ContainsFunc(t.Refs, t.shows) }

// shows reports whether a reference of the task is evidence.
func (t Task) shows(r record.Reference) bool {
	return (r.Type == record.CommitRef || r.Type == record.PullRef) && r.Follows() && t.Provenance.Refers(r.Ref)
}

// Evidenced reports whether a task has what it needs by its own record: it requires no evidence, is open or abandoned,
// or has a reference to a commit or a pull request, or a command check that passed on whatever state of the files.
func (f Flow) Evidenced(t Task) bool {
	x := t.EvidenceIndex()
	return f.evidenced(t, t.Status, func(i int) record.Result { return x.Recorded(f, i) })
}

// evidenced reports whether a task has the evidence that it needs in a state, by how its checks stand.
func (l Lifecycle) evidenced(t Task, in record.Status, standing func(i int) record.Result) bool {
	if !t.RequiresEvidence || !l.ClaimsDone(in) || t.hasCode() {
		return true
	}
	for i, c := range t.Checks {
		if !c.Manual() && standing(i) == record.Pass {
			return true
		}
	}
	return false
}

// KeepsEvidence returns EVIDENCE_MISSING if a change of the references takes away the last evidence that a closed task
// needs.
func (f Flow) KeepsEvidence(before, after Task) error {
	if f.Evidenced(after) || !f.Evidenced(before) {
		return nil
	}
	return noEvidence(before, "as long as it is "+string(before.Status))
}

// Standings returns how each check of a task stands at the gates: a function of the check's index. A result of the run
// made for this very move counts first, then the recorded one. A recorded pass counts as pending if it is a command's,
// or must be signed, and was earned on another state of the files; so does an approval that was given for one.
func (f Flow) Standings(t Task, p Proof) func(i int) record.Result {
	ran, evidence := p.Run.results(t.ID), t.EvidenceIndex()
	return func(i int) record.Result {
		c := t.Checks[i]
		if r, ok := ran(c); ok {
			return r
		}
		r := evidence.Recorded(f, i)
		if r != record.Pass {
			return r
		}
		switch ev, _ := evidence.Evidence(i); {
		case f.Bound(c, ev) && !stillApproved(ev, p):
			return record.Pending
		case c.Manual() && !f.MustSign(c):
			return record.Pass
		case ev.Tree != p.Tree || p.Tree == "" && !c.Manual():
			return record.Pending
		}
		return record.Pass
	}
}

// Standing returns how check i stands at the gates; see Standings.
func (f Flow) Standing(t Task, i int, p Proof) record.Result { return f.Standings(t, p)(i) }

// ToRun lists the commands that must run before the task may move to a state: those that the checks gate needs and that
// do not stand at pass.
func (f Flow) ToRun(t Task, to record.Status, p Proof) []int {
	var out []int
	standing := f.Standings(t, p)
	for i, c := range t.Checks {
		if !c.Manual() && f.needs(t, to, c) && (standing(i) != record.Pass || len(t.Bent(i, p)) > 0) {
			out = append(out, i)
		}
	}
	return out
}

// AsksTree reports whether a move depends on the present state of the files because of a check that must be signed, or
// an approval that was given for one.
func (f Flow) AsksTree(t Task, to record.Status) bool {
	return f.bindsReview(t, to) || slices.ContainsFunc(t.Checks, func(c Check) bool { return f.needs(t, to, c) && f.MustSign(c) })
}

// Unproven lists the checks of a closed task that have not passed by its own provenance, on whatever state of the
// files. A task that is open or abandoned has none.
func (f Flow) Unproven(t Task) []Check {
	if !f.ClaimsDone(t.Status) {
		return nil
	}
	var out []Check
	x := t.EvidenceIndex()
	for i, c := range t.Checks {
		if x.Recorded(f, i) != record.Pass {
			out = append(out, c)
		}
	}
	return out
}
