package store

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// What an editor writes while a write decides is not lost: the decision is made again, on the newest bytes.
func TestEditorWritesWhileTheDecisionIsMade(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	decisions := 0
	err := noteAfter(s, "PROJ-1", "from cairn", func() {
		if decisions++; decisions == 1 {
			editTitle(t, s, "PROJ-1", "From the editor")
		}
	})
	wantCode(t, err, "")
	got, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	if got.Title != "From the editor" || got.Provenance.Last().Text != "from cairn" {
		t.Errorf("reads %q with %d entries, and both changes should be there", got.Title, len(got.Provenance))
	}
	if decisions != 2 {
		t.Errorf("was decided %d times, not twice", decisions)
	}
}

// A file that is deleted while a write decides is not brought back.
func TestFileVanishesWhileTheDecisionIsMade(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	err := noteAfter(s, "PROJ-1", "too late", func() { _ = os.Remove(s.task("PROJ-1")) })
	wantCode(t, err, task.NotFound)
	if exists(s.task("PROJ-1")) {
		t.Error("the file is back")
	}
}

// An editor that keeps changing the file wins in the end, and the write says so.
func TestEditorNeverStops(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	saves := 0
	err := noteAfter(s, "PROJ-1", "never", func() {
		saves++
		editTitle(t, s, "PROJ-1", strings.Repeat("more ", saves))
	})
	wantCode(t, err, task.Conflict)
	if got, err := s.Get("PROJ-1"); err != nil || len(got.Provenance) != 0 {
		t.Errorf("reads %+v (%v), and nothing should have been written", got, err)
	}
}

// The window that stays open: an editor takes no lock, so what it does between the last look and the rename is undone. The
// file is whole all the same, the write is in it once, and nothing outside the folder is touched.
func TestEditorWritesBetweenLookAndRename(t *testing.T) {
	for _, meanwhile := range []struct {
		name string
		do   func(t *testing.T, s *Store)
	}{
		{"it saves in place", func(t *testing.T, s *Store) { editTitle(t, s, "PROJ-1", "From the editor") }},
		{"it renames another file over it", func(t *testing.T, s *Store) {
			writeFile(t, s.task("PROJ-1")+"~", taskText("PROJ-1", "labels: [edited]"))
			rename(t, s.task("PROJ-1")+"~", s.task("PROJ-1"))
		}},
		{"it deletes the file", func(t *testing.T, s *Store) { remove(t, s.task("PROJ-1")) }},
		{"it puts a link there", func(t *testing.T, s *Store) {
			remove(t, s.task("PROJ-1"))
			link(t, elsewhere(t), s.task("PROJ-1"))
		}},
	} {
		t.Run(meanwhile.name, func(t *testing.T) {
			s := newStore(t)
			handWrite(t, s, "PROJ-1")
			s.beforePublish = func(string) { meanwhile.do(t, s) }
			wantCode(t, newActor(s, "human:lee").note("PROJ-1", "from cairn"), "")
			got, err := s.Get("PROJ-1")
			wantCode(t, err, "")
			if len(got.Provenance) != 1 || got.Title != "Task PROJ-1" || len(got.Labels) > 0 {
				t.Errorf("reads %+v", got)
			}
		})
	}
}

// A folder cannot be replaced by a file: the write fails, the folder stays, and nobody holds a task that is not there.
func TestFolderComesBetweenLookAndRename(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	handWrite(t, s, "PROJ-1")
	s.beforePublish = func(path string) {
		remove(t, path)
		writeFile(t, filepath.Join(path, "inside"), "")
	}
	wantCode(t, newActor(s, "agent:a").claim("PROJ-1"), task.IO)
	if names := namesIn(t, s.TasksDir()); !slices.Equal(names, []string{"PROJ-1.md"}) {
		t.Errorf("the folder of tasks holds %v", names)
	}
	if _, err := os.Stat(filepath.Join(s.task("PROJ-1"), "inside")); err != nil {
		t.Error(err)
	}
	if record := s.Live("PROJ-1").Record; record != nil && record.Lease != nil {
		t.Errorf("the claim is %+v", record.Lease)
	}
}

