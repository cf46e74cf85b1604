package proof

import (
	"path"
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/task"
)

// approvals judges the signatures of attestations, by the keys that the base knows: a change cannot bring its own. Whether
// one counts is decided by package task, for the gate of a working tree and here alike.
func (j *judge) approvals() {
	if !j.Config.Sound() {
		return
	}
	fresh, closing := j.freshEntries(), j.closing()
	for i := range j.Tasks {
		f := &j.Tasks[i]
		if f.Sound() && slices.ContainsFunc(f.Task.Provenance, func(e task.Entry) bool { return e.Sig != "" }) {
			j.signatures(f, fresh[f.Name], closing[f.Name])
		}
	}
	if j.change == nil {
		return
	}
	for _, p := range j.change.pairs {
		if closing[p.now.Name] {
			j.approvedFiles(p)
		}
	}
}

// closing are the tasks that the change closes.
func (j *judge) closing() map[task.ID]bool {
	if j.closes == nil {
		j.closes = map[task.ID]bool{}
		if j.change != nil {
			for _, id := range j.change.Closed() {
				j.closes[id] = true
			}
		}
	}
	return j.closes
}

// signatures judges those of a task. One that the base holds already, or that counts for nothing, is a warning: a key that was
// taken away since makes no error of a change that has nothing to do with it.
func (j *judge) signatures(f *TaskFile, fresh map[int]bool, closing bool) {
	t := f.Task
	counts := map[int]bool{} // the entries that checks have their results from
	for i, c := range t.Checks {
		if ev, ok := t.Evidence(i); ok && c.Manual() && c.Result == ev.Result {
			counts[ev.Entry] = true
		}
	}
	declared := -1 // the last entry that changed the checks
	for n, e := range t.Provenance {
		if e.Checks != nil {
			declared = n
		}
	}
	for n, e := range t.Provenance {
		if e.Sig == "" || !counts[n] && n < declared {
			continue // what it was signed for was changed since, and nobody can tell what that was
		}
		flaw := j.flow.Signature(t, n)
		if flaw == nil {
			continue
		}
		rule, says := SignatureBad, flaw.Msg
		if flaw.Elsewhere {
			rule = SignedElsewhere
		} else if of := j.signedInstead(f, n, flaw); of != "" {
			rule, says = SignedElsewhere, "it was made for "+of
		}
		got := j.reportTask(rule, f, Path{"provenance", n}, "the signature of entry %d (%s) does not count: %s", n+1, told(e), says)
		if ours := j.change == nil || fresh[n] || closing; !counts[n] || !ours {
			got.Severity = Warning
		}
	}
}

// What is looked for of signatures that were made for something else. It costs time, and anybody may write such signatures.
const (
	mostSearches = 50 // signatures, in all
	mostCopies   = 8  // tasks that have the same one
)

// signedInstead finds what a signature was made for: another check of the task or another state of it, or a task that has the
// same signature, here or in the base.
func (j *judge) signedInstead(f *TaskFile, n int, flaw *task.SignatureError) string {
	if !flaw.Other {
		return ""
	}
	if j.searches++; j.searches > mostSearches {
		return ""
	}
	if of := j.flow.SignedInstead(f.Task, n); of != "" {
		return of
	}
	e := f.Task.Provenance[n]
	for _, other := range j.signedBy(e.Sig) {
		if other.Task.ID != f.Task.ID && j.flow.SignedFor(other.Task, e) {
			return string(other.Task.ID)
		}
	}
	return ""
}

// signedBy are the tasks in which a signature stands.
func (j *judge) signedBy(sig string) []*TaskFile {
	if j.sigs == nil {
		j.sigs = map[string][]*TaskFile{}
		j.noteSigs(j.Tasks)
		if j.change != nil {
			j.noteSigs(j.change.Base.Tasks)
		}
	}
	return j.sigs[sig]
}

func (j *judge) noteSigs(files []TaskFile) {
	for i := range files {
		for _, e := range files[i].Task.Provenance {
			if e.Sig != "" && len(j.sigs[e.Sig]) < mostCopies {
				j.sigs[e.Sig] = append(j.sigs[e.Sig], &files[i])
			}
		}
	}
}

