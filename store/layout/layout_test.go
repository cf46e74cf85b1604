package layout_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Two workspaces of one repository have live state of their own; the worktrees of a clone share theirs.
func TestWhereLiveStateLies(t *testing.T) {
	repo := storetest.NewRepo(t)
	top, web := storetest.NewAt(t, repo), storetest.NewAt(t, filepath.Join(storetest.Mkdir(t, repo, "web")))
	if top.Live == web.Live {
		t.Error("two workspaces share live state")
	}
	if !strings.HasPrefix(layout.SlashRel(top.Root, string(top.Live)), ".git/cairn/") {
		t.Errorf("the live state lies in %s", top.Live)
	}
	linked := storetest.NewAt(t, storetest.LinkWorktree(t, repo))
	if linked.Live != top.Live || linked.Worktree == top.Worktree {
		t.Errorf("worktree %s has live state in %s, and the clone in %s", linked.Worktree, linked.Live, top.Live)
	}
}

// Where git's own files say whose a git folder is, its worktrees share live state.
func TestWorktreesShareLiveState(t *testing.T) {
	repo := storetest.NewRepo(t)
	live := func(dir string) layout.Live {
		t.Helper()
		l, err := layout.At(dir)
		if err != nil {
			t.Fatal(err)
		}
		return l.Live
	}
	linked := storetest.LinkWorktree(t, repo)
	if live(linked) != live(repo) {
		t.Error("a linked worktree does not share it")
	}
	moved := storetest.MoveAway(t, linked)
	if live(moved) != live(repo) {
		t.Error("one that was moved by hand does not share it")
	}
	storetest.Rename(t, moved, linked)
	rel, err := filepath.Rel(storetest.RealPath(t, linked), storetest.RealPath(t, filepath.Join(repo, ".git", "worktrees", "linked")))
	if err != nil {
		t.Fatal(err)
	}
	back, err := filepath.Rel(storetest.RealPath(t, filepath.Join(repo, ".git", "worktrees", "linked")), filepath.Join(storetest.RealPath(t, linked), ".git"))
	if err != nil {
		t.Fatal(err)
	}
	storetest.WriteFile(t, filepath.Join(linked, ".git"), "gitdir: "+filepath.ToSlash(rel)+"\n") // as newer versions of git can write them
	storetest.WriteFile(t, filepath.Join(repo, ".git", "worktrees", "linked", "gitdir"), filepath.ToSlash(back)+"\n")
	if l, err := layout.At(linked); err != nil || l.Live != live(repo) || !l.Repo.Registered() {
		t.Errorf("one with relative paths does not share it (%v)", err)
	}
	sub := storetest.AddSubmodule(t, repo)
	if live(sub) == live(repo) {
		t.Error("a submodule shares that of the repository around it")
	}
	storetest.Git(t, sub, "worktree", "add", "-q", "--detach", filepath.Join(repo, "other"))
	if live(filepath.Join(repo, "other")) != live(sub) {
		t.Error("a submodule does not share its own with its worktrees")
	}
}
