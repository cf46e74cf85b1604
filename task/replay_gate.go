package task

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// judgeGate reports a move that the checks gate refuses.
func (w *walk) judgeGate(i int, e record.Entry) {
	if e.To == "" || e.Old {
		return
	}
	err := w.gateAt(i, e)
	if err == nil {
		return
	}
	w.refused[i] = true
	if stale := w.stalePasses(i, e); len(stale) > 0 && record.CodeOf(err) == record.ChecksPending {
		for _, n := range stale {
			w.report(StalePass, i, "the check %q passed on other files than those that the task was moved to %s on", w.Now.Checks[n].Desc, e.To).Check = n
		}
		return
	}
	gate := "checks"
	if record.CodeOf(err) == record.EvidenceMissing {
		gate = "evidence"
	}
	w.report(RefusedEntry, i, "moves the task to %s, which the %s gate refuses: %s", e.To, gate, record.MessageOf(err))
}

// markMadeGood marks the breaches of the checks gate after which another entry moved the task to the same state, or to
// any that says the work is done, through an open gate. It drops the breach of the newest close if the task still is
// closed on checks that have not passed, or without the evidence that it requires, because other rules report that.
func (w *walk) markMadeGood() {
	unproven := len(w.Flow.Unproven(w.Now)) > 0 || !w.Flow.Evidenced(w.Now)
	w.found = slices.DeleteFunc(w.found, func(b Breach) bool {
		return unproven && b.Entry == w.close && w.refused[b.Entry] && (b.Kind == StalePass || b.Kind == RefusedEntry)
	})
	last := map[record.Status]int{} // the newest entry that moved to a state through an open gate
	const done = record.Status("")  // stands for all states that say the work is done
	for i, e := range w.Now.Provenance {
		if e.To == "" || w.refused[i] {
			continue
		}
		last[e.To] = i
		if w.Flow.ClaimsDone(e.To) {
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

// gateAt returns the refusal of the checks gate for the move of an entry. If the merged entries refuse it, those of the
// commit that added the entry decide.
func (w *walk) gateAt(i int, e record.Entry) error {
	from := w.from(e)
	first := w.Now
	if w.Before != nil {
		first = *w.Before
	}
	err := w.checksGate(w.Now, i, from, first.CheckHashes())
	if err == nil {
		return nil
	}
	own, at := w.broughtBy(e)
	if at < 0 {
		return err
	}
	for _, c := range own.Task.Checks {
		w.known[c.Hash(w.Now.ID)] = c
	}
	// Where no entry lists them, one counts too that the file lacked for a moment.
	hashes, now := own.Task.CheckHashes(), w.Now.CheckHashes()
	for _, from := range own.From {
		for _, h := range from.CheckHashes() {
			if slices.Contains(now, h) && !slices.Contains(hashes, h) {
				hashes = append(hashes, h)
			}
		}
	}
	return w.checksGate(own.Task, at, from, hashes)
}

// checksGate applies Flow.ChecksGate to the move of an entry, with the checks that were declared then and the results
// recorded until then. hashes are those of the checks where no entry lists them.
func (w *walk) checksGate(t Task, i int, from record.Status, hashes []string) error {
	e := t.Provenance[i]
	if lists, ok := t.Provenance[:i+1].Newest(func(e record.Entry) bool { return e.Checks != nil }); ok {
		hashes = lists.Checks
	}
	then := Task{ID: t.ID, Status: from, Provenance: t.Provenance[:i], RequiresEvidence: slices.Contains(hashes, evidenceMark)}
	refs, unknown := w.refsAt(t, i)
	then.Refs = refs
	for _, h := range hashes {
		c, ok := w.known[h]
		if !ok {
			continue // dropped since, and no version of the file has it; Flow.Weakened judges the drop
		}
		c.Result = record.Pending
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
	proof := Proof{Commit: e.Commit, Tree: e.Tree, Reviewed: e.Said().Reviewed, Run: &Run{Results: e.Results, Commit: e.Commit, Tree: e.Tree}}
	if err := flow.ChecksGate(then, e.To, proof, e.Who); err != nil {
		return err
	}
	if unknown {
		return nil
	}
	return flow.EvidenceGate(then, e.To, proof)
}

// refsAt returns the references that a version of the task may have had with its i-th entry: those of any version that
// are not younger. unknown says that an earlier entry names one that is in no version, so that nothing is known of it.
func (w *walk) refsAt(t Task, i int) (out []record.Reference, unknown bool) {
	versions := append([]Task{t, w.Now}, w.Past...)
	if w.Before != nil {
		versions = append(versions, *w.Before)
	}
	known := map[string]bool{}
	for _, v := range versions {
		for _, r := range v.Refs {
			if known[r.Ref] = true; !r.At.After(t.Provenance[i].At) {
				out = append(out, r)
			}
		}
	}
	for _, e := range t.Provenance[:i] {
		for _, ref := range e.Said().Refs {
			unknown = unknown || !known[ref]
		}
	}
	return out, unknown
}

// stalePasses lists the commands whose newest pass, before an entry moved the task, was on other files than those of
// the move.
func (w *walk) stalePasses(i int, e record.Entry) []int {
	var out []int
	then := w.Now
	then.Provenance = w.Now.Provenance[:i+1]
	evidence := then.EvidenceIndex()
	for n, c := range w.Now.Checks {
		ev, ok := evidence.Evidence(n)
		if ok && !c.Manual() && ev.Result == record.Pass && ev.Entry < i && (ev.Tree == "" || ev.Tree != e.Tree) {
			out = append(out, n)
		}
	}
	return out
}

// compareChecks reports checks of the base that are gone although no new entry leaves them out.
func (w *walk) compareChecks() {
	if w.Before == nil {
		return
	}
	now, dropped := record.SetOf(w.Now.CheckHashes()), map[string]bool{}
	asked := record.SetOf(w.Before.CheckHashes())
	for i, e := range w.Now.Provenance {
		if !w.Fresh(i) || e.Checks == nil {
			continue
		}
		listed := record.SetOf(e.Checks)
		for h := range asked {
			if !listed[h] {
				dropped[h] = true
			}
		}
	}
	if w.Before.RequiresEvidence && !w.Now.RequiresEvidence && !dropped[evidenceMark] {
		w.report(LostCheck, -1, "evidence is not required any more, and no entry says so")
	}
	for _, c := range w.Before.Checks {
		if h := c.Hash(w.Now.ID); !now[h] && !dropped[h] {
			w.report(LostCheck, -1, "the check %q was taken away or changed, and no entry says so", c.Desc)
		}
	}
}
