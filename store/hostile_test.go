package store

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// everything makes every kind of call on a workspace, among them those that repair. Errors do not matter: some of it is damaged.
// It fails the test if one of them does not come back.
func everything(t *testing.T, s *Store) {
	t.Helper()
	a, ctx := newActor(s, "agent:a"), soon(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		calls := []func() error{
			func() error { s.Live("PROJ-1"); s.Lives()("PROJ-1"); s.Heartbeat("ses-1"); s.Key("c0ffee"); return nil },
			func() error { return a.note("PROJ-1", "a note") },
			func() error { return a.claim("PROJ-1") },
			func() error { _, err := a.begin("PROJ-2"); return err },
			func() error {
				return s.Update(ctx, func(tx *Tx) error {
					tx.Remember(session.Key{Call: "c0ffee", Args: "12", Task: "PROJ-1"})
					tx.Beat(session.Heartbeat{Session: "ses-1", Actor: "agent:a", At: time.Now()})
					return nil
				})
			},
			func() error { _, err := s.StrandedRecords(ctx); return err },
			func() error { _, err := s.DropCaughtUp(ctx); return err },
			func() error { return s.DropRecord(ctx, "PROJ-1", "0123456789abcdef") },
			func() error { _, err := s.Journalled(); return err },
			func() error {
				one, err := s.Get("PROJ-1")
				if err == nil {
					_, err = s.Overwritten(ctx, one)
				}
				return err
			},
			func() error { _, err := s.Deleted(); s.TrashFile("PROJ-1"); return err },
			func() error {
				for _, log := range s.Logs(ctx, "PROJ-1") {
					_, _, _ = s.ReadLog(log.Path, 100)
				}
				_, err := s.WriteLog("PROJ-1", time.Now(), func(w io.Writer) error { _, err := io.WriteString(w, "log"); return err })
				return err
			},
			func() error {
				release, err := s.LockRuns(ctx, "me")
				if err == nil {
					release()
				}
				return err
			},
			func() error { s.Trusted(); return s.SetTrust("human:lee", time.Now()) },
			func() error { _, err := s.Verify(ctx); return err },
			func() error { return s.Settle(ctx) },
			func() error { return s.Sweep(ctx) },
			func() error { return a.note("PROJ-2", "another note") },
			func() error {
				return s.Update(ctx, func(tx *Tx) error {
					one, err := tx.Task("PROJ-2")
					if err != nil {
						return err
					}
					e := task.Entry{Who: "agent:a", At: time.Now().UTC().Truncate(time.Second), Did: task.Deleted}
					one.Provenance = append(slices.Clone(one.Provenance), e)
					return tx.Delete(ctx, one)
				})
			},
		}
		for _, call := range calls {
			_ = call()
		}
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("a call does not come back")
	}
}

// hostileStore is a workspace, in git or outside, in a folder whose other content nobody may touch.
func hostileStore(t *testing.T, inGit bool) (s *Store, around string) {
	t.Helper()
	around = realPath(t, t.TempDir())
	dir := mkdir(t, around, "a/b/c/work")
	writeFile(t, filepath.Join(around, "victim", "package.json"), "{}\n")
	if inGit {
		runGit(t, dir, "init", "-q", "-b", "main")
	}
	s = newStoreAt(t, dir)
	s.lockPatience = time.Second
	a := newActor(s, "agent:a")
	wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
	wantCode(t, a.createAs("PROJ-2", "Raise the walls"), "")
	return s, around
}

// outside is what lies around a workspace: the content of what is not on the way to it, and what else is there by name.
func outside(t *testing.T, s *Store, around string) map[string]string {
	t.Helper()
	out := snapshot(t, filepath.Join(around, "victim"))
	for dir := filepath.Dir(s.Root); len(dir) >= len(around); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out[slashRel(around, filepath.Join(dir, e.Name()))] = "is there"
		}
	}
	return out
}

