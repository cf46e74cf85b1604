package statements_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/evidence"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/statements"
	"github.com/cairn-tasks/cairn/task"
)

const honest = `---
id: T-1
title: Pay wages
status: done
priority: 2
checks:
  - desc: builds
    cmd: make
    result: pass
  - desc: tests
    cmd: make test
    result: pass
provenance:
  - {who: human:ada, at: 2026-01-01T00:00:00Z, did: created}
  - {who: agent:bot, at: 2026-01-01T01:00:00Z, did: updated, from: backlog, to: in_progress}
  - {who: agent:bot, at: 2026-01-01T02:00:00Z, did: transitioned, from: in_progress, to: done, commit: COMMIT, tree: TREE, results: [{check: ONE, result: pass}, {check: TWO, result: pass}]}
---

Every month.
`

// record of a task whose close is honest.
func honestRecord(id record.ID) string {
	key := func(cmd string) string { return task.Check{Desc: "x", Cmd: cmd}.Key(id) }
	return strings.NewReplacer("T-1", string(id), "COMMIT", strings.Repeat("12", 20), "TREE", strings.Repeat("cd", 32),
		"ONE", key("make"), "TWO", key("make test")).Replace(honest)
}

func parse(src string) (t task.Task, ok bool) {
	doc, err := format.Parse([]byte(src), kind.Tasks.Form)
	if err != nil {
		return t, false
	}
	t, err = kind.Tasks.Decode(doc)
	return t, err == nil
}

// edits are the texts that one edit makes of a record: a line taken out, doubled, moved or with a word of it exchanged, and
// what a forger would add.
func edits(src string) (all []string) {
	lines := strings.SplitAfter(src, "\n")
	with := func(i int, now ...string) {
		all = append(all, strings.Join(slices.Concat(lines[:i], now, lines[i+1:]), ""))
	}
	words := strings.NewReplacer("pass", "fail", "done", "backlog", "make", "true", "agent:bot", "human:ada", "2026", "2025", "12", "34", "cd", "ef", "0", "1", "T-1", "T-9")
	for i, line := range lines {
		with(i)
		with(i, line, line)
		with(i, words.Replace(line))
		if i > 0 {
			all = append(all, strings.Join(slices.Concat(lines[:i-1], []string{line, lines[i-1]}, lines[i+1:]), ""))
		}
		with(i, line, "  - {desc: more, cmd: 'true', result: pass}\n")
		with(i, line, "  - {who: agent:bot, at: 2026-01-01T03:00:00Z, did: transitioned, from: done, to: done, text: held red witnessed signed}\n")
		with(i, line, "evidence: signed\n")
		with(i, strings.Replace(line, "result: pass}]", "result: pass, held: base}]", 1))
		with(i, strings.Replace(line, "did: created", "did: attested, sig: AAAA, results: [{check: looked, result: pass}]", 1))
	}
	return all
}

// Whatever is edited in the file of a task, once or twice, its close reaches level 1 and no more, unless the task is what
// a witness has signed. What a witness signed of one task is worth nothing for another.
func TestForgedRecords(t *testing.T) { forgedRecords(t, 9) }

// The same with every pair of edits.
func TestSlowForgedRecords(t *testing.T) {
	slowtest.Skip(t)
	forgedRecords(t, 1)
}

