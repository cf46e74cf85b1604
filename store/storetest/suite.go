package storetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
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
			verify(t, s)
		})
	}
}

func empty(t *testing.T, s *store.Store) {
	wantList(t, s)
	_, err := s.Get("PROJ-1")
	wantCode(t, err, task.NotFound)
}

func createGet(t *testing.T, s *store.Store) {
	want := create(t, s, task.Task{
		ID: "PROJ-1", Title: "Everything: #1", Priority: 1, Labels: []string{"a", "b, c"}, Body: "Why.\n\n---\n\nHow.",
		Checks: []task.Check{{Desc: "tests pass", Cmd: "go test ./...", Cwd: "sub", Timeout: 60}, {Desc: "read", By: task.ByAnyone}},
	})
	got := get(t, s, "PROJ-1")
	if got.Rev == "" {
		t.Error("has no revision")
	}
	got.Rev = ""
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("reads\n%+v\nand was\n%+v", got, want)
	}
}

func createList(t *testing.T, s *store.Store) {
	for _, id := range []task.ID{"PROJ-2", "PROJ-10", "PROJ-1"} {
		create(t, s, task.Task{ID: id, Title: "A task"})
	}
	wantList(t, s, "PROJ-1", "PROJ-10", "PROJ-2")
}

func createOnce(t *testing.T, s *store.Store) {
	first := create(t, s, task.Task{ID: "PROJ-1", Title: "The first"})
	again := first
	again.Title = "The second"
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		tx.Create(again)
		return nil
	})
	wantCode(t, err, task.Conflict)
	if got := get(t, s, "PROJ-1"); got.Title != "The first" {
		t.Errorf("is now %q", got.Title)
	}
}

func update(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	before := get(t, s, "PROJ-1")
	note(t, s, "PROJ-1", "hello")
	after := get(t, s, "PROJ-1")
	if len(after.Provenance) != 2 || after.Provenance.Last().Text != "hello" {
		t.Errorf("has entries %+v", after.Provenance)
	}
	if after.Rev == before.Rev {
		t.Error("has its old revision")
	}
}

func updateFails(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	before := get(t, s, "PROJ-1")
	refusal := errors.New("no")
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		one, err := tx.Task("PROJ-1")
		if err != nil {
			return err
		}
		one.Title = "Another"
		tx.Put(one)
		tx.Create(task.Task{ID: "PROJ-2", Title: "A second", Status: "backlog"})
		return refusal
	})
	if !errors.Is(err, refusal) {
		t.Errorf("ended with %v, not with the error of the function", err)
	}
	if got := get(t, s, "PROJ-1"); got.Rev != before.Rev {
		t.Errorf("is now %+v", got)
	}
	wantList(t, s, "PROJ-1")
}

func readYourWrites(t *testing.T, s *store.Store) {
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		first := newTask(t, s, task.Task{ID: "PROJ-1", Title: "The first"}, tx.Find)
		tx.Create(first)
		tx.Create(newTask(t, s, task.Task{ID: "PROJ-2", Title: "The second", Deps: []task.ID{"PROJ-1"}}, tx.Find))
		if got, err := tx.Task("PROJ-1"); err != nil || got.Title != "The first" {
			t.Errorf("PROJ-1 reads %+v (%v)", got, err)
		}
		return nil
	})
	wantCode(t, err, "")
	wantList(t, s, "PROJ-1", "PROJ-2")
}

func updateSeveral(t *testing.T, s *store.Store) {
	ids := []task.ID{"PROJ-1", "PROJ-2", "PROJ-3"}
	for _, id := range ids {
		create(t, s, task.Task{ID: id, Title: "A task"})
	}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		for _, id := range ids {
			if err := addNote(tx, id, "together"); err != nil {
				return err
			}
		}
		return nil
	})
	wantCode(t, err, "")
	for _, id := range ids {
		if got := get(t, s, id); len(got.Provenance) != 2 {
			t.Errorf("%s has %d entries", id, len(got.Provenance))
		}
	}
}

func updateMissing(t *testing.T, s *store.Store) {
	err := s.Update(t.Context(), func(tx *store.Tx) error { return addNote(tx, "PROJ-1", "hello") })
	wantCode(t, err, task.NotFound)
	wantList(t, s)
}

func updateInTurn(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	const writers = 8
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { note(t, s, "PROJ-1", fmt.Sprintf("note %d", i)) })
	}
	wg.Wait()
	if got := len(get(t, s, "PROJ-1").Provenance); got != 1+writers {
		t.Errorf("has %d entries after %d notes", got, writers)
	}
}

