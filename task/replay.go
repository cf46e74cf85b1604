package task

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// judgeGate asks the checks gate of a move.
func (w *replayed) judgeGate(i int, e Entry) {
	if e.To == "" || e.Old {
		return
	}
	err := w.gateAt(i, e)
	if err == nil {
		return
	}
	w.refused[i] = true
	if stale := w.stalePasses(i, e); len(stale) > 0 && CodeOf(err) == ChecksPending {
		for _, n := range stale {
			w.report(StalePass, i, "the check %q passed on other files than those that the task was moved to %s on", w.Now.Checks[n].Desc, e.To).Check = n
		}
		return
	}
	w.report(RefusedEntry, i, "moves the task to %s, which the checks gate refuses: %s", e.To, messageOf(err))
}

// markMadeGood marks breaches of the checks gate that a later move through it made good, and drops that of a task which is closed on
// checks that have not passed yet: that is a finding of its own.
func (w *replayed) markMadeGood() {
	unproven := len(w.Flow.Unproven(w.Now)) > 0
	w.found = slices.DeleteFunc(w.found, func(b Breach) bool {
		return unproven && b.Entry == w.close && w.refused[b.Entry] && (b.Kind == StalePass || b.Kind == RefusedEntry)
	})
	last := map[Status]int{} // the newest entry that went to a state, or to any that claims the work is done, through an open gate
	const done = Status("")
	for i, e := range w.Now.Provenance {
		if e.To == "" || w.refused[i] {
			continue
		}
		last[e.To] = i
		if w.Flow.IsClosed(e.To) && !w.Flow.IsAbandoned(e.To) {
			last[done] = i
		}
	}
	for n, b := range w.found {
		if b.Entry < 0 || !w.refused[b.Entry] {
			continue
		}
		to := w.Now.Provenance[b.Entry].To
		if w.Flow.IsClosed(to) {
			to = done
		}
		w.found[n].MadeGood = last[to] > b.Entry
	}
}

