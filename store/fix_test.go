package store_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// brokenWorkspace is a workspace of one task, T-1, with a text of its own, and of whatever else.
func brokenWorkspace(t *testing.T, files map[string]string) layout.Layout {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, layout.Folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := layout.At(root)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func fixesOf(t *testing.T, l layout.Layout) []store.Fix {
	t.Helper()
	found, err := snapshot.Check(t.Context(), l, snapshot.CheckOptions{NoBase: true})
	if err != nil || len(found.Findings) == 0 {
		t.Fatalf("found %v (%v)", found.Findings, err)
	}
	fixes, err := store.Fixes(t.Context(), l, found.Findings, record.Stamp{})
	if err != nil {
		t.Fatal(err)
	}
	return fixes
}

// Each repair lands its own change and no other.
func TestFix(t *testing.T) {
	for _, tt := range []struct {
		name, file, src, want string
	}{
		{"a line that a merge brought twice goes once", "tasks/T-1.md",
			"---\nid: T-1\ntitle: Roof # on top\nstatus: backlog\npriority: 1\nlabels: [b, a]\npriority: 1\n---\n\nbody\n",
			"---\nid: T-1\ntitle: Roof # on top\nstatus: backlog\npriority: 1\nlabels: [b, a]\n---\n\nbody\n"},
		{"a task without an id has the one of its file", "tasks/T-1.md",
			"---\r\n# mine\r\ntitle: Roof\r\nstatus: backlog\r\nxtra: 1\r\n---\r\nbody\r\n",
			"---\r\n# mine\r\ntitle: Roof\r\nstatus: backlog\r\nxtra: 1\r\nid: T-1\r\n---\r\nbody\r\n"},
		{"a note of knowledge is repaired as Markdown", "knowledge/KB-1.md",
			"---\nid: KB-1\ntitle: Brick\nstatus: active\ntitle: Brick\n---\n\nWalls.\n",
			"---\nid: KB-1\ntitle: Brick\nstatus: active\n---\n\nWalls.\n"},
		{"a session is repaired as YAML", "sessions/ses-1.yaml",
			"id: ses-1\nactor: agent:a\nlabel: work\nstatus: active\nlabel: work\nstarted_at: 2026-06-21T10:00:00Z\n",
			"id: ses-1\nactor: agent:a\nlabel: work\nstatus: active\nstarted_at: 2026-06-21T10:00:00Z\n"},
		{"the config too is repaired", "config.yaml", "prefix: T\nclaim_ttl: 2h\nprefix: T\n", "prefix: T\nclaim_ttl: 2h\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := brokenWorkspace(t, map[string]string{"config.yaml": "prefix: T\n", tt.file: tt.src})
			fixes := fixesOf(t, l)
			if len(fixes) != 1 || fixes[0].Path != ".cairn/"+tt.file {
				t.Fatalf("fixes %+v", fixes)
			}
			if err := fixes[0].Apply(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(l.Abs(fixes[0].Path))
			if err != nil || string(got) != tt.want {
				t.Errorf("it holds\n%q, want\n%q (%v)", got, tt.want, err)
			}
			found, err := snapshot.Check(t.Context(), l, snapshot.CheckOptions{NoBase: true})
			if err != nil || len(found.Findings) > 0 {
				t.Errorf("then finds %v (%v)", found.Findings, err)
			}
		})
	}
}

// Of equal files of a record the one stays that lies where the record says: at rest if it is closed, and else among the
// others. Files that differ stay.
func TestFixOfEqualFiles(t *testing.T) {
	open, shut := "---\nid: T-1\ntitle: Roof\nstatus: backlog\n---\n", "---\nid: T-1\ntitle: Roof\nstatus: done\n---\n"
	const usual, may, june = "tasks/T-1.md", "closed/2026-05/T-1.md", "closed/2026-06/T-1.md"
	for _, tt := range []struct {
		name  string
		files map[string]string
		keep  []string
	}{
		{"open", map[string]string{usual: open, june: open}, []string{usual}},
		{"closed", map[string]string{usual: shut, june: shut}, []string{june}},
		{"closed, at three places", map[string]string{usual: shut, may: shut, june: shut}, []string{june}},
		{"closed, in two months", map[string]string{may: shut, june: shut}, []string{june}},
		{"open, in two months", map[string]string{may: open, june: open}, []string{june}},
		{"they differ", map[string]string{usual: open, june: shut}, []string{june, usual}},
		{"one of two differs", map[string]string{usual: shut, may: shut, june: open}, []string{june, usual}},
		{"a file that cannot be read", map[string]string{usual: "broken", june: "broken"}, []string{usual}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"config.yaml": "prefix: T\n", "tasks/T-2.md": strings.ReplaceAll(open, "T-1", "T-2")}
			maps.Copy(files, tt.files)
			l := brokenWorkspace(t, files)
			for _, fix := range fixesOf(t, l) {
				if err := fix.Apply(t.Context(), l); err != nil && !fix.Disputed {
					t.Fatal(err)
				}
			}
			var kept []string
			for _, name := range []string{may, june, usual} {
				if layout.Exists(l.Abs(layout.Folder + "/" + name)) {
					kept = append(kept, name)
				}
			}
			if !slices.Equal(kept, tt.keep) {
				t.Errorf("it keeps %v, want %v", kept, tt.keep)
			}
		})
	}
	l := brokenWorkspace(t, map[string]string{"config.yaml": "prefix: T\n", usual: shut, june: shut})
	fix := fixesOf(t, l)[0]
	if err := os.WriteFile(l.Abs(layout.Folder+"/"+june), []byte(open), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fix.Apply(t.Context(), l); record.CodeOf(err) != record.Conflict {
		t.Errorf("a file goes whose equal is none any more: %v", err)
	}
}

