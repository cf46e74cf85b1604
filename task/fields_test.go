package task

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// A write may not give a task more checks, labels or deps than it may have. A file that holds more is still written to,
// and may be given less, but not more.
func TestCountsAreLimited(t *testing.T) {
	flow := Flow{Lifecycle: Lifecycle{States: []record.Status{"backlog", "done"}, Initial: "backlog", Closed: []record.Status{"done"}}}
	stamp := record.Stamp{Who: "human:lee", At: time.Unix(1, 0)}
	find := func(id record.ID) (Task, bool) { return Task{ID: id}, true }
	texts := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("x-%d", i))
		}
		return out
	}
	checks := func(n int) (out []Check) {
		for _, s := range texts(n) {
			out = append(out, Check{Desc: s, Cmd: "true", Result: record.Pending})
		}
		return out
	}
	deps := func(n int) (out []record.ID) {
		for _, s := range texts(n) {
			out = append(out, record.ID("T-"+s))
		}
		return out
	}
	for _, row := range []struct {
		name string
		most int
		of   func(n int) Task
		edit func(n int) Edit // makes it n of a task that has none, or more than n of them
	}{
		{"checks", MaxChecks, func(n int) Task { return Task{Checks: checks(n)} }, func(n int) Edit { c := checks(n); return Edit{Checks: &c, MayWeaken: true} }},
		{"labels", record.MaxLabels, func(n int) Task { return Task{Labels: texts(n)} }, func(n int) Edit { return Edit{Set: Values{"labels": texts(n)}} }},
		{"deps", MaxDeps, func(n int) Task { return Task{Deps: deps(n)} }, func(n int) Edit { return Edit{AddDeps: deps(n)} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			whole := func(n int) Task {
				one := row.of(n)
				one.ID, one.Title, one.Status = "T-1", "Roof", "backlog"
				return one
			}
			wantRefused := func(what string, err error, refused bool) {
				t.Helper()
				said := err != nil && record.CodeOf(err) == record.InvalidInput && strings.Contains(err.Error(), "more than "+fmt.Sprint(row.most))
				if said != refused || !refused && err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			_, err := flow.Create(whole(row.most), find, stamp)
			wantRefused("creating with as many as there may be", err, false)
			_, err = flow.Create(whole(row.most+1), find, stamp)
			wantRefused("creating with one more", err, true)
			_, _, err = flow.Update(whole(0), row.edit(row.most+1), Proof{}, find, stamp)
			wantRefused("adding one more", err, true)
			_, _, err = flow.Update(whole(row.most+10), Edit{Set: Values{"title": "Wall"}}, Proof{}, find, stamp)
			wantRefused("another title of a file that holds more", err, false)
			if row.name != "deps" {
				_, _, err = flow.Update(whole(row.most+10), row.edit(row.most+5), Proof{}, find, stamp)
				wantRefused("fewer in a file that holds more", err, false)
			}
			_, _, err = flow.Update(whole(row.most+10), row.edit(row.most+11), Proof{}, find, stamp)
			wantRefused("more in a file that holds more", err, true)
		})
	}
}