// untouched compares what lies around a workspace with what was there before.
func untouched(t *testing.T, s *Store, around string, before map[string]string) {
	t.Helper()
	if now := outside(t, s, around); !maps.Equal(now, before) {
		t.Errorf("outside were %v, and are %v", before, now)
	}
}

// Live state that somebody else wrote makes no path: nothing outside is written, replaced or removed for it, and no task goes.
func TestHostileLiveState(t *testing.T) {
	up := func(s *Store) string { // from any folder of live state
		rel, err := filepath.Rel(filepath.Join(s.Layout.Live, "claims"), realPath(t, filepath.Join(s.Root, "..", "..", "..", "..", "victim")))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(rel) + "/package"
	}
	reach := session.Reach{Status: "backlog", Worktree: "/", Entry: "0123456789abcdef"}
	here := func(s *Store, entry string) session.Reach {
		return session.Reach{Status: "backlog", Worktree: s.Worktree, Entry: entry}
	}
	last := func(t *testing.T, s *Store) string {
		one, err := s.Get("PROJ-1")
		wantCode(t, err, "")
		return one.Provenance.Last().Hash()
	}
	asJSON := func(v any) string {
		src, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	for name, plant := range map[string]func(t *testing.T, s *Store) (path, text string){
		"a record that is about another file": func(_ *testing.T, s *Store) (string, string) {
			return s.record0("PROJ-1"), asJSON(session.Record{Task: task.ID(up(s))})
		},
		"the same with something to say": func(_ *testing.T, s *Store) (string, string) {
			return s.record0("PROJ-1"), asJSON(session.Record{Task: task.ID(up(s)), Reaches: []session.Reach{reach}})
		},
		"the same announced": func(_ *testing.T, s *Store) (string, string) {
			return s.record0("PROJ-1"), asJSON(session.Record{Task: task.ID(up(s)), Intent: &session.Intent{Reach: here(s, "00")}})
		},
		"the same announced in a folder that is gone": func(_ *testing.T, s *Store) (string, string) {
			gone := session.Reach{Status: "backlog", Worktree: "/nowhere", Entry: "00"}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: task.ID(up(s)), Intent: &session.Intent{Reach: gone}})
		},
		"the same with something left to say": func(_ *testing.T, s *Store) (string, string) {
			gone := session.Reach{Status: "backlog", Worktree: "/nowhere", Entry: "00"}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: task.ID(up(s)), Reaches: []session.Reach{reach}, Intent: &session.Intent{Reach: gone, Rest: []session.Reach{reach}}})
		},
		"the same, and another task's": func(_ *testing.T, s *Store) (string, string) {
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-2", Reaches: []session.Reach{reach}})
		},
		"a record called after a path": func(_ *testing.T, s *Store) (string, string) {
			return filepath.Join(s.Layout.Live, "claims", "...json"), asJSON(session.Record{Task: "..", Intent: &session.Intent{Reach: here(s, "00")}})
		},
		"an announcement that names a path as its key": func(t *testing.T, s *Store) (string, string) {
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Intent: &session.Intent{Reach: here(s, last(t, s)), Key: &session.Key{Call: up(s)}}})
		},
		"an announcement that names a path as its session": func(_ *testing.T, s *Store) (string, string) {
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Intent: &session.Intent{Reach: here(s, "00"), Session: "ses-" + up(s), New: true}})
		},
		"an announcement that ends a session with a path": func(t *testing.T, s *Store) (string, string) {
			ends := []session.Session{{ID: up(s), Task: "PROJ-1", Status: session.Finished}}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Intent: &session.Intent{Reach: here(s, last(t, s)), Ends: ends}})
		},
		"an announcement of several tasks that takes one away": func(t *testing.T, s *Store) (string, string) {
			wantCode(t, newActor(s, "human:lee").note("PROJ-1", "somebody has worked on it"), "")
			in := session.Intent{Reach: here(s, last(t, s)), New: true, With: []task.ID{"PROJ-1", "PROJ-77"}}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Intent: &in})
		},
		"the same where it is not new": func(t *testing.T, s *Store) (string, string) {
			in := session.Intent{Reach: here(s, last(t, s)), With: []task.ID{"PROJ-1", "PROJ-77"}}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Intent: &in})
		},
		"an announcement for another folder": func(_ *testing.T, s *Store) (string, string) {
			in := session.Intent{Reach: session.Reach{Status: "done", Worktree: filepath.Join(s.Root, "..", "..", "..", "..", "victim"), Entry: "00"}, New: true}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Intent: &in})
		},
		"a claim from a folder with a path for its git folder": func(_ *testing.T, s *Store) (string, string) {
			lease := session.Lease{Actor: "agent:a", Worktree: "/nowhere", GitDir: "../" + up(s), Session: "ses-1"}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Lease: &lease})
		},
		"a claim with a path for its session": func(_ *testing.T, s *Store) (string, string) {
			lease := session.Lease{Actor: "agent:a", Worktree: s.Worktree, Session: up(s)}
			return s.record0("PROJ-1"), asJSON(session.Record{Task: "PROJ-1", Lease: &lease})
		},
		"a journal with questions to git": func(_ *testing.T, s *Store) (string, string) {
			w := session.Written{
				On:    session.Sighting{Worktree: s.Worktree, Branch: "--output=" + up(s), Head: "HEAD\n" + up(s), Rev: "0123456789abcdef"},
				Entry: task.Entry{Who: "human:lee", At: time.Now(), Did: task.Noted, Text: "x"},
			}
			return s.journal("PROJ-1"), asJSON(w)
		},
		"a marker that names another folder": func(_ *testing.T, s *Store) (string, string) {
			return s.dirty(), filepath.Join(s.Root, "..", "..", "..", "..", "victim")
		},
		"a heartbeat of another session": func(_ *testing.T, s *Store) (string, string) {
			return s.heartbeat("ses-1"), asJSON(session.Heartbeat{Session: up(s), Actor: "agent:a"})
		},
		"a key that made a path": func(_ *testing.T, s *Store) (string, string) {
			return s.key("c0ffee"), asJSON(session.Key{Call: "c0ffee", Task: task.ID(up(s)), Tasks: []task.ID{task.ID(up(s))}, Session: up(s)})
		},
		"a copy in the trash that is about another file": func(_ *testing.T, s *Store) (string, string) {
			return s.trash("PROJ-1.md"), taskText(task.ID(up(s)))
		},
		"a holder of the lock of runs with more than a name": func(_ *testing.T, s *Store) (string, string) {
			return s.runsLock() + ".holder", "me\x1b]0;gotcha\a\n" + strings.Repeat("x", 1<<20)
		},
		"JSON that is none":    func(_ *testing.T, s *Store) (string, string) { return s.record0("PROJ-1"), `{"task": ["PROJ-1"]` },
		"JSON of another kind": func(_ *testing.T, s *Store) (string, string) { return s.record0("PROJ-1"), `[[[[]]]]` },
		"a record that is very large": func(_ *testing.T, s *Store) (string, string) {
			return s.record0("PROJ-1"), strings.Repeat("[", maxLive+1)
		},
	} {
		for _, inGit := range []bool{true, false} {
			t.Run(name+map[bool]string{true: ", in git", false: ", outside"}[inGit], func(t *testing.T) {
				t.Parallel()
				s, around := hostileStore(t, inGit)
				before := outside(t, s, around)
				path, text := plant(t, s)
				writeFile(t, path, text)
				wantCode(t, s.setDirty(true), "")
				if path == s.dirty() {
					writeFile(t, path, text)
				}
				everything(t, reopen(t, s.Root))
				untouched(t, s, around, before)
				if _, err := s.Get("PROJ-1"); err != nil {
					t.Errorf("the task is gone: %v", err)
				}
				wantCode(t, newActor(s, "human:lee").note("PROJ-1", "life goes on"), "")
			})
		}
	}
}

