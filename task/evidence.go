package task

import (
	"slices"
	"strconv"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Evidence is the newest entry that records a result of a check.
type Evidence struct {
	Entry  int // its index in the provenance
	Result record.Result
	Who    record.Actor
	At     time.Time
	Commit string
	Tree   string // "" if the working tree was unknown or changed during the run: such a pass is always stale
	Hashed bool   // false for entries of the original cairn, which name no check
}

// Evidence returns the evidence for check i. Only runs are evidence for commands, and only attestations for manual
// checks, so a manual check whose description looks like a hash proves nothing about a command.
func (t Task) Evidence(i int) (Evidence, bool) {
	c := t.Checks[i]
	key := c.Key(t.ID)
	old := t.oldEntries()
	for n, e := range slices.Backward(t.Provenance) {
		if !speaksOf(e, c) {
			continue
		}
		if r, ok := resultOf(e, key, i, n < old); ok {
			return Evidence{n, r.Result, e.Who, e.At, e.Commit, e.Tree, !r.Unhashed}, true
		}
	}
	return Evidence{}, false
}

// oldEntries returns how many of the first entries may be from the original cairn. That program never recorded which
// checks were declared, so behind an entry that does, results in its wording are no evidence.
func (t Task) oldEntries() int {
	if n := slices.IndexFunc(t.Provenance, func(e record.Entry) bool { return e.Checks != nil }); n >= 0 {
		return n
	}
	return len(t.Provenance)
}

// resultOf returns what an entry records for check i, whose key is given. If it records both pass and fail, that is
// fail. Results that name no check count only in an old entry.
func resultOf(e record.Entry, key string, i int, old bool) (found record.CheckResult, ok bool) {
	for _, r := range e.Results {
		better := !ok || r.Result == record.Fail && found.Result != record.Fail || r.Result == found.Result && found.Unhashed
		if (old || !r.Unhashed) && accountsFor(r, key, i) && better {
			found, ok = r, true
		}
	}
	return found, ok
}

// Unclaimed returns the index of the newest entry that records a pass of a check which the task does not declare, of
// the kind of check i (command or manual), or -1. If check i has no evidence, that is most likely the pass of an
// earlier form of it.
func (t Task) Unclaimed(i int) int {
	declared := map[string]bool{}
	for _, c := range t.Checks {
		declared[c.Key(t.ID)] = true
	}
	for n, e := range slices.Backward(t.Provenance) {
		if speaksOf(e, t.Checks[i]) && slices.ContainsFunc(e.Results, func(r record.CheckResult) bool {
			return !r.Unhashed && r.Result == record.Pass && !declared[r.Check]
		}) {
			return n
		}
	}
	return -1
}

// speaksOf reports whether an entry can be evidence for a check: an attestation for a manual one, anything else for a
// command.
func speaksOf(e record.Entry, c Check) bool { return (e.Did == record.Attested) == c.Manual() }

// accountsFor reports whether a result is about check i, whose key is given.
func accountsFor(r record.CheckResult, key string, i int) bool {
	if r.Unhashed {
		return r.Check == record.UnhashedAll || r.Check == strconv.Itoa(i)
	}
	return r.Check == key
}

// EvidenceIndex returns for every check of a task what Task.Evidence and Task.Unclaimed return for one. It reads the
// provenance once, on first use, so it is cheaper as soon as more than one check is asked about. It must not be used by
// several goroutines at once.
type EvidenceIndex struct {
	task  Task
	keys  []string                  // of the checks
	of    [2]map[resultKey]Evidence // the evidence of commands, and of manual checks
	stray [2]int                    // what Unclaimed returns for a command, and for a manual check
}

// resultKey is what a result in an entry names.
type resultKey struct {
	check    string
	unhashed bool
}

// EvidenceIndex makes the index of a task as it is now.
func (t Task) EvidenceIndex() *EvidenceIndex {
	return &EvidenceIndex{task: t}
}

// fill makes the index.
func (x *EvidenceIndex) fill() {
	if x.keys != nil {
		return
	}
	t := x.task
	x.keys, x.of, x.stray = make([]string, len(t.Checks)), [2]map[resultKey]Evidence{{}, {}}, [2]int{-1, -1}
	declared := make(map[string]bool, len(t.Checks))
	for i, c := range t.Checks {
		x.keys[i] = c.Key(t.ID)
		declared[x.keys[i]] = true
	}
	old := t.oldEntries()
	for n := len(t.Provenance) - 1; n >= 0; n-- {
		x.add(n, t.Provenance[n], declared, n < old)
	}
}

// add takes up entry n, which is older than all before. Results that name no check count only in an old entry.
func (x *EvidenceIndex) add(n int, e record.Entry, declared map[string]bool, old bool) {
	kind := kindOf(e.Did == record.Attested)
	for _, r := range e.Results {
		if r.Unhashed && !old {
			continue
		}
		key := resultKey{r.Check, r.Unhashed}
		if newer, known := x.of[kind][key]; !known || newer.Entry == n && r.Result == record.Fail {
			x.of[kind][key] = Evidence{n, r.Result, e.Who, e.At, e.Commit, e.Tree, !r.Unhashed}
		}
		if x.stray[kind] < 0 && !r.Unhashed && r.Result == record.Pass && !declared[r.Check] {
			x.stray[kind] = n
		}
	}
}

func kindOf(manual bool) int {
	if manual {
		return 1
	}
	return 0
}

// Evidence is Task.Evidence for check i.
func (x *EvidenceIndex) Evidence(i int) (Evidence, bool) {
	x.fill()
	of := x.of[kindOf(x.task.Checks[i].Manual())]
	best, ok := of[resultKey{x.keys[i], false}]
	for _, name := range []string{record.UnhashedAll, strconv.Itoa(i)} {
		ev, has := of[resultKey{name, true}]
		switch {
		case !has:
		case ok && ev.Entry == best.Entry: // an entry that records both counts as fail
			if ev.Result == record.Fail && best.Result != record.Fail {
				best = ev
			}
		case !ok || ev.Entry > best.Entry:
			best, ok = ev, true
		}
	}
	return best, ok
}

// Unclaimed is Task.Unclaimed for check i.
func (x *EvidenceIndex) Unclaimed(i int) int {
	x.fill()
	return x.stray[kindOf(x.task.Checks[i].Manual())]
}

// Recorded returns the result of check i that the provenance supports, on whatever state of the files it was earned. A
// pass is pending if no entry records it, or if it was attested by somebody who may not, or without a signature that it
// needs.
func (x *EvidenceIndex) Recorded(f Flow, i int) record.Result {
	c := x.task.Checks[i]
	if c.Result != record.Pass {
		return c.Result
	}
	ev, ok := x.Evidence(i)
	if !ok || ev.Result != record.Pass || c.Manual() && !f.settled(x.task, i, ev) {
		return record.Pending
	}
	return record.Pass
}

// Run is the results of running some of a task's commands.
type Run struct {
	Results []record.CheckResult // by Check.Key
	Commit  string               // HEAD, "" outside git
	Tree    string               // fingerprint of the working tree, "" if unknown or if it changed during the run
}

// Of returns the part of a run that is about checks that the task declares, or nil if there is none.
func (r *Run) Of(t Task) *Run {
	keys := map[string]bool{}
	for _, c := range t.Checks {
		if !c.Manual() {
			keys[c.Key(t.ID)] = true
		}
	}
	part := *r
	part.Results = slices.DeleteFunc(slices.Clone(r.Results), func(got record.CheckResult) bool { return !keys[got.Check] })
	if len(part.Results) == 0 {
		return nil
	}
	return &part
}

// results returns the result of each command of a task by this run: a function that reports false for a check that did
// not run. Two checks with the same command have passed only if both results are pass.
func (r *Run) results(of record.ID) func(Check) (record.Result, bool) {
	if r == nil {
		return func(Check) (record.Result, bool) { return "", false }
	}
	said := make(map[string]record.Result, len(r.Results))
	for _, got := range r.Results {
		if said[got.Check] != record.Fail {
			said[got.Check] = got.Result
		}
	}
	return func(c Check) (record.Result, bool) {
		if c.Manual() {
			return "", false
		}
		result, ok := said[c.Key(of)]
		return result, ok
	}
}
