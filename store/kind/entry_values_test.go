package kind_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Every member that is written of an entry is one whose value is compared, and not the way it is written.
func TestEntryValuesAreThoseOfTheFile(t *testing.T) {
	holder := record.Actor("agent:a")
	full := record.Entry{
		Who: "human:lee", At: time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC), Did: record.Updated, From: "a", To: "b", Assignee: &holder,
		Results: []record.CheckResult{{Check: "c", Result: record.Pass}}, Commit: "d", Tree: "e", Checks: []string{"f"}, Text: "g", Session: "ses-1", Key: "h", Sig: "s",
		Deps: "d", AddDeps: []record.ID{"T-1"}, RemoveDeps: []record.ID{"T-2"}, Fields: []string{"title"},
		Detail: &record.Detail{
			Mentions: []record.Actor{"human:ada"}, Re: "r", Verb: "v", Severity: "info", Option: "o", About: []string{"T-3"},
			Content: "c", Refs: []string{"7f3a9c21"}, Next: []string{"n"}, Blockers: []string{"b"},
		},
	}
	known := map[string]bool{}
	values := record.EntryValues()
	for _, name := range append(values.Texts, values.Times...) {
		known[name] = true
	}
	doc, err := kind.Tasks.Create(task.Task{ID: "T-1", Title: "T", Status: "backlog", Provenance: record.Log{full}})
	if err != nil {
		t.Fatal(err)
	}
	written := doc.Get("provenance").Content[0].Content
	if len(written) < 2*28 {
		t.Errorf("an entry is written as %s", doc.Bytes())
	}
	for at := 0; at < len(written); at += 2 {
		if key := written[at].Value; !known[key] {
			t.Errorf("%s is written, and not among %v", key, values)
		}
	}
	if fmt.Sprint(values.Times) != "[at]" {
		t.Errorf("the times of an entry are %v", values.Times)
	}
}