// What needs a decision, what a gate asks for and what the record says is left to a person.
func TestFixesNothingElse(t *testing.T) {
	for _, tt := range []struct{ name, src string }{
		{"a key with two values", "---\nid: T-1\ntitle: Roof\nstatus: backlog\nstatus: done\n---\n"},
		{"a task without a title", "---\nid: T-1\nstatus: backlog\n---\n"},
		{"another id than the file's", "---\nid: T-2\ntitle: Roof\nstatus: backlog\n---\n"},
		{"a pass that nobody recorded", "---\nid: T-1\ntitle: Roof\nstatus: done\nchecks:\n  - {desc: built, result: pass}\n---\n"},
		{"a check that has not passed", "---\nid: T-1\ntitle: Roof\nstatus: done\nchecks:\n  - {desc: built, result: pending}\n---\n"},
		{"a dependency that does not exist", "---\nid: T-1\ntitle: Roof\nstatus: backlog\ndeps: [T-9]\n---\n"},
		{"a parent that does not exist", "---\nid: T-1\ntitle: Roof\nstatus: backlog\nparent: T-9\n---\n"},
		{"a state that does not exist", "---\nid: T-1\ntitle: Roof\nstatus: dreamt\n---\n"},
		{"a conflict", "---\nid: T-1\n<<<<<<< ours\ntitle: Roof\n=======\ntitle: Roof\n>>>>>>> theirs\nstatus: backlog\n---\n"},
		{"a result that stands twice in a check", "---\nid: T-1\ntitle: Roof\nstatus: done\nchecks:\n  - desc: built\n    result: pass\n    result: pass\n---\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := brokenWorkspace(t, map[string]string{"config.yaml": "prefix: T\n", "tasks/T-1.md": tt.src})
			if fixes := fixesOf(t, l); len(fixes) > 0 {
				t.Errorf("would make it %q", fixes[0].New)
			}
		})
	}
}

// A repair is for the bytes that were shown, and for a format that this version may write.
func TestFixIsRefused(t *testing.T) {
	src := "---\ntitle: Roof\nstatus: backlog\n---\n"
	l := brokenWorkspace(t, map[string]string{"config.yaml": "prefix: T\n", "tasks/T-1.md": src})
	m := fixesOf(t, l)[0]
	newer := brokenWorkspace(t, map[string]string{"config.yaml": "prefix: T\nformat: 99\n", "tasks/T-1.md": src})
	if err := m.Apply(t.Context(), newer); record.CodeOf(err) != record.ReadOnly {
		t.Errorf("a newer format is written: %v", err)
	}
	if err := os.WriteFile(l.Abs(m.Path), []byte(src+"more\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := m.Apply(t.Context(), l); record.CodeOf(err) != record.Conflict {
		t.Errorf("another file is written over: %v", err)
	}
	if _, err := store.Fixes(t.Context(), l, []proof.Finding{{Rule: proof.MissingField.ID, Path: ".cairn/tasks/T-9.md", Task: "T-9"}}, record.Stamp{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone is repaired: %v", err)
	}
}

// A repair of which any call fails leaves the file as it was, or repaired if that was all but the end, and nothing that
// keeps the next repair from being made.
func TestFixThatFails(t *testing.T) {
	src := "---\ntitle: Roof\nstatus: backlog\n---\n"
	defer func() { disk.Intercept = nil }()
	for n := 1; ; n++ {
		l := brokenWorkspace(t, map[string]string{"config.yaml": "prefix: T\n", "tasks/T-1.md": src})
		m := fixesOf(t, l)[0]
		calls := 0
		disk.Intercept = func(_ disk.Call, do func() error) error {
			if calls++; calls == n {
				return syscall.EIO
			}
			return do()
		}
		failed := m.Apply(t.Context(), l)
		disk.Intercept = nil
		if calls < n {
			if failed != nil || n == 1 {
				t.Errorf("with %d calls: %v", calls, failed)
			}
			return
		}
		got, err := os.ReadFile(l.Abs(m.Path))
		if err != nil || string(got) != src && string(got) != string(m.New) || failed == nil && string(got) == src {
			t.Fatalf("call %d fails (%v), and the file holds %q (%v)", n, failed, got, err)
		}
		m.Old = got
		if err := m.Apply(t.Context(), l); err != nil {
			t.Fatalf("after call %d failed: %v", n, err)
		}
	}
}
