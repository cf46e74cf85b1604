package kind_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// What a row knows of a log is enough to say who holds a task, and how its last session does, wherever the clone knows
// of no entries.
func TestRowKnowsWhoHolds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		actors := rapid.SampledFrom([]record.Actor{"human:ada", "agent:a", "agent:b"})
		now := time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)
		moment := func(name string) time.Time {
			return now.Add(-time.Duration(rapid.IntRange(0, 300).Draw(r, name)) * time.Minute)
		}
		one := task.Task{ID: "T-1", Title: "T", Status: "in_progress", Assignee: rapid.SampledFrom([]record.Actor{"", "agent:a", "human:ada"}).Draw(r, "assignee")}
		for range rapid.IntRange(0, 6).Draw(r, "entries") {
			e := record.Entry{Who: actors.Draw(r, "who"), At: moment("at"), Session: rapid.SampledFrom([]string{"", "ses-1", "ses-2"}).Draw(r, "session"),
				Did: rapid.SampledFrom([]record.Did{record.Began, record.Finished, record.Noted}).Draw(r, "did")}
			if rapid.Bool().Draw(r, "assigns") {
				to := actors.Draw(r, "to")
				e.Assignee = &to
			}
			one.Provenance = append(one.Provenance, e)
		}
		live := session.Live{ClaimTTL: 4 * time.Hour, StaleAfter: 5 * time.Minute}
		if rapid.Bool().Draw(r, "claimed") {
			lease := session.Lease{Actor: actors.Draw(r, "holder"), Session: rapid.SampledFrom([]string{"", "ses-1"}).Draw(r, "by"), Seen: moment("seen"), Since: moment("since")}
			live.State = &session.State{Ref: one.ID.Ref(), Lease: &lease}
		}
		row := kind.Tasks.Row(one)
		if got, want := session.Holder(row.Header(), live, now), session.Holder(one.Header(), live, now); got != want {
			r.Fatalf("by the row %+v\nby the log %+v", got, want)
		}
		if got, want := session.IsBehind(row.Header(), live), session.IsBehind(one.Header(), live); got != want {
			r.Fatalf("behind by the row %+v, by the log %+v", got, want)
		}
		ses := session.Session{ID: "ses-1", Task: one.ID, Actor: actors.Draw(r, "at work"), StartedAt: moment("started"), Status: rapid.SampledFrom([]session.Status{session.Active, session.Finished}).Draw(r, "ses")}
		if got, want := ses.Health(row.Header(), "in_progress", nil, live.StaleAfter, now), ses.Health(one.Header(), "in_progress", nil, live.StaleAfter, now); got != want {
			r.Fatalf("the session is %s by the row, %s by the log", got, want)
		}
	})
}

// A record is found by what it was called elsewhere, in full or by the end of that.
func TestIsFrom(t *testing.T) {
	row := &kind.Row{Facts: []kind.Fact{{Name: kind.OriginFact, Value: "github:o/shop#706"}, {Name: kind.OriginFact, Value: "jira:PROJ-12"}}}
	for _, ref := range []string{"#706", "shop#706", "o/shop#706", "O/Shop#706", "github:o/shop#706", "GitHub:#706", "PROJ-12", "proj-12", "jira:PROJ-12"} {
		if !row.IsFrom(ref) {
			t.Errorf("%s is not found", ref)
		}
	}
	for _, ref := range []string{"", "#", "706", "#06", "#7", "op#706", "gitlab:#706", "12", "OJ-12", "github:", "jira:#706x"} {
		if row.IsFrom(ref) {
			t.Errorf("%s is found", ref)
		}
	}
}
