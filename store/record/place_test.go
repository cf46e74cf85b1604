package record_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/store/record"
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
