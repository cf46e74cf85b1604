package task

import "strconv"

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
