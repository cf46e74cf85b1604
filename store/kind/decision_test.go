package kind_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const lockDecision = `---
id: DEC-1
title: Locks
status: accepted
labels: [io]
choice: A file lock
supersedes: DEC-0
options:
  - label: Lock
    pros: simple
    other: kept
  - label: None
scope: [src/**, go.mod]
about: [T-1]
of-another-program: {kept: true}
provenance:
  - {who: 'human:ada', at: 2026-06-21T10:00:00Z, did: created, to: accepted}
---

## Rationale

It is simple.
`

func TestDecisionInAFile(t *testing.T) {
	d, err := kind.Decisions.Parse([]byte(lockDecision))
	if err != nil {
		t.Fatal(err)
	}
	want := ledger.Decision{
		Header: d.Header, Choice: "A file lock", Supersedes: "DEC-0", Options: []ledger.Option{{Label: "Lock", Pros: "simple"}, {Label: "None"}},
		Scope: []string{"src/**", "go.mod"}, About: []string{"T-1"}, Body: "## Rationale\n\nIt is simple.",
	}
	if !reflect.DeepEqual(d, want) || d.Title != "Locks" || d.Status != ledger.Accepted || len(d.Log) != 1 {
		t.Errorf("got %+v, want %+v", d, want)
	}
	r := kind.Decisions.Row(d)
	if r.Fact(kind.SupersedesFact) != "DEC-0" || len(r.All(kind.ScopeFact)) != 2 || r.Fact(kind.AboutFact) != "T-1" {
		t.Errorf("the row is %+v", r)
	}
	moved, err := d.SetStatus(task.Flow{}, ledger.Rejected, record.Stamp{Who: "human:ada"})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := format.Parse([]byte(lockDecision), format.Markdown)
	if err != nil {
		t.Fatal(err)
	}
	doc, err = kind.Decisions.Edit(doc, d, moved)
	if err != nil {
		t.Fatal(err)
	}
	was, now := strings.Split(lockDecision, "\n"), strings.Split(string(doc.Bytes()), "\n")
	changed := 0
	for _, line := range now {
		if !strings.Contains(strings.Join(was, "\n")+"\n", line+"\n") {
			changed++
		}
	}
	if changed != 2 || len(now) != len(was)+1 {
		t.Errorf("a move changes %d lines:\n%s", changed, doc.Bytes())
	}
	for name, bad := range map[string]string{
		"without a choice": strings.Replace(lockDecision, "choice: A file lock\n", "", 1),
		"options of words": strings.Replace(lockDecision, "  - label: None\n", "  - None\n", 1),
	} {
		if _, err := kind.Decisions.Parse([]byte(bad)); err == nil {
			t.Errorf("%s it is read", name)
		}
	}
	for _, bad := range []string{"DEC-", "T-1", "DEC-../x", "dec-1", "DEC"} {
		if kind.Decisions.ParseID(bad) == nil {
			t.Errorf("%q is an id", bad)
		}
	}
}

func TestMergeOfDecisions(t *testing.T) {
	const path = ".cairn/decisions/DEC-1.md"
	entry := func(did string) string { return "  - {who: 'human:ada', " + did + "}\n---\n\n" }
	with := func(edits ...string) []byte {
		return []byte(strings.NewReplacer(edits...).Replace(lockDecision))
	}
	base := with("status: accepted", "status: proposed")
	accepts := with("---\n\n", entry("at: 2026-06-21T11:00:00Z, did: transitioned, from: proposed, to: accepted"))
	rejects := with("status: accepted", "status: rejected", "---\n\n", entry("at: 2026-06-21T12:00:00Z, did: transitioned, from: proposed, to: rejected"))
	notes := with("status: accepted", "status: proposed", "labels: [io]", "labels: [io, slow]", "---\n\n", entry("at: 2026-06-21T10:30:00Z, did: noted, text: slow"))
	for name, tt := range map[string]struct {
		base, ours, theirs []byte
		clean              bool
		want               []string
	}{
		"accepted here, noted on there":    {base, accepts, notes, true, []string{"status: accepted\n", "labels: [io, slow]\n", "did: noted", "did: transitioned"}},
		"noted on here, rejected there":    {base, notes, rejects, true, []string{"status: rejected\n", "did: noted", "to: rejected"}},
		"accepted here, rejected there":    {base, accepts, rejects, false, []string{"<<<<<<<", "to: accepted", "to: rejected"}},
		"accepted on both sides":           {base, accepts, accepts, true, []string{"status: accepted\n"}},
		"rewritten here, accepted there":   {base, with("status: accepted", "status: proposed", "A file lock", "No lock"), accepts, true, []string{"choice: No lock\n", "status: accepted\n"}},
		"rewritten differently on each":    {base, with("A file lock", "No lock"), with("A file lock", "Two locks"), false, []string{"<<<<<<<"}},
		"accepted here, withdrawn from it": {accepts, rejects, base, true, []string{"status: rejected\n"}},
	} {
		merged, clean := kind.Merge(path, tt.base, tt.ours, tt.theirs, task.Flow{}, format.Markers{Size: 7})
		if clean != tt.clean || !strings.Contains(string(merged), "of-another-program: {kept: true}\n") {
			t.Errorf("%s: clean is %v, got\n%s", name, clean, merged)
		}
		for _, want := range tt.want {
			if !strings.Contains(string(merged), want) {
				t.Errorf("%s: lacks %q:\n%s", name, want, merged)
			}
		}
	}
}

func TestRatify(t *testing.T) {
	for src, want := range map[string]string{"{}\n": task.ByHuman, "ratify: human\n": task.ByHuman, "ratify: anyone\n": task.ByAnyone} {
		if c, err := kind.ParseConfig([]byte(src)); err != nil || c.Flow.Ratify != want {
			t.Errorf("%q: got %q, %v", src, c.Flow.Ratify, err)
		}
	}
	if _, err := kind.ParseConfig([]byte("ratify: signed\n")); err == nil {
		t.Error("ratify: signed is read")
	}
}
