package task_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

var (
	alpha = task.Check{Desc: "alpha", Cmd: "make alpha"}
	beta  = task.Check{Desc: "beta", Cmd: "make beta"}
	gamma = task.Check{Desc: "gamma"}
)

// declares is an entry that records a list of checks.
func declares(did record.Did, who record.Actor, text string, checks ...task.Check) record.Entry {
	return record.Entry{Who: who, At: now, Did: did, Text: text, Checks: task.Task{ID: "A-1", Checks: checks}.CheckHashes()}
}

func begins() record.Entry {
	return record.Entry{Who: claude, At: now, Did: record.Transitioned, From: "backlog", To: "in_progress"}
}

// Whether something was taken away is read off the hashes that the record holds of the lists as they were.
func TestWeakened(t *testing.T) {
	long := make([]task.Check, 20)
	for i := range long {
		long[i] = task.Check{Desc: string(rune('a' + i))}
	}
	for _, row := range []struct {
		name   string
		checks []task.Check
		record []record.Entry
		want   bool
	}{
		{"nothing recorded", []task.Check{alpha}, []record.Entry{begins()}, false},
		{"as declared", []task.Check{alpha, beta}, []record.Entry{declares(record.Created, shah, "", alpha, beta), begins()}, false},
		{"an agent added one", []task.Check{alpha, beta}, []record.Entry{
			declares(record.Created, shah, "", alpha), begins(), declares(record.Updated, claude, "", alpha, beta),
		}, false},
		{"an agent added some here and there", []task.Check{gamma, alpha, beta}, []record.Entry{
			declares(record.Created, shah, "", alpha), begins(), declares(record.Updated, claude, "", gamma, alpha, beta),
		}, false},
		{"an agent took one away", []task.Check{alpha}, []record.Entry{
			declares(record.Created, shah, "", alpha, beta), begins(), declares(record.Updated, claude, "too slow", alpha),
		}, true},
		{"an agent took one away before work began", []task.Check{alpha}, []record.Entry{
			declares(record.Created, claude, "", alpha, beta), declares(record.Updated, claude, "", alpha), begins(),
		}, false},
		{"an agent changed one and added one", []task.Check{gamma, beta}, []record.Entry{
			declares(record.Created, shah, "", alpha), begins(), declares(record.Updated, claude, "", gamma, beta),
		}, true},
		{"a person took one away and says why", []task.Check{alpha}, []record.Entry{
			declares(record.Created, shah, "", alpha, beta), begins(), declares(record.Updated, shah, "too slow", alpha),
		}, false},
		{"a person took one away and says nothing", []task.Check{alpha}, []record.Entry{
			declares(record.Created, shah, "", alpha, beta), begins(), declares(record.Updated, shah, "", alpha),
		}, true},
		{"an agent took one away, and a person vouches for the list", []task.Check{alpha}, []record.Entry{
			declares(record.Created, shah, "", alpha, beta), begins(), declares(record.Updated, claude, "", alpha),
			declares(record.Updated, shah, "beta is gone", alpha),
		}, false},
		{"what a person declared anew, an agent took away", []task.Check{gamma}, []record.Entry{
			declares(record.Created, shah, "", alpha), begins(), declares(record.Updated, shah, "better", beta, gamma),
			declares(record.Updated, claude, "", gamma),
		}, true},
		{"back in the initial state nothing is free again", []task.Check{alpha}, []record.Entry{
			declares(record.Created, shah, "", alpha, beta), begins(),
			{Who: claude, At: now, Did: record.Transitioned, From: "in_progress", To: "backlog"},
			declares(record.Updated, claude, "", alpha),
		}, true},
		{"added at the end of a long list", long, []record.Entry{
			declares(record.Created, shah, "", long[:19]...), begins(), declares(record.Updated, claude, "", long...),
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			of := task.Task{ID: "A-1", Status: "in_progress", Checks: row.checks, Provenance: row.record}
			if e, got := flow.Weakened(of); got != row.want {
				t.Errorf("is weakened: %v (%+v)", got, e)
			}
		})
	}
}

// What an earlier version of the file asked for is asked for still, or a person said why not.
func TestLost(t *testing.T) {
	earlier := task.Task{ID: "A-1", Status: "in_progress", Checks: []task.Check{alpha, beta}, Provenance: []record.Entry{begins()}}
	later := earlier
	later.Checks = []task.Check{beta}
	if lost := flow.Lost(later, earlier); len(lost) != 1 || !lost[0].Same(alpha) {
		t.Errorf("lost is %+v", lost)
	}
	if lost := flow.Lost(earlier, earlier); len(lost) != 0 {
		t.Errorf("lost of itself is %+v", lost)
	}
	excused := later.With(declares(record.Updated, shah, "too slow", beta))
	if lost := flow.Lost(excused, earlier); len(lost) != 0 {
		t.Errorf("what a person took away is lost: %+v", lost)
	}
	if lost := flow.Lost(excused, excused); len(lost) != 0 {
		t.Errorf("lost since the excuse is %+v", lost)
	}
	after := excused
	after.Checks = nil
	if lost := flow.Lost(after, excused); len(lost) != 1 {
		t.Errorf("an excuse of before counts for later: %+v", lost)
	}
	planned := earlier
	planned.Status, planned.Provenance = "backlog", nil
	if lost := flow.Lost(later, planned); len(lost) != 0 {
		t.Errorf("what was taken away while planning is lost: %+v", lost)
	}
}

