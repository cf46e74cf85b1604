package branches_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// clones are two clones of a remote: that which reads, and that which works on the branch fix. The tasks PROJ-1 and
// PROJ-2 are open on main.
type clones struct {
	*testing.T
	here, there *store.Store
}

func newClones(t *testing.T, options ...string) clones {
	t.Helper()
	hub, here, there := filepath.Join(t.TempDir(), "hub.git"), filepath.Join(t.TempDir(), "here"), t.TempDir()
	storetest.Git(t, t.TempDir(), append([]string{"init", "-q", "--bare", "-b", "main", hub}, options...)...)
	storetest.InitRepo(t, there, options...)
	c := clones{T: t, there: storetest.NewAt(t, there)}
	storetest.WriteTask(t, c.there, "PROJ-1")
	storetest.WriteTask(t, c.there, "PROJ-2")
	storetest.CommitAll(t, c.there)
	c.git(c.there, "remote", "add", "origin", hub)
	c.git(c.there, "push", "-q", "origin", "main")
	storetest.Git(t, there, "clone", "-q", hub, here)
	storetest.Identify(t, here)
	c.here = storetest.Open(t, here)
	c.git(c.there, "switch", "-q", "-c", "fix")
	return c
}

func (c clones) git(s *store.Store, args ...string) {
	c.Helper()
	storetest.Git(c, s.Root, args...)
}

func (c clones) move(s *store.Store, id record.ID, to record.Status) {
	c.Helper()
	storetest.WantCode(c, storetest.NewActor(s, "human:lee").Move(id, to), "")
}

// fetch commits what the other clone has, and brings its branch here.
func (c clones) fetch() {
	c.Helper()
	storetest.CommitAll(c, c.there)
	c.git(c.there, "push", "-q", "--force", "origin", "HEAD")
	c.git(c.here, "fetch", "-q", "--prune")
}

func source(s *store.Store) branches.Source {
	return branches.Source{Clone: s.Clone, Remote: "origin", Except: "refs/heads/cairn/held"}
}

