package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Run runs the suite. open makes a new store, without tasks, for each test of it.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	for _, test := range []struct {
		promise string
		check   func(t *testing.T, s *store.Store)
	}{
		{"an empty store lists nothing", empty},
		{"what is created can be read", createGet},
		{"what is created is in the list, sorted by id", createList},
		{"an id is created once", createOnce},
		{"what is changed can be read, with a new revision", update},
		{"a change that fails changes nothing", updateFails},
		{"a write sees what it has put so far", readYourWrites},
		{"several tasks in one write", updateSeveral},
		{"no write without a task to write to", updateMissing},
		{"writes one after the other see each other", updateInTurn},
		{"a session is written with its task", sessions},
		{"a claim is live state, and leaves the file alone", claims},
		{"part of an id finds the task", resolve},
		{"a broken file hides no other", brokenFile},
	} {
		t.Run(test.promise, func(t *testing.T) {
			s := open(t)
			test.check(t, s)
			WantClean(t, s)
		})
	}
}

func empty(t *testing.T, s *store.Store) {
	WantNoProblem(t, s)
	_, err := kind.Tasks.Get(s, "PROJ-1")
	WantCode(t, err, record.NotFound)
}

func createGet(t *testing.T, s *store.Store) {
	want := create(t, s, task.Task{
		ID: "PROJ-1", Title: "Everything: #1", Priority: 1, Mode: task.PairMode, Repo: "web", Due: "2026-12-24", Labels: []string{"a", "b, c"}, Body: "Why.\n\n---\n\nHow.",
		Checks: []task.Check{{Desc: "tests pass", Cmd: "go test ./...", Cwd: "sub", Timeout: 60}, {Desc: "read", By: task.ByAnyone}},
	})
	got := Get(t, s, "PROJ-1")
	if got.Rev == "" {
		t.Error("has no revision")
	}
	got.Rev = ""
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func createList(t *testing.T, s *store.Store) {
	for _, id := range []record.ID{"PROJ-2", "PROJ-10", "PROJ-1"} {
		create(t, s, task.Task{ID: id, Title: "A task"})
	}
	WantNoProblem(t, s, "PROJ-1", "PROJ-10", "PROJ-2")
}

func createOnce(t *testing.T, s *store.Store) {
	first := create(t, s, task.Task{ID: "PROJ-1", Title: "The first"})
	again := first
	again.Title = "The second"
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		kind.Tasks.Put(tx, again)
		return nil
	})
	WantCode(t, err, record.Conflict)
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		kind.Tasks.Put(tx, first) // which makes the very same file
		return nil
	})
	WantCode(t, err, record.Conflict)
	if got := Get(t, s, "PROJ-1"); got.Title != "The first" {
		t.Errorf("got the title %q", got.Title)
	}
}

func update(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	before := Get(t, s, "PROJ-1")
	note(t, s, "PROJ-1", "hello")
	after := Get(t, s, "PROJ-1")
	if len(after.Provenance) != 2 || after.Provenance.Last().Text != "hello" {
		t.Errorf("has entries %+v", after.Provenance)
	}
	if after.Rev == before.Rev {
		t.Error("has its old revision")
	}
}

func updateFails(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	before := Get(t, s, "PROJ-1")
	refusal := errors.New("no")
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		one, err := kind.Tasks.Get(tx, "PROJ-1")
		if err != nil {
			return err
		}
		one.Title = "Another"
		kind.Tasks.Put(tx, one)
		kind.Tasks.Put(tx, task.Task{ID: "PROJ-2", Title: "A second", Status: "backlog"})
		return refusal
	})
	if !errors.Is(err, refusal) {
		t.Errorf("ended with %v, not with the error of the function", err)
	}
	if got := Get(t, s, "PROJ-1"); got.Rev != before.Rev {
		t.Errorf("is now %+v", got)
	}
	WantNoProblem(t, s, "PROJ-1")
}

func readYourWrites(t *testing.T, s *store.Store) {
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		first := newTask(t, s, task.Task{ID: "PROJ-1", Title: "The first"}, kind.Tasks.Find(tx))
		kind.Tasks.Put(tx, first)
		kind.Tasks.Put(tx, newTask(t, s, task.Task{ID: "PROJ-2", Title: "The second", Deps: []record.ID{"PROJ-1"}}, kind.Tasks.Find(tx)))
		if got, err := kind.Tasks.Get(tx, "PROJ-1"); err != nil || got.Title != "The first" {
			t.Errorf("PROJ-1 reads %+v (%v)", got, err)
		}
		return nil
	})
	WantCode(t, err, "")
	WantNoProblem(t, s, "PROJ-1", "PROJ-2")
}

func updateSeveral(t *testing.T, s *store.Store) {
	ids := []record.ID{"PROJ-1", "PROJ-2", "PROJ-3"}
	for _, id := range ids {
		create(t, s, task.Task{ID: id, Title: "A task"})
	}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		for _, id := range ids {
			if err := AddNote(tx, id, "together"); err != nil {
				return err
			}
		}
		return nil
	})
	WantCode(t, err, "")
	for _, id := range ids {
		if got := Get(t, s, id); len(got.Provenance) != 2 {
			t.Errorf("%s has %d entries", id, len(got.Provenance))
		}
	}
}

