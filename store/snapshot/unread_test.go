package snapshot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

// What a change does to a file that nobody can read in the base is not passed over, wherever it is judged. Where the
// change leaves the file as it is, the file itself is what is found.
func TestSlowUnreadableBase(t *testing.T) {
	slowtest.Skip(t)
	files := []struct {
		name string
		path func(s *store.Store) string
		make func(t *testing.T, path string)
		says string
	}{
		{"a task that is no YAML", task1, writes("---\nid: [\n---\n"), "line 3: "},
		{"a task without a title", task1, writes("---\nid: PROJ-1\nstatus: backlog\n---\n"), "title"},
		{"a task with a field that it may not have", task1, writes(storetest.TaskText("PROJ-1", "priority: 9")), "priority"},
		{"a task that is empty", task1, writes(""), ""},
		{"a task that is too large", task1, writes(storetest.TaskText("PROJ-1") + strings.Repeat("long ", format.MaxFile/5)), "larger than"},
		{"a task with a conflict", task1, writes(strings.Replace(storetest.TaskText("PROJ-1"), "status", "<<<<<<< a\nstatus", 1)), ""},
		{"a task that is a link", task1, func(t *testing.T, path string) { storetest.RemoveAll(t, path); storetest.Link(t, "nowhere", path) }, "not a regular file"},
		{"a session that is no YAML", session1, writes("id: [\n"), "line 2: "},
		{"a config that is no YAML", config, writes("prefix: [\n"), "line 2: "},
		{"a config with a field that it may not have", config, writes("states: []\n"), "states"},
		{"no config", config, func(t *testing.T, path string) { storetest.RemoveAll(t, path) }, "config.yaml is missing"},
	}
	good := map[string]string{"PROJ-1.md": storetest.TaskText("PROJ-1"), "ses-1.yaml": "id: ses-1\nactor: agent:a\nstatus: active\n", "config.yaml": "prefix: PROJ\n"}
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t)
			path := file.path(s)
			storetest.WriteFile(t, path, good[filepath.Base(path)])
			file.make(t, path)
			storetest.CommitAll(t, s)
			storetest.WriteTask(t, s, "PROJ-2")
			storetest.CommitAll(t, s)
			places := []snapshot.CheckOptions{{Base: "HEAD~1"}, {Base: "HEAD~1", Staged: true}, {Base: "HEAD~1", Commit: "HEAD"}}
			for _, opts := range places {
				if c, err := snapshot.Check(t.Context(), s.Layout, opts); err != nil || len(c.Findings) == 0 {
					t.Errorf("left as it is: %+v: %v, and finds %s", opts, err, report(c.Findings))
				}
			}
			repaired := []func(){func() { storetest.RemoveAll(t, path); storetest.WriteFile(t, path, good[filepath.Base(path)]) }, func() { storetest.RemoveAll(t, path) }}
			if file.name == "no config" {
				repaired = repaired[:1]
			}
			for _, change := range repaired {
				change()
				storetest.CommitAll(t, s)
				for _, opts := range places {
					_, err := snapshot.Check(t.Context(), s.Layout, opts)
					storetest.WantMessage(t, err, record.NoBase, s.Rel(path)+" of --base HEAD~1 cannot be read ("+"")
					storetest.WantMessage(t, err, record.NoBase, file.says)
					if !strings.Contains(problem.Hint(err), "docs/ci.md") {
						t.Errorf("the hint is %q", problem.Hint(err))
					}
				}
				if c := check(t, s, snapshot.CheckOptions{NoBase: true}); len(c.Findings) > 0 != (file.path(s) == s.ConfigFile() && !layout.Exists(path)) {
					t.Errorf("a repair, judged alone, finds %s", report(c.Findings))
				}
				storetest.Git(t, s.Root, "reset", "-q", "--hard", "HEAD~1")
			}
		})
	}
}

func task1(s *store.Store) string    { return storetest.TaskFile(s, "PROJ-1") }
func session1(s *store.Store) string { return storetest.SessionFile(s, "ses-1") }
func config(s *store.Store) string   { return s.ConfigFile() }

func writes(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) { storetest.WriteFile(t, path, text) }
}

// A base whose config is broken is a record, though nobody can read it.
func TestBrokenConfigIsNoNewRecord(t *testing.T) {
	s := recorded(t)
	storetest.RemoveAll(t, storetest.TaskFile(s, "PROJ-1"))
	storetest.WriteFile(t, s.ConfigFile(), "states: [\n")
	storetest.CommitAll(t, s)
	storetest.WriteFile(t, s.ConfigFile(), "prefix: PROJ\n")
	storetest.CommitAll(t, s)
	_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "HEAD~1"})
	storetest.WantMessage(t, err, record.NoBase, ".cairn/config.yaml of --base HEAD~1 cannot be read (line ")
}

// A file whose line ends alone differ is the same one, broken or not.
func TestLineEndsTouchNoBrokenFile(t *testing.T) {
	s := recorded(t)
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), "---\nid: [\n---\n")
	storetest.CommitAll(t, s)
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), "---\r\nid: [\r\n---\r\n")
	if c := check(t, s, snapshot.CheckOptions{Base: "HEAD"}); len(c.Findings) != 1 || c.Findings[0].Rule != proof.BadYAML.ID {
		t.Errorf("finds %s", report(c.Findings))
	}
}

// What Git LFS has put a pointer in place of is judged nowhere, be it in the base or in the change.
func TestPointersOfLFS(t *testing.T) {
	s := recorded(t)
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), lfsPointer)
	storetest.CommitAll(t, s)
	for _, opts := range []snapshot.CheckOptions{{}, {Staged: true}, {Commit: "HEAD"}, {NoBase: true}} {
		_, err := snapshot.Check(t.Context(), s.Layout, opts)
		storetest.WantMessage(t, err, record.InvalidInput, ".cairn/tasks/PROJ-1.md is a pointer of Git LFS")
	}
	storetest.WriteTask(t, s, "PROJ-1")
	_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "HEAD"})
	storetest.WantMessage(t, err, record.NoBase, "is a pointer of Git LFS")
	if !strings.Contains(problem.Hint(err), "git lfs migrate") {
		t.Errorf("the hint is %q", problem.Hint(err))
	}
}

// Contents that a partial clone has left out are not passed over.
func TestBlobThatIsNotInTheClone(t *testing.T) {
	s := recorded(t)
	id := strings.TrimSpace(storetest.GitOutput(t, s.Root, "rev-parse", "HEAD:.cairn/tasks/PROJ-1.md"))
	storetest.WriteTask(t, s, "PROJ-1", "priority: 1")
	storetest.CommitAll(t, s)
	if err := os.Remove(filepath.Join(s.Repo.GitDir, "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "HEAD~1"})
	storetest.WantMessage(t, err, record.NoBase, "1 files that are to be read are not in this clone")
}

// A base of a format that this version cannot know is not read as if it were one that it knows.
func TestBaseOfANewerFormat(t *testing.T) {
	s := recorded(t)
	storetest.WriteFile(t, s.ConfigFile(), "format: 99\nprefix: PROJ\n")
	storetest.CommitAll(t, s)
	storetest.WriteFile(t, s.ConfigFile(), "prefix: PROJ\n")
	_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "HEAD"})
	storetest.WantMessage(t, err, record.NoBase, "the workspace has format 99")
}
