package store_test

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

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// everything makes every kind of call on a workspace, among them those that repair. Errors do not matter: some of it is
// damaged. It fails the test if one of them does not come back.
func everything(t *testing.T, s *store.Store) {
	t.Helper()
	a, ctx := storetest.NewActor(s, "agent:a"), storetest.Soon(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		calls := []func() error{
			func() error {
				s.Known(record.ID("PROJ-1").Ref())
				s.KnownOf()(proj1)
				s.Heartbeat("ses-1")
				s.Key("c0ffee")
				return nil
			},
			func() error { return a.Note("PROJ-1", "a note") },
			func() error { return a.Claim("PROJ-1") },
			func() error { _, err := a.Begin("PROJ-2"); return err },
			func() error {
				return s.Update(ctx, func(tx *store.Tx) error {
					tx.Remember(session.Key{Call: "c0ffee", Args: "12", Task: "PROJ-1"})
					tx.Beat(session.Heartbeat{Session: "ses-1", Actor: "agent:a", At: time.Now()})
					return nil
				})
			},
			func() error { _, err := s.Stranded(ctx); return err },
			func() error { _, err := s.DropCaughtUp(ctx); return err },
			func() error { return s.DropProgress(ctx, proj1, "0123456789abcdef") },
			func() error { _, err := s.Journalled(); return err },
			func() error {
				one, err := kind.Tasks.Get(s, "PROJ-1")
				if err == nil {
					_, err = s.Overwritten(ctx, one.Header())
				}
				return err
			},
			func() error { _, err := s.Trash().Deleted(kind.Tasks.Kind); s.Trash().File(proj1); return err },
			func() error {
				for _, log := range s.Runs().Logs(ctx, "PROJ-1") {
					_, _, _ = s.Runs().Read(log.Path, 100)
				}
				_, err := s.Runs().Write("PROJ-1", time.Now(), func(w io.Writer) error { _, err := io.WriteString(w, "log"); return err })
				return err
			},
			func() error {
				release, err := s.Runs().Lock(ctx, "me")
				if err == nil {
					release()
				}
				return err
			},
			func() error { s.Trusted(); return s.SetTrust("human:lee", time.Now()) },
			func() error { _, err := storetest.Verify(ctx, s); return err },
			func() error { return s.Settle(ctx) },
			func() error { return s.Sweep(ctx) },
			func() error { return a.Note("PROJ-2", "another note") },
			func() error { return a.Note("PROJ-3", "a note at rest") },
			func() error { return a.Delete("PROJ-2") },
		}
		for _, call := range calls {
			_ = call()
		}
	}()
	select {
	case <-done:
	case <-time.After(slowtest.Patience):
		t.Fatal("a call does not come back")
	}
}

// hostileStore is a workspace, in git or outside, in a folder whose other content nobody may touch.
func hostileStore(t *testing.T, inGit bool) (s *store.Store, around string) {
	t.Helper()
	around = storetest.RealPath(t, t.TempDir())
	dir := storetest.Mkdir(t, around, "a/b/c/work")
	storetest.WriteFile(t, filepath.Join(around, "victim", "package.json"), "{}\n")
	if inGit {
		storetest.Git(t, dir, "init", "-q", "-b", "main")
	}
	s = storetest.NewAt(t, dir)
	s.SetLockPatience(time.Second)
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
	storetest.WantCode(t, a.CreateAs("PROJ-2", "Raise the walls"), "")
	storetest.WriteFile(t, storetest.RestFile(s, "2026-06", "PROJ-3"), storetest.TaskText("PROJ-3"))
	return s, around
}

// outside is what lies around a workspace: the content of what is not on the way to it, and what else is there by name.
func outside(t *testing.T, s *store.Store, around string) map[string]string {
	t.Helper()
	out := storetest.Files(t, filepath.Join(around, "victim"))
	for dir := filepath.Dir(s.Root); len(dir) >= len(around); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out[layout.SlashRel(around, filepath.Join(dir, e.Name()))] = "is there"
		}
	}
	return out
}

// untouched compares what lies around a workspace with what was there before.
func untouched(t *testing.T, s *store.Store, around string, before map[string]string) {
	t.Helper()
	if now := outside(t, s, around); !maps.Equal(now, before) {
		t.Errorf("outside were %v, and are %v", before, now)
	}
}