func sessions(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	want := session.New(session.Session{ID: "ses-1", Task: "PROJ-1", Actor: who}, task.Stamp{Who: who, At: at})
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if err := addNote(tx, "PROJ-1", "begins"); err != nil {
			return err
		}
		tx.PutSession(want)
		tx.Beat(session.Heartbeat{Session: "ses-1", Actor: who, At: at})
		return nil
	})
	wantCode(t, err, "")
	if got, err := s.Session("ses-1"); err != nil || !got.Equal(want) {
		t.Errorf("reads %+v (%v), and was %+v", got, err, want)
	}
	if beat := s.Heartbeat("ses-1"); beat == nil || !beat.At.Equal(at) {
		t.Errorf("the heartbeat is %+v", beat)
	}
	if id, err := s.ResolveSession("1"); err != nil || id != "ses-1" {
		t.Errorf("1 finds session %q (%v)", id, err)
	}
}

func claims(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if err := addNote(tx, "PROJ-1", "mine"); err != nil {
			return err
		}
		tx.Claim("PROJ-1", &session.Lease{Actor: who, Worktree: s.Worktree, Since: at, Seen: at})
		return nil
	})
	wantCode(t, err, "")
	got := get(t, s, "PROJ-1")
	if hold := session.Holder(got.Header(), s.Live("PROJ-1"), at); hold.How != session.Claimed || hold.Actor != who {
		t.Errorf("is held by %+v", hold)
	}
	if got.Assignee != "" {
		t.Errorf("the file says that %s is at work", got.Assignee)
	}
}

func resolve(t *testing.T, s *store.Store) {
	for _, id := range []task.ID{"PROJ-1abc", "PROJ-1abd", "PROJ-1ab"} {
		create(t, s, task.Task{ID: id, Title: "A task"})
	}
	for part, want := range map[string]task.ID{"PROJ-1ab": "PROJ-1ab", "1ABC": "PROJ-1abc", "abd": "PROJ-1abd"} {
		if got, err := s.Resolve(part); err != nil || got != want {
			t.Errorf("%q finds %q (%v), and should find %s", part, got, err, want)
		}
	}
	_, err := s.Resolve("1ab")
	wantCode(t, err, task.AmbiguousID)
	_, err = s.Resolve("zzz")
	wantCode(t, err, task.NotFound)
	for part, want := range map[string][]string{"aB": {"PROJ-1ab", "PROJ-1abc", "PROJ-1abd"}, "1abd": {"PROJ-1abd"}, "zzz": nil} {
		if got, err := s.Candidates(part); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q occurs in %q (%v), and should in %q", part, got, err, want)
		}
	}
}

func brokenFile(t *testing.T, s *store.Store) {
	create(t, s, task.Task{ID: "PROJ-1", Title: "A task"})
	path := filepath.Join(s.TasksDir(), "PROJ-2.md")
	if err := os.WriteFile(path, []byte("---\nid: PROJ-2\ntitle: [\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tasks, problems, err := s.List(t.Context())
	if err != nil || len(tasks) != 1 || len(problems) != 1 || problems[0].Path != ".cairn/tasks/PROJ-2.md" || problems[0].Line == 0 {
		t.Errorf("lists %d tasks with problems %+v (%v)", len(tasks), problems, err)
	}
	note(t, s, "PROJ-1", "the others can still be written")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

const who = task.Actor("human:lee")

var at = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

// newTask is a task as the rules make it.
func newTask(t *testing.T, s *store.Store, of task.Task, find task.Find) task.Task {
	t.Helper()
	made, err := s.Config.Flow.Create(of, find, task.Stamp{Who: who, At: at})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func create(t *testing.T, s *store.Store, of task.Task) task.Task {
	t.Helper()
	made := newTask(t, s, of, s.Find)
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		tx.Create(made)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func note(t *testing.T, s *store.Store, id task.ID, text string) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx *store.Tx) error { return addNote(tx, id, text) }); err != nil {
		t.Error(err)
	}
}

func addNote(tx *store.Tx, id task.ID, text string) error {
	one, err := tx.Task(id)
	if err != nil {
		return err
	}
	if one, _, err = task.Note(one, task.Stamp{Who: who, At: at, Text: text}); err == nil {
		tx.Put(one)
	}
	return err
}

func get(t *testing.T, s *store.Store, id task.ID) task.Task {
	t.Helper()
	got, err := s.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantList(t *testing.T, s *store.Store, want ...task.ID) {
	t.Helper()
	tasks, problems, err := s.List(t.Context())
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	var got []task.ID
	for _, one := range tasks {
		got = append(got, one.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("lists %v, and should list %v", got, want)
	}
}

func wantCode(t *testing.T, err error, code task.Code) {
	t.Helper()
	if got := task.CodeOf(err); got != code || code == "" && err != nil {
		t.Errorf("got error %v with code %q, want code %q", err, got, code)
	}
}

func verify(t *testing.T, s *store.Store) {
	t.Helper()
	findings, err := s.Judge(t.Context())
	if err != nil || len(findings) > 0 {
		t.Errorf("judge finds %+v (%v)", findings, err)
	}
	problems, err := s.Verify(t.Context())
	if err != nil || len(problems) > 0 {
		t.Errorf("verify finds %+v (%v)", problems, err)
	}
}
