package kind_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"pgregory.net/rapid"
)

// A path is that of one record or of none, and where a record at rest lies is known from its month.
func TestAt(t *testing.T) {
	for path, want := range map[string]string{
		".cairn/tasks/T-1.md":                "task T-1",
		".cairn/sessions/ses-1.yaml":         "session ses-1",
		".cairn/closed/2026-11/T-1.md":       "task T-1",
		".cairn/closed/0000-12/T-1.md":       "task T-1",
		".cairn/closed/2026-11_02/T-1.md":    "task T-1",
		".cairn/closed/2026-11_99/T-1.md":    "task T-1",
		".cairn/closed/2026-11_01/T-1.md":    "",
		".cairn/closed/2026-11_2/T-1.md":     "",
		".cairn/closed/2026-11_002/T-1.md":   "",
		".cairn/closed/2026-11_0a/T-1.md":    "",
		".cairn/closed/2026-11_/T-1.md":      "",
		".cairn/closed/2026-13_02/T-1.md":    "",
		".cairn/closed/2026-11_02_03/T-1.md": "",
		".cairn/closed/T-1.md":               "",
		".cairn/closed/2026-00/T-1.md":       "",
		".cairn/closed/2026-13/T-1.md":       "",
		".cairn/closed/2026-1/T-1.md":        "",
		".cairn/closed/2026-011/T-1.md":      "",
		".cairn/closed/2o26-11/T-1.md":       "",
		".cairn/closed/2026-11/a/T-1.md":     "",
		".cairn/closed/2026-11/.T-1.md":      "",
		".cairn/closed/2026-11/T-1.yaml":     "",
		".cairn/closed/2026-11/.md":          "",
		"closed/2026-11/T-1.md":              "",
		"a/.cairn/closed/2026-11/T-1.md":     "",
		".cairn/sessions/2026-11/ses.yaml":   "",
	} {
		got := ""
		if k, id, ok := kind.At(path); ok {
			got = k.Name + " " + id
		}
		if got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	k := kind.Tasks.Kind
	if got := k.FileIn(k.RestIn("2026-11"), "T-1"); got != ".cairn/closed/2026-11/T-1.md" {
		t.Errorf("T-1 rests at %s", got)
	}
}

// Where the name of a file is not the id, each name is still that of one id.
func TestNamesOfFiles(t *testing.T) {
	k := kind.Kind{Folder: "people", Form: format.Markdown, Swaps: ":."}
	for id, want := range map[string]string{
		"agent:claude-1": "agent.claude-1.md", "agent:a.b:c": "agent.a.b:c.md", "agent.claude-1": "agent:claude-1.md", "agent": "agent.md",
	} {
		if got := k.FileName(id); got != want {
			t.Errorf("%s lies in %s, want %s", id, got, want)
		}
	}
	for _, name := range []string{".agent.md", ".md", "agent.yaml", "agent"} {
		if id, ok := k.IDOf(name); ok {
			t.Errorf("%s is the file of %s", name, id)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k := &k
		if rapid.Bool().Draw(t, "plain") {
			k = kind.Tasks.Kind
		}
		id := rapid.StringMatching(`[a-z][a-z.:\-]{0,8}`).Draw(t, "id")
		if got, ok := k.IDOf(k.FileName(id)); got != id || !ok {
			t.Fatalf("the file of %q is that of %q (%v)", id, got, ok)
		}
	})
}

// The folders of records are those that must be folders: in place of one neither a link nor a file is taken.
func TestIsFolder(t *testing.T) {
	for path, want := range map[string]bool{
		".cairn/tasks": true, ".cairn/plans": true, ".cairn/closed": true, ".cairn/closed/2026-11": true,
		".cairn": false, ".cairn/closed/2026-13": false, ".cairn/runs": false, ".cairn/tasks/2026-11": false, ".cairn/closed/2026-11/a": false,
	} {
		if got := kind.IsFolder(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// The folders of a month are known by their names, and their names have their order: as texts, and as git has the names
// of folders.
func TestMonth(t *testing.T) {
	var names, inGit []string
	for _, at := range []string{"2026-11-30T23:30:00-05:00", "2026-11-30T23:30:00Z", "2025-01-01T00:00:00Z"} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		for nth := kind.MaxParts; nth > 0; nth-- {
			names, inGit = append(names, kind.Month(when, nth)), append(inGit, kind.Month(when, nth)+"/")
		}
	}
	for _, name := range names {
		if !kind.IsMonth(name) {
			t.Errorf("%s is not the name of a month", name)
		}
	}
	slices.Reverse(names)
	slices.Reverse(inGit)
	if names[0] != "2025-01" || names[len(names)-1] != "2026-12_99" || !slices.IsSorted(names) || !slices.IsSorted(inGit) {
		t.Errorf("got %v", names)
	}
}
