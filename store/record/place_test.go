package record_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/record"
	"pgregory.net/rapid"
)

// A path is that of one record or of none, and where a record at rest lies is known from its month.
func TestAt(t *testing.T) {
	for path, want := range map[string]string{
		".cairn/tasks/T-1.md":              "task T-1",
		".cairn/sessions/ses-1.yaml":       "session ses-1",
		".cairn/closed/2026-11/T-1.md":     "task T-1",
		".cairn/closed/0000-12/T-1.md":     "task T-1",
		".cairn/closed/T-1.md":             "",
		".cairn/closed/2026-00/T-1.md":     "",
		".cairn/closed/2026-13/T-1.md":     "",
		".cairn/closed/2026-1/T-1.md":      "",
		".cairn/closed/2026-011/T-1.md":    "",
		".cairn/closed/2o26-11/T-1.md":     "",
		".cairn/closed/2026-11/a/T-1.md":   "",
		".cairn/closed/2026-11/.T-1.md":    "",
		".cairn/closed/2026-11/T-1.yaml":   "",
		".cairn/closed/2026-11/.md":        "",
		"closed/2026-11/T-1.md":            "",
		"a/.cairn/closed/2026-11/T-1.md":   "",
		".cairn/sessions/2026-11/ses.yaml": "",
	} {
		got := ""
		if k, id, ok := record.At(path); ok {
			got = k.Name + " " + id
		}
		if got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	k := record.Tasks.Kind
	if got := k.FileIn(k.RestIn("2026-11"), "T-1"); got != ".cairn/closed/2026-11/T-1.md" {
		t.Errorf("T-1 rests at %s", got)
	}
}

// Where the name of a file is not the id, each name is still that of one id.
func TestNamesOfFiles(t *testing.T) {
	k := record.Kind{Folder: "people", Form: frontmatter.Markdown, Swaps: ":."}
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
			k = record.Tasks.Kind
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
		if got := record.IsFolder(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
