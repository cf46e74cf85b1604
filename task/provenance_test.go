package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// An entry never lies before the one above it, whatever the clock says.
func TestOrderOfEntries(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   time.Time
		want time.Time
	}{
		{"a clock that goes on", now.Add(time.Minute), now.Add(time.Minute)},
		{"a clock that stands still", now, now},
		{"a clock that runs behind", now.Add(-time.Hour), now},
		{"parts of a second are dropped", now.Add(1999 * time.Millisecond), now.Add(time.Second)},
		{"another time zone is written as UTC", now.Add(time.Hour).In(time.FixedZone("", 7200)), now.Add(time.Hour)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := task.Task{}.With(record.Entry{Who: shah, At: now, Did: record.Created})
			after := before.With(record.Entry{Who: claude, At: tt.at, Did: record.Noted})
			if got := after.Provenance.Last().At; got != tt.want {
				t.Errorf("stands at %v, want %v", got, tt.want)
			}
		})
	}
}

// Two writes from the same revision never share the space behind its entries.
func TestWithLeavesTheOldValueAlone(t *testing.T) {
	base := task.Task{}
	for range 5 {
		base = base.With(record.Entry{Who: shah, At: now, Did: record.Noted})
	}
	one := base.With(record.Entry{Who: claude, At: now, Did: record.Noted, Text: "one"})
	two := base.With(record.Entry{Who: claude, At: now, Did: record.Noted, Text: "two"})
	if len(base.Provenance) != 5 || one.Provenance.Last().Text != "one" || two.Provenance.Last().Text != "two" {
		t.Errorf("one write shows in the other: %q, %q", one.Provenance.Last().Text, two.Provenance.Last().Text)
	}
}

// unhashed is a result from before results named their checks: of all that were run, or of the one with an index.
func unhashed(check string, r record.Result) []record.CheckResult {
	return []record.CheckResult{{Check: check, Result: r, Unhashed: true}}
}

// Evidence is the newest entry that speaks of a check.
func TestEvidence(t *testing.T) {
	of := task.Task{
		ID: "A-1", Checks: []task.Check{suite, read, lint},
		Provenance: []record.Entry{
			legacy("ran checks"),
			{Who: claude, At: now, Did: record.Checked, Commit: "abc", Tree: "t1", Results: results(suite, record.Fail)},
			{Who: gemini, At: now, Did: record.Noted, Text: "looks fine"},
		},
	}
	newest, ok := of.Evidence(0)
	if want := (task.Evidence{Entry: 1, Result: record.Fail, Who: claude, Commit: "abc", Tree: "t1", Hashed: true}); !ok || newest != want {
		t.Errorf("evidence of the suite is %+v", newest)
	}
	if old, ok := of.Evidence(2); !ok || old.Hashed || old.Result != record.Pass {
		t.Errorf("evidence from before hashes is %+v", old)
	}
	if none, ok := of.Evidence(1); ok {
		t.Errorf("a run accounts for a manual check: %+v", none)
	}
}