// The record tells when a task was closed.
func TestClosedAt(t *testing.T) {
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	moves := task.Task{ID: "A-1", Status: "backlog", Provenance: []record.Entry{
		{At: at(10), From: "backlog", To: "done"},
		{At: at(20), Did: record.Noted},
		{At: at(30), From: "done", To: "backlog"},
	}}
	for minutes, want := range map[int]bool{0: false, 9: false, 10: true, 25: true, 30: true, 31: false} {
		if got := flow.ClosedAt(moves, at(minutes)); got != want {
			t.Errorf("after %d minutes it is closed: %v", minutes, got)
		}
	}
	if !flow.ClosedAt(task.Task{ID: "A-2", Status: "done"}, now) || flow.ClosedAt(task.Task{ID: "A-3", Status: "backlog"}, now) {
		t.Error("a task that never moved is not what it always was")
	}
}

// A person who gives the list as it stands, with a reason, answers for it; the record keeps that. Nobody else does so.
func TestVouchingForAList(t *testing.T) {
	weak := task.Task{ID: "A-1", Title: "A task", Status: "in_progress", Checks: []task.Check{alpha}, Provenance: []record.Entry{
		declares(record.Created, shah, "", alpha, beta), begins(), declares(record.Updated, claude, "", alpha),
	}}
	list := []task.Check{alpha}
	for _, row := range []struct {
		name   string
		who    record.Actor
		text   string
		closed bool
		want   bool
	}{
		{"a person, with a reason", shah, "beta is gone", false, true},
		{"a person, without", shah, "", false, false},
		{"an agent", claude, "beta is gone", false, false},
		{"a person, of a closed task", shah, "beta is gone", true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			of := weak
			if row.closed {
				of.Status = "done"
			}
			after, _, err := flow.Update(of, task.Edit{Checks: &list, MayWeaken: true}, task.Proof{}, nil, record.Stamp{Who: row.who, At: now, Text: row.text})
			if err != nil {
				t.Fatal(err)
			}
			if _, weakened := flow.Weakened(after); weakened == row.want {
				t.Errorf("is answered for: %v", !weakened)
			}
		})
	}
}

// Letters are checks; each entry but the first changed the list to what it says.
func TestChecksExplained(t *testing.T) {
	for _, tt := range []struct {
		name     string
		recorded []string
		list     string
		want     bool
	}{
		{"as created", []string{"ab"}, "ab", true},
		{"as changed last", []string{"ab", "a"}, "a", true},
		{"no list was ever recorded", nil, "ab", true},
		{"one taken out by hand", []string{"ab"}, "a", false},
		{"all taken out by hand", []string{"ab"}, "", false},
		{"one exchanged by hand", []string{"ab"}, "ac", false},
		{"one added by hand", []string{"ab"}, "abc", false},
		{"put in another order by hand", []string{"ab"}, "ba", false},
		{"what an earlier entry recorded", []string{"a", "ab"}, "a", false},
		{"merged: each side added one", []string{"a", "ab", "ac"}, "abc", true},
		{"merged: theirs is the later", []string{"a", "ac", "ab"}, "abc", true},
		{"merged: nothing was there before", []string{"-", "b", "c"}, "bc", true},
		{"merged: each side added two, one after the other", []string{"a", "ab", "ad", "abc", "ade"}, "abcde", true},
		{"merged: three sides", []string{"a", "ab", "ac", "ad"}, "abcd", true},
		{"merged, and declared anew since", []string{"a", "ab", "ac", "abcd"}, "abcd", true},
		{"merged, and that of the later side taken out by hand", []string{"a", "ab", "ac"}, "ab", false},
		{"merged, and the first taken out by hand", []string{"a", "ab", "ac"}, "bc", false},
		{"merged, and one added by hand", []string{"a", "ab", "ac"}, "abcd", false},
		{"merged: one side took a check out, which a person must judge", []string{"ab", "a", "abc"}, "ac", false},
		{"merged: a long list", []string{"a", "ab", "a" + letters(40)}, "ab" + letters(40), true},
		{"merged, and put in another order by hand", []string{"a", "ab", "ac", "abc"}, "acb", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one := task.Task{Checks: lettered(tt.list)}
			for _, list := range tt.recorded {
				one = one.With(record.Entry{Did: record.Updated, Checks: task.Task{Checks: lettered(list)}.CheckHashes()})
			}
			if got := one.ChecksExplained(); got != tt.want {
				t.Errorf("explained is %v", got)
			}
		})
	}
}

// lettered is a check for each letter; "-" is a list without any.
func lettered(list string) []task.Check {
	var out []task.Check
	for _, r := range list {
		if r != '-' {
			out = append(out, task.Check{Desc: string(r), Cmd: "run " + string(r)})
		}
	}
	return out
}

// letters is n letters that no row names.
func letters(n int) string {
	out := make([]rune, n)
	for i := range out {
		out[i] = rune('Α' + i)
	}
	return string(out)
}
