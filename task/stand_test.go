package task_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Each word holds of what its line says, and of nothing else.
func TestHowATaskStands(t *testing.T) {
	flow := task.Lifecycle{
		States:  []record.Status{"backlog", "in_progress", "in_review", "parked", "done"},
		Initial: "backlog", Working: "in_progress", Review: "in_review", Closed: []record.Status{"done"},
	}
	const free, lee = record.Actor(""), record.Actor("human:lee")
	is := func(words ...task.Word) []task.Word { return words }
	for _, c := range []struct {
		name   string
		at     record.Status
		holder record.Actor
		but    func(*task.Stand)
		want   []task.Word
		first  task.Word
	}{
		{"free", "backlog", free, nil, is(task.IsReady), task.IsReady},
		{"left in the working state", "in_progress", free, nil, is(task.IsReady), task.IsReady},
		{"waits", "backlog", free, func(s *task.Stand) { s.WaitsFor = true }, is(task.WaitsFor, task.IsBlocked), task.WaitsFor},
		{"a parent", "backlog", free, func(s *task.Stand) { s.Children = true }, is(task.HasChildren, task.IsBlocked), task.HasChildren},
		{"elsewhere", "backlog", free, func(s *task.Stand) { s.Elsewhere = true }, is(task.IsElsewhere), task.IsElsewhere},
		{"claimed", "backlog", lee, func(s *task.Stand) { s.Taken = true }, is(task.IsHeld, task.IsRunning), task.IsHeld},
		{"started", "in_progress", lee, func(s *task.Stand) { s.Taken = true }, is(task.IsHeld, task.IsRunning), task.IsHeld},
		{"started and waits", "in_progress", lee, func(s *task.Stand) { s.Taken, s.WaitsFor = true, true }, is(task.WaitsFor, task.IsHeld, task.IsBlocked, task.IsRunning), task.WaitsFor},
		{"given", "backlog", lee, nil, is(task.IsAssigned), task.IsAssigned},
		{"imported as begun", "in_progress", lee, nil, is(task.IsAssigned), task.IsAssigned},
		{"given long ago", "backlog", lee, func(s *task.Stand) { s.Lapsed = true }, is(task.IsLapsed, task.IsAssigned), task.IsLapsed},
		{"lapsed", "in_progress", lee, func(s *task.Stand) { s.Taken, s.Lapsed = true, true }, is(task.IsLapsed, task.IsStalled), task.IsLapsed},
		{"silent", "in_progress", lee, func(s *task.Stand) { s.Taken, s.Silent = true, func() bool { return true } }, is(task.IsHeld, task.IsStalled), task.IsHeld},
		{"heard of", "in_progress", lee, func(s *task.Stand) { s.Taken, s.Silent = true, func() bool { return false } }, is(task.IsHeld, task.IsRunning), task.IsHeld},
		{"handed over", "in_review", lee, func(s *task.Stand) { s.Taken = true }, is(task.IsHeld, task.IsInReview), task.IsHeld},
		{"handed over long ago", "in_review", lee, func(s *task.Stand) { s.Taken, s.Lapsed = true, true }, is(task.IsLapsed, task.IsInReview), task.IsLapsed},
		{"in review", "in_review", free, nil, is(task.IsInReview), task.IsInReview},
		{"parked", "parked", free, nil, is(task.OtherState), task.OtherState},
		{"for later", "backlog", free, func(s *task.Stand) { s.Early = true }, is(task.IsEarly), task.IsEarly},
		{"begun all the same", "in_progress", lee, func(s *task.Stand) { s.Taken, s.Early = true, true }, is(task.IsHeld, task.IsEarly, task.IsRunning), task.IsHeld},
		{"closed", "done", lee, func(s *task.Stand) { s.Taken, s.WaitsFor, s.Lapsed = true, true, true }, is(task.IsClosed), task.IsClosed},
		{"closed here alone", "done", free, func(s *task.Stand) { s.Elsewhere = true }, is(task.IsClosed, task.IsElsewhere), task.IsClosed},
	} {
		s := flow.Stand(c.at)
		s.Holder = c.holder
		if c.but != nil {
			c.but(&s)
		}
		var got []task.Word
		for _, word := range task.Words() {
			if s.Is(word) {
				got = append(got, word)
			}
		}
		if !slices.Equal(got, c.want) || s.First() != c.first || s.Why()[0] != c.first {
			t.Errorf("%s: %v, first %v of %v; want %v, first %v", c.name, got, s.First(), s.Why(), c.want, c.first)
		}
	}
}

// The table for users has the words of the code, in its order and with what it says of them.
func TestWordsAreTheTable(t *testing.T) {
	page, err := os.ReadFile("../docs/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| word | the task |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want strings.Builder
	for _, word := range task.Words() {
		want.WriteString("| `" + string(word) + "` | " + word.About() + " |\n")
	}
	if table+"\n" != want.String() {
		t.Errorf("docs/filters.md has\n%s\nand the code\n%s", table, want.String())
	}
}