// unsealed reports whether the pass of a manual check does not count because of its signature, which then has a finding of its
// own. That it has none is found here, where the change brings that. Without a base nobody knows since when the config asks for
// signatures, and it is a notice.
func (j *judge) unsealed(f *TaskFile, n int, fresh map[int]bool) bool {
	t, c := f.Task, f.Task.Checks[n]
	ev, ok := t.Evidence(n)
	if !c.Manual() || !ok || ev.Result != task.Pass {
		return false
	}
	if t.Provenance[ev.Entry].Sig != "" {
		return j.flow.Signature(t, ev.Entry) != nil
	}
	if !j.flow.MustSign(c) {
		return false
	}
	if j.change != nil && !fresh[ev.Entry] && !j.closing()[f.Name] {
		return true // the base has it so: it was closed before anybody asked for signatures, or was a finding then
	}
	got := j.reportTask(AttestUnsigned, f, resultOf(n), "the check %q passes with a signature only, and was attested by %s without one", c.Desc, ev.Who).
		mend("a person runs cairn attest %s %d --sign", t.ID, n)
	switch {
	case j.change == nil && c.By == "":
		got.Severity = Notice
	case !j.flow.IsClosed(t.Status):
		got.Severity = Warning
	}
	return true
}

// approvedFiles asks of a task that the change closes whether what was signed for it were the files as they then were.
func (j *judge) approvedFiles(p pair) {
	t := p.now.Task
	closed := -1
	for n, e := range t.Provenance {
		if e.To != "" && stands(j.flow, e.To) {
			closed = n
		}
	}
	if closed < 0 || j.change.FilesAt == nil {
		return
	}
	filesThen := sync.OnceValues(func() (string, bool) { return j.change.FilesAt(p.now.Name, t.Provenance[closed]) })
	evidence := t.EvidenceIndex()
	for n, c := range t.Checks {
		if !j.flow.MustSign(c) || evidence.Recorded(j.flow, n) != task.Pass {
			continue
		}
		ev, _ := evidence.Evidence(n)
		files, known := filesThen()
		if !known || files == ev.Tree {
			continue
		}
		rule := SignedTreeUnknown
		if _, here := j.committed(ev.Commit, ev.Tree); here {
			rule = SignedElsewhere
		}
		j.reportTask(rule, p.now, Path{"provenance", ev.Entry}, "the check %q was signed by %s for other files than those that the task was closed with", c.Desc, ev.Who).
			mend("a person looks at the files as they are now: cairn transition %s %s, cairn attest %s %d --sign, and close it again",
				t.ID, j.Config.Flow.Initial, t.ID, n)
	}
}

// signersFile reports lines of allowed_signers that grant nothing because they are not understood.
func (j *judge) signersFile() {
	f := &j.Signers
	if f.Path == "" {
		return
	}
	if !f.Sound() {
		j.report(BadField, &f.File, nil, "nobody's signature counts: %s", messageOf(f.Unread))
	}
	for _, p := range f.Problems {
		j.report(BadField, &f.File, nil, "the line grants nothing: %s", p.Text).
			mend("mend the line in an editor; cairn trust signer add writes lines that count").Line = p.Line
	}
}

// signers lists what the change does to whose signatures count.
func (j *judge) signers() {
	was, now := &j.change.Base.Signers, &j.Signers
	file := now.File
	if file.Path == "" {
		file.Path = path.Join(path.Dir(j.Config.Path), "allowed_signers")
	}
	has := func(f *SignersFile, text string) bool {
		return slices.ContainsFunc(f.Grants, func(l SignersLine) bool { return l.Text == text })
	}
	for _, l := range now.Grants {
		if !has(was, l.Text) {
			j.report(SignersChanged, &file, nil, "signatures will count by %s", l.Text).Line = l.Line
		}
	}
	for _, l := range was.Grants {
		if !has(now, l.Text) {
			j.report(SignersChanged, &file, nil, "signatures will count no more by %s", l.Text)
		}
	}
}
