package snapshot_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A note that a commit of the change had and the last one lacks is found, however the clone pretends that this commit
// is not there: the check says so, or that it cannot compare. Files that no git wrote are refused.
func TestSlowHistoryThatIsCutShort(t *testing.T) {
	slowtest.Skip(t)
	shallow := func(text func(tip, middle string) string) func(*testing.T, *store.Store, string, string) {
		return func(t *testing.T, s *store.Store, tip, middle string) {
			storetest.WriteFile(t, filepath.Join(s.Repo.GitDir, "shallow"), text(tip, middle))
		}
	}
	for _, row := range []struct {
		name string
		hide func(t *testing.T, s *store.Store, tip, middle string)
		code record.Code // "" for a finding
	}{
		{"nothing is hidden", func(*testing.T, *store.Store, string, string) {}, ""},
		{"the tip has no parents", shallow(func(tip, _ string) string { return tip + "\n" }), record.NoBase},
		{"without an end of the line", shallow(func(tip, _ string) string { return tip }), record.NoBase},
		{"the commit with the note has none", shallow(func(_, middle string) string { return middle + "\n" }), record.NoBase},
		{"in capitals", shallow(func(tip, _ string) string { return strings.ToUpper(tip) + "\n" }), record.Git},
		{"with a word behind", shallow(func(tip, _ string) string { return tip + " and more\n" }), record.Git},
		{"with digits behind", shallow(func(tip, _ string) string { return tip + strings.Repeat("0", 24) + "\n" }), record.NoBase},
		{"a graft", func(t *testing.T, s *store.Store, tip, _ string) {
			storetest.WriteFile(t, filepath.Join(s.Repo.GitDir, "info", "grafts"), tip+"\n")
		}, ""},
		{"a replaced commit", func(t *testing.T, s *store.Store, tip, _ string) {
			storetest.Git(t, s.Root, "replace", "--graft", tip, tip+"~2")
		}, ""},
		{"a list that a variable names", func(t *testing.T, _ *store.Store, tip, _ string) {
			path := filepath.Join(t.TempDir(), "shallow")
			storetest.WriteFile(t, path, tip+"\n")
			t.Setenv("GIT_SHALLOW_FILE", path)
		}, ""},
	} {
		for _, by := range []string{"a push", "a branch"} {
			t.Run(row.name+", "+by, func(t *testing.T) {
				s := recorded(t)
				before := storetest.CommitOf(t, s.Root, "HEAD")
				storetest.Git(t, s.Root, "branch", "base")
				storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), notedBy("human:shah"))
				storetest.CommitAll(t, s)
				storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), notedBy())
				storetest.CommitAll(t, s)
				row.hide(t, s, storetest.CommitOf(t, s.Root, "HEAD"), storetest.CommitOf(t, s.Root, "HEAD~1"))
				opts := snapshot.CheckOptions{Base: "base"}
				if by == "a push" {
					event := fmt.Sprintf(`{"ref": "refs/heads/main", "before": %q, "repository": {"default_branch": "main"}}`, before)
					opts = snapshot.CheckOptions{Getenv: onGitHub(t, "push", event).get}
				}
				c, err := snapshot.Check(t.Context(), s.Layout, opts)
				storetest.WantCode(t, err, row.code)
				if found := report(c.Findings); row.code == "" && !strings.Contains(found, "provenance-rewritten") {
					t.Errorf("it finds %s", found)
				}
			})
		}
	}
}

// Where the clone hides how a branch and the default branch belong together, the keys that a commit of the branch brings
// do not come to count.
func TestKeysOfAHistoryThatIsCutShort(t *testing.T) {
	s, _ := forked(t)
	if _, err := snapshot.SignersInForce(t.Context(), s.Layout); err != nil {
		t.Fatal(err)
	}
	storetest.WriteFile(t, filepath.Join(s.Repo.GitDir, "shallow"), storetest.CommitOf(t, s.Root, "HEAD")+"\n")
	_, err := snapshot.SignersInForce(t.Context(), s.Layout)
	storetest.WantCode(t, err, record.NoBase)
}
