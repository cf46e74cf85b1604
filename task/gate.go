package task

import (
	"fmt"
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
	e := Errorf(DepsOpen, "waits for %s", strings.Join(names, ", ")).
		WithHint("cairn show %s", open[0]).
		WithNext("get", map[string]any{"id": string(open[0])})
	if _, ok := find(open[0]); !ok {
		return e.WithHint("cairn show %s says why it cannot be read; cairn update %s --remove-dep %s lets it go", open[0], t.ID, open[0])
	}
	return e
}

func statusOf(id ID, find Find) string {
	if dep, ok := find(id); ok {
		return string(dep.Status)
	}
	return "missing"
}

// ChecksGate returns CHECKS_FAILED or CHECKS_PENDING, naming the checks, if the task may not enter a state because of them.
// Entering a closed state needs all checks passed; an abandoned one none; and where the flow gates the review, entering it
// needs the commands.
func (f Flow) ChecksGate(t Task, to Status, p Proof) error {
	var failed, pending []string
	firstManual := -1
	for i, c := range t.Checks {
		if !f.gates(t, to, c) {
			continue
		}
		switch f.Standing(t, i, p) {
		case Pass:
			continue
		case Fail:
			failed = append(failed, c.Desc)
		default:
			pending = append(pending, c.Desc)
		}
		if c.Manual() && firstManual < 0 {
			firstManual = i
		}
	}
	if len(failed)+len(pending) == 0 {
		return nil
	}
	return gateError(t, failed, pending, firstManual)
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

func gateError(t Task, failed, pending []string, firstManual int) *Error {
	code, msg := ChecksPending, "not yet passed: "+strings.Join(pending, "; ")
	if len(failed) > 0 {
		code, msg = ChecksFailed, "failed: "+strings.Join(failed, "; ")
		if len(pending) > 0 {
			msg += "; not yet passed: " + strings.Join(pending, "; ")
		}
	}
	err := Errorf(code, "%s", msg)
	if firstManual >= 0 && len(failed) == 0 {
		return err.WithHint("cairn attest %s %d --pass, by whoever may settle it", t.ID, firstManual).
			WithNext("get", map[string]any{"id": string(t.ID)})
	}
	return err.WithHint("mend what the output shows, then cairn run-checks %s", t.ID).
		WithNext("run_checks", map[string]any{"id": string(t.ID)})
}
