package git

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestBranchesAndWhatIsReachable(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	if got, err := r.open().Refs().Reachable(t.Context()); err != nil || len(got) > 0 {
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

	branches, err := r.open().Refs().Branches(t.Context())
	if err != nil || !slices.Equal(branches, []string{first}) {
		t.Errorf("branches end at %q, %v", branches, err)
	}
	reachable, err := r.open().Refs().Reachable(t.Context())
	if want := slices.Sorted(slices.Values([]string{first, remote})); err != nil || !slices.Equal(reachable, want) {
		t.Errorf("reachable are %q, %v", reachable, err)
	}

	r.write("untracked", "stashed away\n")
	r.git("stash", "-q", "--include-untracked")
	reachable, err = r.open().Refs().Reachable(t.Context())
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
	names := make([]string, len(commits))
	for i, commit := range commits {
		names[i] = commit + ":" + path
	}
	err := r.open().Objects().Blobs(r.t.Context(), names, 1<<20, func(_ int, b Blob) {
		if !b.Missing {
			seen[string(b.Content)] = true
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(seen))
}

// A short name is looked up as git would, without stopping at the first that it could be.
func TestRefCandidates(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	head := r.git("rev-parse", "HEAD")
	r.git("tag", "-a", "-m", "a tag", "both")
	r.git("branch", "both")
	r.git("update-ref", "refs/remotes/both/HEAD", head)
	r.git("update-ref", "refs/heads/both2/nested", head)
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
	found := r.open()
	for short, want := range map[string][]string{
		"both": {"refs/tags/both", "refs/heads/both", "refs/remotes/both/HEAD"}, "heads/both": {"refs/heads/both"}, "both2": nil, "origin": nil, "bo*": nil, "main": {"refs/heads/main"},
	} {
		got, err := found.Refs().Candidates(t.Context(), short)
		wantAnswer(t, short, got, err, want...)
	}
	if got, err := found.Refs().Commit(t.Context(), "refs/tags/both"); err != nil || got != head {
		t.Errorf("the tag is at %q, %v", got, err)
	}
	for _, name := range []string{"refs/heads/both2", "refs/remotes/origin/HEAD", "both"} {
		if got, err := found.Refs().Commit(t.Context(), name); err != nil || got != "" {
			t.Errorf("%s is at %q, %v", name, got, err)
		}
	}
	if got, err := found.Refs().Target(t.Context(), "refs/remotes/origin/HEAD"); err != nil || got != "refs/remotes/origin/gone" {
		t.Errorf("origin/HEAD points at %q, %v", got, err)
	}
	got, err := found.Refs().WithPrefix(t.Context(), head[:6])
	wantAnswer(t, head[:6], got, err, head)
}

// A branch is read from git's files where they are plain, and else by git; the two agree.
func TestCommitOfABranch(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	head := r.git("rev-parse", "HEAD")
	r.git("branch", "loose")
	r.git("branch", "folder/packed")
	r.git("symbolic-ref", "refs/heads/named", "refs/heads/loose")
	r.git("pack-refs", "--all")
	r.commit()
	r.git("branch", "-f", "loose")
	found := r.open()
	for branch, want := range map[string]string{
		"loose": r.git("rev-parse", "HEAD"), "named": r.git("rev-parse", "HEAD"), "folder/packed": head,
		"folder": "", "gone": "", "": "", "folder/../loose": "", "../../HEAD": "", "loose.lock": "", "loo*": "",
	} {
		if got, err := found.Refs().Commit(t.Context(), "refs/heads/"+branch); err != nil || got != want {
			t.Errorf("%q is at %q, %v", branch, got, err)
		}
	}
	for _, plain := range []string{"loose", "folder/packed", "gone"} {
		if _, err := found.branchFromFiles("refs/heads/" + plain); err != nil {
			t.Errorf("git has to be asked for %s: %v", plain, err)
		}
	}
	if n, err := found.Refs().Between(t.Context(), head, "refs/heads/loose", 10); err != nil || n != 1 {
		t.Errorf("between them are %d, %v", n, err)
	}
	if n, err := found.Refs().Between(t.Context(), strings.Repeat("1", 40), "refs/heads/loose", 10); err != nil || n != 0 {
		t.Errorf("from a commit that is not there are %d, %v", n, err)
	}
}
