package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// world is one task under a random sequence of writes, and what has to hold of it whatever they are.
type world struct {
	task task.Task
	tree string    // fingerprint of the working tree, "" outside git
	at   time.Time // of a clock that may run backwards
}

// step draws one write, makes it, and judges what became of the task.
func (w *world) step(t *rapid.T) {
	w.at = w.at.Add(time.Duration(rapid.IntRange(-600, 600).Draw(t, "seconds")) * time.Second)
	w.tree = rapid.SampledFrom([]string{"", "t1", "t2", w.tree}).Draw(t, "tree")
	proof := w.proof(t)
	after, entry, err := w.write(t, proof)
	if err != nil || entry == nil {
		return // refused, or nothing to change
	}
	w.onlyAppended(t, after)
	w.closedOnlyByPasses(t, after, proof)
	w.task = after
}

// proof draws what is known at the moment of a move.
func (w *world) proof(t *rapid.T) task.Proof {
	p := task.Proof{Tree: w.tree}
	if !rapid.Bool().Draw(t, "runs checks") {
		return p
	}
	p.Run = &task.Run{Tree: w.tree, Commit: "abc"}
	for _, c := range w.task.Checks {
		if !c.Manual() && rapid.Bool().Draw(t, "runs "+c.Desc) {
			p.Run.Results = append(p.Run.Results, record.CheckResult{Check: c.Key(w.task.ID), Result: anyResult(t)})
		}
	}
	return p
}

func anyResult(t *rapid.T) record.Result {
	return rapid.SampledFrom([]record.Result{record.Pass, record.Pass, record.Fail}).Draw(t, "result")
}

func anyStatus(t *rapid.T) record.Status { return rapid.SampledFrom(flow.States).Draw(t, "to") }

// write draws one call of one rule.
func (w *world) write(t *rapid.T, proof task.Proof) (task.Task, *record.Entry, error) {
	s := record.Stamp{
		Who:     rapid.SampledFrom([]record.Actor{claude, gemini, shah}).Draw(t, "who"),
		At:      w.at,
		Text:    rapid.SampledFrom([]string{"", "because"}).Draw(t, "text"),
		Session: rapid.SampledFrom([]string{"", "ses-1"}).Draw(t, "session"),
	}
	takeover := rapid.Bool().Draw(t, "takeover")
	switch rapid.IntRange(0, 9).Draw(t, "rule") {
	case 0:
		return flow.Move(w.task, anyStatus(t), proof, alone, s)
	case 1:
		return flow.Update(w.task, w.edit(t, s.Who), proof, alone, s)
	case 2:
		return flow.Claim(w.task, takeover, s)
	case 3:
		return task.Release(w.task, rapid.Bool().Draw(t, "live claim"), s)
	case 4:
		return flow.Begin(w.task, takeover, alone, s)
	case 5:
		return flow.Finish(w.task, proof, alone, s)
	case 6:
		return task.EndAttempt(w.task, record.Canceled, s.Who, s)
	case 7:
		return task.RecordRun(w.task, proof.Run, s)
	case 8:
		return task.Note(w.task, s)
	default:
		if len(w.task.Checks) == 0 {
			return w.task, nil, nil
		}
		i := rapid.IntRange(0, len(w.task.Checks)-1).Draw(t, "check")
		return flow.Attest(w.task, i, rapid.Bool().Draw(t, "pass"), s)
	}
}

// edit draws a change of checks, holder and state.
func (w *world) edit(t *rapid.T, who record.Actor) task.Edit {
	ed := task.Edit{MayWeaken: who.Human()}
	if rapid.Bool().Draw(t, "edits checks") {
		pool := []task.Check{suite, lint, read, {Desc: suite.Desc, Cmd: "true"}}
		list := rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 0, 3, func(c task.Check) string { return c.Key("") }).Draw(t, "checks")
		ed.Checks = &list
	}
	if rapid.Bool().Draw(t, "moves too") {
		ed.To = ptr(anyStatus(t))
	}
	if rapid.Bool().Draw(t, "assigns too") {
		ed.Assignee = ptr(gemini)
	}
	return ed
}

// onlyAppended: a write leaves every earlier entry as it was, adds one, and keeps the order of their times.
func (w *world) onlyAppended(t *rapid.T, after task.Task) {
	had, has := w.task.Provenance, after.Provenance
	if len(has) != len(had)+1 {
		t.Fatalf("a write left %d entries where there were %d", len(has), len(had))
	}
	for i, e := range had {
		if has[i].Hash() != e.Hash() {
			t.Fatalf("a write changed entry %d from %+v to %+v", i, e, has[i])
		}
	}
	if last := after.Provenance.Last(); last.At.Before(w.task.Provenance.Last().At) {
		t.Fatalf("an entry of %v stands behind one of %v", last.At, w.task.Provenance.Last().At)
	}
	if moved := after.Status != w.task.Status; moved && (after.Provenance.Last().From != w.task.Status || after.Provenance.Last().To != after.Status) {
		t.Fatalf("a move from %s to %s is recorded as %+v", w.task.Status, after.Status, after.Provenance.Last())
	}
}

// closedOnlyByPasses: a task enters a closed state that is no abandoned one only with every check passed, and each pass
// accounted for by the record.
func (w *world) closedOnlyByPasses(t *rapid.T, after task.Task, proof task.Proof) {
	closes := after.Status != w.task.Status && flow.IsClosed(after.Status) && !flow.IsAbandoned(after.Status)
	if !closes {
		return
	}
	for i, c := range after.Checks {
		if c.Result != record.Pass || flow.Standing(after, i, proof) != record.Pass || !w.earned(after, c) {
			t.Fatalf("closed while %q is recorded as %s and stands at %s", c.Desc, c.Result, flow.Standing(after, i, proof))
		}
	}
}

// earned reports, in its own words, whether the newest result of a check is a pass: of a manual one by an attestation,
// of a command by a run that came with the close or was made on the tree as it is.
func (w *world) earned(t task.Task, c task.Check) bool {
	pass := false
	for n, e := range t.Provenance {
		closing := n == len(t.Provenance)-1
		for _, r := range e.Results {
			if r.Check == c.Key(t.ID) {
				pass = r.Result == record.Pass && (c.Manual() || closing || e.Tree != "" && e.Tree == w.tree)
			}
		}
	}
	return pass
}

// No sequence of writes rewrites the record, or closes a task that its checks have not earned.
func TestNoSequenceOfWritesCheats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{task: created(suite, read), at: now}
		for range rapid.IntRange(1, 40).Draw(t, "writes") {
			w.step(t)
		}
	})
}