// record0 is where a record lies.
func (s *Store) record0(id task.ID) string { return s.Layout.record(id) }

// liveFiles are all files that live state may have.
func liveFiles(s *Store) []string {
	return []string{
		s.lock(), s.dirty(), s.runsLock(), s.runsLock() + ".holder", cloneID(s.Layout.Live), s.Layout.record("PROJ-1"), s.journal("PROJ-1"), s.heartbeat("ses-1"),
		s.key("c0ffee"), s.key("forgotten")[:len(s.key("forgotten"))-len(".json")], s.trash("PROJ-2.md"),
	}
}

// No link in live state is followed, by readers or by writers, whether what it leads to is there or not; nor is a second name
// of a file written through.
func TestLinksInLiveState(t *testing.T) {
	for _, inGit := range []bool{true, false} {
		for i := range liveFiles(&Store{}) {
			for _, kind := range []string{"a link", "a link to nothing", "a second name"} {
				s, around := hostileStore(t, inGit)
				path := liveFiles(s)[i]
				t.Run(slashRel(around, path)+" is "+kind, func(t *testing.T) {
					t.Parallel()
					target := filepath.Join(around, "victim", "secret")
					if kind != "a link to nothing" {
						writeFile(t, target, `{"task": "PROJ-1", "session": "ses-1", "call": "c0ffee"}`)
					}
					_ = os.Remove(path)
					link := os.Symlink
					if kind == "a second name" {
						link = os.Link
					}
					if err := link(target, path); err != nil {
						t.Skip(err)
					}
					before := outside(t, s, around)
					if at, err := Open(s.Root, filepath.Join(os.Getenv("HOME"), "state")); err == nil {
						at.lockPatience = time.Second
						everything(t, at)
					} else if inGit {
						t.Error(err)
					}
					untouched(t, s, around, before)
				})
			}
		}
	}
}

