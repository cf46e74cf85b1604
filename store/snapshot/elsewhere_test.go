package snapshot_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// twoWorkspaces makes a repository with a workspace at its top and one in sub, each with a task, committed and tagged
// base.
func twoWorkspaces(t *testing.T) (top string) {
	t.Helper()
	s := recorded(t)
	sub := storetest.NewAt(t, storetest.Mkdir(t, s.Root, "sub"))
	storetest.WriteTask(t, sub, "PROJ-1")
	storetest.CommitAll(t, s)
	storetest.Git(t, s.Root, "tag", "base")
	return s.Root
}

// oneIn makes a repository with one workspace, in a folder.
func oneIn(t *testing.T, folder string) (top string) {
	t.Helper()
	s := recordedIn(t, folder)
	storetest.Git(t, s.Repo.Top, "tag", "base")
	return s.Repo.Top
}

// A workspace that the base has elsewhere is not a new one, and one that it has and that is gone is reported, wherever
// the change is judged.
func TestSlowWorkspaceThatIsElsewhere(t *testing.T) {
	slowtest.Skip(t)
	move := func(from, to string) func(t *testing.T, top string) {
		return func(t *testing.T, top string) {
			t.Helper()
			storetest.Rename(t, filepath.Join(top, from, layout.Folder), filepath.Join(storetest.Mkdir(t, top, to), layout.Folder))
		}
	}
	for _, row := range []struct {
		name   string
		make   func(t *testing.T) string
		change func(t *testing.T, top string)
		judge  string // the folder to look for the workspace from
		says   string
	}{
		{"moved", func(t *testing.T) string { return oneIn(t, "a") }, move("a", "b"), "b", "has no record in b, and one in a"},
		{"moved down", func(t *testing.T) string { return oneIn(t, "") }, move("", "b"), "b", "has no record in b, and one in the top folder"},
		{"moved up", func(t *testing.T) string { return oneIn(t, "a/b") }, move("a/b", "a"), "a/b", "has no record in a, and one in a/b"},
		{"moved up to the top", func(t *testing.T) string { return oneIn(t, "a") }, move("a", ""), "", "has no record in the top folder, and one in a"},
		{"one of two deleted", twoWorkspaces, func(t *testing.T, top string) { storetest.RemoveAll(t, filepath.Join(top, "sub", layout.Folder)) }, "sub", "has a record in sub, and what is judged has none there"},
		{"the outer of two deleted", twoWorkspaces, func(t *testing.T, top string) { storetest.RemoveAll(t, filepath.Join(top, layout.Folder)) }, "sub", "has a record in the top folder"},
		{"one of two emptied", twoWorkspaces, func(t *testing.T, top string) {
			storetest.RemoveAll(t, filepath.Join(top, "sub", layout.Folder))
			storetest.WriteFile(t, filepath.Join(top, "sub", layout.Folder, "tasks", "README"), "gone\n")
		}, "", "has a record in sub"},
		{"one of two moved", twoWorkspaces, move("sub", "other"), "", "has a record in sub"},
		{"replaced by a link to its folder", twoWorkspaces, func(t *testing.T, top string) {
			storetest.Rename(t, filepath.Join(top, "sub", layout.Folder), filepath.Join(top, "sub", "hidden"))
			storetest.Link(t, "hidden", filepath.Join(top, "sub", layout.Folder))
		}, "", "has a record in sub"},
		{"replaced by a link around it", func(t *testing.T) string { return oneIn(t, "sub") }, func(t *testing.T, top string) {
			storetest.Rename(t, filepath.Join(top, "sub"), filepath.Join(top, "other"))
			storetest.Link(t, "other", filepath.Join(top, "sub"))
		}, "sub", "has no record in other, and one in sub"},
		{"replaced by a file", twoWorkspaces, func(t *testing.T, top string) {
			storetest.RemoveAll(t, filepath.Join(top, "sub", layout.Folder))
			storetest.WriteFile(t, filepath.Join(top, "sub", layout.Folder), "")
		}, "sub", "has a record in sub"},
		{"hidden by a new one", func(t *testing.T) string { return oneIn(t, "") }, func(t *testing.T, top string) {
			storetest.NewAt(t, storetest.Mkdir(t, top, "sub"))
		}, "sub", "has no record in sub, and one in the top folder"},
		{"beside a new one", func(t *testing.T) string { return oneIn(t, "a") }, func(t *testing.T, top string) {
			storetest.NewAt(t, storetest.Mkdir(t, top, "b"))
		}, "b", "has no record in b, and one in a"},
		{"under a name that differs in case", func(t *testing.T) string { return oneIn(t, "a") }, func(t *testing.T, top string) {
			storetest.RemoveAll(t, filepath.Join(top, "a"))
			storetest.NewAt(t, storetest.Mkdir(t, top, "A"))
		}, "A", "has no record in A, and one in a"},
		{"a submodule in its place", func(t *testing.T) string { return oneIn(t, "sub") }, func(t *testing.T, top string) {
			storetest.RemoveAll(t, filepath.Join(top, "sub"))
			submodule(t, top, "sub")
		}, "sub", "which is a repository of its own now"},
		{"a submodule in the place of a folder above it", func(t *testing.T) string {
			top := twoWorkspaces(t)
			storetest.Rename(t, filepath.Join(top, "sub"), filepath.Join(storetest.Mkdir(t, top, "a"), "b"))
			storetest.Git(t, top, "add", "-A")
			storetest.Git(t, top, "commit", "-q", "-m", "deeper")
			storetest.Git(t, top, "tag", "-f", "base")
			return top
		}, func(t *testing.T, top string) {
			storetest.RemoveAll(t, filepath.Join(top, "a"))
			storetest.Git(t, top, "rm", "-rq", "--cached", "a")
			s := recordedIn(t, "b")
			storetest.Git(t, top, "clone", "-q", s.Repo.Top, "a")
		}, "", "has a record in a/b"},
		{"a submodule in the place of one of two", twoWorkspaces, func(t *testing.T, top string) {
			storetest.RemoveAll(t, filepath.Join(top, "sub"))
			submodule(t, top, "sub")
		}, "", "has a record in sub"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			top := row.make(t)
			row.change(t, top)
			judged := func(when string) {
				t.Helper()
				l, err := layout.Find(filepath.Join(top, row.judge))
				if err != nil {
					t.Fatal(err)
				}
				all := []snapshot.CheckOptions{{Base: "base"}}
				if when != "in the working tree" && l.Repo.Top == storetest.RealPath(t, top) {
					all = append(all, snapshot.CheckOptions{Base: "base", Staged: true}, snapshot.CheckOptions{Base: "base", Commit: "HEAD"})
				}
				for _, opts := range all {
					if when == "staged" && opts.Commit != "" {
						continue
					}
					_, err := snapshot.Check(t.Context(), l, opts)
					storetest.WantMessage(t, err, record.NoBase, row.says)
					if !strings.Contains(problem.Hint(err), "docs/ci.md") {
						t.Errorf("%s: the hint is %q", when, problem.Hint(err))
					}
					opts.NoBase, opts.Base = true, ""
					if _, err := snapshot.Check(t.Context(), l, opts); err != nil {
						t.Errorf("%s, judged alone: %v", when, err)
					}
				}
			}
			judged("in the working tree")
			storetest.Git(t, top, "add", "-A")
			judged("staged")
			storetest.Git(t, top, "commit", "-q", "-m", "a change")
			judged("committed")
		})
	}
}

