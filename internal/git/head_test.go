package git

import (
	"path/filepath"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// bothHeads asks the library and git and fails the test unless they agree.
func bothHeads(t *testing.T, r repo) Head {
	t.Helper()
	fast, err := r.open().headFromFiles()
	if err != nil {
		t.Fatalf("the library: %v", err)
	}
	slow, err := r.open().headFromGit(t.Context())
	if err != nil {
		t.Fatalf("git: %v", err)
	}
	if fast != slow {
		t.Errorf("the library says %+v, git %+v", fast, slow)
	}
	return slow
}

func TestHead(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	if got := bothHeads(t, r); got != (Head{Branch: "main"}) {
		t.Errorf("without a commit: %+v", got)
	}

	r.commit()
	first := r.git("rev-parse", "HEAD")
	if got := bothHeads(t, r); got != (Head{"main", first}) {
		t.Errorf("on main: %+v", got)
	}

	r.git("checkout", "-q", "-b", "feature/größer")
	if got := bothHeads(t, r); got != (Head{"feature/größer", first}) {
		t.Errorf("on another branch: %+v", got)
	}

	r.git("pack-refs", "--all")
	if got := bothHeads(t, r); got != (Head{"feature/größer", first}) {
		t.Errorf("with packed refs: %+v", got)
	}

	r.git("checkout", "-q", "--detach")
	if got := bothHeads(t, r); got != (Head{"", first}) {
		t.Errorf("detached: %+v", got)
	}

	side := repo{t, filepath.Join(realTempDir(t), "side")}
	r.git("worktree", "add", "-q", "-b", "side", side.dir)
	side.commit()
	if got := bothHeads(t, side); got != (Head{"side", side.git("rev-parse", "HEAD")}) || got.Commit == first {
		t.Errorf("in a linked work tree: %+v", got)
	}
}

func TestSlowHeadOfASubmodule(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := withSubmodule(t)
	sub := repo{t, r.path("sub")}
	if got := bothHeads(t, sub); got.Commit != sub.git("rev-parse", "HEAD") {
		t.Errorf("got %+v", got)
	}
}

func TestHeadWhereTheLibraryRefuses(t *testing.T) {
	isolate(t)
	for name, setUp := range map[string]func() repo{
		"sha256": func() repo { return newRepoAt(t, "", "--object-format=sha256") },
		"sparse": func() repo {
			r := newRepoAt(t, "")
			r.write("in/file", "")
			r.write("out/file", "")
			r.commit()
			r.git("sparse-checkout", "set", "in")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := setUp()
			r.commit()
			if _, err := r.open().headFromFiles(); err == nil {
				t.Log("the library opens it by now")
			}
			got, err := r.open().Head(t.Context())
			if want := (Head{"main", r.git("rev-parse", "HEAD")}); err != nil || got != want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestHeadOfABrokenRepository(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write(".git/HEAD", "nonsense\n")
	if _, err := r.open().Head(t.Context()); record.CodeOf(err) != record.Git {
		t.Errorf("got %v", err)
	}
}
