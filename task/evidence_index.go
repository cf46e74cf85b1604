package task

import "strconv"

// EvidenceIndex answers for all checks of one task what Task.Evidence and Task.Unclaimed answer for one. It is made in one pass
// over the record, when it is first asked, and costs as much as a single look, so whoever asks about every check of a task makes
// one. It is not for several goroutines.
type EvidenceIndex struct {
	task  Task
	keys  []string                // of the checks
	of    [2]map[resultKey]ranked // the evidence of commands, and of manual checks
	stray [2]int                  // what Unclaimed returns for a command, and for a manual check
	seen  int                     // results that were noted
}

// resultKey is what a result in an entry says it is about.
type resultKey struct {
	check    string
	unhashed bool
}

// ranked is evidence, and how many results are newer, or stand before it in its entry.
type ranked struct {
	Evidence
	rank int
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
	x.keys, x.of, x.stray = make([]string, len(t.Checks)), [2]map[resultKey]ranked{{}, {}}, [2]int{-1, -1}
	declared := make(map[string]bool, len(t.Checks))
	for i, c := range t.Checks {
		x.keys[i] = c.Key()
		declared[x.keys[i]] = true
	}
	for n := len(t.Provenance) - 1; n >= 0; n-- {
		x.add(n, t.Provenance[n], declared)
	}
}

// add notes an entry that is older than all that were noted.
func (x *EvidenceIndex) add(n int, e Entry, declared map[string]bool) {
	kind := kindOf(e.Did == Attested)
	for _, r := range e.Results {
		key := resultKey{r.Check, r.Unhashed}
		if _, newer := x.of[kind][key]; !newer {
			x.of[kind][key] = ranked{Evidence{n, r.Result, e.Who, e.At, e.Commit, e.Tree, !r.Unhashed}, x.seen}
		}
		x.seen++
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
		if ev, has := of[resultKey{name, true}]; has && (!ok || ev.rank < best.rank) {
			best, ok = ev, true
		}
	}
	return best.Evidence, ok
}

// Unclaimed is Task.Unclaimed for check i.
func (x *EvidenceIndex) Unclaimed(i int) int {
	x.fill()
	return x.stray[kindOf(x.task.Checks[i].Manual())]
}

// Recorded is Flow.Recorded for check i.
func (x *EvidenceIndex) Recorded(f Flow, i int) Result { return f.recorded(x.task, i, x.Evidence) }