// What is no loss is no reason to refuse: a record that is new where there was none, one more task in another workspace
// or one less, a workspace that a sparse checkout leaves out, and a repository around this one that knows nothing of
// it.
func TestWorkspacesThatStay(t *testing.T) {
	for _, row := range []struct {
		name  string
		make  func(t *testing.T) (top string)
		judge string
	}{
		{"a repository gets its first record", func(t *testing.T) string {
			top := storetest.NewRepo(t)
			storetest.Git(t, top, "tag", "base")
			storetest.WriteFile(t, filepath.Join(top, ".cairn.md"), "no record\n")
			storetest.NewAt(t, storetest.Mkdir(t, top, "a"))
			return top
		}, "a"},
		{"tasks of another workspace come and go", func(t *testing.T) string {
			top := twoWorkspaces(t)
			storetest.RemoveAll(t, filepath.Join(top, "sub", layout.Folder, "tasks", "PROJ-1.md"))
			storetest.WriteFile(t, filepath.Join(top, "sub", layout.Folder, "tasks", "PROJ-2.md"), storetest.TaskText("PROJ-2"))
			return top
		}, ""},
		{"a sparse checkout", func(t *testing.T) string {
			top := twoWorkspaces(t)
			storetest.Git(t, top, "sparse-checkout", "set", "--no-cone", "/.cairn")
			if layout.Exists(filepath.Join(top, "sub", layout.Folder, "config.yaml")) {
				t.Fatal("sub is still there")
			}
			return top
		}, ""},
		{"a submodule that always was one", func(t *testing.T) string {
			top := storetest.NewRepo(t)
			submodule(t, top, "sub")
			storetest.Git(t, top, "add", "-A")
			storetest.Git(t, top, "commit", "-q", "-m", "a submodule")
			storetest.Git(t, top, "tag", "base")
			return top
		}, "sub"},
		{"a clone inside another repository", func(t *testing.T) string {
			top := storetest.NewRepo(t)
			submodule(t, top, "inner")
			return top
		}, "inner"},
		{"a linked worktree inside its clone", func(t *testing.T) string {
			top := oneIn(t, "")
			storetest.Git(t, top, "worktree", "add", "-q", "-b", "other", filepath.Join(top, ".worktrees", "other"))
			return top
		}, ".worktrees/other"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			top := row.make(t)
			l, err := layout.Find(filepath.Join(top, row.judge))
			if err != nil {
				t.Fatal(err)
			}
			if c, err := snapshot.Check(t.Context(), l, snapshot.CheckOptions{Base: "base"}); err != nil || len(c.Findings) > 0 {
				t.Errorf("%v, and finds %s", err, report(c.Findings))
			}
		})
	}
}

