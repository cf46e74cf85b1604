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
