package task

import (
	"fmt"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Replay is a change of one task, and what is needed to judge whether the entries that the change adds are legal and
// explain it.
type Replay struct {
	Flow       Flow
	Planning   []record.Status         // states that count as initial beside Flow.Initial, where the change sets another initial state
	AlsoReview record.Status           // a state that counts as Flow.Review too; "" for none
	Now        Task                    // with all entries; after a merge those of both sides, sorted by time
	Before     *Task                   // the task in the base; nil if the change adds it
	Fresh      func(int) bool          // whether the change adds the entry at an index of Now.Provenance
	Past       []Task                  // versions of the file in between, needed only to find the check that a hash stands for
	FindAt     func(record.Entry) Find // other tasks as they were, by their own entries, when an entry was written

	// WrittenIn returns the commit that added an entry, with the task and the other tasks as they are there. It reports
	// false for an entry that is not committed. It may be nil.
	WrittenIn func(record.Entry) (Commit, bool)
}

// Commit is a task, and the other tasks, as a commit has them.
type Commit struct {
	Task Task
	Find Find
	From []Task    // the task in the commits of the base that this one was made from
	At   time.Time // when it was made; zero for what is not committed
}

// Breach is something in a change that no legal write explains.
type Breach struct {
	Kind   BreachKind
	Entry  int       // index of the entry concerned, or -1
	Dep    record.ID // for kinds about a dependency
	Check  int       // index of the check of a StalePass
	Reason string

	MadeGood bool // a later entry passed the gate that this one did not
}

// BreachKind says what is wrong with a change.
type BreachKind int

// The kinds of breach.
const (
	RefusedEntry    BreachKind = iota // an entry that no verb writes, or that a rule would have refused
	UnreachedState                    // a move from a state that the task was never in
	EarlyStart                        // a start while a dependency was open
	StalePass                         // a move on a pass that was earned on other files
	ForeignHold                       // the holder was changed by an actor who may not
	DroppedDep                        // an open dependency was removed without the right to
	QuestionableDep                   // an open dependency was removed before work began, by an actor who did not add it
	LostCheck                         // a check of the base is gone, and no entry records it
	LostDep                           // a dependency is gone, and no entry records it
	UnrecordedDep                     // a dependency is there, and no entry records it
)

// Breaches applies all entries in order and judges each one that the change adds by the rules for writes. It returns
// the entries that those rules would have refused, and the checks and dependencies that the entries do not explain. The
// caller compares status, holder and results at the end.
//
// After a merge, an entry is legal if it was legal on its own branch. So a move may begin in any state that an earlier
// entry reached, and an entry that is refused among the merged entries is judged again by the commit that added it.
func (r Replay) Breaches() []Breach {
	w := r.start()
	for i, e := range r.Now.Provenance {
		if r.Fresh(i) {
			w.judge(i, e)
		}
		w.apply(i, e)
	}
	w.judgeStart()
	w.markMadeGood()
	w.compareChecks()
	w.compareDeps()
	return w.found
}

// walk is a replay under way: what the task was after the entries that have been applied.
type walk struct {
	Replay
	then         Task                   // its state, holder and dependencies
	reached      map[record.Status]bool // states that the task may have been in
	depsRecorded bool                   // the entries account for all dependencies
	known        map[string]Check       // by their hash
	start        int                    // index of the newest entry that started the task; -1
	close        int                    // index of the newest entry that closed it; -1
	refused      map[int]bool           // entries whose move the checks gate refuses
	made         int                    // index of the last entry that creates the task, of a round of a series the first; -1
	firstList    int                    // index of the first entry that lists the checks; -1
	declared     map[string]int         // index of the first entry that lists a check, by its hash
	byKey        map[string][]Check     // by Check.Key, which results name
	found        []Breach
}

// start returns a walk before the first entry.
func (r Replay) start() *walk {
	w := &walk{Replay: r, then: Task{Status: r.Flow.Initial}, reached: map[record.Status]bool{r.Flow.Initial: true}, known: map[string]Check{}, start: -1, close: -1,
		refused: map[int]bool{}, made: -1, firstList: -1, declared: map[string]int{}, byKey: map[string][]Check{}}
	for i, e := range r.Now.Provenance {
		if e.Did == record.Created && (w.made < 0 || Round(e) == "") {
			w.made = i
		}
		if e.Checks != nil && w.firstList < 0 {
			w.firstList = i
		}
		for _, h := range e.Checks {
			if _, known := w.declared[h]; !known {
				w.declared[h] = i
			}
		}
	}
	for _, s := range r.Planning {
		w.reached[s] = true
	}
	versions := append([]Task{r.Now}, r.Past...)
	if r.Before != nil {
		versions = append(versions, *r.Before)
		w.depsRecorded = true
		w.then.Deps = undone(r.Before.Deps, r.Before.Provenance)
		w.reached[r.Before.Status] = true
		if !r.Before.HasHolder() {
			w.then.Assignee = r.Before.Assignee
		}
		if !slices.ContainsFunc(r.Before.Provenance, func(e record.Entry) bool { return e.To != "" }) {
			w.then.Status = r.Before.Status
		}
	}
	for _, v := range versions {
		for _, c := range v.Checks {
			h := c.Hash(r.Now.ID)
			if _, known := w.known[h]; !known {
				key := c.Key(r.Now.ID)
				w.byKey[key] = append(w.byKey[key], c)
			}
			w.known[h] = c
		}
	}
	return w
}

func (w *walk) report(kind BreachKind, entry int, format string, args ...any) *Breach {
	w.found = append(w.found, Breach{Kind: kind, Entry: entry, Check: -1, Reason: fmt.Sprintf(format, args...)})
	return &w.found[len(w.found)-1]
}

// apply changes the state of the walk as an entry says.
func (w *walk) apply(i int, e record.Entry) {
	if e.To != "" {
		if (w.waits(w.from(e)) || w.waits(w.then.Status)) && !w.waits(e.To) {
			w.start = i
		}
		if w.Flow.IsClosed(e.To) {
			w.close = i
		}
		w.reached[e.To] = true
	}
	if e.From != "" {
		w.reached[e.From] = true
	}
	w.then = w.then.After(e)
	w.depsRecorded = w.depsRecorded || e.Deps != ""
	if w.Before != nil && i+1 == len(w.Before.Provenance) && i+1 == w.lastOfBase() {
		w.then.Status = w.Before.Status // if its own entries say otherwise, that was a finding in an earlier change
	}
}

// lastOfBase returns how many entries the base has if no new entry is among them, or else 0: then the moves of both
// sides decide.
func (w *walk) lastOfBase() int {
	n := min(len(w.Before.Provenance), len(w.Now.Provenance))
	for i := range n {
		if w.Fresh(i) {
			return 0
		}
	}
	return n
}

// from returns the state that an entry moved the task from. Entries of the original cairn do not record it.
func (w *walk) from(e record.Entry) record.Status {
	if e.From == "" {
		return w.then.Status
	}
	return e.From
}

// waits reports whether the deps gate applies to leaving a state.
func (w *walk) waits(s record.Status) bool {
	return s == w.Flow.Initial || w.Flow.IsAbandoned(s) || slices.Contains(w.Planning, s)
}

// broughtBy returns the commit that added an entry, and the index of the entry among those of the task there, or -1 if
// there is none.
func (w *walk) broughtBy(e record.Entry) (Commit, int) {
	if w.WrittenIn == nil {
		return Commit{}, -1
	}
	own, ok := w.WrittenIn(e)
	if !ok {
		return Commit{}, -1
	}
	return own, slices.IndexFunc(own.Task.Provenance, e.Equal)
}

// judge reports what is wrong with an entry that the change adds.
func (w *walk) judge(i int, e record.Entry) {
	if reason := w.malformed(i, e); reason != "" {
		w.report(RefusedEntry, i, "%s", reason)
		return
	}
	if reason := w.badResults(i, e); reason != "" {
		w.report(RefusedEntry, i, "%s", reason)
	}
	if from := w.from(e); e.To != "" && from != w.then.Status && !w.reached[from] {
		w.report(UnreachedState, i, "moves the task from %s, a state that it was not in", from)
	}
	w.judgeGate(i, e)
	w.judgeDeps(i, e)
	w.judgeHold(i, e)
}

// judgeHold reports an entry that claims or releases a task which another actor holds, by the entries of the commit
// that added it. It does not know the live state.
func (w *walk) judgeHold(i int, e record.Entry) {
	if holderConflict(w.then.Assignee, e) == "" {
		return
	}
	own, at := w.broughtBy(e)
	if at < 0 {
		return
	}
	var then Task
	for _, from := range own.From {
		if !from.HasHolder() {
			then.Assignee = from.Assignee
		}
	}
	for _, earlier := range own.Task.Provenance[:at] {
		then = then.After(earlier)
	}
	if reason := holderConflict(then.Assignee, e); reason != "" {
		w.report(ForeignHold, i, "%s", reason)
	}
}

// holderConflict returns what is wrong with an entry that claims or releases a task held by another actor, or "".
func holderConflict(holder record.Actor, e record.Entry) string {
	switch {
	case holder == "" || holder == e.Who || e.Who.Human():
		return ""
	case e.Did == record.Claimed || e.Did == record.Began:
		return "claims what " + string(holder) + " holds, and does not say that it takes it over"
	case e.Did == record.Released:
		return "releases what " + string(holder) + " holds"
	}
	return ""
}
