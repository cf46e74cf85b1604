package git

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

func TestWorktrees(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	side := filepath.Join(realTempDir(t), "a side")
	r.git("worktree", "add", "-q", "-b", "side", side)
	for _, top := range []string{r.dir, side} {
		got, err := repo{t, top}.open().Worktrees(t.Context())
		if want := []string{filepath.ToSlash(r.dir), filepath.ToSlash(side)}; err != nil || !slices.Equal(got, want) {
			t.Errorf("from %s: %q, %v", top, got, err)
		}
	}
}

func TestBranchesAndWhatIsReachable(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	if got, err := r.open().Reachable(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("without a commit: %q, %v", got, err)
	}
	r.commit()
	first := r.git("rev-parse", "HEAD")
	r.git("branch", "same")
	r.git("switch", "-q", "-c", "gone")
	r.commit()
	remote := r.git("rev-parse", "HEAD")
	r.git("update-ref", "refs/remotes/origin/gone", "HEAD")
	r.git("switch", "-q", "main")
	r.git("branch", "-q", "-D", "gone")

	branches, err := r.open().Branches(t.Context())
	if err != nil || !slices.Equal(branches, []string{first}) {
		t.Errorf("branches end at %q, %v", branches, err)
	}
	reachable, err := r.open().Reachable(t.Context())
	if want := slices.Sorted(slices.Values([]string{first, remote})); err != nil || !slices.Equal(reachable, want) {
		t.Errorf("reachable are %q, %v", reachable, err)
	}

	r.write("untracked", "stashed away\n")
	r.git("stash", "-q", "--include-untracked")
	reachable, err = r.open().Reachable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := r.contents(reachable, "untracked"); !slices.Equal(got, []string{"stashed away\n"}) {
		t.Errorf("of a stashed file there is %q", got)
	}
}

// contents are the different contents of a file in commits.
func (r repo) contents(commits []string, path string) []string {
	r.t.Helper()
	seen := map[string]bool{}
	err := r.open().Files(r.t.Context(), commits, []string{path}, func(name string, content []byte) {
		if name != path {
			r.t.Errorf("%q is not what was asked for", name)
		}
		seen[string(content)] = true
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestFiles(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.write("plain", "")
	r.commit()
	empty := r.git("rev-parse", "HEAD")
	r.write("plain", "ends without a line break")
	r.commit()
	commits := []string{empty, r.git("rev-parse", "HEAD")}
	for path, want := range map[string][]string{
		"plain":               {"", "ends without a line break"},
		"with space":          {"x"},
		"größe-日本":            {"unicode"},
		"nowhere":             nil,
		"dir":                 nil, // a folder is no file
		"nobody\nasks for it": nil,
	} {
		if got := r.contents(commits, path); !slices.Equal(got, want) {
			t.Errorf("%q: %q", path, got)
		}
	}
	if got := r.contents(slices.Repeat(commits, 1000), "plain"); len(got) != 2 {
		t.Errorf("many at once: %q", got)
	}
}
