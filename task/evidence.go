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

// EvidenceIndex answers for all checks of one task what Task.Evidence and Task.Unclaimed answer for one. It is made in one pass
// over the record, when it is first asked, and costs as much as a single look, so whoever asks about every check of a task makes
// one. It is not for several goroutines.
type EvidenceIndex struct {
	task  Task
	keys  []string                  // of the checks
	of    [2]map[resultKey]Evidence // the evidence of commands, and of manual checks
	stray [2]int                    // what Unclaimed returns for a command, and for a manual check
}

// resultKey is what a result in an entry says it is about.
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

// add notes an entry that is older than all that were noted. Results that name no check count only if old.
func (x *EvidenceIndex) add(n int, e Entry, declared map[string]bool, old bool) {
	kind := kindOf(e.Did == Attested)
	for _, r := range e.Results {
		if r.Unhashed && !old {
			continue
		}
		key := resultKey{r.Check, r.Unhashed}
		if newer, known := x.of[kind][key]; !known || newer.Entry == n && r.Result == Fail {
			x.of[kind][key] = Evidence{n, r.Result, e.Who, e.At, e.Commit, e.Tree, !r.Unhashed}
		}
		if x.stray[kind] < 0 && !r.Unhashed && r.Result == Pass && !declared[r.Check] {
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
	for _, name := range []string{unhashedAll, strconv.Itoa(i)} {
		ev, has := of[resultKey{name, true}]
		switch {
		case !has:
		case ok && ev.Entry == best.Entry: // one entry that says both says fail
			if ev.Result == Fail && best.Result != Fail {
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

// Recorded is Flow.Recorded for check i.
func (x *EvidenceIndex) Recorded(f Flow, i int) Result { return f.recorded(x.task, i, x.Evidence) }

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
