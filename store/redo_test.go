package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

var (
	proj1 = record.ID("PROJ-1").Ref()
	proj2 = record.ID("PROJ-2").Ref()
)

// atNoon is an actor whose writes are the same every time.
func atNoon(s *store.Store) storetest.Actor {
	return storetest.Actor{S: s, Who: "agent:a", Now: func() time.Time { return storetest.Noon }}
}

// killableWrite is a write that begins in a workspace with the tasks PROJ-1 and PROJ-2.
type killableWrite struct {
	name  string
	setUp func(s *store.Store) error
	make  func(s *store.Store) error
}

// begun is a workspace in which the write can be made.
func (w killableWrite) begun(t *testing.T) *store.Store {
	t.Helper()
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.WantCode(t, w.setUp(s), "")
	return s
}

// killableWrites are writes of every shape.
var killableWrites = []killableWrite{
	{"a note", nothing, func(s *store.Store) error { return atNoon(s).Note("PROJ-1", "it rains") }},
	{"a new task, under an idempotency key", nothing, func(s *store.Store) error {
		return s.Update(context.Background(), func(tx *store.Tx) error {
			kind.Tasks.Put(tx, madeTask("PROJ-3"))
			tx.Remember(session.Key{Call: "c0ffee", Args: "12", Task: "PROJ-3"})
			return nil
		})
	}},
	{"a session, its task, its claim and its heartbeat", nothing, func(s *store.Store) error { return atNoon(s).BeginAs("ses-1", "PROJ-1") }},
	{"the end of a session", func(s *store.Store) error { return atNoon(s).BeginAs("ses-1", "PROJ-1") },
		func(s *store.Store) error { return atNoon(s).Finish("ses-1") }},
	{"a deletion, with a session", func(s *store.Store) error { return atNoon(s).BeginAs("ses-1", "PROJ-1") },
		func(s *store.Store) error { return atNoon(s).Delete("PROJ-1") }},
	{"a deletion beside an older copy in the trash", func(s *store.Store) error {
		if err := atNoon(s).Delete("PROJ-1"); err != nil {
			return err
		}
		return atNoon(s).CreateAs("PROJ-1", "Another")
	}, func(s *store.Store) error { return atNoon(s).Delete("PROJ-1") }},
	{"two new tasks and the proposal that they come from", func(s *store.Store) error {
		return s.Update(context.Background(), func(tx *store.Tx) error {
			entry := record.Entry{Who: "agent:a", At: storetest.Noon, Did: record.Created}
			kind.Proposals.Put(tx, task.Proposal{ID: "plan-1", Summary: "More", Tasks: json.RawMessage(`[{"title": "A"}]`), Provenance: record.Log{entry}})
			return nil
		})
	}, func(s *store.Store) error {
		return s.Update(context.Background(), func(tx *store.Tx) error {
			plan, err := kind.Proposals.Get(tx, "plan-1")
			if err != nil {
				return err
			}
			plan.Made = []record.ID{"PROJ-3", "PROJ-4"}
			kind.Proposals.Put(tx, plan)
			kind.Tasks.Put(tx, madeTask("PROJ-3"))
			kind.Tasks.Put(tx, madeTask("PROJ-4"))
			return nil
		})
	}},
	{"the config and a task", nothing, func(s *store.Store) error {
		return s.Update(context.Background(), func(tx *store.Tx) error {
			if err := tx.EditConfig(renamePrefix); err != nil {
				return err
			}
			return storetest.AddNote(tx, "PROJ-1", "a new prefix")
		})
	}},
	{"two tasks", nothing, func(s *store.Store) error { return noteBoth(s, "PROJ-1", "PROJ-2") }},
	{"a task at rest and another one", toRest, func(s *store.Store) error { return noteBoth(s, "PROJ-1", "PROJ-2") }},
	{"a session of a task at rest", toRest, func(s *store.Store) error { return atNoon(s).BeginAs("ses-1", "PROJ-1") }},
	{"a deletion of a task at rest", toRest, func(s *store.Store) error { return atNoon(s).Delete("PROJ-1") }},
	{"two tasks that go to rest, and the key of the call", nothing, func(s *store.Store) error {
		return s.Update(context.Background(), func(tx *store.Tx) error {
			tx.Remember(session.Key{Call: "c0ffee", Args: "12", Task: "PROJ-3"})
			return moveAll(tx, "closed/2026-06_02", "PROJ-1", "PROJ-2")
		})
	}},
	{"a task that comes back from rest", toRest, func(s *store.Store) error {
		return s.Update(context.Background(), func(tx *store.Tx) error { return moveAll(tx, "tasks", "PROJ-1") })
	}},
}

// toRest moves PROJ-1 to where closed tasks rest.
func toRest(s *store.Store) error {
	if err := os.MkdirAll(s.Dir("closed/2026-06"), 0o755); err != nil {
		return err
	}
	return os.Rename(storetest.TaskFile(s, "PROJ-1"), storetest.RestFile(s, "2026-06", "PROJ-1"))
}

// moveAll stages that tasks go into a folder.
func moveAll(tx *store.Tx, folder string, ids ...record.ID) error {
	for _, id := range ids {
		if _, err := kind.Tasks.Get(tx, id); err != nil {
			return err
		}
		tx.Move(id.Ref(), folder)
	}
	return nil
}

func nothing(*store.Store) error { return nil }

func madeTask(id record.ID) task.Task {
	return task.Task{ID: id, Title: "Made", Status: "backlog"}.With(record.Entry{Who: "agent:a", At: storetest.Noon, Did: record.Created})
}

func renamePrefix(doc *format.Doc) (*format.Doc, error) {
	return doc.Edit(nil, format.Set(format.Path{"prefix"}, format.String("OTHER")))
}