// Live state that somebody else wrote makes no path: nothing outside is written, replaced or removed for it, and no
// task goes.
func TestHostileLiveState(t *testing.T) {
	up := func(s *store.Store) string { // from any folder of live state
		rel, err := filepath.Rel(s.Live.Claims(), storetest.RealPath(t, filepath.Join(s.Root, "..", "..", "..", "..", "victim")))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(rel) + "/package"
	}
	made := session.Progress{Status: "backlog", Worktree: "/", Entry: "0123456789abcdef"}
	asJSON := func(v any) string {
		src, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	for name, plant := range map[string]func(s *store.Store) (path, text string){
		"a state of another file": func(s *store.Store) (string, string) {
			return s.Live.Claim(proj1), asJSON(session.State{Ref: record.ID(up(s)).Ref()})
		},
		"the same with something to say": func(s *store.Store) (string, string) {
			return s.Live.Claim(proj1), asJSON(session.State{Ref: record.ID(up(s)).Ref(), Progress: []session.Progress{made}})
		},
		"the same, and another task's": func(s *store.Store) (string, string) {
			return s.Live.Claim(proj1), asJSON(session.State{Ref: record.ID("PROJ-2").Ref(), Progress: []session.Progress{made}})
		},
		"a state of another kind": func(s *store.Store) (string, string) {
			return s.Live.Claim(proj1), asJSON(session.State{Ref: record.Ref{Kind: "../..", ID: "PROJ-1"}, Progress: []session.Progress{made}})
		},
		"a state called after a path": func(s *store.Store) (string, string) {
			return filepath.Join(s.Live.Claims(), "...json"), asJSON(session.State{Ref: record.ID("..").Ref(), Progress: []session.Progress{made}})
		},
		"a state called after no kind": func(s *store.Store) (string, string) {
			return filepath.Join(s.Live.Claims(), "x~y.json"), asJSON(session.State{Ref: record.Ref{Kind: "x", ID: "y"}, Progress: []session.Progress{made}})
		},
		"a state that ended a session with a path": func(s *store.Store) (string, string) {
			return s.Live.Claim(proj1), asJSON(session.State{Ref: proj1, Ended: []string{"ses-" + up(s)}})
		},
		"a claim from a folder with a path for its git folder": func(s *store.Store) (string, string) {
			lease := session.Lease{Actor: "agent:a", Worktree: "/nowhere", GitDir: "../" + up(s), Session: "ses-1"}
			return s.Live.Claim(proj1), asJSON(session.State{Ref: proj1, Lease: &lease})
		},
		"a claim with a path for its session": func(s *store.Store) (string, string) {
			lease := session.Lease{Actor: "agent:a", Worktree: s.Worktree, Session: up(s)}
			return s.Live.Claim(proj1), asJSON(session.State{Ref: proj1, Lease: &lease})
		},
		"a journal with questions to git": func(s *store.Store) (string, string) {
			w := session.Written{
				On:    session.Sighting{Worktree: s.Worktree, Branch: "--output=" + up(s), Head: "HEAD\n" + up(s), Rev: "0123456789abcdef"},
				Entry: record.Entry{Who: "human:lee", At: time.Now(), Did: record.Noted, Text: "x"},
			}
			return s.Live.Journal(proj1), asJSON(w)
		},
		"a log that names another folder": func(s *store.Store) (string, string) {
			return s.Live.Redo(), filepath.Join(s.Root, "..", "..", "..", "..", "victim") + "\n"
		},
		"a log with a step in another folder": func(s *store.Store) (string, string) {
			victim := filepath.Join(s.Root, "..", "..", "..", "..", "victim")
			return s.Live.Redo(), store.LogText(victim, store.Redo{Files: []store.RedoFile{{Path: ".cairn/tasks/PROJ-1.md"}}})
		},
		"a log that is very large": func(s *store.Store) (string, string) {
			return s.Live.Redo(), strings.Repeat("[", store.MaxRedo+1)
		},
		"a log that is no text": func(s *store.Store) (string, string) { return s.Live.Redo(), "\x00\xff\n\n\n" },
		"a heartbeat of another session": func(s *store.Store) (string, string) {
			return s.Live.Heartbeat("ses-1"), asJSON(session.Heartbeat{Session: up(s), Actor: "agent:a"})
		},
		"a key that made a path": func(s *store.Store) (string, string) {
			return s.Live.Key("c0ffee"), asJSON(session.Key{Call: "c0ffee", Task: record.ID(up(s)), Tasks: []record.ID{record.ID(up(s))}, Session: up(s)})
		},
		"a copy in the trash that is about another file": func(s *store.Store) (string, string) {
			return s.Live.Trashed(proj1, ".md"), storetest.TaskText(record.ID(up(s)))
		},
		"a holder of the lock of runs with more than a name": func(s *store.Store) (string, string) {
			return s.RunsLock() + ".holder", "me\x1b]0;gotcha\a\n" + strings.Repeat("x", 1<<20)
		},
		"JSON that is none":    func(s *store.Store) (string, string) { return s.Live.Claim(proj1), `{"ref": ["PROJ-1"]` },
		"JSON of another kind": func(s *store.Store) (string, string) { return s.Live.Claim(proj1), `[[[[]]]]` },
		"a state that is very large": func(s *store.Store) (string, string) {
			return s.Live.Claim(proj1), strings.Repeat("[", live.MaxFile+1)
		},
	} {
		for _, inGit := range []bool{true, false} {
			t.Run(name+map[bool]string{true: ", in git", false: ", outside"}[inGit], func(t *testing.T) {
				t.Parallel()
				s, around := hostileStore(t, inGit)
				before := outside(t, s, around)
				storetest.WantCode(t, s.Mark(), "") // that there is something to clean up
				path, text := plant(s)
				storetest.WriteFile(t, path, text)
				everything(t, storetest.Open(t, s.Root))
				untouched(t, s, around, before)
				if _, err := kind.Tasks.Get(s, "PROJ-1"); err != nil {
					t.Errorf("the task is gone: %v", err)
				}
				storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "life goes on"), "")
			})
		}
	}
}

