package proof

import (
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// approvalRules judge the signatures of attestations, by the keys of the base: a change cannot bring its own. Package
// task decides whether a signature counts, for the gate of a working tree and here alike.
type approvalRules struct {
	*judge
	sigs     map[string][]*TaskFile // the tasks that hold a signature; nil until signedBy builds it
	searches int                    // how many signatures were searched for; see signedInstead
}

func (r *approvalRules) apply() {
	if !r.Config.Sound() {
		return
	}
	fresh := r.brought
	for _, f := range r.Tasks {
		if f.Sound() && slices.ContainsFunc(f.Task.Provenance, func(e record.Entry) bool { return e.Sig != "" }) {
			r.signatures(f, fresh[f.ID()])
		}
	}
	if r.change == nil {
		return
	}
	for _, p := range r.change.pairs {
		if r.closed[p.now.ID()] {
			r.approvedFiles(p)
			pairRules{r.judge, p}.reviewed()
		}
	}
}

// signatures judges the signatures of a task. A finding is a warning if the base has the signature already, or no
// result rests on it: removing a key must not make an error of changes that have nothing to do with it.
func (r *approvalRules) signatures(f *TaskFile, fresh map[int]bool) {
	t := f.Task
	evidence := t.EvidenceIndex()
	counts := map[int]bool{} // the entries that give checks their results
	for i, c := range t.Checks {
		if ev, ok := evidence.Evidence(i); ok && c.Manual() && c.Result == ev.Result {
			counts[ev.Entry] = true
		}
	}
	declared := t.Provenance.LastIndex(func(e record.Entry) bool { return e.Checks != nil })
	for n, e := range t.Provenance {
		if e.Sig == "" || !counts[n] && n < declared {
			continue // the checks that it was signed for were changed since, and are not known any more
		}
		flaw := r.flow.Signature(t, n)
		if flaw == nil {
			continue
		}
		rule, msg := SignatureBad, flaw.Msg
		if flaw.Elsewhere {
			rule = SignedElsewhere
		} else if of := r.signedInstead(f, n, flaw); of != "" {
			rule, msg = SignedElsewhere, "it was made for "+of
		}
		got := r.report(rule, &f.File, Path{"provenance", n}, "the signature of entry %d (%s) does not count: %s", n+1, describe(e), msg)
		if ours := r.change == nil || fresh[n] || r.closed[f.ID()]; !counts[n] || !ours {
			got.Severity = Warning
		}
	}
}

// Limits of the search for what a signature was made for. The search is slow, and anybody can write such signatures.
const (
	mostSearches = 50 // signatures in a tree
	mostCopies   = 8  // tasks with the same signature
)

// signedInstead returns what a signature was made for: another check or state of the task, or another task with the
// same signature, here or in the base. It returns "" if that is not found.
func (r *approvalRules) signedInstead(f *TaskFile, n int, flaw *task.SignatureError) string {
	if !flaw.Other {
		return ""
	}
	if r.searches++; r.searches > mostSearches {
		return ""
	}
	if of := r.flow.SignedInstead(f.Task, n); of != "" {
		return of
	}
	e := f.Task.Provenance[n]
	for _, other := range r.signedBy(e.Sig) {
		if other.Task.ID != f.Task.ID && r.flow.SignedFor(other.Task, e) {
			return string(other.Task.ID)
		}
	}
	return ""
}

// signedBy returns the tasks that hold a signature.
func (r *approvalRules) signedBy(sig string) []*TaskFile {
	if r.sigs == nil {
		r.sigs = map[string][]*TaskFile{}
		files := r.Tasks
		if r.change != nil {
			files = slices.Concat(files, r.change.Base.Tasks)
		}
		for _, f := range files {
			for _, e := range f.Task.Provenance {
				if e.Sig != "" && len(r.sigs[e.Sig]) < mostCopies {
					r.sigs[e.Sig] = append(r.sigs[e.Sig], f)
				}
			}
		}
	}
	return r.sigs[sig]
}

// unsigned reports whether the pass of a manual check does not count because its signature is missing or bad. A bad
// signature has a finding of its own; a missing one is reported here if the change brings the attestation or closes the
// task. Without a base it is a notice, because it is not known since when the config requires signatures.
func (r *approvalRules) unsigned(f *TaskFile, n int, evidence *task.EvidenceIndex, fresh map[int]bool) bool {
	t, c := f.Task, f.Task.Checks[n]
	ev, ok := evidence.Evidence(n)
	if !c.Manual() || !ok || ev.Result != record.Pass {
		return false
	}
	if t.Provenance[ev.Entry].Sig != "" {
		return r.flow.Signature(t, ev.Entry) != nil
	}
	if !r.flow.MustSign(c) {
		return false
	}
	if r.change != nil && !fresh[ev.Entry] && !r.closed[f.ID()] {
		return true // the base has it so: it was closed before signatures were required, or was a finding then
	}
	got := r.report(AttestUnsigned, &f.File, resultOf(n), "the check %q passes with a signature only, and was passed by %s without one", c.Desc, ev.Who).
		fix("a person looks, and if it is so: cairn attest %s %d --pass --sign", t.ID, n)
	switch {
	case r.change == nil && c.By == "":
		got.Severity = Notice
	case !r.flow.IsClosed(t.Status):
		got.Severity = Warning
	}
	return true
}

// approvedFiles judges whether a task that the change closes was closed with the files that were signed.
func (r *approvalRules) approvedFiles(p pair) {
	t := p.now.Task
	closed := t.Provenance.LastIndex(r.flow.Closes)
	if closed < 0 {
		return
	}
	filesThen := sync.OnceValues(func() (string, bool) { return r.change.FilesAt(p.now.ID(), t.Provenance[closed]) })
	evidence := t.EvidenceIndex()
	for n, c := range t.Checks {
		if !r.flow.MustSign(c) || evidence.Recorded(r.flow, n) != record.Pass {
			continue
		}
		ev, _ := evidence.Evidence(n)
		files, known := filesThen()
		if !known || files == ev.Tree {
			continue
		}
		rule := SignedTreeUnknown
		if _, here := r.change.Committed(ev.Commit, ev.Tree); here {
			rule = SignedElsewhere
		}
		r.report(rule, &p.now.File, Path{"provenance", ev.Entry}, "the check %q was signed by %s for other files than those that the task was closed with", c.Desc, ev.Who).
			fix("a person looks at the files as they are now, and if it is so: cairn transition %s %s; cairn attest %s %d --pass --sign; cairn transition %s %s",
				t.ID, r.Config.Flow.Initial, t.ID, n, t.ID, t.Status)
	}
}