// A link that comes while a write decides is neither replaced nor followed, even where it leads to the very same content.
func TestLinkComesWhileTheDecisionIsMade(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	handWrite(t, s, "PROJ-1")
	moved := filepath.Join(t.TempDir(), "moved.md")
	err := noteAfter(s, "PROJ-1", "too late", func() {
		if !exists(moved) {
			rename(t, s.task("PROJ-1"), moved)
			link(t, moved, s.task("PROJ-1"))
		}
	})
	wantMessage(t, err, task.IO, "not a regular file")
	if got := string(readAll(t, moved)); got != taskText("PROJ-1") {
		t.Errorf("what the link leads to is\n%s", got)
	}
}

// elsewhere is a file outside the workspace that must stay as it is.
func elsewhere(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "elsewhere")
	writeFile(t, path, "mine")
	t.Cleanup(func() {
		if got := string(readAll(t, path)); got != "mine" {
			t.Errorf("the file elsewhere became %q", got)
		}
	})
	return path
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// Of a write of two files the second is changed by an editor once the first has its new content. Everything is decided
// again, and nothing is done twice.
func TestEditorWritesBetweenTwoFilesOfOneWrite(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	a := newActor(s, "agent:a")
	ses, err := a.begin("PROJ-1")
	wantCode(t, err, "")
	s.beforePublish = func(path string) {
		if s.beforePublish = nil; path == s.task("PROJ-1") {
			appendTo(t, s.session(ses), "# looked at by a person\n")
		}
	}
	wantCode(t, a.finish(ses), "")
	got, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	if len(got.Provenance) != 2 {
		t.Errorf("has the entries %+v, and should have one for begin and one for finish", got.Provenance)
	}
	if ended, err := s.Session(ses); err != nil || ended.Status != session.Finished {
		t.Errorf("the session is %+v (%v)", ended, err)
	}
	if src := readAll(t, s.session(ses)); !strings.Contains(string(src), "looked at by a person") {
		t.Errorf("what the editor wrote is gone:\n%s", src)
	}
}

// A refused write leaves every file as it was, and nothing beside them.
func TestRefusalLeavesNothing(t *testing.T) {
	lee, codex := task.Actor("human:lee"), task.Actor("agent:codex")
	for _, refusal := range []struct {
		name string
		code task.Code
		make func(s *Store) error
	}{
		{"no such task", task.NotFound, func(s *Store) error { return newActor(s, lee).note("PROJ-9", "x") }},
		{"the rules say no", task.DepsOpen, func(s *Store) error { return newActor(s, lee).move("PROJ-2", "in_progress") }},
		{"another holds it", task.AlreadyClaimed, func(s *Store) error { return newActor(s, codex).claim("PROJ-1") }},
		{"an id that is taken", task.Conflict, func(s *Store) error { return newActor(s, lee).createAs("PROJ-1", "again") }},
		{"a dep that does not exist", task.DanglingDep, func(s *Store) error {
			_, err := newActor(s, lee).create("x", "PROJ-9")
			return err
		}},
		{"the file is broken", task.BadFile, func(s *Store) error { return newActor(s, lee).note("PROJ-3", "x") }},
		{"the change cannot be made in this file", task.BadFile, func(s *Store) error { return newActor(s, lee).move("PROJ-4", "in_progress") }},
		{"the file would grow too large", task.TaskFull, func(s *Store) error { return replaceBody(s, "PROJ-1", strings.Repeat("x", 4<<20)) }},
		{"one of two files cannot be written", task.BadFile, func(s *Store) error { return noteBoth(s, "PROJ-1", "PROJ-4") }},
	} {
		t.Run(refusal.name, func(t *testing.T) {
			s := refusing(t)
			before := snapshot(t, s.Root)
			wantCode(t, refusal.make(s), refusal.code)
			if after := snapshot(t, s.Root); !maps.Equal(before, after) {
				t.Errorf("changed %v", changed(before, after))
			}
		})
	}
}

