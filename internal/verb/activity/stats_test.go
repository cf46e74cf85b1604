package activity

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

var noon = time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)

func accountBy(by string) account {
	return account{
		in: StatsIn{By: by}, flow: task.Lifecycle{Initial: "backlog", Review: "in_review", Closed: []record.Status{"done"}}, rows: map[string]*Stat{}, attempts: map[record.ID][]session.Session{}, closed: map[record.ID]time.Time{},
	}
}

// The sums of a thousand sessions are those of their events, however they are grouped.
func TestStatsAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var tasks []task.Task
	var sessions []session.Session
	want, cents := Stat{}, 0
	for i := range 300 {
		one := task.Task{ID: record.ID(fmt.Sprintf("T-%d", i)), Status: "done", Labels: []string{"l" + strconv.Itoa(i%7)}}
		one.Provenance = record.Log{
			{Who: "human:ada", At: noon, Did: record.Created},
			{Who: "human:ada", At: noon.Add(time.Duration(i) * time.Hour), Did: record.Transitioned, From: "in_review", To: "done"},
		}
		if i%5 == 0 {
			one.Status, one.Provenance = "backlog", one.Provenance[:1]
		} else {
			want.Closed++
		}
		tasks = append(tasks, one)
	}
	for i := range 1000 {
		took, cost := random.IntN(5000), random.IntN(300)
		ses := session.Session{
			ID: fmt.Sprintf("ses-%d", i), Task: tasks[i%300].ID, Actor: record.Actor(fmt.Sprintf("agent:a%d", i%4)), Executor: []string{"", "claude", "codex"}[i%3], Model: "m" + strconv.Itoa(i%2),
			Status: session.Finished, StartedAt: noon.Add(time.Duration(random.IntN(400)) * time.Hour),
			Used: session.Usage{Input: random.IntN(1000), Cached: random.IntN(100), Output: random.IntN(50), Cost: session.Dollars(float64(cost) / 100)},
		}
		ses.EndedAt = ses.StartedAt.Add(time.Duration(took) * time.Second)
		want.Attempts++
		want.AtWork += int64(took)
		want.Input += ses.Used.Input
		want.Cached += ses.Used.Cached
		want.Output += ses.Used.Output
		cents += cost
		sessions = append(sessions, ses)
	}
	// A task that was closed before anybody began an attempt has neither executor nor model.
	for by, rows := range map[string]int{"": 1, "executor": 3, "model": 3, "actor": 5, "label": 7, "week": 0} {
		a := accountBy(by)
		a.add(tasks, sessions)
		var sum Stat
		got := 0.0
		for _, s := range a.list() {
			sum.Closed += s.Closed
			sum.Attempts += s.Attempts
			sum.AtWork += s.AtWork
			sum.Input += s.Input
			sum.Cached += s.Cached
			sum.Output += s.Output
			cost, _ := strconv.ParseFloat(s.Cost, 64)
			got += cost
		}
		if sum.Closed != want.Closed || sum.Attempts != want.Attempts || sum.AtWork != want.AtWork || sum.Usage != want.Usage || int(got*100+0.5) != cents {
			t.Errorf("by %q the sums are %+v and $%.2f, want %+v and %d cents", by, sum, got, want, cents)
		}
		if rows != 0 && len(a.list()) != rows {
			t.Errorf("by %q there are %d rows, want %d", by, len(a.list()), rows)
		}
	}
}

// What a task waited for is read off its entries: its deps, somebody who begins, an answer, a review; what came back counts.
func TestStatsTellWhatATaskWaitedFor(t *testing.T) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	dep := task.Task{ID: "T-1", Status: "done", Provenance: record.Log{
		{Who: "human:ada", At: at(0), Did: record.Created}, {Who: "human:ada", At: at(10), Did: record.Transitioned, From: "backlog", To: "done"},
	}}
	one := task.Task{ID: "T-2", Status: "done", Assignee: "agent:a", Deps: []record.ID{"T-1"}, Provenance: record.Log{
		{Who: "human:ada", At: at(1), Did: record.Created},
		{Who: "agent:a", At: at(15), Did: record.Began, From: "backlog", To: "in_progress", Session: "ses-1"},
		{Who: "agent:a", At: at(20), Did: record.Asked, Session: "ses-1"},
		{Who: "human:ada", At: at(30), Did: record.Noted},
		{Who: "agent:a", At: at(50), Did: record.Began, Session: "ses-2"},
		{Who: "agent:a", At: at(60), Did: record.Finished, From: "in_progress", To: "in_review", Session: "ses-2"},
		{Who: "human:ada", At: at(65), Did: record.Rejected, From: "in_review", To: "in_progress"},
		{Who: "agent:a", At: at(70), Did: record.Began, Session: "ses-3"},
		{Who: "agent:a", At: at(80), Did: record.Finished, From: "in_progress", To: "in_review", Session: "ses-3"},
		{Who: "human:ada", At: at(79), Did: record.Noted}, // by a clock that is behind
		{Who: "human:ada", At: at(90), Did: record.Transitioned, From: "in_review", To: "done"},
	}}
	a := accountBy("actor")
	a.since = at(11)
	a.add([]task.Task{dep, one}, nil)
	list := a.list()
	if len(list) != 1 {
		t.Fatalf("the rows are %+v", list)
	}
	got := list[0]
	want := Stat{Name: "agent:a", Closed: 1, CameBack: 1, ForDeps: 9 * 60, ForStart: 5 * 60, ForReview: 16 * 60, ForAnswer: 30 * 60}
	if got.Name != want.Name || got.Closed != want.Closed || got.CameBack != want.CameBack || got.ForDeps != want.ForDeps || got.ForStart != want.ForStart ||
		got.ForReview != want.ForReview || got.ForAnswer != want.ForAnswer {
		t.Errorf("it is %+v, want %+v", got, want)
	}
	a = accountBy("")
	a.until = at(10)
	if a.add([]task.Task{dep, one}, nil); len(a.list()) != 0 {
		t.Errorf("before anything ended it is %+v", a.list())
	}
}