// forgedRecords tries every edit, and of one edit in each pairsOf all further ones.
func forgedRecords(t *testing.T, pairsOf int) {
	t.Helper()
	flow := kind.DefaultConfig().Flow
	witnessed, ok := parse(honestRecord("T-1"))
	other, fine := parse(honestRecord("T-2"))
	if !ok || !fine || witnessed.Closing() == "" || !flow.ClaimsDone(witnessed.Status) {
		t.Fatalf("the honest records: %v, %v, %+v", ok, fine, witnessed)
	}
	all := []statements.Statement{
		{Of: "T-1", Close: &evidence.Close{Task: "T-1", Close: witnessed.Closing(), Rerun: true, Checks: []evidence.Passed{{Held: true}}}},
		{Of: "T-2", Close: &evidence.Close{Task: "T-2", Close: other.Closing(), Rerun: true}, Why: "its key does not count"},
	}
	seen := map[string]task.Seen{}
	tasks := []task.Task{witnessed, other}
	for _, f := range statements.Facts(all, tasks, flow, func(string) task.Seen { return task.Seen{} }) {
		seen[f.About] = f.Seen
	}
	level := func(t task.Task) task.Level {
		about := t.Closing()
		return task.LevelOf(about != "" && flow.ClaimsDone(t.Status), seen[about])
	}
	if level(witnessed) != task.LevelWitnessed || level(other) != task.LevelRecorded {
		t.Fatalf("the honest records have the levels %s and %s", level(witnessed), level(other))
	}
	said := func(t task.Task) string {
		at := t.Provenance[t.Moved()]
		return fmt.Sprint(t.ID, t.Status, at.Digest(), record.Each(t.Checks, func(c task.Check) string { return c.Key(t.ID) + string(c.Result) }))
	}
	tried, kept := 0, 0
	for _, start := range []task.Task{witnessed, other} {
		once := edits(honestRecord(start.ID))
		for i, first := range once {
			forged := []string{first}
			if i%pairsOf == 0 {
				forged = append(forged, edits(first)...)
			}
			for _, src := range forged {
				made, ok := parse(src)
				if !ok {
					continue
				}
				tried++
				if level(made) <= task.LevelRecorded {
					continue
				}
				if kept++; made.ID != "T-1" || said(made) != said(witnessed) {
					t.Fatalf("level %s for what nobody signed:\n%s", level(made), src)
				}
			}
		}
	}
	if tried < 2_000 || kept == 0 {
		t.Errorf("%d forged records were read, and %d are still what was signed", tried, kept)
	}
}

// anySigner takes every signature.
type anySigner struct{}

func (anySigner) Verify([]byte, string, record.Actor, time.Time) error { return nil }

// A signed approval makes a close signed where nothing but such approvals was asked, or where the commands are known to
// have passed from elsewhere.
func TestSignedApprovals(t *testing.T) {
	flow := kind.DefaultConfig().Flow
	flow.Signers = anySigner{}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	read := task.Check{Desc: "read", By: task.BySigned, Result: record.Pass}
	makes := task.Check{Desc: "builds", Cmd: "make", Result: record.Pass}
	of := func(sig string, who record.Actor, checks ...task.Check) task.Task {
		closed := task.Task{ID: "T-1", Status: "done", Checks: checks}
		closed.Provenance = record.Log{
			{Who: "agent:bot", At: at, Did: record.Checked, Tree: "t", Results: []record.CheckResult{{Check: makes.Key("T-1"), Result: record.Pass}}},
			{Who: who, At: at, Did: record.Attested, Tree: "t", Sig: sig, Results: []record.CheckResult{{Check: "read", Result: record.Pass}}},
			{Who: "agent:bot", At: at, Did: record.Transitioned, From: "in_progress", To: "done"},
		}
		return closed
	}
	for name, c := range map[string]struct {
		task   task.Task
		known  task.Seen
		signed bool
	}{
		"an approval alone":                     {of("sig", "human:ada", read), task.Seen{}, true},
		"one that is not signed":                {of("", "human:ada", read), task.Seen{}, false},
		"one of an agent":                       {of("sig", "agent:bot", read), task.Seen{}, false},
		"beside a command":                      {of("sig", "human:ada", read, makes), task.Seen{}, false},
		"beside one that this clone saw":        {of("sig", "human:ada", read, makes), task.Seen{Held: true}, true},
		"beside one that was only seen to fail": {of("sig", "human:ada", read, makes), task.Seen{Red: true}, false},
	} {
		facts := statements.Facts(nil, []task.Task{c.task}, flow, func(string) task.Seen { return c.known })
		if signed := len(facts) == 1 && facts[0].Seen.Signed; signed != c.signed || len(facts) > 1 {
			t.Errorf("%s: %+v", name, facts)
		}
	}
}
