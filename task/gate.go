package task

import (
	"fmt"
	"slices"
	"strings"
)

// DepsGate returns DEPS_OPEN, naming what the task waits for, if moving it to a state would leave the initial state while
// a dependency is not closed. A dependency that cannot be found counts as open. An abandoned state is entered without
// asking, so leaving it asks as leaving the initial state does: else it would be a way round.
func (f Flow) DepsGate(t Task, to Status, find Find) error {
	waits := t.Status == f.Initial || f.IsAbandoned(t.Status)
	if !waits || to == f.Initial || f.IsAbandoned(to) {
		return nil
	}
	open := f.BlockedBy(t, find)
	if len(open) == 0 {
		return nil
	}
	names := make([]string, len(open))
	for i, id := range open {
		names[i] = fmt.Sprintf("%s (%s)", id, statusOf(id, find))
	}
	e := Errorf(DepsOpen, "waits for %s", strings.Join(names, ", "))
	if _, ok := find(open[0]); !ok {
		return e.WithHint("%s says why it cannot be read; bring its file back, or ask a person whether it is still to be waited for", CallTo("get", "id", open[0])).
			WithNext("get", map[string]any{"id": string(t.ID)})
	}
	return e.WithHint("%s", CallTo("get", "id", open[0]))
}

func statusOf(id ID, find Find) string {
	if dep, ok := find(id); ok {
		return string(dep.Status)
	}
	return "missing"
}

// ChecksGate returns CHECKS_FAILED or CHECKS_PENDING, naming the checks, if the task may not enter a state because of them.
// Entering a closed state needs all checks passed; an abandoned one none; and where the flow gates the review, entering it
// needs the commands. The refusal leads on whoever wants to move it.
func (f Flow) ChecksGate(t Task, to Status, p Proof, who Actor) error {
	var failed, pending []string
	var open []int
	standing := f.Standings(t, p)
	for i, c := range t.Checks {
		if !f.gates(t, to, c) {
			continue
		}
		switch standing(i) {
		case Pass:
			continue
		case Fail:
			failed = append(failed, c.Desc)
		default:
			pending = append(pending, c.Desc+f.unsealed(t, i, p))
		}
		open = append(open, i)
	}
	if len(open) == 0 {
		return nil
	}
	return f.leadOn(checksOpen(failed, pending), t, open, who)
}

// gates reports whether a check must have passed before the task may enter a state.
func (f Flow) gates(t Task, to Status, c Check) bool {
	if t.Status == to {
		return false
	}
	if f.IsClosed(to) {
		return !f.IsAbandoned(to)
	}
	return f.GateReview && to == f.Review && !c.Manual()
}

func checksOpen(failed, pending []string) *Error {
	if len(failed) == 0 {
		return Errorf(ChecksPending, "not yet passed: %s", strings.Join(pending, "; "))
	}
	err := Errorf(ChecksFailed, "failed: %s", strings.Join(failed, "; "))
	if len(pending) > 0 {
		err.Msg += "; not yet passed: " + strings.Join(pending, "; ")
	}
	return err
}

// leadOn adds what to do about checks that are open: commands come first, since what they need is in the caller's hands. It
// leads to the work and never to the verdict: an agent that makes every call it is told to make must not settle a check.
func (f Flow) leadOn(err *Error, t Task, open []int, who Actor) error {
	if slices.ContainsFunc(open, func(i int) bool { return !t.Checks[i].Manual() }) {
		return err.WithHint("fix what the output shows, then %s", CallTo("run_checks", "id", t.ID))
	}
	i := open[0]
	err = err.WithNext("get", map[string]any{"id": string(t.ID), "mode": "context"})
	if f.maySettle(t.Checks[i], who) && !f.MustSign(t.Checks[i]) {
		return err.WithHint("look at whether it is as check %d demands, and do what is missing; then %s says what you found", i, CallTo("attest"))
	}
	by, _ := signedBy(f.settledBy(t.Checks[i]))
	if by == ByHuman {
		by = "a person"
	}
	return err.WithHint("%s looks at it and settles it: %s; in a session, %s hands the task over for review", by, f.attestCall(t, i), CallTo("finish"))
}

