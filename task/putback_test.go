package task_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// lostAt is an entry of so many minutes past now.
func lostAt(minute int, did task.Did, fill func(*task.Entry)) task.Entry {
	e := task.Entry{Who: "agent:a", At: now.Add(time.Duration(minute) * time.Minute), Did: did}
	if fill != nil {
		fill(&e)
	}
	return e
}

func moved(from, to task.Status) func(*task.Entry) {
	return func(e *task.Entry) { e.From, e.To = from, to }
}

func held(by task.Actor) func(*task.Entry) {
	return func(e *task.Entry) { e.Assignee = &by }
}

func gave(c task.Check, r task.Result) func(*task.Entry) {
	return func(e *task.Entry) { e.Results = []task.CheckResult{{Check: c.Key("A-1"), Result: r}} }
}

// What lost entries say is done again, unless something later stands against it or the file contradicts it.
func TestPutBack(t *testing.T) {
	pending := task.Check{Desc: "tests pass", Cmd: "go test ./...", Result: task.Pending}
	find := graph(node("A-2", "in_progress"))
	for _, tt := range []struct {
		name        string
		file        func(*task.Task)
		lost        []task.Entry
		status      task.Status
		assignee    task.Actor
		result      task.Result
		contradicts string
	}{
		{"a note", nil, []task.Entry{lostAt(5, task.Noted, nil)}, "backlog", "", task.Pending, ""},
		{"a move from where the file is", nil, []task.Entry{lostAt(5, task.Transitioned, moved("backlog", "in_progress"))},
			"in_progress", "", task.Pending, ""},
		{"two moves, one after the other", nil,
			[]task.Entry{lostAt(5, task.Transitioned, moved("backlog", "in_progress")), lostAt(6, task.Transitioned, moved("in_progress", "in_review"))},
			"in_review", "", task.Pending, ""},
		{"a move to where the file is already", func(f *task.Task) { f.Status = "in_progress" },
			[]task.Entry{lostAt(5, task.Transitioned, moved("backlog", "in_progress"))}, "in_progress", "", task.Pending, ""},
		{"a move, and somebody moved it by hand", func(f *task.Task) { f.Status = "in_review" },
			[]task.Entry{lostAt(5, task.Transitioned, moved("backlog", "in_progress"))}, "in_review", "", task.Pending,
			"status: moved from backlog to in_progress at 2026-06-21T10:05:00Z, and the file says in_review"},
		{"a move, and a later one in the file", func(f *task.Task) {
			f.Provenance = append(f.Provenance, lostAt(9, task.Transitioned, moved("in_progress", "backlog")))
		}, []task.Entry{lostAt(5, task.Transitioned, moved("backlog", "in_progress"))}, "backlog", "", task.Pending, ""},
		{"a start, and the file waits for another task now", func(f *task.Task) { f.Deps = []task.ID{"A-2"} },
			[]task.Entry{lostAt(5, task.Transitioned, moved("backlog", "in_progress"))}, "backlog", "", task.Pending, "waits for A-2"},
		{"a close with the pass it rests on", nil,
			[]task.Entry{lostAt(5, task.Checked, gave(pending, task.Pass)), lostAt(6, task.Transitioned, moved("backlog", "done"))},
			"done", "", task.Pass, ""},
		{"a close whose checks have not passed by the record", nil, []task.Entry{lostAt(6, task.Transitioned, moved("backlog", "done"))},
			"backlog", "", task.Pending, `check "tests pass" has not passed`},
		{"a claim", nil, []task.Entry{lostAt(5, task.Claimed, held("agent:a"))}, "backlog", "agent:a", task.Pending, ""},
		{"a claim and its release", nil, []task.Entry{lostAt(5, task.Claimed, held("agent:a")), lostAt(6, task.Released, held(""))},
			"backlog", "", task.Pending, ""},
		{"a claim, and the file names another", func(f *task.Task) { f.Assignee = "human:lee" },
			[]task.Entry{lostAt(5, task.Claimed, held("agent:a"))}, "backlog", "human:lee", task.Pending,
			"assignee: became agent:a at 2026-06-21T10:05:00Z, and the file says human:lee"},
		{"a run, and a later one in the file", func(f *task.Task) {
			f.Provenance = append(f.Provenance, lostAt(9, task.Checked, gave(pending, task.Fail)))
		}, []task.Entry{lostAt(5, task.Checked, gave(pending, task.Pass))}, "backlog", "", task.Fail, ""},
		{"an update", nil, []task.Entry{lostAt(5, task.Updated, func(e *task.Entry) { e.Fields = []string{"title", "body"} })},
			"backlog", "", task.Pending, "changed title, body; the entry does not say how"},
		{"a dependency, and a start that it stands against", nil, []task.Entry{
			lostAt(5, task.Updated, func(e *task.Entry) { e.AddDeps = []task.ID{"A-2"} }),
			lostAt(6, task.Transitioned, moved("backlog", "in_progress")),
		}, "backlog", "", task.Pending, "waits for A-2"},
		{"a change of the checks", nil, []task.Entry{lostAt(5, task.Updated, func(e *task.Entry) { e.Checks = []string{"0123"} })},
			"backlog", "", task.Pending, "checks: set by agent:a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := node("A-1", "backlog")
			file.Checks = []task.Check{pending}
			file.Provenance = []task.Entry{lostAt(0, task.Created, nil)}
			if tt.file != nil {
				tt.file(&file)
			}
			got, entry, contradictions := flow.PutBack(file, tt.lost, find, task.Stamp{Who: "human:shah", At: now.Add(time.Hour)})
			if got.Status != tt.status || got.Assignee != tt.assignee || got.Checks[0].Result != tt.result {
				t.Errorf("is %s, held by %q, with a check that is %s", got.Status, got.Assignee, got.Checks[0].Result)
			}
			if said := strings.Join(contradictions, "; "); !strings.Contains(said, tt.contradicts) || (said == "") != (tt.contradicts == "") {
				t.Errorf("contradictions: %q", said)
			}
			if !slices.IsSortedFunc(got.Provenance, func(a, b task.Entry) int { return a.At.Compare(b.At) }) {
				t.Errorf("the record is out of order: %v", got.Provenance)
			}
			for _, e := range append(file.Provenance, append(tt.lost, *entry)...) {
				if !got.Provenance.Has(e.Hash()) {
					t.Errorf("the record lacks %v", e)
				}
			}
		})
	}
}

// Of one second, what the file has comes first: it was there when the lost entry was written.
func TestPutBackBehindItsSecond(t *testing.T) {
	file := node("A-1", "backlog")
	file.Provenance = []task.Entry{lostAt(0, task.Created, nil), lostAt(5, task.Noted, nil), lostAt(9, task.Noted, nil)}
	lost := lostAt(5, task.Claimed, held("agent:a"))
	got, entry, _ := flow.PutBack(file, []task.Entry{lost}, graph(), task.Stamp{Who: "human:shah", At: now.Add(time.Hour)})
	if !got.Provenance[2].Equal(lost) || !got.Provenance.Last().Equal(*entry) {
		t.Errorf("the record is %v", got.Provenance)
	}
	const says = "put back what was overwritten: claimed by agent:a at 2026-06-21T10:05:00Z"
	if entry.Did != task.Noted || entry.Text != says {
		t.Errorf("it leaves %s: %q", entry.Did, entry.Text)
	}
}

func TestPutBackNothing(t *testing.T) {
	if _, entry, _ := flow.PutBack(node("A-1", "backlog"), nil, graph(), task.Stamp{Who: "human:shah"}); entry != nil {
		t.Errorf("it leaves %v", entry)
	}
}