// submodule puts a repository with a record of its own into a folder.
func submodule(t *testing.T, top, folder string) {
	t.Helper()
	s := recorded(t)
	_, _ = storetest.TryGit(top, "rm", "-rq", "--cached", folder)
	storetest.Git(t, top, "clone", "-q", s.Root, folder)
	storetest.Git(t, filepath.Join(top, folder), "tag", "base")
}

// Whether a submodule took the place of a record only the repository around it can tell. If that has no base where it
// should have one, nothing is compared.
func TestSubmoduleOfARepositoryWithoutABase(t *testing.T) {
	top := storetest.NewRepo(t)
	submodule(t, top, "sub")
	storetest.Git(t, top, "add", "-A")
	storetest.Git(t, top, "commit", "-q", "-m", "a submodule")
	l, err := layout.Find(filepath.Join(top, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = snapshot.Check(t.Context(), l, snapshot.CheckOptions{Base: "base", Getenv: variables{"CI": "true"}.get})
	storetest.WantMessage(t, err, record.NoBase, "sub is a submodule, and in the repository around it: nothing can be compared")
	storetest.Git(t, top, "branch", "base", "HEAD~1")
	c, err := snapshot.Check(t.Context(), l, snapshot.CheckOptions{Base: "base", Getenv: variables{"CI": "true"}.get})
	if err != nil || len(c.Findings) > 0 {
		t.Errorf("%v, and finds %s", err, report(c.Findings))
	}
}
