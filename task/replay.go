package task

import (
	"errors"
	"fmt"
	"slices"
)

// Replay is what is known of a change of one task when the entries that it brings are asked to explain it.
type Replay struct {
	Flow       Flow
	Planning   []Status         // states that count as Flow.Initial does; for those that the change makes initial
	AlsoReview Status           // another state that is entered as Flow.Review is; "" for none
	Now        Task             // with the whole record, in which the entries of a merge stand woven together
	Before     *Task            // the task of the base; nil if the change brings it
	Fresh      func(int) bool   // whether the change brings the entry at an index of Now.Provenance
	Past       []Task           // what the file said in between: only to know what a hash of a check stands for
	FindAt     func(Entry) Find // tasks as they were, by their records, when an entry was written

	// WrittenIn finds the commit that brought an entry: the task as it was there, and its neighbours. Later reports whether that
	// commit stands on the base. It may be nil, and reports false for an entry that is not committed.
	WrittenIn func(Entry) (Commit, bool)
}

// Commit is a task and its neighbours as a commit has them.
type Commit struct {
	Task  Task
	Find  Find
	Later bool // it stands on the base, so it had what the base has
}

// Breach is something about a change that no legal write explains.
type Breach struct {
	Kind   BreachKind
	Entry  int // index of the entry to blame, or -1
	Dep    ID  // for kinds about a dependency
	Check  int // index of the check of a StalePass
	Reason string

	MadeGood bool // a later entry did what this one should have
}

// BreachKind says what is wrong with a change.
type BreachKind int

// The kinds of breach.
const (
	RefusedEntry    BreachKind = iota // an entry that no verb writes, or that the rules would have refused
	UnreachedState                    // a move from a state that the task was not in
	EarlyStart                        // a start while a dependency was open
	StalePass                         // a close on a pass that was earned on other files
	ForeignHold                       // the holder was changed by somebody who may not
	DroppedDep                        // an open dependency was taken away without the right to
	QuestionableDep                   // an open dependency was taken away while planning, by somebody who did not declare it
	LostCheck                         // a check of the base is gone, and no entry says so
	LostDep                           // a dependency is gone, and no entry says so
	UntoldDep                         // a dependency is there, and no entry says so
)

