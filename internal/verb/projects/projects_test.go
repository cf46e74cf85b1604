package projects_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/projects"
	"github.com/cairn-tasks/cairn/internal/verb"
	verbs "github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store/layout"
)

// A workspace is made for whoever has the rights, wherever they are, and opened only where the caller can go elsewhere.
func TestCreateAndOpen(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	made, err := verbtest.Call[verbs.Opened](t, w, "project_create", verbtest.Args{"path": dir, "prefix": "SHOP"})
	if err != nil || made.Open || made.Prefix != "SHOP" || len(made.Made) == 0 || !made.Trusted {
		t.Fatalf("made %+v, %v", made, err)
	}
	list, err := verbtest.Call[verbs.Projects](t, w, "project_list", verbtest.Args{})
	if err != nil || list.Total != 1 || list.Items[0].ID != made.Project || list.Items[0].Name != "shop" {
		t.Fatalf("the list is %+v, %v", list, err)
	}
	if out, err := verbtest.Call[verbs.Opened](t, w, "project_open", verbtest.Args{"project": "shop"}); err != nil || out.Open || out.How == "" {
		t.Errorf("without a way to go there: %+v, %v", out, err)
	}
	var went string
	w.Switch = func(root string) error { went = root; return nil }
	if out, err := verbtest.Call[verbs.Opened](t, w, "project_open", verbtest.Args{"project": made.Project}); err != nil || !out.Open || went != made.Root {
		t.Errorf("went to %q: %+v, %v", went, out, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, layout.Folder)); err != nil {
		t.Fatal(err)
	}
	if _, err := verbtest.Call[verbs.Opened](t, w, "project_open", verbtest.Args{"project": "shop"}); record.CodeOf(err) != record.NotFound {
		t.Errorf("one that is gone: %v", err)
	}
	viewer := *w
	viewer.Rights = verb.Rights{Profile: verb.Operator}
	if _, err := verbtest.Call[verbs.Opened](t, &viewer, "project_create", verbtest.Args{"path": dir}); record.CodeOf(err) != record.Forbidden {
		t.Errorf("an operator makes a workspace: %v", err)
	}
}

// The list holds each workspace once, the newest first, and never more than it may.
func TestTheListOfProjects(t *testing.T) {
	state := t.TempDir()
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	note := func(root string, minute int) {
		t.Helper()
		if err := projects.Note(t.Context(), state, layout.Layout{Root: root}, "P", at.Add(time.Duration(minute)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 210 {
		note(filepath.Join(state, "w", string(rune('a'+n%26))+string(rune('a'+n/26))), 2*n)
	}
	first := filepath.Join(state, "w", "aa")
	note(first, 1000)
	note(first, 1000)
	all := projects.List(state)
	if len(all) != 200 || all[0].Root != first || !all[0].Gone {
		t.Errorf("%d workspaces, the first is %+v", len(all), all[0])
	}
	for i, p := range all[1:] {
		if p.Root == first || p.OpenedAt.After(all[i].OpenedAt) {
			t.Errorf("place %d is %+v", i+1, p)
		}
	}
	if _, err := projects.Find(state, "nothing"); record.CodeOf(err) != record.NotFound {
		t.Errorf("a name that nobody has: %v", err)
	}
	note(filepath.Join(state, "v", "ab"), 1003)
	if _, err := projects.Find(state, "ab"); record.CodeOf(err) != record.AmbiguousID {
		t.Errorf("a name that two have: %v", err)
	}
	if err := projects.Note(t.Context(), "relative", layout.Layout{Root: first}, "P", at); record.CodeOf(err) != record.IO {
		t.Errorf("without a folder of the user's: %v", err)
	}
}
