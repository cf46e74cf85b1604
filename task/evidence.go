package task

import (
	"slices"
	"strconv"
	"time"
)

// Evidence is how a check came by its result: the newest entry that speaks of it.
type Evidence struct {
	Entry  int // its place in the record
	Result Result
	Who    Actor
	At     time.Time
	Commit string
	Tree   string // "" if the working tree was unknown or moved during the run: such a pass is never fresh
	Hashed bool   // false for entries from before results named their checks
}

// Evidence returns the evidence for check i. Runs account for commands and attestations for manual checks, never the other
// way round, so a description that looks like a hash proves nothing.
func (t Task) Evidence(i int) (Evidence, bool) {
	c := t.Checks[i]
	key := c.Key(t.ID)
	old := t.oldEntries()
	for n, e := range slices.Backward(t.Provenance) {
		if !e.speaksOf(c) {
			continue
		}
		if r, ok := e.resultOf(key, i, n < old); ok {
			return Evidence{n, r.Result, e.Who, e.At, e.Commit, e.Tree, !r.Unhashed}, true
		}
	}
	return Evidence{}, false
}

// oldEntries is how many entries, from the first one on, may be in the wordings of the original cairn. Behind an entry that tells which
// checks were declared, which that program never wrote, its wordings prove nothing.
func (t Task) oldEntries() int {
	if n := slices.IndexFunc(t.Provenance, func(e Entry) bool { return e.Checks != nil }); n >= 0 {
		return n
	}
	return len(t.Provenance)
}

// resultOf returns what an entry says of the check with a key, which is the task's i-th. Where it says both pass and fail it is
// fail. Results that name no check count only if old.
func (e Entry) resultOf(key string, i int, old bool) (found CheckResult, ok bool) {
	for _, r := range e.Results {
		better := !ok || r.Result == Fail && found.Result != Fail || r.Result == found.Result && found.Unhashed
		if (old || !r.Unhashed) && r.accountsFor(key, i) && better {
			found, ok = r, true
		}
	}
	return found, ok
}

// Unclaimed returns the index of the newest entry with a pass that belongs to no check the task declares, among the entries
// that could speak of check i; or -1. Where check i has no evidence, it was most likely another when it passed.
func (t Task) Unclaimed(i int) int {
	declared := map[string]bool{}
	for _, c := range t.Checks {
		declared[c.Key(t.ID)] = true
	}
	for n, e := range slices.Backward(t.Provenance) {
		if e.speaksOf(t.Checks[i]) && slices.ContainsFunc(e.Results, func(r CheckResult) bool {
			return !r.Unhashed && r.Result == Pass && !declared[r.Check]
		}) {
			return n
		}
	}
	return -1
}

// speaksOf reports whether the results of an entry can be about a check: attestations about manual ones, runs about commands.
func (e Entry) speaksOf(c Check) bool { return (e.Did == Attested) == c.Manual() }

// accountsFor reports whether a result is about the check with a key, which is the task's i-th.
func (r CheckResult) accountsFor(key string, i int) bool {
	if r.Unhashed {
		return r.Check == unhashedAll || r.Check == strconv.Itoa(i)
	}
	return r.Check == key
}

// Run is what running some of a task's commands showed.
type Run struct {
	Results []CheckResult // by Check.Key
	Commit  string        // HEAD, "" outside git
	Tree    string        // fingerprint of the working tree, "" if unknown or if it moved during the run
}

// Of is the part of a run that is about checks that the task declares, or nil if there is none.
func (r *Run) Of(t Task) *Run {
	keys := map[string]bool{}
	for _, c := range t.Checks {
		if !c.Manual() {
			keys[c.Key(t.ID)] = true
		}
	}
	part := *r
	part.Results = slices.DeleteFunc(slices.Clone(r.Results), func(got CheckResult) bool { return !keys[got.Check] })
	if len(part.Results) == 0 {
		return nil
	}
	return &part
}

// results gives what the run says of a check of a task. Of two checks with the same command neither has passed if one failed.
func (r *Run) results(of ID) func(Check) (Result, bool) {
	if r == nil {
		return func(Check) (Result, bool) { return "", false }
	}
	said := make(map[string]Result, len(r.Results))
	for _, got := range r.Results {
		if said[got.Check] != Fail {
			said[got.Check] = got.Result
		}
	}
	return func(c Check) (Result, bool) {
		if c.Manual() {
			return "", false
		}
		result, ok := said[c.Key(of)]
		return result, ok
	}
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

// settled reports whether the attestation of a manual check is by whoever may make it, and signed where it has to be. A
// signature that does not hold makes any attestation worthless.
func (f Flow) settled(t Task, i int, ev Evidence) bool {
	c := t.Checks[i]
	switch signed := t.Provenance[ev.Entry].Sig != ""; {
	case signed && f.Signature(t, ev.Entry) != nil, !signed && f.MustSign(c):
		return false
	default:
		return f.maySettle(c, ev.Who)
	}
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