// Whenever a writer is killed, the next write finds all of what it was to write, or nothing: files, states, keys,
// journals, heartbeats and the trash. Once the log is complete it is all, and a write that was acknowledged is never
// taken back.
func TestSlowKilledWriteComesWholeOrNot(t *testing.T) {
	slowtest.Skip(t)
	for _, w := range killableWrites {
		t.Run(w.name, func(t *testing.T) {
			s := w.begun(t)
			before := everythingIn(t, s)
			storetest.WantCode(t, w.make(s), "")
			after := everythingIn(t, s)
			came := false
			for n := 1; ; n++ {
				op, whole := w.killed(t, n, false, before, after)
				if op == "" {
					break
				}
				if came && !whole {
					t.Fatalf("call %d, %s: it comes no more", n, op)
				}
				if came = whole; op == disk.Write {
					w.killed(t, n, true, before, after)
				}
			}
			if !came {
				t.Error("it never came")
			}
		})
	}
}

// killed makes the write, kills it at a call, brings it to its end, and reports whether it came. The op of the call is
// "" if there are not so many.
func (w killableWrite) killed(t *testing.T, n int, torn bool, before, after map[string]string) (op disk.Op, came bool) {
	t.Helper()
	s, at := w.begun(t), nth(n)
	var err error
	kill{torn: torn, at: func(c disk.Call) bool {
		chosen := at(c)
		if chosen {
			op = c.Op
		}
		return chosen
	}}.during(func() { err = w.make(s) })
	if op == "" {
		return "", false
	}
	if _, problems, err := kind.Tasks.List(t.Context(), s); err != nil || len(problems) > 0 {
		t.Fatalf("call %d, %s: somebody reads %v (%v)", n, op, problems, err)
	}
	storetest.WantCode(t, storetest.Open(t, s.Root).Settle(t.Context()), "")
	now := everythingIn(t, s)
	came = maps.Equal(now, after)
	switch {
	case !came && !maps.Equal(now, before):
		t.Fatalf("call %d, %s, leaves a part, which differs from all in %v and from nothing in %v",
			n, op, storetest.Changed(after, now), storetest.Changed(before, now))
	case !came && err == nil:
		t.Fatalf("call %d, %s: it was acknowledged, and is gone", n, op)
	}
	storetest.WantClean(t, s)
	return op, came
}

// everythingIn is all that a workspace says, in its files and in live state, but for what is different every time.
func everythingIn(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, text := range storetest.Files(t, filepath.Join(s.Root, layout.Folder)) {
		switch {
		case strings.HasPrefix(name, "local/write."), name == "local/keys/forgotten":
			continue
		case strings.HasPrefix(name, "local/journal/"):
			var hashes []string // a line that stands twice says no more than once
			for _, line := range s.Journal(layout.RefOf(strings.TrimSuffix(filepath.Base(name), layout.JournalExt))) {
				hashes = append(hashes, line.Entry.Hash())
			}
			text = strings.Join(slices.Compact(hashes), "\n")
		}
		out[strings.ReplaceAll(name, s.KeptPrefix(), "")] = strings.ReplaceAll(text, s.Root, "ROOT")
	}
	return out
}

// A log is either complete or none, wherever it was cut.
func TestTornLogIsDropped(t *testing.T) {
	s := killedWrite(t)
	text, note := storetest.ReadFile(t, s.Live.Redo()), storetest.TaskFile(s, "PROJ-1")
	was := storetest.ReadFile(t, note)
	for cut := 1; cut < len(text); cut += 7 {
		storetest.WriteFile(t, s.Live.Redo(), text[:len(text)-cut])
		if steps, err := store.ReadLog(s.Live); err != nil || steps != nil {
			t.Fatalf("cut by %d it has the steps %+v (%v)", cut, steps, err)
		}
	}
	for _, change := range []string{strings.Replace(text, "PROJ-1", "PROJ-2", 1), text + "\n", strings.Replace(text, "\n", "\n\n", 1), ""} {
		storetest.WriteFile(t, s.Live.Redo(), change)
		storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"), "left")
		storetest.WantCode(t, s.Settle(t.Context()), "")
		storetest.WantClean(t, s)
		if got := storetest.ReadFile(t, note); got != was {
			t.Fatalf("by the log\n%s\nthe file became\n%s", change, got)
		}
	}
}

// killedWrite is a workspace in which a note on PROJ-1 was decided, and its writer killed before the file had it.
func killedWrite(t *testing.T) *store.Store {
	t.Helper()
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WriteTask(t, s, "PROJ-2")
	killedAt(t, disk.Rename, storetest.TaskFile(s, "PROJ-1"), func() { _ = atNoon(s).Note("PROJ-1", "it rains") })
	return s
}

