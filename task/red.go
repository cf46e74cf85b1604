package task

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// What a command means at the close that was never seen to fail without the work: the config's red.
const (
	RedNote    = "note"    // a notice
	RedRequire = "require" // NEVER_RED
	RedOff     = "off"     // nothing
)

// ExpectPass is what a check expects that passes before the work too. It is never red.
const ExpectPass = "pass"

// Red reports whether the record says that check i was seen to fail without the work: an entry since the work began has
// a failure of it, or the close says that it was seen otherwise.
func (l Lifecycle) Red(t Task, i int) bool {
	key, from := t.Checks[i].Key(t.ID), max(l.Began(t), l.opened(t))
	for n, e := range t.Provenance {
		failed := slices.ContainsFunc(e.Results, func(r record.CheckResult) bool { return r.Check == key && r.Result == record.Fail })
		if n >= from && (failed || slices.Contains(e.Said().Red, key)) {
			return true
		}
	}
	return false
}

// opened is the index of the entry with which a closed task was last opened again; -1 for none.
func (l Lifecycle) opened(t Task) int {
	return t.Provenance.LastIndex(func(e record.Entry) bool { return e.To != "" && l.IsClosed(e.From) })
}

// FailedOn reports whether the newest result of check i on some files is a failure.
func (t Task) FailedOn(i int, tree string) bool {
	key := t.Checks[i].Key(t.ID)
	for _, e := range slices.Backward(t.Provenance) {
		for _, r := range e.Results {
			if r.Check == key && e.Tree == tree && tree != "" {
				return r.Result == record.Fail
			}
		}
	}
	return false
}

// MayPass reports whether check i need not fail without the work: it expects to pass, and a person says so, or somebody
// who does none of the work said so before it began. mover is one of those who do it.
func (t Task) MayPass(i int, mover record.Actor) bool {
	c := t.Checks[i]
	if c.Expect != ExpectPass {
		return false
	}
	workers, began := t.workers(mover)
	hash, said := c.Hash(t.ID), -1
	for n, e := range t.Provenance {
		if e.Checks != nil {
			switch has := slices.Contains(e.Checks, hash); {
			case !has:
				said = -1
			case said < 0 || e.Who.Human():
				said = n
			}
		}
	}
	return said >= 0 && (t.Provenance[said].Who.Human() || said <= began && !workers[t.Provenance[said].Who])
}

// NeverRed lists the commands that must pass before a task enters a state, that were never seen to fail without the
// work, and that may not pass without it.
func (f Flow) NeverRed(t Task, to record.Status, g Guarded) (out []int) {
	for i, c := range t.Checks {
		if !c.Manual() && f.needs(t, to, c) && !g.Red[c.Key(t.ID)] && !f.Red(t, i) && !t.MayPass(i, g.Mover) {
			out = append(out, i)
		}
	}
	return out
}

// redGate returns NEVER_RED if the config requires that commands were seen to fail, and one that a close needs was not.
func (f Flow) redGate(t Task, to record.Status, p Proof) error {
	if p.Guards.Wants != RedRequire || !f.ClaimsDone(to) {
		return nil
	}
	never := f.NeverRed(t, to, p.Guards)
	if len(never) == 0 {
		return nil
	}
	descs := record.Each(never, func(i int) string { return t.Checks[i].Desc })
	return record.Errorf(record.NeverRed, "never seen to fail without this work: %s", strings.Join(descs, "; ")).
		WithHint("see whether it fails without the work, which counts: %s; if it passes there, test what is new, or have a person say that it expects to pass",
			record.CallTo("verify", "id", t.ID, "matrix", true).OnlyShown()).
		WithNext(record.CallTo("get", "id", t.ID))
}