// gateAt asks the checks gate of the move that an entry made. Where the woven record refuses it, the record of the commit that
// brought the entry decides.
func (w *replayed) gateAt(i int, e Entry) error {
	from := w.from(e)
	err := w.checksGate(w.Now, i, from, w.listed(e))
	if err == nil {
		return nil
	}
	own, at := w.writtenIn(e)
	if at < 0 {
		return err
	}
	for _, c := range own.Task.Checks {
		w.known[c.Hash(w.Now.ID)] = c
	}
	return w.checksGate(own.Task, at, from, listAt(own.Task, at))
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

// checksGate is Flow.ChecksGate for the move of an entry, with the checks that were declared then and what the record vouched for.
func (w *replayed) checksGate(t Task, i int, from Status, hashes []string) error {
	e := t.Provenance[i]
	then := Task{ID: t.ID, Status: from, Provenance: t.Provenance[:i]}
	for _, h := range hashes {
		c, ok := w.known[h]
		if !ok {
			continue // dropped since, and nothing tells what it was: that it was dropped is asked elsewhere
		}
		c.Result = Pending
		then.Checks = append(then.Checks, c)
	}
	evidence := then.EvidenceIndex()
	for n := range then.Checks {
		if ev, ok := evidence.Evidence(n); ok {
			then.Checks[n].Result = ev.Result
		}
	}
	flow := w.Flow
	if e.To == w.AlsoReview && e.To != "" {
		flow.Review = e.To
	}
	return flow.ChecksGate(then, e.To, Proof{Commit: e.Commit, Tree: e.Tree, Run: &Run{Results: e.Results, Commit: e.Commit, Tree: e.Tree}}, e.Who)
}

// listed is the list of checks that the task declared once an entry was written.
func (w *replayed) listed(e Entry) []string {
	if e.Checks != nil {
		return e.Checks
	}
	if w.checks == nil {
		return w.Now.CheckHashes()
	}
	return w.checks
}

// listAt is the list of checks that a task declared when one of its entries was written.
func listAt(t Task, i int) []string {
	for _, e := range slices.Backward(t.Provenance[:i+1]) {
		if e.Checks != nil {
			return e.Checks
		}
	}
	return t.CheckHashes()
}

// stalePasses lists the commands that passed before an entry moved the task, on other files than it did.
func (w *replayed) stalePasses(i int, e Entry) []int {
	var out []int
	then := w.Now
	then.Provenance = w.Now.Provenance[:i+1]
	evidence := then.EvidenceIndex()
	for n, c := range w.Now.Checks {
		ev, ok := evidence.Evidence(n)
		if ok && !c.Manual() && ev.Result == Pass && ev.Entry < i && (ev.Tree == "" || ev.Tree != e.Tree) {
			out = append(out, n)
		}
	}
	return out
}

// judgeStart asks the deps gate of the newest start, if the change brings it and the task is not waiting again.
func (w *replayed) judgeStart() {
	if w.start < 0 || !w.Fresh(w.start) || w.waits(w.Now.Status) {
		return
	}
	e := w.Now.Provenance[w.start]
	open := w.openAt(Commit{Task: w.Now, Find: w.FindAt(e), Later: true}, w.start)
	if len(open) > 0 {
		if own, at := w.writtenIn(e); at >= 0 {
			still := setOf(w.openAt(own, at))
			open = slices.DeleteFunc(open, func(id ID) bool { return !still[id] })
		}
	}
	for _, id := range open {
		w.report(EarlyStart, w.start, "started the task before %s, which it depends on, was closed", id).Dep = id
	}
}

// openAt asks the deps gate of the move that an entry of a version of the task made, and lists what was open. A dependency that
// does not exist is a finding of its own.
func (w *replayed) openAt(in Commit, i int) []ID {
	then := Task{ID: in.Task.ID, Status: w.Flow.Initial, Deps: w.depsAt(in, i)}
	if w.Flow.DepsGate(then, in.Task.Provenance[i].To, in.Find) == nil {
		return nil
	}
	return w.Flow.openDeps(then, then.Deps, in.Find)
}

// depsAt is what a version of the task depended on when one of its entries was written: what the record says from its beginning
// on, and what the base had. Where the record does not tell, it is what the file says.
func (w *replayed) depsAt(in Commit, i int) []ID {
	record := in.Task.Provenance
	var deps []ID
	if in.Task.First().Deps == "" {
		deps = undone(in.Task.Deps, record)
	}
	if w.Before != nil && in.Later {
		deps = append(deps, undone(w.Before.Deps, w.Before.Provenance)...)
	}
	for _, e := range record[:i+1] {
		deps = e.WithDeps(deps)
	}
	return unique(deps)
}

// undone is what dependencies were before some entries.
func undone(deps []ID, entries []Entry) []ID {
	for _, e := range slices.Backward(entries) {
		deps = Entry{AddDeps: e.RemoveDeps, RemoveDeps: e.AddDeps}.WithDeps(deps)
	}
	return deps
}

// judgeDeps reports each open dependency that an entry takes away without the right to.
func (w *replayed) judgeDeps(i int, e Entry) {
	open := w.dropped(e, w.FindAt(e))
	if len(open) > 0 {
		if own, at := w.writtenIn(e); at >= 0 {
			still := setOf(w.dropped(e, own.Find))
			open = slices.DeleteFunc(open, func(id ID) bool { return !still[id] })
		}
	}
	if len(open) == 0 {
		return
	}
	left := w.Flow.HasLeft(Task{Status: w.status, Provenance: w.Now.Provenance[:i]})
	for _, id := range open {
		switch {
		case strings.TrimSpace(e.Text) == "":
			w.report(DroppedDep, i, "takes away the dependency on %s, which was open, and gives no reason", id).Dep = id
		case e.Who.Human():
		case left:
			w.report(DroppedDep, i, "takes away the dependency on %s, which was open, after work began, and not by a person", id).Dep = id
		case w.declarerOf(id, i) != e.Who:
			w.report(QuestionableDep, i, "takes away the dependency on %s, which was open and which somebody else declared", id).Dep = id
		}
	}
}

// dropped lists the open dependencies that an entry takes away. One that is back does not count while the task waits.
func (w *replayed) dropped(e Entry, find Find) []ID {
	gone := slices.DeleteFunc(slices.Clone(e.RemoveDeps), func(id ID) bool { return w.waits(w.Now.Status) && slices.Contains(w.Now.Deps, id) })
	return w.Flow.openDeps(Task{Deps: w.deps}, gone, find)
}

// declarerOf is whose entry, before one, added a dependency; "" if none tells.
func (w *replayed) declarerOf(id ID, before int) Actor {
	for _, e := range slices.Backward(w.Now.Provenance[:before]) {
		if slices.Contains(e.AddDeps, id) {
			return e.Who
		}
	}
	return ""
}

// compareChecks finds checks of the base that are gone without an entry that leaves them out.
func (w *replayed) compareChecks() {
	if w.Before == nil {
		return
	}
	now, dropped := setOf(w.Now.CheckHashes()), map[string]bool{}
	asked := setOf(w.Before.CheckHashes())
	for i, e := range w.Now.Provenance {
		if !w.Fresh(i) || e.Checks == nil {
			continue
		}
		listed := setOf(e.Checks)
		for h := range asked {
			if !listed[h] {
				dropped[h] = true
			}
		}
	}
	for _, c := range w.Before.Checks {
		if h := c.Hash(w.Now.ID); !now[h] && !dropped[h] {
			w.report(LostCheck, -1, "the check %q was taken away or changed, and no entry says so", c.Desc)
		}
	}
}

// compareDeps holds the dependencies against what the entries make of those of the base.
func (w *replayed) compareDeps() {
	if !w.depsRecorded {
		return
	}
	want, got := setOf(w.deps), setOf(w.Now.Deps)
	for _, id := range unique(w.deps) {
		if !got[id] {
			w.report(LostDep, -1, "the dependency on %s is gone, and no entry says so", id).Dep = id
		}
	}
	for _, id := range unique(w.Now.Deps) {
		if !want[id] {
			w.report(UntoldDep, -1, "a dependency on %s was added, and no entry says so", id).Dep = id
		}
	}
}

func messageOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}