// What a person makes of a file between the kill and the next write stays. What the killed writer was to write there is
// offered back, and the clone knows of nothing that is not in the file.
func TestEditBetweenKillAndRecoveryIsKept(t *testing.T) {
	for _, edit := range []struct {
		name string
		text string // of PROJ-1; "" for no file
	}{
		{"it is edited", storetest.TaskText("PROJ-1", "labels: [mine]")},
		{"it is broken", "---\nid: [\n---\n"},
		{"it is emptied of all but its front matter", "---\nid: PROJ-1\ntitle: x\nstatus: backlog\n---\n"},
		{"it is deleted", ""},
	} {
		t.Run(edit.name, func(t *testing.T) {
			s := storetest.NewAt(t, t.TempDir())
			storetest.WriteTask(t, s, "PROJ-1")
			storetest.WriteTask(t, s, "PROJ-2")
			path := storetest.TaskFile(s, "PROJ-1")
			killedAt(t, disk.Rename, path, func() { _ = atNoon(s).BeginAs("ses-1", "PROJ-1") })
			if edit.text == "" {
				storetest.Remove(t, path)
			} else {
				storetest.WriteFile(t, path, edit.text)
			}
			storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-2", "the next write"), "")
			if edit.text == "" {
				if layout.Exists(path) {
					t.Error("the file is back")
				}
				storetest.WriteTask(t, s, "PROJ-1")
			} else if got := storetest.ReadFile(t, path); got != edit.text {
				t.Errorf("the file became\n%s", got)
			}
			if known := s.Known(proj1); known.State != nil || known.Next != nil {
				t.Errorf("the clone knows %+v, which is not in the file", known)
			}
			storetest.WriteTask(t, s, "PROJ-1") // repaired
			storetest.WantOverwritten(t, s, "PROJ-1", "began ")
		})
	}
}

// Between the kill and the next write readers see what will be: whom the log names as the holder holds it, so nobody
// begins the same work.
func TestReadersBetweenKillAndRecovery(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	killedAt(t, disk.Rename, storetest.TaskFile(s, "PROJ-1"), func() { _ = storetest.NewActor(s, "agent:a").Claim("PROJ-1") })
	for name, known := range map[string]session.Live{"Known": s.Known(proj1), "KnownOf": s.KnownOf()(proj1)} {
		hold := session.Holder(storetest.Get(t, s, "PROJ-1").Header(), known, time.Now())
		if known.State != nil || known.Next == nil || !hold.Live() || hold.Actor != "agent:a" {
			t.Errorf("%s: got %+v, held by %+v", name, known, hold)
		}
	}
	storetest.WantCode(t, storetest.NewActor(s, "agent:b").Claim("PROJ-1"), record.AlreadyClaimed)
	if known := s.Known(proj1); known.Next != nil || known.State == nil || known.State.Lease.Actor != "agent:a" {
		t.Errorf("after the next write got %+v", known)
	}
}

// A write that is decided is remembered by its idempotency key, and journalled, by the writer that brings it to its
// end.
func TestKeyAndJournalOfAKilledCall(t *testing.T) {
	for _, tt := range []struct {
		name  string
		op    disk.Op
		path  func(s *store.Store) string
		known bool
	}{
		{"before it is decided", disk.Write, func(s *store.Store) string { return s.Live.Redo() }, false},
		{"before its file is there", disk.Link, func(s *store.Store) string { return storetest.TaskFile(s, "PROJ-3") }, true},
		{"before the key is there", disk.Rename, func(s *store.Store) string { return s.Live.Key("c0ffee") }, true},
		{"before the journal is there", disk.Open, func(s *store.Store) string { return s.Live.Journal(record.ID("PROJ-3").Ref()) }, true},
		{"when all is done", disk.Remove, func(s *store.Store) string { return s.Live.Redo() }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.New(t)
			storetest.WriteTask(t, s, "PROJ-1")
			killedAt(t, tt.op, tt.path(s), func() {
				_ = s.Update(t.Context(), func(tx *store.Tx) error {
					kind.Tasks.Put(tx, madeTask("PROJ-3"))
					tx.Remember(session.Key{Call: "c0ffee", Args: "12", Task: "PROJ-3"})
					return nil
				})
			})
			storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "the next write"), "")
			if known := s.Key("c0ffee"); (known != nil) != tt.known {
				t.Errorf("got the key %+v, want one: %t", known, tt.known)
			}
			journal := s.Journal(record.ID("PROJ-3").Ref())
			if !tt.known {
				if len(journal) > 0 || layout.Exists(storetest.TaskFile(s, "PROJ-3")) {
					t.Errorf("got the journal %+v", journal)
				}
				return
			}
			if len(journal) == 0 || !journal[0].Entry.Equal(storetest.Get(t, s, "PROJ-3").Provenance.Last()) {
				t.Errorf("got the journal %+v", journal)
			}
		})
	}
}

// A killed write in another worktree of the clone is brought to its end there by the next writer, in any worktree.
func TestRecoveryInAnotherWorktree(t *testing.T) {
	for _, tt := range []struct {
		name  string
		op    disk.Op
		path  func(there *store.Store) string              // where the claim was killed
		since func(t *testing.T, here, there *store.Store) // what happened since
		want  record.Code                                  // of a claim by somebody else
	}{
		{"it was not decided", disk.Write, redoOf, asItIs, ""},
		{"its file is not there yet", disk.Rename, task1Of, asItIs, record.AlreadyClaimed},
		{"its file is there", disk.Rename, claimOf, asItIs, record.AlreadyClaimed},
		{"its file is there, and was brought back by git", disk.Rename, claimOf, func(t *testing.T, _, there *store.Store) {
			storetest.Git(t, there.Root, "checkout", "-q", "--", ".")
		}, ""},
		{"its file is there, and the branch was left since", disk.Rename, claimOf, func(t *testing.T, _, there *store.Store) {
			storetest.CommitAll(t, there)
			storetest.Git(t, there.Root, "switch", "-q", "--detach", "main")
		}, ""},
		{"the worktree was removed", disk.Rename, claimOf, func(t *testing.T, here, there *store.Store) {
			storetest.Git(t, here.Root, "worktree", "remove", "--force", there.Root)
		}, ""},
		{"another clone lies there by now", disk.Rename, claimOf, func(t *testing.T, here, there *store.Store) {
			storetest.Git(t, here.Root, "worktree", "remove", "--force", there.Root)
			storetest.Git(t, here.Root, "clone", "-q", here.Root, there.Root)
		}, ""},
		{"its file was broken since", disk.Rename, claimOf, func(t *testing.T, _, there *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(there, "PROJ-1"), "---\nid: [\n---\n")
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo := storetest.NewRepo(t)
			here := storetest.NewAt(t, repo)
			storetest.WriteTask(t, here, "PROJ-1")
			storetest.WriteTask(t, here, "PROJ-2")
			storetest.CommitAll(t, here)
			there := storetest.Open(t, storetest.LinkWorktree(t, repo))
			killedAt(t, tt.op, tt.path(there), func() { _ = storetest.NewActor(there, "agent:a").Claim("PROJ-1") })
			tt.since(t, here, there)
			storetest.WantCode(t, storetest.NewActor(here, "human:lee").Note("PROJ-2", "the next write"), "")
			storetest.WantCode(t, storetest.NewActor(here, "agent:b").Claim("PROJ-1"), tt.want)
			if tt.want == "" {
				return
			}
			if one := storetest.Get(t, there, "PROJ-1"); one.Assignee != "agent:a" {
				t.Errorf("the other worktree has %+v", one)
			}
			storetest.WantClean(t, there)
		})
	}
}

