package git

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// withSubmodule makes a repository with the submodule sub, committed.
func withSubmodule(t testing.TB) repo {
	t.Helper()
	lib := newRepoAt(t, "")
	lib.write("lib", "one")
	lib.write(".cairn/tasks/L-1.md", "a task of the library")
	lib.commit()
	r := filled(t)
	r.git("submodule", "add", "-q", lib.dir, "sub")
	r.commit()
	return r
}

func TestSlowASubmodule(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := withSubmodule(t)
	sub := repo{t, r.path("sub")}
	r.equalsHead("clean")
	clean := r.fingerprint()

	seen := map[string]string{clean: "clean"}
	differs := func(what string) {
		t.Helper()
		f := r.fingerprint()
		if as, ok := seen[f]; ok {
			t.Errorf("%s: the same as %s", what, as)
		}
		seen[f] = what
	}
	sub.write("lib", "two")
	differs("a tracked file is changed")
	sub.write("lib", "three")
	differs("it is changed in another way")
	sub.git("checkout", "-q", ".")
	if r.fingerprint() != clean {
		t.Error("undoing it does not restore the fingerprint")
	}
	sub.write("new", "x")
	differs("there is a new file")
	sub.commit()
	differs("another commit is checked out")
	moved := r.fingerprint()
	r.git("add", "sub")
	if r.fingerprint() != moved {
		t.Error("staging it changes the fingerprint")
	}
	r.commit()
	if r.fingerprint() != moved {
		t.Error("committing it changes the fingerprint")
	}
	r.equalsHead("after moving the submodule")

	sub.write(".cairn/tasks/L-1.md", "changed")
	differs("a record of another workspace, which nothing here judges, changed")
}

func TestSlowASubmoduleThatIsNotCheckedOut(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := withSubmodule(t)
	want := r.fingerprint()
	clone := repo{t, realTempDir(t)}
	clone.git("clone", "-q", r.dir, clone.dir)
	clone.equalsHead("in a clone without submodules")
	r.git("submodule", "deinit", "-q", "-f", "sub")
	if clone.fingerprint() != want || r.fingerprint() != want {
		t.Error("it counts as changed")
	}
	r.remove("sub")
	if r.fingerprint() == want {
		t.Error("its folder was deleted, which git sees")
	}
}

func TestSlowASubmoduleThatGitIsToldToIgnore(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := withSubmodule(t)
	clean := r.fingerprint()
	r.git("config", "submodule.sub.ignore", "all")
	repo{t, r.path("sub")}.write("lib", "two")
	if r.fingerprint() == clean {
		t.Error("the change is not seen")
	}
}

func TestSlowARepositoryThatIsNotTracked(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := filled(t)
	r.commit()
	clean := r.fingerprint()

	inner := newRepoAt(t, r.path("some/inner"))
	empty := r.fingerprint()
	inner.write("file", "x")
	uncommitted := r.fingerprint()
	inner.commit()
	committed := r.fingerprint()
	inner.write("file", "y")
	changed := r.fingerprint()
	for name, pair := range map[string][2]string{
		"a new file":       {empty, uncommitted},
		"the first commit": {uncommitted, committed},
		"an edit":          {committed, changed},
	} {
		if pair[0] == pair[1] {
			t.Errorf("%s is not seen", name)
		}
	}

	inner.write("file", "x")
	if r.fingerprint() != committed {
		t.Error("undoing the edit does not restore the fingerprint")
	}
	r.git("add", "-A") // records it as a submodule
	r.git("commit", "-q", "-m", "a repository inside")
	if r.fingerprint() != committed {
		t.Error("committing it changes the fingerprint")
	}
	r.remove("some")
	r.git("rm", "-q", "--cached", "some/inner")
	if r.fingerprint() != clean {
		t.Error("removing it does not restore the fingerprint")
	}
}

func TestAnotherWorkTreeOfTheCloneInside(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.commit()
	clean := r.fingerprint()
	side := repo{t, r.path("trees/side")}
	r.git("worktree", "add", "-q", "-b", "side", side.dir)
	side.write("plain", "changed there")
	if r.fingerprint() != clean {
		t.Error("work on another branch changes the fingerprint")
	}
	if side.fingerprint() == clean {
		t.Error("its own fingerprint does not change")
	}
}