func updateMissing(t *testing.T, s *store.Store) {
	err := s.Update(t.Context(), func(tx *store.Tx) error { return AddNote(tx, "PROJ-1", "hello") })
	WantCode(t, err, record.NotFound)
	WantNoProblem(t, s)
}

func updateInTurn(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	const writers = 8
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { note(t, s, "PROJ-1", fmt.Sprintf("note %d", i)) })
	}
	wg.Wait()
	if got := len(Get(t, s, "PROJ-1").Provenance); got != 1+writers {
		t.Errorf("has %d entries after %d notes", got, writers)
	}
}

func sessions(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	want := session.New(session.Session{ID: "ses-1", Task: "PROJ-1", Actor: who}, record.Stamp{Who: who, At: at})
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if err := AddNote(tx, "PROJ-1", "begins"); err != nil {
			return err
		}
		kind.Sessions.Put(tx, want)
		tx.Beat(session.Heartbeat{Session: "ses-1", Actor: who, At: at})
		return nil
	})
	WantCode(t, err, "")
	got, err := kind.Sessions.Get(s, "ses-1")
	if want.Rev = got.Rev; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), and was %+v", got, err, want)
	}
	if beat := s.Heartbeat("ses-1"); beat == nil || !beat.At.Equal(at) {
		t.Errorf("the heartbeat is %+v", beat)
	}
	if id, err := s.Resolve(kind.Sessions.Kind, "1"); err != nil || id != "ses-1" {
		t.Errorf("1 finds session %q (%v)", id, err)
	}
}

func claims(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if err := AddNote(tx, "PROJ-1", "mine"); err != nil {
			return err
		}
		tx.Claim(record.ID("PROJ-1").Ref(), &session.Lease{Actor: who, Worktree: s.Worktree, Since: at, Seen: at})
		return nil
	})
	WantCode(t, err, "")
	got := Get(t, s, "PROJ-1")
	if hold := session.Holder(got.Header(), s.Known(got.Header().Ref), at); !hold.Live() || hold.Actor != who {
		t.Errorf("is held by %+v", hold)
	}
	if got.Assignee != "" {
		t.Errorf("the file says that %s is at work", got.Assignee)
	}
}

func resolve(t *testing.T, s *store.Store) {
	for _, id := range []record.ID{"PROJ-1abc", "PROJ-1abd", "PROJ-1ab"} {
		create(t, s, task.Task{ID: id, Title: "A task"})
	}
	for part, want := range map[string]string{"PROJ-1ab": "PROJ-1ab", "1ABC": "PROJ-1abc", "abd": "PROJ-1abd"} {
		if got, err := s.Resolve(kind.Tasks.Kind, part); err != nil || got != want {
			t.Errorf("%q: got %q (%v), want %s", part, got, err, want)
		}
	}
	_, err := s.Resolve(kind.Tasks.Kind, "1ab")
	WantCode(t, err, record.AmbiguousID)
	_, err = s.Resolve(kind.Tasks.Kind, "zzz")
	WantCode(t, err, record.NotFound)
	for part, want := range map[string][]string{"aB": {"PROJ-1ab", "PROJ-1abc", "PROJ-1abd"}, "1abd": {"PROJ-1abd"}, "zzz": nil} {
		if got, err := s.Candidates(kind.Tasks.Kind, part); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q (%v), want %q", part, got, err, want)
		}
	}
}

func brokenFile(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	path := TaskFile(s, "PROJ-2")
	WriteFile(t, path, "---\nid: PROJ-2\ntitle: [\n---\n")
	tasks, problems, err := kind.Tasks.List(t.Context(), s)
	if err != nil || len(tasks) != 1 || len(problems) != 1 || problems[0].Path != ".cairn/tasks/PROJ-2.md" || problems[0].Line == 0 {
		t.Errorf("got %d tasks with problems %+v (%v)", len(tasks), problems, err)
	}
	note(t, s, "PROJ-1", "the others can still be written")
	Remove(t, path)
}

const who = record.Actor("human:lee")

var at = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

// newTask is a new task, made by the rules.
func newTask(t *testing.T, s *store.Store, of task.Task, find task.Find) task.Task {
	t.Helper()
	return value[task.Task](t)(s.Config.Flow.Create(of, find, record.Stamp{Who: who, At: at}))
}

func create(t *testing.T, s *store.Store, of task.Task) task.Task {
	t.Helper()
	made := newTask(t, s, of, kind.Tasks.Find(s))
	must(t, s.Update(t.Context(), func(tx *store.Tx) error {
		kind.Tasks.Put(tx, made)
		return nil
	}))
	return made
}

func note(t *testing.T, s *store.Store, id record.ID, text string) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx *store.Tx) error { return AddNote(tx, id, text) }); err != nil {
		t.Error(err)
	}
}