func redoOf(s *store.Store) string  { return s.Live.Redo() }
func task1Of(s *store.Store) string { return storetest.TaskFile(s, "PROJ-1") }
func claimOf(s *store.Store) string { return s.Live.Claim(proj1) }

func asItIs(*testing.T, *store.Store, *store.Store) {}

// A write of a new file and of one that was there is given up, since an editor changed the second in the middle and the
// rules then say no: the new file goes again. Whenever the writer is killed, what the editor wrote stays, and either
// the new file is gone or the other's entry is offered back.
func TestWriteThatIsGivenUpIsUndone(t *testing.T) {
	no := errors.New("no")
	mine := storetest.TaskText("PROJ-1", "labels: [mine]")
	for n := 1; ; n++ {
		s := storetest.NewAt(t, t.TempDir())
		storetest.WriteTask(t, s, "PROJ-1")
		edited := false
		s.BeforePublish(func(path string) {
			if path == storetest.TaskFile(s, "PROJ-3") {
				edited = true
				_ = os.WriteFile(storetest.TaskFile(s, "PROJ-1"), []byte(mine), 0o644)
			}
		})
		var err error
		killed := kill{at: nth(n)}.during(func() {
			err = s.Update(t.Context(), func(tx *store.Tx) error {
				if edited {
					return no
				}
				kind.Tasks.Put(tx, madeTask("PROJ-3"))
				return storetest.AddNote(tx, "PROJ-1", "with the other")
			})
		})
		if err == nil {
			t.Fatalf("call %d: it was acknowledged", n)
		}
		s.BeforePublish(nil)
		storetest.WantCode(t, s.Settle(t.Context()), "")
		one := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
		made := layout.Exists(storetest.TaskFile(s, "PROJ-3"))
		switch {
		case edited && one != mine:
			t.Fatalf("call %d: what the editor wrote became\n%s", n, one)
		case !killed && (made || !errors.Is(err, no)):
			t.Fatalf("it ended with %v, and the new file is there: %t", err, made)
		case edited && made:
			storetest.WantOverwritten(t, s, "PROJ-1", "noted with the other")
		}
		storetest.WantClean(t, s)
		if !killed || t.Failed() {
			break
		}
	}
}

// A write that is given up, and whose undoing the disk refuses, does not start over: the next write undoes it.
func TestUndoThatFails(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	three := storetest.TaskFile(s, "PROJ-3")
	s.BeforePublish(func(path string) {
		if path == three {
			_ = os.WriteFile(storetest.TaskFile(s, "PROJ-1"), []byte(storetest.TaskText("PROJ-1", "labels: [mine]")), 0o644)
		}
	})
	runs := 0
	err := refused(disk.Remove, three, func() error {
		return s.Update(t.Context(), func(tx *store.Tx) error {
			runs++
			kind.Tasks.Put(tx, madeTask("PROJ-3"))
			return storetest.AddNote(tx, "PROJ-1", "with the other")
		})
	})
	if storetest.WantCode(t, err, record.IO); runs != 1 {
		t.Errorf("the write was made %d times", runs)
	}
	storetest.WantCode(t, s.Settle(t.Context()), "")
	if layout.Exists(three) {
		t.Error("the new file is still there")
	}
	storetest.WantClean(t, s)
}

// A write that has replaced a file goes forward after an error, even if an editor has changed that file since.
func TestErrorAfterAnEditGoesForward(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WriteTask(t, s, "PROJ-2")
	mine := storetest.TaskText("PROJ-1", "labels: [mine]")
	s.BeforePublish(func(path string) {
		if path == storetest.TaskFile(s, "PROJ-2") {
			_ = os.WriteFile(storetest.TaskFile(s, "PROJ-1"), []byte(mine), 0o644)
		}
	})
	err := refused(disk.Rename, storetest.TaskFile(s, "PROJ-2"), func() error {
		return s.Update(t.Context(), func(tx *store.Tx) error {
			kind.Tasks.Put(tx, madeTask("PROJ-3"))
			return errors.Join(storetest.AddNote(tx, "PROJ-1", "one"), storetest.AddNote(tx, "PROJ-2", "two"))
		})
	})
	storetest.WantCode(t, err, "")
	if got := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1")); got != mine {
		t.Errorf("what the editor wrote became\n%s", got)
	}
	if !layout.Exists(storetest.TaskFile(s, "PROJ-3")) || len(storetest.Get(t, s, "PROJ-2").Provenance) != 1 {
		t.Error("the write did not come whole")
	}
	storetest.WantOverwritten(t, s, "PROJ-1", "noted one")
	storetest.WantClean(t, s)
}

