package store_test

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

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// What an editor writes while a write decides is not lost: the decision is made again, on the newest bytes.
func TestEditorWritesWhileTheDecisionIsMade(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	decisions := 0
	err := noteAfter(s, "PROJ-1", "from cairn", func() {
		if decisions++; decisions == 1 {
			editTitle(t, s, "PROJ-1", "From the editor")
		}
	})
	storetest.WantCode(t, err, "")
	got, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	if got.Title != "From the editor" || got.Provenance.Last().Text != "from cairn" {
		t.Errorf("got %q with %d entries, want both changes", got.Title, len(got.Provenance))
	}
	if decisions != 2 {
		t.Errorf("was decided %d times, not twice", decisions)
	}
}

// A file that is deleted while a write decides is not brought back.
func TestFileVanishesWhileTheDecisionIsMade(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	err := noteAfter(s, "PROJ-1", "too late", func() { _ = os.Remove(storetest.TaskFile(s, "PROJ-1")) })
	storetest.WantCode(t, err, record.NotFound)
	if layout.Exists(storetest.TaskFile(s, "PROJ-1")) {
		t.Error("the file is back")
	}
}

// An editor that keeps changing the file wins in the end, and the write says so.
func TestEditorNeverStops(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	saves := 0
	err := noteAfter(s, "PROJ-1", "never", func() {
		saves++
		editTitle(t, s, "PROJ-1", strings.Repeat("more ", saves))
	})
	storetest.WantCode(t, err, record.Conflict)
	if got, err := kind.Tasks.Get(s, "PROJ-1"); err != nil || len(got.Provenance) != 0 {
		t.Errorf("got %+v (%v), want nothing written", got, err)
	}
}

// The window that stays open: an editor takes no lock, so what it does between the last read and the rename is undone.
// The file is whole all the same, the write is in it once, and nothing outside the folder is touched.
func TestEditorWritesBetweenLookAndRename(t *testing.T) {
	for _, meanwhile := range []struct {
		name string
		do   func(t *testing.T, s *store.Store)
	}{
		{"it saves in place", func(t *testing.T, s *store.Store) { editTitle(t, s, "PROJ-1", "From the editor") }},
		{"it renames another file over it", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1")+"~", storetest.TaskText("PROJ-1", "labels: [edited]"))
			storetest.Rename(t, storetest.TaskFile(s, "PROJ-1")+"~", storetest.TaskFile(s, "PROJ-1"))
		}},
		{"it deletes the file", func(t *testing.T, s *store.Store) { storetest.Remove(t, storetest.TaskFile(s, "PROJ-1")) }},
		{"it puts a link there", func(t *testing.T, s *store.Store) {
			storetest.Remove(t, storetest.TaskFile(s, "PROJ-1"))
			storetest.Link(t, elsewhere(t), storetest.TaskFile(s, "PROJ-1"))
		}},
	} {
		t.Run(meanwhile.name, func(t *testing.T) {
			s := storetest.New(t)
			storetest.WriteTask(t, s, "PROJ-1")
			s.BeforePublish(func(string) { meanwhile.do(t, s) })
			storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "from cairn"), "")
			got, err := kind.Tasks.Get(s, "PROJ-1")
			storetest.WantCode(t, err, "")
			if len(got.Provenance) != 1 || got.Title != "Task PROJ-1" || len(got.Labels) > 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// A folder cannot be replaced by a file: the write fails, the folder stays, and nobody holds a task that is not there.
func TestFolderComesBetweenLookAndRename(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	s.BeforePublish(func(path string) {
		storetest.Remove(t, path)
		storetest.WriteFile(t, filepath.Join(path, "inside"), "")
	})
	storetest.WantCode(t, storetest.NewActor(s, "agent:a").Claim("PROJ-1"), record.IO)
	if names := storetest.NamesIn(t, s.Dir("tasks")); !slices.Equal(names, []string{"PROJ-1.md"}) {
		t.Errorf("the folder of tasks holds %v", names)
	}
	if _, err := os.Stat(filepath.Join(storetest.TaskFile(s, "PROJ-1"), "inside")); err != nil {
		t.Error(err)
	}
	if known := s.Known(proj1); known.State != nil && known.State.Lease != nil || known.Next != nil {
		t.Errorf("got %+v", known)
	}
}

// A link that comes while a write decides is neither replaced nor followed, even where it leads to the very same
// content.
func TestLinkComesWhileTheDecisionIsMade(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	moved := filepath.Join(t.TempDir(), "moved.md")
	err := noteAfter(s, "PROJ-1", "too late", func() {
		if !layout.Exists(moved) {
			storetest.Rename(t, storetest.TaskFile(s, "PROJ-1"), moved)
			storetest.Link(t, moved, storetest.TaskFile(s, "PROJ-1"))
		}
	})
	storetest.WantMessage(t, err, record.IO, "not a regular file")
	if got := storetest.ReadFile(t, moved); got != storetest.TaskText("PROJ-1") {
		t.Errorf("what the link leads to is\n%s", got)
	}
}

// elsewhere is a file outside the workspace that must stay as it is.
func elsewhere(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "elsewhere")
	storetest.WriteFile(t, path, "mine")
	t.Cleanup(func() {
		if got := storetest.ReadFile(t, path); got != "mine" {
			t.Errorf("the file elsewhere became %q", got)
		}
	})
	return path
}