// Breaches applies the entries of the change to the record of the base, one after the other, and asks the rules of every
// one of them. It returns what they would have refused, and what of the dependencies the entries do not explain. Status, holder
// and results as they stand at the end are the caller's to compare.
//
// Entries that a merge wove together are legal if they were on their own branch: a move may begin in any state that an earlier
// entry reached, and an entry that the woven record refuses is judged again by the commit that brought it.
func (r Replay) Breaches() []Breach {
	w := r.walk()
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

// replayed is a record as far as it was walked.
type replayed struct {
	Replay
	status       Status
	holder       Actor
	reached      map[Status]bool
	deps         []ID
	depsRecorded bool // the entries tell of all dependencies
	checks       []string
	known        map[string]Check   // declarations by their hash
	start        int                // index of the newest entry that started the task; -1
	close        int                // index of the newest entry that closed it; -1
	refused      map[int]bool       // entries that went through a shut checks gate
	made         int                // index of the last entry that creates the task; -1
	told         int                // index of the first entry that tells of the checks; -1
	declared     map[string]int     // the first entry that declares a check, by its hash
	byKey        map[string][]Check // declarations, by the key that results name them with
	found        []Breach
}

func (r Replay) walk() *replayed {
	w := &replayed{Replay: r, status: r.Flow.Initial, reached: map[Status]bool{r.Flow.Initial: true}, known: map[string]Check{}, start: -1, close: -1,
		refused: map[int]bool{}, made: -1, told: -1, declared: map[string]int{}, byKey: map[string][]Check{}}
	for i, e := range r.Now.Provenance {
		if e.Did == Created {
			w.made = i
		}
		if e.Checks != nil && w.told < 0 {
			w.told = i
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
		w.deps = undone(r.Before.Deps, r.Before.Provenance)
		w.checks = r.Before.CheckHashes()
		w.reached[r.Before.Status] = true
		if !r.Before.HasHolder() {
			w.holder = r.Before.Assignee
		}
		if !slices.ContainsFunc(r.Before.Provenance, func(e Entry) bool { return e.To != "" }) {
			w.status = r.Before.Status
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

func (w *replayed) report(kind BreachKind, entry int, format string, args ...any) *Breach {
	w.found = append(w.found, Breach{Kind: kind, Entry: entry, Check: -1, Reason: fmt.Sprintf(format, args...)})
	return &w.found[len(w.found)-1]
}

// apply takes over what an entry changed.
func (w *replayed) apply(i int, e Entry) {
	if e.To != "" {
		if (w.waits(w.from(e)) || w.waits(w.status)) && !w.waits(e.To) {
			w.start = i
		}
		if w.Flow.IsClosed(e.To) {
			w.close = i
		}
		w.status = e.To
		w.reached[e.To] = true
	}
	if e.From != "" {
		w.reached[e.From] = true
	}
	if who, ok := e.Holder(); ok {
		w.holder = who
	}
	w.deps = e.WithDeps(w.deps)
	w.depsRecorded = w.depsRecorded || e.Deps != ""
	if e.Checks != nil {
		w.checks = e.Checks
	}
	if w.Before != nil && i+1 == len(w.Before.Provenance) && i+1 == w.lastOfBase() {
		w.status = w.Before.Status // what its own record does not tell was a finding of an earlier change
	}
}

// lastOfBase is how many entries the base has, if no fresh one stands among them; else 0: then the moves of both sides tell.
func (w *replayed) lastOfBase() int {
	n := min(len(w.Before.Provenance), len(w.Now.Provenance))
	for i := range n {
		if w.Fresh(i) {
			return 0
		}
	}
	return n
}

// from is the state that an entry moved the task from. Entries of the original cairn do not say it.
func (w *replayed) from(e Entry) Status {
	if e.From == "" {
		return w.status
	}
	return e.From
}

// waits reports whether leaving a state asks for the dependencies.
func (w *replayed) waits(s Status) bool {
	return s == w.Flow.Initial || w.Flow.IsAbandoned(s) || slices.Contains(w.Planning, s)
}

// writtenIn finds the commit that brought an entry, and the place of the entry in the task's record there; -1 if there is none.
func (w *replayed) writtenIn(e Entry) (Commit, int) {
	if w.WrittenIn == nil {
		return Commit{}, -1
	}
	own, ok := w.WrittenIn(e)
	if !ok {
		return Commit{}, -1
	}
	return own, slices.IndexFunc(own.Task.Provenance, e.Equal)
}

func (w *replayed) judge(i int, e Entry) {
	if reason := w.malformed(i, e); reason != "" {
		w.report(RefusedEntry, i, "%s", reason)
		return
	}
	if reason := w.badResults(i, e); reason != "" {
		w.report(RefusedEntry, i, "%s", reason)
	}
	if from := w.from(e); e.To != "" && from != w.status && !w.reached[from] {
		w.report(UnreachedState, i, "moves the task from %s, a state that it was not in", from)
	}
	w.judgeGate(i, e)
	w.judgeDeps(i, e)
	w.judgeHold(i, e)
}

// judgeHold reports an entry that claims or releases a task which somebody else holds. It knows the committed record only, not live
// state.
func (w *replayed) judgeHold(i int, e Entry) {
	if holderConflict(w.holder, e) == "" {
		return
	}
	own, at := w.writtenIn(e)
	if at < 0 {
		return
	}
	holder := Actor("")
	if w.Before != nil && own.Later && !w.Before.HasHolder() {
		holder = w.Before.Assignee
	}
	for _, earlier := range own.Task.Provenance[:at] {
		if who, ok := earlier.Holder(); ok {
			holder = who
		}
	}
	if reason := holderConflict(holder, e); reason != "" {
		w.report(ForeignHold, i, "%s", reason)
	}
}

// holderConflict says whose task an entry claims or releases, if somebody else holds it.
func holderConflict(holder Actor, e Entry) string {
	switch {
	case holder == "" || holder == e.Who || e.Who.Human():
		return ""
	case e.Did == Claimed || e.Did == Began:
		return "claims what " + string(holder) + " holds, and does not say that it takes it over"
	case e.Did == Released:
		return "releases what " + string(holder) + " holds"
	}
	return ""
}

func messageOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}