// AsksTree reports whether a move depends on what the files are now because of a check that has to be signed.
func (f Flow) AsksTree(t Task, to Status) bool {
	return slices.ContainsFunc(t.Checks, func(c Check) bool { return f.gates(t, to, c) && f.MustSign(c) })
}

// ToRun lists the commands that must be run before the task may move to a state: those the checks gate asks for that have
// not passed, or whose pass is stale.
func (f Flow) ToRun(t Task, to Status, p Proof) []int {
	var out []int
	standing := f.Standings(t, p)
	for i, c := range t.Checks {
		if !c.Manual() && f.gates(t, to, c) && standing(i) != Pass {
			out = append(out, i)
		}
	}
	return out
}

// Unproven lists the checks that a closed task has not passed by its own record: what the checks gate would say of its
// status if it were asked again. A task that is open or abandoned has none.
func (f Flow) Unproven(t Task) []Check {
	if !f.IsClosed(t.Status) || f.IsAbandoned(t.Status) {
		return nil
	}
	var out []Check
	x := t.EvidenceIndex()
	for i, c := range t.Checks {
		if x.Recorded(f, i) != Pass {
			out = append(out, c)
		}
	}
	return out
}

// Proof is what is known at the moment of a move, beside the record.
type Proof struct {
	Commit string // HEAD now, "" outside git
	Tree   string // fingerprint of the working tree now; "" makes every recorded pass of a command stale, and what was signed in git
	Run    *Run   // results of a run made for this very move
}

// Standing is the result of check i that the gates go by: that of the run made for this very move, else the recorded one,
// but that the pass of a command that was earned on another state of the tree is pending. So is a pass that has to be signed,
// and was for another state.
func (f Flow) Standing(t Task, i int, p Proof) Result {
	return f.standing(t, i, p, p.Run.results(t.ID), t.Evidence)
}

// Standings is Standing for many checks of a task: it goes through the record and the run once.
func (f Flow) Standings(t Task, p Proof) func(i int) Result {
	ran := p.Run.results(t.ID)
	x := t.EvidenceIndex()
	return func(i int) Result { return f.standing(t, i, p, ran, x.Evidence) }
}

func (f Flow) standing(t Task, i int, p Proof, ran func(Check) (Result, bool), evidence func(int) (Evidence, bool)) Result {
	c := t.Checks[i]
	if r, ok := ran(c); ok {
		return r
	}
	r := f.recorded(t, i, evidence)
	if r != Pass || c.Manual() && !f.MustSign(c) {
		return r
	}
	if ev, _ := evidence(i); ev.Tree != p.Tree || p.Tree == "" && !c.Manual() {
		return Pending
	}
	return Pass
}

// Recorded is the result of check i that the record vouches for, on whatever state of the tree it was earned. A pass
// written into the file that no entry accounts for is pending, and so is the pass of a manual check that was attested by
// whoever may not.
func (f Flow) Recorded(t Task, i int) Result { return f.recorded(t, i, t.Evidence) }

func (f Flow) recorded(t Task, i int, evidence func(int) (Evidence, bool)) Result {
	c := t.Checks[i]
	if c.Result != Pass {
		return c.Result
	}
	ev, ok := evidence(i)
	if !ok || ev.Result != Pass || c.Manual() && !f.settled(t, i, ev) {
		return Pending
	}
	return Pass
}

// unsealed says, behind the name of a check that is attested, why that does not count at the gate: " (not signed)".
func (f Flow) unsealed(t Task, i int, p Proof) string {
	c := t.Checks[i]
	if !c.Manual() || c.Result != Pass {
		return ""
	}
	ev, ok := t.Evidence(i)
	if !ok || ev.Result != Pass {
		return ""
	}
	sealed := t.Provenance[ev.Entry].Sig != ""
	flaw := f.Signature(t, ev.Entry)
	switch {
	case sealed && flaw != nil:
		return " (the signature does not count: " + flaw.Msg + ")"
	case !sealed && f.MustSign(c):
		return " (attested, and not signed)"
	case sealed && f.MustSign(c) && p.Tree == "":
		return " (signed, and the state of the files is not known now)"
	case sealed && f.MustSign(c) && p.Tree != ev.Tree:
		return " (signed for another state of the files)"
	default:
		return ""
	}
}