// Of a write of two files the second is changed by an editor once the first has its new content. Everything is decided
// again, and nothing is done twice.
func TestEditorWritesBetweenTwoFilesOfOneWrite(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	a := storetest.NewActor(s, "agent:a")
	ses, err := a.Begin("PROJ-1")
	storetest.WantCode(t, err, "")
	s.BeforePublish(func(path string) {
		if s.BeforePublish(nil); path == storetest.TaskFile(s, "PROJ-1") {
			storetest.Append(t, storetest.SessionFile(s, ses), "# looked at by a person\n")
		}
	})
	storetest.WantCode(t, a.Finish(ses), "")
	got, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	if len(got.Provenance) != 2 {
		t.Errorf("got the entries %+v, want one for begin and one for finish", got.Provenance)
	}
	if ended, err := kind.Sessions.Get(s, ses); err != nil || ended.Status != session.Finished {
		t.Errorf("the session is %+v (%v)", ended, err)
	}
	if src := []byte(storetest.ReadFile(t, storetest.SessionFile(s, ses))); !strings.Contains(string(src), "looked at by a person") {
		t.Errorf("what the editor wrote is gone:\n%s", src)
	}
}

// A refused write leaves every file as it was, and nothing beside them.
func TestRefusalLeavesNothing(t *testing.T) {
	lee, codex := record.Actor("human:lee"), record.Actor("agent:codex")
	for _, refusal := range []struct {
		name string
		code record.Code
		make func(s *store.Store) error
	}{
		{"no such task", record.NotFound, func(s *store.Store) error { return storetest.NewActor(s, lee).Note("PROJ-9", "x") }},
		{"the rules say no", record.DepsOpen, func(s *store.Store) error { return storetest.NewActor(s, lee).Move("PROJ-2", "in_progress") }},
		{"another holds it", record.AlreadyClaimed, func(s *store.Store) error { return storetest.NewActor(s, codex).Claim("PROJ-1") }},
		{"an id that is taken", record.Conflict, func(s *store.Store) error { return storetest.NewActor(s, lee).CreateAs("PROJ-1", "again") }},
		{"a dep that does not exist", record.DanglingDep, func(s *store.Store) error {
			_, err := storetest.NewActor(s, lee).Create("x", "PROJ-9")
			return err
		}},
		{"the file is broken", record.BadFile, func(s *store.Store) error { return storetest.NewActor(s, lee).Note("PROJ-3", "x") }},
		{"the change cannot be made in this file", record.BadFile, func(s *store.Store) error { return storetest.NewActor(s, lee).Move("PROJ-4", "in_progress") }},
		{"the file would grow too large", record.TaskFull, func(s *store.Store) error { return replaceBody(s, "PROJ-1", strings.Repeat("x", 4<<20)) }},
		{"one of two files cannot be written", record.BadFile, func(s *store.Store) error { return noteBoth(s, "PROJ-1", "PROJ-4") }},
	} {
		t.Run(refusal.name, func(t *testing.T) {
			s := refusing(t)
			before := storetest.Files(t, s.Root)
			storetest.WantCode(t, refusal.make(s), refusal.code)
			if after := storetest.Files(t, s.Root); !maps.Equal(before, after) {
				t.Errorf("changed %v", storetest.Changed(before, after))
			}
		})
	}
}

