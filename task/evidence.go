package task

import (
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Evidence is the newest entry that records a result of a check.
type Evidence struct {
	Entry  int // its index in the provenance
	Result record.Result
	Who    record.Actor
	Commit string
	Tree   string // "" if the working tree was unknown or changed during the run: such a pass is always stale
	Held   string // as the entry says: record.HeldBase, record.HeldNot or ""
	Hashed bool   // false for entries of the original cairn, which name no check
}

// Evidence returns the evidence for check i. Only runs are evidence for commands, and only attestations for manual
// checks, so a manual check whose description looks like a hash proves nothing about a command.
func (t Task) Evidence(i int) (Evidence, bool) { return t.EvidenceIndex().Evidence(i) }

// oldEntries returns how many of the first entries may be from the original cairn. That program never recorded which
// checks were declared, so behind an entry that does, results in its wording are no evidence.
func (t Task) oldEntries() int {
	if n := slices.IndexFunc(t.Provenance, func(e record.Entry) bool { return e.Checks != nil }); n >= 0 {
		return n
	}
	return len(t.Provenance)
}

// EvidenceIndex returns the evidence of every check of a task. It reads the provenance once, on first use. It must not
// be used by several goroutines at once.
type EvidenceIndex struct {
	task  Task
	keys  []string                  // of the checks
	of    [2]map[resultKey]Evidence // the evidence of commands, and of manual checks
	stray [2]int                    // what Unclaimed returns for a command, and for a manual check; -1 for none
}

// resultKey is what a result in an entry names.
type resultKey struct {
	check    string
	unhashed bool
}

// EvidenceIndex makes the index of a task as it is now.
func (t Task) EvidenceIndex() *EvidenceIndex { return &EvidenceIndex{task: t} }

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
	for n, e := range slices.Backward(t.Provenance) {
		kind := kindOf(e.Did == record.Attested)
		for _, r := range e.Results {
			if r.Unhashed && n >= old {
				continue // results that name no check count only in an old entry
			}
			key := resultKey{r.Check, r.Unhashed}
			if newer, known := x.of[kind][key]; !known || newer.Entry == n && r.Result == record.Fail {
				x.of[kind][key] = Evidence{n, r.Result, e.Who, e.Commit, e.Tree, r.Held, !r.Unhashed}
			}
			if x.stray[kind] < 0 && !r.Unhashed && r.Result == record.Pass && !declared[r.Check] {
				x.stray[kind] = n
			}
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

// NotHeld reports whether check i stands at pass, and passed last on files that the work changed and not with
// them as they were, and no person has looked at these since.
func (x *EvidenceIndex) NotHeld(i int) bool {
	if x.task.Checks[i].Result != record.Pass {
		return false
	}
	ev, ok := x.Evidence(i)
	return ok && ev.Held == record.HeldNot &&
		x.task.Provenance.LastIndex(func(e record.Entry) bool { return e.Did == record.GuardsSeen && e.Who.Human() }) < ev.Entry
}

// Unclaimed returns the index of the newest entry that records a pass of a check which the task does not declare, of
// the kind of check i (command or manual), or -1. If check i has no evidence, that is most likely the pass of an
// earlier form of it.
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
	Base    string               // the commit whose guarded files the checks were held against; "" if none was
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