// refused makes a write whose first call of a kind on a path the disk refuses.
func refused(op disk.Op, path string, write func() error) error {
	done := false
	disk.Intercept = func(c disk.Call, do func() error) error {
		if !done && c.Op == op && c.Path == path {
			done = true
			return os.ErrPermission
		}
		return do()
	}
	defer func() { disk.Intercept = nil }()
	return write()
}

// A killed deletion whose copy for the trash is lost does not remove the record.
func TestDeletionWithoutItsCopy(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	copied := s.Live.Trashed(proj1, ".md")
	killedAt(t, disk.Rename, copied, func() { _ = atNoon(s).Delete("PROJ-1") })
	temps, err := filepath.Glob(filepath.Join(s.Live.Trash(), ".*.tmp"))
	if err != nil || len(temps) != 1 {
		t.Fatalf("got the temporary files %q (%v)", temps, err)
	}
	storetest.Remove(t, temps[0])
	storetest.WantCode(t, s.Settle(t.Context()), "")
	if layout.Exists(copied) || !layout.Exists(storetest.TaskFile(s, "PROJ-1")) {
		t.Error("the record is gone")
	}
	storetest.WantClean(t, s)
}

// A decided write that cannot be finished now, since its files or its worktree cannot be read, is kept until it can be.
func TestDecidedWriteWaitsForItsFiles(t *testing.T) {
	aside := func(t *testing.T, path string) (back func()) {
		t.Helper()
		hidden := path + "-hidden"
		storetest.WantCode(t, os.Rename(path, hidden), "")
		storetest.Link(t, filepath.Base(path), path) // a link to itself: nothing below it can be read
		return func() {
			storetest.Remove(t, path)
			storetest.WantCode(t, os.Rename(hidden, path), "")
		}
	}
	for _, folder := range []struct {
		name string
		of   func(there *store.Store) string
	}{
		{"the worktree", func(there *store.Store) string { return there.Worktree }},
		{"the folder of the records", func(there *store.Store) string { return there.Dir("tasks") }},
	} {
		t.Run(folder.name, func(t *testing.T) {
			repo := storetest.NewRepo(t)
			here := storetest.NewAt(t, repo)
			storetest.WriteTask(t, here, "PROJ-1")
			storetest.CommitAll(t, here)
			there := storetest.Open(t, storetest.LinkWorktree(t, repo))
			killedAt(t, disk.Rename, task1Of(there), func() { _ = storetest.NewActor(there, "agent:a").Claim("PROJ-1") })
			back := aside(t, folder.of(there))
			if err := here.Settle(t.Context()); err == nil || !layout.Exists(here.Live.Redo()) {
				t.Errorf("got the error %v, and the log is there: %t", err, layout.Exists(here.Live.Redo()))
			}
			back()
			storetest.WantCode(t, here.Settle(t.Context()), "")
			if one := storetest.Get(t, there, "PROJ-1"); one.Assignee != "agent:a" {
				t.Errorf("the other worktree has %+v", one)
			}
		})
	}
	t.Run("the files of this worktree", func(t *testing.T) {
		s := killedWrite(t)
		back := aside(t, s.Dir("tasks"))
		storetest.WantCode(t, s.Settle(t.Context()), record.IO)
		back()
		storetest.WantCode(t, s.Settle(t.Context()), "")
		if one := storetest.Get(t, s, "PROJ-1"); len(one.Provenance) != 1 {
			t.Errorf("got %+v", one)
		}
	})
}

// A log of a worktree that has no path decides nothing.
func TestLogWithoutAWorktree(t *testing.T) {
	s := storetest.New(t)
	for _, worktree := range []string{"..", "tasks", "/a\x00b"} {
		storetest.WriteFile(t, s.Live.Redo(), store.LogText(worktree, store.Redo{}))
		storetest.WantCode(t, s.Settle(t.Context()), "")
		if layout.Exists(s.Live.Redo()) {
			t.Errorf("%q: the log is still there", worktree)
		}
	}
}

// The disk refuses in the middle of a write, once and then no more: the write comes whole, or nothing of it is left but
// a copy in the trash of what is still there.
func TestSlowRefusedCallLeavesAllOrNothing(t *testing.T) {
	slowtest.Skip(t)
	for _, w := range killableWrites {
		t.Run(w.name, func(t *testing.T) {
			s := w.begun(t)
			storetest.WantCode(t, w.make(s), "")
			after := everythingIn(t, s)
			for n := 1; ; n++ {
				s := w.begun(t)
				before := everythingIn(t, s)
				refused, err := refusedOnce(n, func() error { return w.make(s) })
				if !refused {
					return
				}
				storetest.WantCode(t, s.Settle(t.Context()), "")
				now := everythingIn(t, s)
				maps.DeleteFunc(before, inTrash)
				switch {
				case maps.Equal(now, after):
				case err == nil:
					t.Fatalf("call %d: it was acknowledged, and lacks %v", n, storetest.Changed(after, now))
				default:
					if maps.DeleteFunc(now, inTrash); !maps.Equal(now, before) {
						t.Fatalf("call %d (%v) leaves a part, which differs from all in %v", n, err, storetest.Changed(after, now))
					}
				}
				storetest.WantClean(t, s)
			}
		})
	}
}

func inTrash(name, _ string) bool { return strings.HasPrefix(name, "local/trash/") }

// refusedOnce makes a write whose call of a number the disk refuses.
func refusedOnce(n int, write func() error) (refused bool, err error) {
	at := nth(n)
	disk.Intercept = func(c disk.Call, do func() error) error {
		if at(c) {
			refused = true
			return os.ErrPermission
		}
		return do()
	}
	defer func() { disk.Intercept = nil }()
	err = write()
	return refused, err
}

