package git

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Whatever two clones add at once, each has all of it in the end, and what is there is never replaced.
func TestGrowing(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	at := time.Unix(1790000000, 0)
	here, there := r.open().Growing("refs/cairn/evidence"), r.open().Growing("refs/cairn/remote/evidence")
	add := func(g Growing, others []string, files ...string) string {
		t.Helper()
		content := map[string][]byte{}
		for _, name := range files {
			content[name] = []byte("of " + name + "\n")
		}
		tip, err := g.Add(t.Context(), content, others, at)
		if err != nil {
			t.Fatal(err)
		}
		return tip
	}
	names := func(commit string) string {
		t.Helper()
		files, err := here.Files(t.Context(), commit, "")
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range files {
			all = append(all, f.Path)
		}
		return strings.Join(all, " ")
	}
	if tip := add(here, nil); tip != "" {
		t.Errorf("nothing was added, and it is at %s", tip)
	}
	ours := add(here, nil, "tasks/T-1/a.json", "tasks/T-2/b.json")
	if again := add(here, nil, "tasks/T-1/a.json"); again != ours {
		t.Error("what is there was added once more")
	}
	theirs := add(there, nil, "tasks/T-1/c.json")
	both := add(here, []string{theirs, "", theirs})
	if got := names(both); got != "tasks/T-1/a.json tasks/T-1/c.json tasks/T-2/b.json" {
		t.Errorf("the union has %s", got)
	}
	if next := add(there, []string{both}); next != both {
		t.Errorf("a ref that has less moves to %s and not forwards to %s", next, both)
	}
	if parents := r.git("rev-list", "--parents", "--max-count=1", both); parents != both+" "+ours+" "+theirs {
		t.Errorf("parents of the union: %s", parents)
	}

	// What a stranger puts there does not take the place of what is here.
	blob := r.git("rev-parse", ours+":tasks/T-2/b.json")
	for i, tree := range []string{"100644 blob " + blob + "\ttasks\n", "100644 blob " + blob + "\ttasks.json\n", "120000 blob " + blob + "\tl.json\n"} {
		id, err := answer(Writing{Input: strings.NewReader(tree)}.Run(t.Context(), r.open().Top, "mktree"))
		if err != nil {
			t.Fatal(err)
		}
		bad := r.git("commit-tree", "-m", fmt.Sprint(i), id)
		if got := names(add(here, []string{bad})); !strings.Contains(got, names(both)) {
			t.Errorf("beside %q there is %s", tree, got)
		}
	}
	if blob != r.git("rev-parse", "refs/cairn/evidence:tasks/T-2/b.json") {
		t.Error("a file was replaced")
	}
}

func TestPlainPaths(t *testing.T) {
	for path, plain := range map[string]bool{
		"tasks/T-1/ab.json": true, "at-01/tasks/T_1.x/ab.json": true,
		"tasks": false, "tasks/a.json/b.json": false, "tasks/../b.json": false, ".git/b.json": false, "a b/c.json": false,
		"a\"b/c.json": false, "a//c.json": false, "/c.json": false, "a\\b.json": false, "": false, strings.Repeat("a", 500) + ".json": false,
	} {
		if isPlain(path) != plain {
			t.Errorf("%q: %v", path, !plain)
		}
	}
}
