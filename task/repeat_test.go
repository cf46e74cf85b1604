package task_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

func TestRhythms(t *testing.T) {
	for _, text := range []string{"daily", "weekly", "monthly", "yearly", "1d", "2w", "3m", "3mo", "1y", "1000d", "monthly on 31", "2m on 30", "Weekly"} {
		r, err := task.ParseRhythm(text)
		if err != nil || r.String() != strings.ToLower(text) {
			t.Errorf("%s is %s (%v)", text, r, err)
		}
	}
	for _, text := range []string{"", "often", "0d", "01d", "-1d", "1001d", "1h", "1", "w", "d", "1dd", "1do", "weekly on 3", "monthly on 0", "monthly on 32", "monthly on", "monthly on 07", "1w2d"} {
		if _, err := task.ParseRhythm(text); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%q is read: %v", text, err)
		}
	}
}

// The dates of each round follow from those of the one before it: in months they keep their day, where there is one, and
// rounds whose time is up are left out.
func TestDatesOfRounds(t *testing.T) {
	flow := task.Flow{Lifecycle: task.Lifecycle{States: []record.Status{"backlog", "done"}, Initial: "backlog", Closed: []record.Status{"done"}}}
	at := func(day string) time.Time {
		got, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		return got.Add(9 * time.Hour)
	}
	for _, c := range []struct {
		repeat, after, due string
		closed             []string // when each round is
		want               []string // after and due of the round that follows
	}{
		{"weekly", "", "2026-06-26", []string{"2026-06-25", "2026-07-03"}, []string{" 2026-07-03", " 2026-07-10"}},
		{"weekly", "", "2026-06-26", []string{"2026-06-29", "2026-07-20"}, []string{" 2026-07-03", " 2026-07-24"}},
		{"2d", "2026-06-20", "", []string{"2026-06-21", "2026-06-22", "2026-06-30"}, []string{"2026-06-22 ", "2026-06-24 ", "2026-06-30 "}},
		{"daily", "", "2026-06-20T10:00:00Z", []string{"2026-06-22"}, []string{" 2026-06-22T10:00:00Z"}},
		{"monthly", "", "2026-01-31", []string{"2026-01-30", "2026-02-28", "2026-03-31"}, []string{" 2026-02-28 monthly on 31", " 2026-03-31 monthly", " 2026-04-30 monthly on 31"}},
		{"monthly", "2026-01-01", "2026-01-30", []string{"2026-01-30", "2026-02-03", "2026-03-03"}, []string{"2026-02-01 2026-02-28 monthly on 30", "2026-03-01 2026-03-30 monthly", "2026-04-01 2026-04-30 monthly"}},
		{"monthly", "", "2026-02-28", []string{"2026-02-28"}, []string{" 2026-03-28"}},
		{"1m on 31", "", "2026-02-28", []string{"2026-02-28"}, []string{" 2026-03-31 1m"}},
		{"yearly", "", "2028-02-29", []string{"2028-02-01", "2029-02-28", "2030-02-28", "2031-02-28"}, []string{" 2029-02-28 yearly on 29", " 2030-02-28 yearly on 29", " 2031-02-28 yearly on 29", " 2032-02-29 yearly"}},
		{"weekly", "", "", []string{"2026-06-03", "2026-06-09"}, []string{"2026-06-08 ", "2026-06-15 "}}, // made on 2026-06-01
		{"weekly", "whenever", "soon", []string{"2026-06-03"}, []string{"2026-06-08 "}},
	} {
		one := task.Task{ID: "T-1", Title: "Sweep", Due: task.Due(c.due), Own: map[string]string{"repeat": c.repeat, "after": c.after}}
		one.Provenance = record.Log{{Who: "human:lee", At: at("2026-06-01"), Did: record.Created}}
		for i, closed := range c.closed {
			one.Provenance = append(one.Provenance, record.Entry{Who: "human:lee", At: at(closed), Did: record.Transitioned, From: "backlog", To: "done"})
			next, err := flow.NextRound(one)
			got := next.Own["after"] + " " + string(next.Due)
			if strings.Count(c.want[i], " ") > 1 {
				got += " " + next.Own["repeat"]
			}
			if err != nil || got != c.want[i] || next.ID != one.ID.Next() {
				t.Errorf("%s from %q %q, closed on %s: %q (%v), want %q", c.repeat, c.after, c.due, closed, got, err, c.want[i])
			}
			next.Provenance = record.Log{{Who: "human:lee", At: at(closed), Did: record.Created}}
			one = next
		}
	}
}

// The next round has what the task says of itself, and nothing of what was done for it.
func TestNextRound(t *testing.T) {
	flow := task.Flow{Lifecycle: task.Lifecycle{States: []record.Status{"backlog", "done"}, Initial: "backlog", Closed: []record.Status{"done"}}}
	was := task.Task{
		ID: "T-01kvmsyv800000", Title: "Sweep", Body: "All of it.", Priority: 1, Labels: []string{"shop"}, Parent: "T-2", Scope: []string{"shop/**"},
		Assignee: "agent:a", Deps: []record.ID{"T-3"}, Status: "done", Own: map[string]string{"repeat": "weekly", "estimate": "2h", "rank": "7"},
		Checks: []task.Check{{Desc: "clean", Cmd: "test -e clean", Result: record.Pass}}, Links: task.Links{Duplicates: []record.ID{"T-4"}},
		Provenance: record.Log{{Who: "human:lee", At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC), Did: record.Created}},
	}
	next, err := flow.NextRound(was)
	if err != nil || next.Title != was.Title || next.Body != was.Body || next.Priority != 1 || len(next.Labels) != 1 || next.Parent != "T-2" || len(next.Scope) != 1 || next.Own["estimate"] != "2h" {
		t.Errorf("the next round is %+v (%v)", next, err)
	}
	if next.Assignee != "" || len(next.Deps) != 0 || next.Status != "" || next.Own["rank"] != "" || next.Checks[0].Result != record.Pending || len(next.Duplicates) != 0 || len(next.Provenance) != 0 {
		t.Errorf("the next round has something of what was done: %+v", next)
	}
	if was.Checks[0].Result != record.Pass {
		t.Error("the task that was closed lost its passes")
	}
	seen := map[record.ID]bool{}
	for _, id := range []record.ID{"T-1", "T-2", "OTHER-1", "T-01kvmsyv800000"} {
		for range 1000 {
			if seen[id] {
				t.Fatalf("%s is the id of two rounds", id)
			}
			seen[id] = true
			if id = id.Next(); len(id) > 20 {
				t.Fatalf("the id %s grows", id)
			}
		}
	}
}