// A call that is canceled before anything is written has written nothing.
func TestCallerGivesUp(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	ctx, giveUp := context.WithCancel(t.Context())
	err := s.Update(ctx, func(tx *store.Tx) error {
		giveUp()
		return storetest.AddNote(tx, "PROJ-1", "x")
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if got := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1")); got != storetest.TaskText("PROJ-1") {
		t.Errorf("the file is\n%s", got)
	}
}

// refusing is a workspace with a task that agent:a holds, one that waits for it, one whose file is broken, and one
// whose file cannot be changed in place.
func refusing(t *testing.T) *store.Store {
	t.Helper()
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-1]")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-3"), "---\nid: PROJ-3\ntitle: [\n---\n")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-4"), "---\nid: PROJ-4\ntitle: Task 4\nprovenance: &all []\nstatus: backlog\nsame: *all\n---\n")
	storetest.WantCode(t, storetest.NewActor(s, "agent:a").Claim("PROJ-1"), "")
	return s
}

// A decision that stages nothing, or what is there already, writes no file.
func TestNothingToDoWritesNothing(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	a := storetest.NewActor(s, "human:lee")
	storetest.WantCode(t, a.Claim("PROJ-1"), "")
	before := storetest.Files(t, s.Root)
	storetest.WantCode(t, a.Claim("PROJ-1"), "")
	storetest.WantCode(t, a.Move("PROJ-1", "backlog"), "")
	if after := storetest.Files(t, s.Root); !maps.Equal(before, after) {
		t.Errorf("changed %v", storetest.Changed(before, after))
	}
}

// Several files in one write: the session is there before the task names it, and its claim with them.
func TestBeginWritesTaskSessionAndClaim(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	s.BeforePublish(func(path string) {
		names, err := os.ReadDir(s.Dir("sessions"))
		if path == storetest.TaskFile(s, "PROJ-1") && (err != nil || len(names) == 0) {
			t.Error("the task is about to name a session that is not there")
		}
	})
	a := storetest.NewActor(s, "agent:a")
	ses, err := a.Begin("PROJ-1")
	storetest.WantCode(t, err, "")
	got, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	hold := session.Holder(got.Header(), s.Known(record.ID("PROJ-1").Ref()), a.Now())
	if got.Provenance.LastSession() != ses || got.Status != s.Config.Flow.Working || hold.Session != ses || !hold.Live() {
		t.Errorf("got %+v, held by %+v", got, hold)
	}
}

// A lock that another holds for long ends the wait with BUSY; the end of the caller's own context ends it as that.
func TestLockIsHeld(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	lock, err := s.LockWrites(storetest.Soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	s.SetLockPatience(time.Millisecond)
	err = storetest.NewActor(s, "human:lee").Note("PROJ-1", "x")
	storetest.WantMessage(t, err, record.Busy, "waited 1ms for other processes")
	if e, ok := errors.AsType[*record.Error](err); !ok || !strings.Contains(e.Hint.String(), s.Live.Lock()) {
		t.Errorf("the hint of %v does not name the lock", err)
	}

	s.SetLockPatience(store.LockPatience)
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	if err := s.Update(ctx, func(*store.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// Where the lock cannot be taken nothing is written, and the refusal names the folder. Reading goes on.
func TestLiveFolderCannotBeWritten(t *testing.T) {
	for _, trouble := range []struct {
		name string
		code record.Code
		make func(t *testing.T, live string)
	}{
		{"a file is in its place", record.IO, func(t *testing.T, live string) { storetest.WriteFile(t, live, "") }},
		{"it is read-only", record.Sandboxed, readOnly},
	} {
		t.Run(trouble.name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir())
			storetest.WriteTask(t, s, "PROJ-1")
			trouble.make(t, string(s.Live))
			before := storetest.Files(t, filepath.Join(s.Root, layout.Folder, "tasks"))
			err := storetest.NewActor(s, "human:lee").Note("PROJ-1", "x")
			storetest.WantMessage(t, err, trouble.code, string(s.Live))
			if _, err := kind.Tasks.Get(s, "PROJ-1"); err != nil {
				t.Errorf("cannot be read: %v", err)
			}
			if after := storetest.Files(t, filepath.Join(s.Root, layout.Folder, "tasks")); !maps.Equal(before, after) {
				t.Errorf("changed %v", storetest.Changed(before, after))
			}
		})
	}
}

// A folder of tasks that cannot be written is the operating system's refusal, and no sandbox's.
func TestTasksFolderCannotBeWritten(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "the live state is there"), "")
	readOnly(t, s.Dir("tasks"))
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "x"), record.IO)
}