// A folder of live state that is a link is refused, since everything in it would be written elsewhere.
func TestLinkedFoldersOfLiveState(t *testing.T) {
	for _, inGit := range []bool{true, false} {
		for _, name := range []string{"..", ".", "claims", "journal", "keys", "live", "trash"} {
			if name == ".." && !inGit {
				continue // that is .cairn
			}
			s, around := hostileStore(t, inGit)
			dir := filepath.Join(s.Layout.Live, name)
			t.Run(slashRel(around, dir), func(t *testing.T) {
				elsewhere := filepath.Join(around, "victim", "folder")
				rename(t, dir, elsewhere)
				if err := os.Symlink(elsewhere, dir); err != nil {
					t.Skip(err)
				}
				before := snapshot(t, elsewhere)
				_, err := Open(s.Root, filepath.Join(os.Getenv("HOME"), "state"))
				wantCode(t, err, task.InvalidInput)
				everything(t, s)
				if now := snapshot(t, elsewhere); !maps.Equal(now, before) {
					t.Errorf("it was written to: %v", slices.Sorted(maps.Keys(now)))
				}
			})
		}
	}
}

// What cannot be read in live state is told, and taken away when that is agreed to.
func TestDamagedLiveStateIsTold(t *testing.T) {
	s, _ := hostileStore(t, true)
	files := map[string]string{
		s.Layout.record("PROJ-1"): `{"task": "PROJ-2"}`, s.Layout.record("PROJ-2"): "{", s.heartbeat("ses-1"): "null",
		s.key("c0ffee"): "[]", s.journal("PROJ-9"): "{}\n{}\n", filepath.Join(s.Layout.Live, "journal", "...jsonl"): "",
	}
	for path, text := range files {
		writeFile(t, path, text)
	}
	for _, path := range []string{s.Layout.record("PROJ-3"), s.journal("PROJ-3")} {
		if err := os.Symlink("/dev/zero", path); err != nil {
			t.Skip(err)
		}
		files[path] = ""
	}
	wantLeftovers(t, s, len(files))
	wantCode(t, s.Sweep(t.Context()), "")
	wantLeftovers(t, s, 0)
	wantCode(t, newActor(s, "human:lee").note("PROJ-1", "life goes on"), "")
}