// liveFiles are all files that live state may have.
func liveFiles(s *store.Store) []string {
	in := s.Live
	return []string{
		in.Lock(), in.Redo(), s.RunsLock(), s.RunsLock() + ".holder", filepath.Join(string(in), "clone-id"), in.Claim(proj1), in.Journal(proj1),
		in.Heartbeat("ses-1"), in.Key("c0ffee"), filepath.Join(in.Keys(), "forgotten"), in.Trashed(record.ID("PROJ-2").Ref(), ".md"),
	}
}

// No link in live state is followed, by readers or by writers, whether what it leads to is there or not; nor is a
// second name of a file written through.
func TestSlowLinksInLiveState(t *testing.T) {
	slowtest.Skip(t)
	for _, inGit := range []bool{true, false} {
		for i := range liveFiles(&store.Store{}) {
			for _, kind := range []string{"a link", "a link to nothing", "a second name"} {
				s, around := hostileStore(t, inGit)
				path := liveFiles(s)[i]
				t.Run(layout.SlashRel(around, path)+" is "+kind, func(t *testing.T) {
					t.Parallel()
					target := filepath.Join(around, "victim", "secret")
					if kind != "a link to nothing" {
						storetest.WriteFile(t, target, `{"task": "PROJ-1", "session": "ses-1", "call": "c0ffee"}`)
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
					if at, err := store.Open(s.Root, storetest.StateDir()); err == nil {
						at.SetLockPatience(time.Second)
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
			storetest.WantCode(t, s.MakeTrash(), "")
			dir := filepath.Join(string(s.Live), name)
			t.Run(layout.SlashRel(around, dir), func(t *testing.T) {
				elsewhere := filepath.Join(around, "victim", "folder")
				storetest.Rename(t, dir, elsewhere)
				if err := os.Symlink(elsewhere, dir); err != nil {
					t.Skip(err)
				}
				before := storetest.Files(t, elsewhere)
				_, err := store.Open(s.Root, storetest.StateDir())
				storetest.WantCode(t, err, record.InvalidInput)
				everything(t, s)
				if now := storetest.Files(t, elsewhere); !maps.Equal(now, before) {
					t.Errorf("it was written to: %v", slices.Sorted(maps.Keys(now)))
				}
			})
		}
	}
}

// What cannot be read in live state is found, and taken away when that is agreed to.
func TestDamagedLiveStateIsFound(t *testing.T) {
	s, _ := hostileStore(t, true)
	in := s.Live
	files := map[string]string{
		in.Claim(proj1): `{"ref": {"kind": "task", "id": "PROJ-2"}}`, in.Claim(record.ID("PROJ-2").Ref()): "{", in.Heartbeat("ses-1"): "null",
		in.Key("c0ffee"): "[]", in.Journal(record.ID("PROJ-9").Ref()): "{}\n{}\n", filepath.Join(in.Journals(), "...jsonl"): "",
	}
	for path, text := range files {
		storetest.WriteFile(t, path, text)
	}
	for _, path := range []string{in.Claim(record.ID("PROJ-3").Ref()), in.Journal(record.ID("PROJ-3").Ref())} {
		if err := os.Symlink("/dev/zero", path); err != nil {
			t.Skip(err)
		}
		files[path] = ""
	}
	wantLeftovers(t, s, len(files))
	storetest.WantCode(t, s.Sweep(t.Context()), "")
	wantLeftovers(t, s, 0)
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "life goes on"), "")
}