// A newer format is read, and not written.
func TestNewerFormatIsReadOnly(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WriteFile(t, s.ConfigFile(), "format: 2\nprefix: PROJ\n")
	newer := storetest.Open(t, s.Root)
	before := storetest.Files(t, s.Root)
	storetest.WantCode(t, storetest.NewActor(newer, "human:lee").Note("PROJ-1", "x"), record.ReadOnly)
	if after := storetest.Files(t, s.Root); !maps.Equal(before, after) {
		t.Errorf("changed %v", storetest.Changed(before, after))
	}
	if tasks, problems, err := kind.Tasks.List(t.Context(), newer); err != nil || len(problems) > 0 || len(tasks) != 1 {
		t.Errorf("lists %v, %v, %v", tasks, problems, err)
	}
}

// A task takes notes until its record is full. A note asks for room; a move does not.
func TestRoom(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WantCode(t, s.Room(kind.Tasks.Kind, "PROJ-1"), "")
	storetest.WriteTask(t, s, "PROJ-1", "notes: "+strings.Repeat("x", store.FullAt))
	storetest.WantCode(t, s.Room(kind.Tasks.Kind, "PROJ-1"), record.TaskFull)
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Move("PROJ-1", "in_progress"), "")
}

// What a record that is full is still written for may not fill it up in turn.
func TestBareWritesSayLittle(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    record.Entry
		want bool
	}{
		{"a move", record.Entry{Did: record.Transitioned}, true},
		{"a move and a word on it", record.Entry{Did: record.Transitioned, Text: "x"}, false},
		{"the end of a session", record.Entry{Did: record.Canceled, Text: strings.Repeat("x", store.BareText)}, true},
		{"the end of a session, at length", record.Entry{Did: record.Finished, Text: strings.Repeat("x", store.BareText+1)}, false},
		{"a deletion", record.Entry{Did: record.Deleted, Text: strings.Repeat("x", record.MaxText)}, true},
		{"a note", record.Entry{Did: record.Noted}, false},
	} {
		if got := store.Bare(tt.e); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// noteAfter adds a note. Once the task was read, and before anything is written, meanwhile runs.
func noteAfter(s *store.Store, id record.ID, text string, meanwhile func()) error {
	return s.Update(context.Background(), func(tx *store.Tx) error {
		err := storetest.AddNote(tx, id, text)
		meanwhile()
		return err
	})
}

func noteBoth(s *store.Store, ids ...record.ID) error {
	return s.Update(context.Background(), func(tx *store.Tx) error {
		for _, id := range ids {
			if err := storetest.AddNote(tx, id, "x"); err != nil {
				return err
			}
		}
		return nil
	})
}

func replaceBody(s *store.Store, id record.ID, body string) error {
	return s.Update(context.Background(), func(tx *store.Tx) error {
		t, err := kind.Tasks.Get(tx, id)
		if err != nil {
			return err
		}
		t.Body = body
		kind.Tasks.Put(tx, t.With(record.Entry{Who: "human:lee", At: storetest.Noon, Did: record.Updated}))
		return nil
	})
}

// editTitle saves the file as an editor does: it knows of no lock.
func editTitle(t *testing.T, s *store.Store, id record.ID, title string) {
	t.Helper()
	storetest.WriteFile(t, storetest.TaskFile(s, id), strings.Replace(storetest.TaskText(id), "Task "+string(id), title, 1))
}

// readOnly makes a folder that nobody may write to, but root, whom nothing stops.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	if storetest.AsRoot() || runtime.GOOS == "windows" {
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