// Whoever gives up before anything is written has written nothing.
func TestCallerGivesUp(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	ctx, giveUp := context.WithCancel(t.Context())
	err := s.Update(ctx, func(tx *Tx) error {
		giveUp()
		return addNote(tx, "PROJ-1", "x")
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if got := string(readAll(t, s.task("PROJ-1"))); got != taskText("PROJ-1") {
		t.Errorf("the file is\n%s", got)
	}
}

// refusing is a workspace with a task that agent:a holds, one that waits for it, one whose file is broken, and one whose
// file cannot be changed in place.
func refusing(t *testing.T) *Store {
	t.Helper()
	s := newStoreAt(t, t.TempDir())
	handWrite(t, s, "PROJ-1")
	handWrite(t, s, "PROJ-2", "deps: [PROJ-1]")
	writeFile(t, s.task("PROJ-3"), "---\nid: PROJ-3\ntitle: [\n---\n")
	writeFile(t, s.task("PROJ-4"), "---\nid: PROJ-4\ntitle: Task 4\nprovenance: &all []\nstatus: backlog\nsame: *all\n---\n")
	wantCode(t, newActor(s, "agent:a").claim("PROJ-1"), "")
	return s
}

// A decision that stages nothing, or what is there already, writes no file.
func TestNothingToDoWritesNothing(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	a := newActor(s, "human:lee")
	wantCode(t, a.claim("PROJ-1"), "")
	before := snapshot(t, s.Root)
	wantCode(t, a.claim("PROJ-1"), "")
	wantCode(t, a.move("PROJ-1", "backlog"), "")
	if after := snapshot(t, s.Root); !maps.Equal(before, after) {
		t.Errorf("changed %v", changed(before, after))
	}
}

// Several files in one write: the session is there before the task names it, and its claim with them.
func TestBeginWritesTaskSessionAndClaim(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	s.beforePublish = func(path string) {
		names, err := os.ReadDir(s.SessionsDir())
		if path == s.task("PROJ-1") && (err != nil || len(names) == 0) {
			t.Error("the task is about to name a session that is not there")
		}
	}
	a := newActor(s, "agent:a")
	ses, err := a.begin("PROJ-1")
	wantCode(t, err, "")
	got, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	hold := session.Holder(got.Header(), s.Live("PROJ-1"), a.now())
	if got.Provenance.LastSession() != ses || got.Status != flow.Working || hold.Session != ses || hold.How != session.Claimed {
		t.Errorf("reads %+v, held by %+v", got, hold)
	}
}

// A lock that another holds for long ends the wait with BUSY; the end of the caller's own context ends it as that.
func TestLockIsHeld(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	lock, err := s.lockWrites(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	s.lockPatience = time.Millisecond
	err = newActor(s, "human:lee").note("PROJ-1", "x")
	wantMessage(t, err, task.Busy, "waited 1ms for other processes")
	if e, ok := errors.AsType[*task.Error](err); !ok || !strings.Contains(e.Hint.String(), s.lock()) {
		t.Errorf("the hint of %v does not name the lock", err)
	}

	s.lockPatience = lockPatience
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	if err := s.Update(ctx, func(*Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// Where the lock cannot be taken nothing is written, and the refusal names the folder. Reading goes on.
func TestLiveFolderCannotBeWritten(t *testing.T) {
	for _, trouble := range []struct {
		name string
		code task.Code
		make func(t *testing.T, live string)
	}{
		{"a file is in its place", task.IO, func(t *testing.T, live string) { writeFile(t, live, "") }},
		{"it is read-only", task.Sandboxed, readOnly},
	} {
		t.Run(trouble.name, func(t *testing.T) {
			s := newStoreAt(t, t.TempDir())
			handWrite(t, s, "PROJ-1")
			trouble.make(t, s.Layout.Live)
			before := snapshot(t, filepath.Join(s.Root, Folder, "tasks"))
			err := newActor(s, "human:lee").note("PROJ-1", "x")
			wantMessage(t, err, trouble.code, s.Layout.Live)
			if _, err := s.Get("PROJ-1"); err != nil {
				t.Errorf("cannot be read: %v", err)
			}
			if after := snapshot(t, filepath.Join(s.Root, Folder, "tasks")); !maps.Equal(before, after) {
				t.Errorf("changed %v", changed(before, after))
			}
		})
	}
}

// A folder of tasks that cannot be written is the operating system's refusal, and no sandbox's.
func TestTasksFolderCannotBeWritten(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	wantCode(t, newActor(s, "human:lee").note("PROJ-1", "the live state is there"), "")
	readOnly(t, s.TasksDir())
	wantCode(t, newActor(s, "human:lee").note("PROJ-1", "x"), task.IO)
}

// A newer format is read, and not written.
func TestNewerFormatIsReadOnly(t *testing.T) {
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	writeFile(t, s.ConfigFile(), "format: 2\nprefix: PROJ\n")
	newer := reopen(t, s.Root)
	before := snapshot(t, s.Root)
	wantCode(t, newActor(newer, "human:lee").note("PROJ-1", "x"), task.ReadOnly)
	if after := snapshot(t, s.Root); !maps.Equal(before, after) {
		t.Errorf("changed %v", changed(before, after))
	}
	if tasks, problems, err := newer.List(t.Context()); err != nil || len(problems) > 0 || len(tasks) != 1 {
		t.Errorf("lists %v, %v, %v", tasks, problems, err)
	}
}

// A task takes notes until its record is full. Whoever asks for room is told; whoever moves does not ask.
func TestRoom(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	wantCode(t, s.Room("PROJ-1"), "")
	handWrite(t, s, "PROJ-1", "notes: "+strings.Repeat("x", fullAt))
	wantCode(t, s.Room("PROJ-1"), task.TaskFull)
	wantCode(t, newActor(s, "human:lee").move("PROJ-1", "in_progress"), "")
}

// What a record that is full is still written for may not fill it up in turn.
func TestBareWritesSayLittle(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    task.Entry
		want bool
	}{
		{"a move", task.Entry{Did: task.Transitioned}, true},
		{"a move and a word on it", task.Entry{Did: task.Transitioned, Text: "x"}, false},
		{"the end of a session", task.Entry{Did: task.Canceled, Text: strings.Repeat("x", bareText)}, true},
		{"the end of a session, at length", task.Entry{Did: task.Finished, Text: strings.Repeat("x", bareText+1)}, false},
		{"a deletion", task.Entry{Did: task.Deleted, Text: strings.Repeat("x", task.MaxText)}, true},
		{"a note", task.Entry{Did: task.Noted}, false},
	} {
		if got := bare(tt.e); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// noteAfter adds a note. Once the task was read, and before anything is written, meanwhile runs.
func noteAfter(s *Store, id task.ID, text string, meanwhile func()) error {
	return s.Update(context.Background(), func(tx *Tx) error {
		err := addNote(tx, id, text)
		meanwhile()
		return err
	})
}

func noteBoth(s *Store, ids ...task.ID) error {
	return s.Update(context.Background(), func(tx *Tx) error {
		for _, id := range ids {
			if err := addNote(tx, id, "x"); err != nil {
				return err
			}
		}
		return nil
	})
}

func addNote(tx *Tx, id task.ID, text string) error {
	t, err := tx.Task(id)
	if err != nil {
		return err
	}
	if t, _, err = task.Note(t, stamp(text)); err == nil {
		tx.Put(t)
	}
	return err
}

func replaceBody(s *Store, id task.ID, body string) error {
	return s.Update(context.Background(), func(tx *Tx) error {
		t, err := tx.Task(id)
		if err != nil {
			return err
		}
		t.Body = body
		tx.Put(t.With(task.Entry{Who: "human:lee", At: noon, Did: task.Updated}))
		return nil
	})
}

// editTitle saves the file as an editor does: it knows of no lock.
func editTitle(t *testing.T, s *Store, id task.ID, title string) {
	t.Helper()
	writeFile(t, s.task(id), strings.Replace(taskText(id), "Task "+string(id), title, 1))
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	writeFile(t, path, string(readAll(t, path))+text)
}

// readOnly makes a folder that nobody may write to, but root, whom nothing stops.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	if asRoot() || runtime.GOOS == "windows" {
		t.Skip("permissions stop nobody here")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
}

// changed names the files in which two snapshots differ.
func changed(before, after map[string]string) []string {
	var names []string
	for name, text := range after {
		if old, ok := before[name]; !ok || old != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name+" (gone)")
		}
	}
	return names
}
