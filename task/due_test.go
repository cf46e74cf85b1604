package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// A date is due to its end, a time to the second; both in UTC. Anything else is refused, and in a file it means
// nothing.
func TestDue(t *testing.T) {
	for _, tt := range []struct {
		text, due string
		by        string // "" for one that is refused
	}{
		{"2026-06-21", "2026-06-21", "2026-06-22T00:00:00Z"},
		{"2026-06-21T10:00:00Z", "2026-06-21T10:00:00Z", "2026-06-21T10:00:00Z"},
		{"2026-06-21T10:00:00.7+02:00", "2026-06-21T08:00:00Z", "2026-06-21T08:00:00Z"},
		{"2026-02-30", "", ""}, {"tomorrow", "", ""}, {"2026-6-1", "", ""}, {"12026-06-21", "", ""},
	} {
		due, err := task.ParseDue(tt.text)
		if tt.by == "" {
			if _, ok := task.Due(tt.text).By(); record.CodeOf(err) != record.InvalidInput || ok && tt.text != "2026-6-1" || task.Due(tt.text).Passed(time.Now().AddDate(9999, 0, 0)) {
				t.Errorf("%s is due %q (%v)", tt.text, due, err)
			}
			continue
		}
		by, ok := due.By()
		if err != nil || string(due) != tt.due || !ok || by.Format(time.RFC3339) != tt.by {
			t.Errorf("%s is due %s, by %v (%v)", tt.text, due, by, err)
		}
		if due.Passed(by.Add(-time.Second)) || !due.Passed(by) {
			t.Errorf("%s passes at another moment than %v", tt.text, by)
		}
	}
	for _, text := range []string{"2026-06-21", "2026-06-21T00:00:00Z"} {
		begins := time.Date(2026, 6, 21, 0, 0, 0, 0, time.UTC)
		if d := task.Due(text); !d.Ahead(begins.Add(-time.Second)) || d.Ahead(begins) {
			t.Errorf("%s does not begin at %v", text, begins)
		}
	}
	if task.Due("").Ahead(time.Time{}) || task.Due("next week").Ahead(time.Time{}) {
		t.Error("what is no date lies ahead")
	}
	if due, err := task.ParseDue(""); due != "" || err != nil || due.Passed(time.Now()) {
		t.Errorf("no text is due %q (%v)", due, err)
	}
}