// said is what the branches say, as text.
func said(s *store.Store) string {
	var all []string
	for of, progress := range source(s).Read().Progress() {
		for _, p := range progress {
			all = append(all, fmt.Sprintf("%s %s on %s", of.ID, p.Status, p.Branch))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// A branch that was fetched says how far it has brought a task, and nothing about tasks that it did not move.
func TestSlowRead(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	const review = "PROJ-1 in_review on origin/fix"
	for _, tt := range []struct {
		name string
		do   func(c clones)
		want string
	}{
		{"it moved a task", func(c clones) { c.move(c.there, "PROJ-1", "in_review"); c.fetch() }, review},
		{"it was not fetched", func(c clones) { c.move(c.there, "PROJ-1", "in_review"); storetest.CommitAll(c, c.there) }, ""},
		{"it noted something", func(c clones) {
			storetest.WantCode(c, storetest.NewActor(c.there, "human:lee").Note("PROJ-1", "it rains"), "")
			c.fetch()
		}, ""},
		{"it moved a task twice", func(c clones) {
			c.move(c.there, "PROJ-1", "in_progress")
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
		}, review},
		{"it closed a task, and put it where it rests", func(c clones) {
			c.move(c.there, "PROJ-1", "done")
			storetest.WriteFile(c, storetest.RestFile(c.there, "2026-01", "PROJ-1"), storetest.ReadFile(c, storetest.TaskFile(c.there, "PROJ-1")))
			storetest.Remove(c, storetest.TaskFile(c.there, "PROJ-1"))
			c.fetch()
		}, "PROJ-1 done on origin/fix"},
		{"it is merged here", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
			c.git(c.here, "merge", "-q", "origin/fix")
		}, ""},
		{"it is merged here, and that was reverted", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
			c.git(c.here, "merge", "-q", "origin/fix")
			c.git(c.here, "revert", "--no-edit", "HEAD")
		}, ""},
		{"it is behind", func(c clones) {
			c.fetch()
			c.move(c.here, "PROJ-1", "in_review")
			storetest.CommitAll(c, c.here)
		}, ""},
		{"both went on", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
			c.move(c.here, "PROJ-2", "in_progress")
			storetest.CommitAll(c, c.here)
		}, review},
		{"it has what another branch did", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
			c.git(c.there, "switch", "-q", "-c", "more")
			c.fetch()
		}, "PROJ-1 in_review on origin/fix, PROJ-1 in_review on origin/more"},
		{"git has packed it", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
			c.git(c.here, "pack-refs", "--all")
			c.git(c.here, "gc", "-q")
		}, review},
		{"it was removed", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
			c.git(c.there, "push", "-q", "origin", ":fix")
			c.git(c.here, "fetch", "-q", "--prune")
		}, ""},
		{"it is where claims are", func(c clones) {
			c.git(c.there, "branch", "-m", "cairn/held/PROJ-1")
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
		}, ""},
		{"another task of it is broken", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			storetest.WriteFile(c, storetest.TaskFile(c.there, "PROJ-2"), "---\nid: [\n---\n")
			c.fetch()
		}, review},
		{"another task of it is too large", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			c.move(c.there, "PROJ-2", "in_review")
			storetest.Append(c, storetest.TaskFile(c.there, "PROJ-2"), strings.Repeat("x", format.MaxFile))
			c.fetch()
		}, review},
		{"a file of it has the id of another", func(c clones) {
			c.move(c.there, "PROJ-1", "in_review")
			storetest.Rename(c, storetest.TaskFile(c.there, "PROJ-1"), storetest.TaskFile(c.there, "PROJ-2"))
			c.fetch()
		}, ""},
		{"the status was written by hand", func(c clones) {
			c.move(c.there, "PROJ-1", "in_progress")
			text := storetest.ReadFile(c, storetest.TaskFile(c.there, "PROJ-1"))
			storetest.WriteFile(c, storetest.TaskFile(c.there, "PROJ-1"), strings.Replace(text, "status: in_progress", "status: done", 1))
			c.fetch()
		}, ""},
		{"the clone has settings of one worktree", func(c clones) {
			c.git(c.here, "config", "extensions.worktreeConfig", "true")
			c.move(c.there, "PROJ-1", "in_review")
			c.fetch()
		}, review},
		{"the clone is shallow", func(c clones) {
			c.git(c.here, "fetch", "-q", "--depth", "1")
			c.move(c.there, "PROJ-1", "in_review")
			storetest.CommitAll(c, c.there)
			c.git(c.there, "push", "-q", "origin", "HEAD")
			c.git(c.here, "fetch", "-q", "--depth", "1", "origin", "+refs/heads/fix:refs/remotes/origin/fix")
		}, review},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClones(t)
			_ = said(c.here) // and again, once something is known
			tt.do(c)
			if got := said(c.here); got != tt.want {
				t.Errorf("the branches say %q, want %q", got, tt.want)
			}
			if got := said(c.here); got != tt.want {
				t.Errorf("asked again they say %q, want %q", got, tt.want)
			}
			storetest.WantCode(t, c.here.MakeLive(), "")
			for range 2 {
				if got := said(c.here); got != tt.want {
					t.Errorf("with live state they say %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// A clone that the library cannot read says nothing, and neither does a folder outside git.
func TestReadNothing(t *testing.T) {
	t.Parallel()
	if got := said(storetest.NewAt(t, t.TempDir())); got != "" {
		t.Errorf("outside git there is %q", got)
	}
	c := newClones(t, "--object-format=sha256")
	c.move(c.there, "PROJ-1", "in_review")
	c.fetch()
	if got := said(c.here); got != "" {
		t.Errorf("with ids of SHA-256 there is %q", got)
	}
}

// What was found is kept where there is live state, and only there. It is not believed once a branch changed, nor if it
// is damaged.
func TestSlowReadKeepsWhatItFound(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	c := newClones(t)
	c.move(c.there, "PROJ-1", "in_review")
	c.fetch()
	_ = said(c.here)
	if layout.Exists(string(c.here.Live)) {
		t.Fatal("reading made live state")
	}
	storetest.WantCode(t, c.here.MakeLive(), "")
	want := said(c.here)
	if !layout.IsFile(c.here.BranchesFile()) {
		t.Fatal("nothing is kept")
	}
	time.Sleep(disk.ClockGrain + 100*time.Millisecond)
	_ = said(c.here)
	kept := storetest.ReadFile(t, c.here.BranchesFile())
	if !strings.Contains(kept, `"stamp"`) {
		t.Fatalf("what is kept has no stamp: %s", kept)
	}
	storetest.WriteFile(t, c.here.BranchesFile(), strings.Replace(kept, "in_review", "in_sight", 1))
	if got := said(c.here); got != strings.Replace(want, "in_review", "in_sight", 1) {
		t.Errorf("what is kept is not read: the branches say %q", got)
	}
	for _, damaged := range []string{"", "{", `{"remote":"other"}`, strings.Replace(kept, `"entry":"`, `"entry":"../`, 1), strings.Replace(kept, `"commit":"`, `"commit":"-`, 1)} {
		storetest.WriteFile(t, c.here.BranchesFile(), damaged)
		if got := said(c.here); got != want {
			t.Errorf("with %q kept, the branches say %q, want %q", damaged, got, want)
		}
	}
	c.move(c.there, "PROJ-2", "done")
	c.fetch()
	if got := said(c.here); got != want+", PROJ-2 done on origin/fix" {
		t.Errorf("after a fetch the branches say %q", got)
	}
}

// A workspace in a folder of the repository reads its own tasks, and each worktree goes by what it has checked out.
func TestSlowReadInAFolderAndInAWorktree(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	c := newClones(t)
	c.there = storetest.NewAt(t, storetest.Mkdir(t, c.there.Root, "web"))
	storetest.WriteTask(t, c.there, "PROJ-7")
	storetest.CommitAll(t, c.there)
	c.move(c.there, "PROJ-7", "in_review")
	c.fetch()
	c.git(c.here, "merge", "-q", "--ff-only", "origin/fix~1")
	web := storetest.Open(t, filepath.Join(c.here.Root, "web"))
	if got := said(web); got != "PROJ-7 in_review on origin/fix" {
		t.Errorf("in a folder the branches say %q", got)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	c.git(c.here, "worktree", "add", "-q", linked, "origin/fix")
	if got := said(storetest.Open(t, filepath.Join(linked, "web"))); got != "" {
		t.Errorf("in a worktree that has the branch checked out the branches say %q", got)
	}
	if got := said(c.here); got != "" {
		t.Errorf("for the workspace at the top the branches say %q", got)
	}
}
