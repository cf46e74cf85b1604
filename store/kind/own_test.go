package kind_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// Every record that cairn has written in this repository is in the form that is read fast, and so is what golden files
// hold it to. Files by other hands need not be.
func TestWrittenFilesAreReadFast(t *testing.T) {
	for pattern, least := range map[string]int{
		"../../.cairn/tasks/*.md": 50, "../../.cairn/sessions/*.yaml": 1, "testdata/new-task.md": 1, "testdata/new-session.yaml": 1,
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) < least {
			t.Errorf("%s: %d files (%v)", pattern, len(paths), err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			form := format.Markdown
			if filepath.Ext(path) == ".yaml" {
				form = format.YAML
			}
			if doc, err := format.Parse(src, form); err != nil || !doc.Own() {
				t.Errorf("%s is not read fast (%v)", path, err)
			}
		}
	}
}

// A record of any kind is read fast after it was made, and after each write. Of proposals there are exceptions: keys
// that are no words and numbers below 0, with a fraction or an exponent, in the JSON that a client sent.
func TestWrittenRecordsAreReadFast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was := task.Task{
			ID: "T-1", Title: anyText(t), Status: record.Status(anyText(t)), Priority: task.Priority(rapid.IntRange(0, 4).Draw(t, "priority")),
			Labels: texts(t), Assignee: record.Actor(anyText(t)), Checks: checks(t), Provenance: entries(t),
		}
		now := was
		now.Title, now.Labels, now.Deps, now.Checks = anyText(t), texts(t), []record.ID{"T-2"}, append(slices.Clone(was.Checks), checks(t)...)
		now.Provenance = append(slices.Clone(was.Provenance), entries(t)...)
		staysFast(t, kind.Tasks.Kind, was, now)

		at := instant(t)
		s := session.Session{ID: "ses-1", Task: "T-1", Actor: record.Actor(anyText(t)), Client: anyText(t), Status: session.Active, StartedAt: at, Provenance: entries(t)}
		ended := s
		ended.Status, ended.EndedAt, ended.Summary, ended.Provenance = session.Finished, at, anyText(t), append(slices.Clone(s.Provenance), entries(t)...)
		staysFast(t, kind.Sessions.Kind, s, ended)

		plan, err := json.Marshal([]map[string]any{{"title": anyText(t), "priority": 1, "deps": texts(t), "checks": []map[string]any{{"desc": anyText(t), "signed": true}}}})
		if err != nil {
			t.Fatal(err)
		}
		p := task.Proposal{ID: "plan-1", Summary: anyText(t), Tasks: plan, Provenance: entries(t)}
		made := p
		made.Made, made.Provenance = []record.ID{"T-1", "T-2"}, append(slices.Clone(p.Provenance), entries(t)...)
		staysFast(t, kind.Proposals.Kind, p, made)

		h := ledger.Handoff{
			Header: record.Header{Ref: record.Ref{Kind: ledger.HandoffKind, ID: "HO-1"}, Title: anyText(t), Status: ledger.HandoffOpen, Labels: texts(t), Log: entries(t)},
			Type:   ledger.Question, To: []ledger.Recipient{"human:ada", ledger.Recipient(anyText(t))}, Options: texts(t), OptionsOnly: true,
			Due: task.DueAt(at), About: texts(t), Fingerprint: anyText(t), Body: "Why.",
		}
		answered := h
		answered.Status, answered.Assignee, answered.Log = ledger.HandoffResponded, record.Actor(anyText(t)), append(slices.Clone(h.Log), entries(t)...)
		staysFast(t, kind.Handoffs.Kind, h, answered)

		d := ledger.Decision{
			Header: record.Header{Ref: record.Ref{Kind: ledger.DecisionKind, ID: "DEC-1"}, Title: anyText(t), Status: ledger.Proposed, Labels: texts(t), Log: entries(t)},
			Choice: anyText(t), Supersedes: "DEC-0", Options: []ledger.Option{{Label: anyText(t), Pros: anyText(t)}}, Scope: texts(t), About: texts(t), Body: "Why.",
		}
		accepted := d
		accepted.Status, accepted.Log = ledger.Accepted, append(slices.Clone(d.Log), entries(t)...)
		staysFast(t, kind.Decisions.Kind, d, accepted)
	})
}

func staysFast(t *rapid.T, k *kind.Kind, was, now any) {
	doc, err := k.Create(was)
	if err != nil {
		t.Fatalf("%v: %+v", err, was)
	}
	mustBeFast(t, doc)
	if doc, err = k.Edit(doc, was, now); err != nil {
		t.Fatalf("%v: %+v", err, now)
	}
	mustBeFast(t, doc)
}

func mustBeFast(t *rapid.T, doc *format.Doc) {
	if doc, err := format.Parse(doc.Bytes(), doc.Kind()); err != nil || !doc.Own() {
		t.Fatalf("is not read fast (%v):\n%s", err, doc.Bytes())
	}
}

func anyText(t *rapid.T) string {
	return rapid.OneOf(rapid.StringMatching(`[^\x00]{1,30}`), rapid.StringMatching(`[-+.0-9a-zA-Z_:,#'"\\ \[\]{}&*!|>%@~=<?\t\né日]{1,12}`),
		rapid.StringMatching(`[0-9a-f]{16}`), rapid.SampledFrom([]string{".", "null", "true", "5m", "2026-06-21T10:00:00Z", "agent:a", "go test ./..."})).Draw(t, "text")
}

func texts(t *rapid.T) []string {
	var out []string
	for range rapid.IntRange(0, 3).Draw(t, "texts") {
		out = append(out, anyText(t))
	}
	return out
}

func checks(t *rapid.T) []task.Check {
	var out []task.Check
	for range rapid.IntRange(0, 2).Draw(t, "checks") {
		out = append(out, task.Check{Desc: anyText(t), Cmd: anyText(t), Cwd: anyText(t), Timeout: rapid.IntRange(0, 86400).Draw(t, "timeout"), Result: record.Pending})
	}
	return out
}

func entries(t *rapid.T) record.Log {
	var out record.Log
	for range rapid.IntRange(1, 3).Draw(t, "entries") {
		holder := record.Actor(anyText(t))
		out = append(out, record.Entry{
			Who: record.Actor(anyText(t)), At: instant(t), Did: record.Did(anyText(t)), From: record.Status(anyText(t)), To: record.Status(anyText(t)),
			Assignee: &holder, Results: []record.CheckResult{{Check: anyText(t), Result: record.Pass}}, Commit: anyText(t), Tree: anyText(t),
			Checks: texts(t), Fields: texts(t), Text: anyText(t), Session: anyText(t), Key: anyText(t), Sig: anyText(t), AddDeps: []record.ID{"T-1"},
		}.Saying(record.Detail{
			Mentions: []record.Actor{record.Actor(anyText(t))}, Re: anyText(t), Verb: anyText(t), Severity: anyText(t), Option: anyText(t),
			About: texts(t), Content: anyText(t), Refs: texts(t), Next: texts(t), Blockers: texts(t),
		}))
	}
	return out
}

func instant(t *rapid.T) time.Time {
	const first, last = -62135596799, 253402300799 // of the years that a file can have
	return time.Unix(rapid.Int64Range(first, last).Draw(t, "at"), 0).UTC()
}
