package task_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// lostAt is an entry of so many minutes past now.
func lostAt(minute int, did record.Did, fill func(*record.Entry)) record.Entry {
	e := record.Entry{Who: "agent:a", At: now.Add(time.Duration(minute) * time.Minute), Did: did}
	if fill != nil {
		fill(&e)
	}
	return e
}

func moved(from, to record.Status) func(*record.Entry) {
	return func(e *record.Entry) { e.From, e.To = from, to }
}

func held(by record.Actor) func(*record.Entry) {
	return func(e *record.Entry) { e.Assignee = &by }
}

func gave(c task.Check, r record.Result) func(*record.Entry) {
	return func(e *record.Entry) { e.Results = []record.CheckResult{{Check: c.Key("A-1"), Result: r}} }
}

// What lost entries say is done again, unless something later stands against it or the file contradicts it.
func TestPutBack(t *testing.T) {
	pending := task.Check{Desc: "tests pass", Cmd: "go test ./...", Result: record.Pending}
	find := graph(node("A-2", "in_progress"))
	for _, tt := range []struct {
		name        string
		file        func(*task.Task)
		lost        []record.Entry
		status      record.Status
		assignee    record.Actor
		result      record.Result
		contradicts string
	}{
		{"a note", nil, []record.Entry{lostAt(5, record.Noted, nil)}, "backlog", "", record.Pending, ""},
		{"a move from where the file is", nil, []record.Entry{lostAt(5, record.Transitioned, moved("backlog", "in_progress"))},
			"in_progress", "", record.Pending, ""},
		{"two moves, one after the other", nil,
			[]record.Entry{lostAt(5, record.Transitioned, moved("backlog", "in_progress")), lostAt(6, record.Transitioned, moved("in_progress", "in_review"))},
			"in_review", "", record.Pending, ""},
		{"a move to where the file is already", func(f *task.Task) { f.Status = "in_progress" },
			[]record.Entry{lostAt(5, record.Transitioned, moved("backlog", "in_progress"))}, "in_progress", "", record.Pending, ""},
		{"a move, and somebody moved it by hand", func(f *task.Task) { f.Status = "in_review" },
			[]record.Entry{lostAt(5, record.Transitioned, moved("backlog", "in_progress"))}, "in_review", "", record.Pending,
			"status: moved from backlog to in_progress at 2026-06-21T10:05:00Z, and the file says in_review"},
		{"a move, and a later one in the file", func(f *task.Task) {
			f.Provenance = append(f.Provenance, lostAt(9, record.Transitioned, moved("in_progress", "backlog")))
		}, []record.Entry{lostAt(5, record.Transitioned, moved("backlog", "in_progress"))}, "backlog", "", record.Pending, ""},
		{"a start, and the file waits for another task now", func(f *task.Task) { f.Deps = []record.ID{"A-2"} },
			[]record.Entry{lostAt(5, record.Transitioned, moved("backlog", "in_progress"))}, "backlog", "", record.Pending, "waits for A-2"},
		{"a close with the pass it rests on", nil,
			[]record.Entry{lostAt(5, record.Checked, gave(pending, record.Pass)), lostAt(6, record.Transitioned, moved("backlog", "done"))},
			"done", "", record.Pass, ""},
		{"a close whose checks have not passed by the record", nil, []record.Entry{lostAt(6, record.Transitioned, moved("backlog", "done"))},
			"backlog", "", record.Pending, `check "tests pass" has not passed`},
		{"a claim", nil, []record.Entry{lostAt(5, record.Claimed, held("agent:a"))}, "backlog", "agent:a", record.Pending, ""},
		{"a claim and its release", nil, []record.Entry{lostAt(5, record.Claimed, held("agent:a")), lostAt(6, record.Released, held(""))},
			"backlog", "", record.Pending, ""},
		{"a claim, and the file names another", func(f *task.Task) { f.Assignee = "human:lee" },
			[]record.Entry{lostAt(5, record.Claimed, held("agent:a"))}, "backlog", "human:lee", record.Pending,
			"assignee: became agent:a at 2026-06-21T10:05:00Z, and the file says human:lee"},
		{"a run, and a later one in the file", func(f *task.Task) {
			f.Provenance = append(f.Provenance, lostAt(9, record.Checked, gave(pending, record.Fail)))
		}, []record.Entry{lostAt(5, record.Checked, gave(pending, record.Pass))}, "backlog", "", record.Fail, ""},
		{"an update", nil, []record.Entry{lostAt(5, record.Updated, func(e *record.Entry) { e.Fields = []string{"title", "body"} })},
			"backlog", "", record.Pending, "changed title, body; the entry does not say how"},
		{"a dependency, and a start that it stands against", nil, []record.Entry{
			lostAt(5, record.Updated, func(e *record.Entry) { e.AddDeps = []record.ID{"A-2"} }),
			lostAt(6, record.Transitioned, moved("backlog", "in_progress")),
		}, "backlog", "", record.Pending, "waits for A-2"},
		{"a change of the checks", nil, []record.Entry{lostAt(5, record.Updated, func(e *record.Entry) { e.Checks = []string{"0123"} })},
			"backlog", "", record.Pending, "checks: set by agent:a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := node("A-1", "backlog")
			file.Checks = []task.Check{pending}
			file.Provenance = []record.Entry{lostAt(0, record.Created, nil)}
			if tt.file != nil {
				tt.file(&file)
			}
			got, entry, contradictions := flow.PutBack(file, tt.lost, find, record.Stamp{Who: "human:shah", At: now.Add(time.Hour)})
			if got.Status != tt.status || got.Assignee != tt.assignee || got.Checks[0].Result != tt.result {
				t.Errorf("is %s, held by %q, with a check that is %s", got.Status, got.Assignee, got.Checks[0].Result)
			}
			if said := strings.Join(contradictions, "; "); !strings.Contains(said, tt.contradicts) || (said == "") != (tt.contradicts == "") {
				t.Errorf("contradictions: %q", said)
			}
			if !slices.IsSortedFunc(got.Provenance, func(a, b record.Entry) int { return a.At.Compare(b.At) }) {
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
	file.Provenance = []record.Entry{lostAt(0, record.Created, nil), lostAt(5, record.Noted, nil), lostAt(9, record.Noted, nil)}
	lost := lostAt(5, record.Claimed, held("agent:a"))
	got, entry, _ := flow.PutBack(file, []record.Entry{lost}, graph(), record.Stamp{Who: "human:shah", At: now.Add(time.Hour)})
	if !got.Provenance[2].Equal(lost) || !got.Provenance.Last().Equal(*entry) {
		t.Errorf("the record is %v", got.Provenance)
	}
	const says = "put back what was overwritten: claimed by agent:a at 2026-06-21T10:05:00Z"
	if entry.Did != record.Noted || entry.Text != says {
		t.Errorf("it leaves %s: %q", entry.Did, entry.Text)
	}
}

func TestPutBackNothing(t *testing.T) {
	if _, entry, _ := flow.PutBack(node("A-1", "backlog"), nil, graph(), record.Stamp{Who: "human:shah"}); entry != nil {
		t.Errorf("it leaves %v", entry)
	}
}