// A log that somebody else wrote goes where cairn writes or nowhere, and holds nobody up.
func TestHostileLogs(t *testing.T) {
	const temp = ".%s.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"
	tempOf := func(name string) string { return fmt.Sprintf(temp, name) }
	rev := func(text string) record.Rev { return kind.Rev([]byte(text)) }
	const other = "another\n"
	file := func(f store.RedoFile) store.Redo { return store.Redo{Files: []store.RedoFile{f}} }
	state := func(l store.RedoLive) store.Redo { return store.Redo{Live: []store.RedoLive{l}} }
	victim := rev("{}\n") // what hostileStore puts into victim/package.json
	logs := map[string]store.Redo{
		"a temporary file with a path":                 file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: rev(other), Temp: "../../../../../../victim/" + tempOf("PROJ-1.md")}),
		"a temporary file with a path of Windows":      file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: rev(other), Temp: `..\` + tempOf("PROJ-1.md")}),
		"a temporary file that is none":                file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: rev(other), Temp: "PROJ-2.md"}),
		"a temporary file of another file":             file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: rev(other), Temp: tempOf("PROJ-2.md")}),
		"a temporary file with a NUL":                  file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: rev(other), Temp: tempOf("PROJ-1.md\x00")}),
		"a temporary file that holds something else":   file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: "0123456789abcdef", Temp: tempOf("PROJ-1.md")}),
		"a temporary file that is not there":           file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: rev(other), Temp: tempOf("PROJ-1.md")[:5] + tempOf("PROJ-1.md")[5:]}),
		"a record that is replaced whatever it holds":  file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Now: rev(other), Temp: tempOf("PROJ-1.md"), Over: true}),
		"a record that somebody has changed":           file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "0123456789abcdef", Now: rev(other), Temp: tempOf("PROJ-1.md")}),
		"a removal at rest of what has changed":        file(store.RedoFile{Path: ".cairn/closed/2026-06/PROJ-3.md", Was: "0123456789abcdef"}),
		"a removal of what somebody has changed":       file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "0123456789abcdef"}),
		"a claim for a file":                           file(store.RedoFile{Path: "claims/PROJ-1.json", Live: true, Now: rev(other), Temp: tempOf("PROJ-1.json")}),
		"the lock for a file":                          file(store.RedoFile{Path: "write.lock", Live: true}),
		"a copy in the trash with a path":              file(store.RedoFile{Path: "trash/../write.lock", Live: true}),
		"a copy in the trash that is called otherwise": file(store.RedoFile{Path: "trash/PROJ-1.sh", Live: true, Now: rev(other), Temp: tempOf("PROJ-1.sh")}),
	}
	for _, path := range []string{
		"../../../../victim/package.json", ".cairn/tasks/../../../../../../victim/package.json", ".cairn/../../../../../victim/package.json",
		"ABS", "main.go", ".git/config", ".git/hooks/pre-commit", ".cairn", ".cairn/", "", ".cairn/tasks", ".cairn/tasks/", ".cairn/.gitignore", ".cairn/allowed_signers",
		".cairn/runs/PROJ-1-1.log", ".cairn/tasks/.PROJ-1.md", ".cairn/tasks/PROJ-1.yaml", ".cairn/tasks/a/PROJ-1.md", ".cairn/tasks//PROJ-1.md",
		".cairn/tasks/PROJ-1.md/", "./.cairn/tasks/PROJ-1.md", `.cairn\tasks\PROJ-1.md`, `.cairn/tasks/..\PROJ-1.md`, ".cairn/tasks/C:PROJ-1.md", ".cairn/tasks/PROJ-1\x00.md",
		".cairn/local/write.lock", ".cairn/sessions/../tasks/PROJ-1.md", ".CAIRN/tasks/PROJ-1.md",
		".cairn/closed", ".cairn/closed/2026-06", ".cairn/closed/PROJ-3.md", ".cairn/closed/2026-13/PROJ-3.md", ".cairn/closed/2026-06/a/PROJ-3.md",
		".cairn/closed/2026-06/../../tasks/PROJ-1.md", ".cairn/closed/../tasks/PROJ-1.md", ".cairn/closed/2026-06/.PROJ-3.md", ".cairn/closed//PROJ-3.md",
		".cairn/closed/2026-06/PROJ-3.yaml", ".cairn/closed/2026-06/../../../../../../victim/package.json", `.cairn/closed\2026-06/PROJ-3.md`,
	} {
		logs[fmt.Sprintf("the file %q", path)] = file(store.RedoFile{Path: path, Was: victim})
		logs[fmt.Sprintf("the file %q, in live state", path)] = file(store.RedoFile{Path: path, Live: true, Was: victim})
	}
	for _, path := range []string{
		"../../../../../victim/package.json", "claims/../../../../../../victim/package.json", "ABS", "write.lock", "clone-id", "", "claims", "claims/",
		"claims/a/b.json", "claims//PROJ-1.json", "claims/PROJ-1.md", "claims/.json", "claims/x~PROJ-1.json", "claims/PROJ-1\x00.json", `claims/..\x.json`,
		"trash/PROJ-1.md", "keys/a b.json", "keys/" + strings.Repeat("a", 65) + ".json", "keys/forgotten", "live/x.json", "live/ses-1.txt", "journal/PROJ-1.json",
		"hooks/pre-commit", "claims/PROJ-" + strings.Repeat("1", 300) + ".json",
	} {
		for _, text := range []string{"", "{}"} {
			logs[fmt.Sprintf("the live file %q, %q", path, text)] = state(store.RedoLive{Path: path, Text: text})
		}
		logs[fmt.Sprintf("the live file %q, appended to", path)] = state(store.RedoLive{Path: path, Text: "{}", Append: true})
	}
	for _, to := range []string{
		"../../../../victim/package.json", ".cairn/closed/2026-06/../../../../../../victim/package.json", "ABS", ".cairn/closed/PROJ-1.md", ".cairn/closed/2026-13/PROJ-1.md",
		".cairn/closed/2026-06/PROJ-2.md", ".cairn/closed/2026-06/PROJ-1.yaml", ".cairn/sessions/PROJ-1.yaml", ".cairn/decisions/PROJ-1.md", ".cairn/tasks/PROJ-1.md", ".cairn/config.yaml",
		".cairn/closed/2026-06", ".cairn/closed/2026-06/", ".git/hooks/PROJ-1.md", `.cairn\closed\2026-06\PROJ-1.md`, ".cairn/closed/2026-06_01/PROJ-1.md",
	} {
		logs[fmt.Sprintf("a move to %q", to)] = file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", To: to})
	}
	rested := ".cairn/closed/2026-06/PROJ-1.md"
	logs["a move of what somebody has changed"] = file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "0123456789abcdef", To: rested})
	logs["a move of whatever lies there"] = file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", To: rested})
	logs["a move in live state"] = file(store.RedoFile{Path: "trash/PROJ-1.md", Live: true, Was: "WAS", To: rested})
	logs["a move from elsewhere"] = file(store.RedoFile{Path: "main.go", Was: "WAS", To: rested})
	logs["a move that writes"] = file(store.RedoFile{Path: ".cairn/tasks/PROJ-1.md", Was: "WAS", Now: rev(other), Temp: tempOf("PROJ-1.md"), To: rested})
	s, around := hostileStore(t, false)
	for name, log := range logs {
		t.Run(name, func(t *testing.T) {
			was := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
			if name != "a temporary file that is not there" {
				storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), tempOf("PROJ-1.md")), other)
				storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), tempOf("PROJ-2.md")), other)
			}
			for i := range log.Files {
				log.Files[i].Path = strings.Replace(log.Files[i].Path, "ABS", filepath.ToSlash(filepath.Join(around, "victim", "package.json")), 1)
				log.Files[i].To = strings.Replace(log.Files[i].To, "ABS", filepath.ToSlash(filepath.Join(around, "victim", "package.json")), 1)
				if log.Files[i].Was == "WAS" {
					log.Files[i].Was = rev(was)
				}
			}
			for i := range log.Live {
				log.Live[i].Path = strings.Replace(log.Live[i].Path, "ABS", filepath.ToSlash(filepath.Join(around, "victim", "package.json")), 1)
			}
			before, inside := outside(t, s, around), everythingIn(t, s)
			maps.DeleteFunc(inside, func(name, _ string) bool { return strings.HasSuffix(name, ".tmp") })
			storetest.WriteFile(t, s.Live.Redo(), store.LogText(s.Worktree, log))
			s.Known(proj1)
			storetest.WantCode(t, s.Settle(t.Context()), "")
			untouched(t, s, around, before)
			if now := everythingIn(t, s); !maps.Equal(now, inside) {
				t.Errorf("changed %v", storetest.Changed(inside, now))
			}
			if layout.Exists(s.Live.Redo()) {
				t.Error("the log is still there")
			}
		})
	}
}

// A step of a log that a link stands in the way of is not made through the link.
func TestLogsBehindLinks(t *testing.T) {
	const other = "another\n"
	for _, tt := range []struct {
		name string
		link func(s *store.Store) string
		code record.Code
	}{
		{"the file is a link", func(s *store.Store) string { return storetest.TaskFile(s, "PROJ-1") }, ""},
		{"the temporary file is a link", func(s *store.Store) string {
			return filepath.Join(s.Dir("tasks"), ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp")
		}, ""},
		{"the copy in the trash is a link", func(s *store.Store) string { return s.Live.Trashed(proj2, ".md") }, ""},
		{"the claim is a link", func(s *store.Store) string { return s.Live.Claim(proj1) }, record.BadFile},
		{"the journal is a link", func(s *store.Store) string { return s.Live.Journal(proj1) }, record.BadFile},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, around := hostileStore(t, true)
			secret := filepath.Join(around, "victim", "secret")
			was := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
			storetest.WriteFile(t, secret, was)
			temps := map[string]string{
				filepath.Join(s.Dir("tasks"), ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"): other,
				filepath.Join(s.Live.Trash(), ".PROJ-2.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"): other,
			}
			for path, text := range temps {
				storetest.WriteFile(t, path, text)
			}
			path := tt.link(s)
			_ = os.Remove(path)
			storetest.Link(t, secret, path)
			now := kind.Rev([]byte(other))
			storetest.WriteFile(t, s.Live.Redo(), store.LogText(s.Worktree, store.Redo{Files: []store.RedoFile{
				{Path: ".cairn/tasks/PROJ-1.md", Was: kind.Rev([]byte(was)), Now: now, Temp: ".PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"},
				{Path: "trash/PROJ-2.md", Live: true, Now: now, Temp: ".PROJ-2.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp", Over: true},
			}, Live: []store.RedoLive{
				{Path: "claims/PROJ-1.json", Text: "{}"}, {Path: "journal/PROJ-1.jsonl", Text: "{}", Append: true},
			}}))
			before := outside(t, s, around)
			storetest.WantCode(t, s.Settle(t.Context()), tt.code)
			storetest.WantCode(t, s.Sweep(t.Context()), "")
			untouched(t, s, around, before)
			storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-2", "life goes on"), "")
		})
	}
}

// Of a write of several files each is rolled forward by itself: those that have their content already stay, and the
// config may be among them.
func TestLogIsRolledForwardFileByFile(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.WriteTask(t, s, "PROJ-2")
	write := func() {
		_ = s.Update(t.Context(), func(tx *store.Tx) error {
			if err := tx.EditConfig(renamePrefix); err != nil {
				return err
			}
			return errors.Join(storetest.AddNote(tx, "PROJ-1", "one"), storetest.AddNote(tx, "PROJ-2", "two"))
		})
	}
	killedAt(t, disk.Rename, storetest.TaskFile(s, "PROJ-2"), write)
	if len(storetest.Get(t, s, "PROJ-1").Provenance) != 1 || len(storetest.Get(t, s, "PROJ-2").Provenance) != 0 {
		t.Fatal("it was not killed in the middle")
	}
	steps, err := store.ReadLog(s.Live)
	storetest.WantCode(t, err, "")
	var paths []string
	for _, f := range steps.Files {
		paths = append(paths, f.Path)
	}
	if want := []string{".cairn/config.yaml", ".cairn/tasks/PROJ-1.md", ".cairn/tasks/PROJ-2.md"}; !slices.Equal(paths, want) {
		t.Errorf("got the files %q, want %q", paths, want)
	}
	storetest.WantCode(t, s.Settle(t.Context()), "")
	if prefix := storetest.Open(t, s.Root).Config.Prefix; prefix != "OTHER" {
		t.Errorf("got the prefix %q", prefix)
	}
	for _, id := range []record.ID{"PROJ-1", "PROJ-2"} {
		if n := len(storetest.Get(t, s, id).Provenance); n != 1 {
			t.Errorf("%s has %d entries", id, n)
		}
		if n := len(s.Journal(id.Ref())); n != 1 {
			t.Errorf("the journal of %s has %d entries", id, n)
		}
	}
	storetest.WantClean(t, s)
}

// A write that came and was not journalled, because its process died in between, is journalled by the next write.
func TestJournalAfterAKill(t *testing.T) {
	s := storetest.New(t)
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
	buffer := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
	killedAt(t, disk.Open, s.Live.Journal(proj1), func() { _ = a.Note("PROJ-1", "it rains") })
	storetest.WantCode(t, a.Note("PROJ-1", "the sun is back"), "")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), buffer)
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains", "noted the sun is back")
}

// A decided write in a clone that was moved since is finished where the clone is now.
func TestLogOfACloneThatWasMoved(t *testing.T) {
	for _, inGit := range []bool{false, true} {
		t.Run(fmt.Sprintf("git %v", inGit), func(t *testing.T) {
			root := killedPlan(t, inGit).Root
			moved := root + " moved\nhere"
			if err := os.Rename(root, moved); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Rename(moved, root) }) // where the helpers look
			s := storetest.Open(t, moved)
			storetest.WantCode(t, s.Settle(t.Context()), "")
			wantPlan(t, s, 3)
		})
	}
}

// New records come all or not at all, also if git cleaned a part of them away after the kill.
func TestNewRecordsComeAllOrNone(t *testing.T) {
	for _, gone := range []string{"what came", "what was prepared"} {
		t.Run(gone, func(t *testing.T) {
			s := killedPlan(t, true)
			entries, err := os.ReadDir(s.Dir("tasks"))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if atomicfile.IsTemp(e.Name()) == (gone == "what was prepared") {
					storetest.Remove(t, filepath.Join(s.Dir("tasks"), e.Name()))
				}
			}
			storetest.WantCode(t, s.Settle(t.Context()), "")
			wantPlan(t, s, 0)
		})
	}
}

// What a killed deletion leaves keeps nobody from writing, also after git has taken the empty folder away.
func TestDeletionInAFolderThatIsGone(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	killedAt(t, disk.Remove, s.Live.Redo(), func() { _ = storetest.NewActor(s, "human:lee").Delete("PROJ-1") })
	if !layout.Exists(s.Live.Redo()) {
		t.Fatal("the log is gone")
	}
	if err := os.Remove(s.Dir("tasks")); err != nil {
		t.Fatal(err)
	}
	storetest.WantCode(t, s.Settle(t.Context()), "")
	if layout.Exists(s.Live.Redo()) {
		t.Error("the log is still there")
	}
}

// killedPlan is a workspace in which a write of three new tasks was killed after the first had its file.
func killedPlan(t *testing.T, inGit bool) *store.Store {
	t.Helper()
	s := storetest.New(t)
	if inGit {
		s = storetest.NewAt(t, storetest.NewRepo(t))
	}
	killedAt(t, disk.Link, filepath.Join(s.Dir("tasks"), "PROJ-2.md"), func() {
		_ = s.Update(t.Context(), func(tx *store.Tx) error {
			for _, id := range []record.ID{"PROJ-1", "PROJ-2", "PROJ-3"} {
				kind.Tasks.Put(tx, task.Task{ID: id, Title: "A task", Status: "backlog", Provenance: record.Log{}.Add(record.Entry{Who: "human:lee", At: storetest.Noon, Did: record.Created})})
			}
			return nil
		})
	})
	return s
}

func wantPlan(t *testing.T, s *store.Store, want int) {
	t.Helper()
	tasks, problems, err := kind.Tasks.List(t.Context(), s)
	if err != nil || len(problems) > 0 || len(tasks) != want {
		t.Errorf("%d tasks, want %d (%v, %v)", len(tasks), want, problems, err)
	}
	if layout.Exists(s.Live.Redo()) {
		t.Error("the log is still there")
	}
	storetest.WantClean(t, s)
}
