package store

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

// A clone is trusted where, and as long as, this user said so.
func TestTrust(t *testing.T) {
	for _, kind := range []struct {
		name string
		root func(t *testing.T) string
	}{
		{"outside git", func(t *testing.T) string { return t.TempDir() }},
		{"in a repository", func(t *testing.T) string { return newRepo(t) }},
		{"in a folder of a repository", func(t *testing.T) string { return mkdir(t, newRepo(t), "web") }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			s := newStoreAt(t, kind.root(t))
			wantTrusted(t, s, false)
			trust(t, s)
			wantTrusted(t, reopen(t, s.Root), true)
			trust(t, s)
			wantCode(t, s.Revoke(), "")
			wantTrusted(t, reopen(t, s.Root), false)
			wantCode(t, s.Revoke(), "")
			verifyClean(t, s)
		})
	}
}

func TestTrustHoldsForThisCloneOnly(t *testing.T) {
	t.Run("a linked worktree shares it", func(t *testing.T) {
		repo := newRepo(t)
		trust(t, newStoreAt(t, repo))
		wantTrusted(t, newStoreAt(t, linkWorktree(t, repo)), true)
	})
	t.Run("another workspace of the repository does not", func(t *testing.T) {
		repo := newRepo(t)
		trust(t, newStoreAt(t, repo))
		wantTrusted(t, newStoreAt(t, mkdir(t, repo, "web")), false)
	})
	t.Run("a new clone at the old path does not", func(t *testing.T) {
		repo := newRepo(t)
		trust(t, newStoreAt(t, repo))
		if err := os.RemoveAll(repo); err != nil {
			t.Fatal(err)
		}
		mkdir(t, filepath.Dir(repo), filepath.Base(repo))
		runGit(t, repo, "init", "-q")
		wantTrusted(t, newStoreAt(t, repo), false)
	})
	t.Run("a clone that was moved does not", func(t *testing.T) {
		repo := newRepo(t)
		trust(t, newStoreAt(t, repo))
		moved := filepath.Join(t.TempDir(), "moved")
		if err := os.Rename(repo, moved); err != nil {
			t.Fatal(err)
		}
		wantTrusted(t, reopen(t, moved), false)
	})
	t.Run("another user of the machine does not", func(t *testing.T) {
		s := newStoreAt(t, t.TempDir())
		trust(t, s)
		other, err := Open(s.Root, t.TempDir())
		wantCode(t, err, "")
		wantTrusted(t, other, false)
	})
}

// Trust lies outside the repository: giving it changes nothing that could be committed.
func TestTrustIsNotInTheRepository(t *testing.T) {
	repo := newRepo(t)
	s := newStoreAt(t, repo)
	before := snapshot(t, filepath.Join(repo, Folder))
	trust(t, s)
	if after := snapshot(t, filepath.Join(repo, Folder)); !maps.Equal(before, after) {
		t.Errorf("changed %v", changed(before, after))
	}
}

// Whoever trusts a workspace is shown every command in it, those of the config too.
func TestCommands(t *testing.T) {
	s := newStore(t)
	harmless, err := s.Harmless(t.Context())
	wantCode(t, err, "")
	if !harmless {
		t.Error("an empty workspace is not harmless")
	}
	writeFile(t, s.ConfigFile(), "prefix: PROJ\ndefault_checks:\n  - {desc: lint, cmd: make lint}\n")
	handWrite(t, s, "PROJ-1", "checks:", "  - {desc: tests, cmd: make test}", "  - {desc: read, type: manual}")
	s = reopen(t, s.Root)
	got, err := s.Commands(t.Context())
	wantCode(t, err, "")
	if want := []Command{{"config.yaml", "make lint"}, {"PROJ-1", "make test"}}; !slices.Equal(got, want) {
		t.Errorf("lists %v, and should list %v", got, want)
	}
	if harmless, err = s.Harmless(t.Context()); err != nil || harmless {
		t.Errorf("a workspace with commands is harmless: %v (%v)", harmless, err)
	}
}

func trust(t *testing.T, s *Store) {
	t.Helper()
	wantCode(t, s.SetTrust(task.Actor("human:lee"), noon), "")
}

func wantTrusted(t *testing.T, s *Store, want bool) {
	t.Helper()
	if got := s.Trusted(); got != want {
		t.Errorf("%s is trusted: %v, and should be %v", s.Root, got, want)
	}
}
