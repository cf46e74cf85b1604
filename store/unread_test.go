package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

// What a change does to a file that nobody can read in the base is not passed over, wherever it is judged. Where the change leaves
// the file as it is, the file itself is what is found.
func TestUnreadableBase(t *testing.T) {
	files := []struct {
		name string
		path func(s *Store) string
		make func(t *testing.T, path string)
		says string
	}{
		{"a task that is no YAML", task1, writes("---\nid: [\n---\n"), "line 3: "},
		{"a task without a title", task1, writes("---\nid: PROJ-1\nstatus: backlog\n---\n"), "title"},
		{"a task with a field that it may not have", task1, writes(taskText("PROJ-1", "priority: 9")), "priority"},
		{"a task that is empty", task1, writes(""), ""},
		{"a task that is too large", task1, writes(taskText("PROJ-1") + strings.Repeat("long ", frontmatter.MaxFile/5)), "larger than"},
		{"a task with a conflict", task1, writes(strings.Replace(taskText("PROJ-1"), "status", "<<<<<<< a\nstatus", 1)), ""},
		{"a task that is a link", task1, func(t *testing.T, path string) { removeAll(t, path); link(t, "nowhere", path) }, "not a regular file"},
		{"a session that is no YAML", session1, writes("id: [\n"), "line 2: "},
		{"a config that is no YAML", config, writes("prefix: [\n"), "line 2: "},
		{"a config with a field that it may not have", config, writes("states: []\n"), "states"},
		{"no config", config, func(t *testing.T, path string) { removeAll(t, path) }, "config.yaml is missing"},
	}
	good := map[string]string{"PROJ-1.md": taskText("PROJ-1"), "ses-1.yaml": "id: ses-1\nactor: agent:a\nstatus: active\n", "config.yaml": "prefix: PROJ\n"}
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t)
			path := file.path(s)
			writeFile(t, path, good[filepath.Base(path)])
			file.make(t, path)
			commitAll(t, s)
			handWrite(t, s, "PROJ-2")
			commitAll(t, s)
			places := []CheckOptions{{Base: "HEAD~1"}, {Base: "HEAD~1", Staged: true}, {Base: "HEAD~1", Commit: "HEAD"}}
			for _, opts := range places {
				if c, err := s.Check(t.Context(), opts); err != nil || len(c.Findings) == 0 {
					t.Errorf("left as it is: %+v: %v, and finds %s", opts, err, told(c.Findings))
				}
			}
			repaired := []func(){func() { removeAll(t, path); writeFile(t, path, good[filepath.Base(path)]) }, func() { removeAll(t, path) }}
			if file.name == "no config" {
				repaired = repaired[:1]
			}
			for _, change := range repaired {
				change()
				commitAll(t, s)
				for _, opts := range places {
					_, err := s.Check(t.Context(), opts)
					wantMessage(t, err, task.NoBase, s.rel(path)+" of --base HEAD~1 cannot be read ("+"")
					wantMessage(t, err, task.NoBase, file.says)
					if !strings.Contains(hintOf(err), "docs/ci.md") {
						t.Errorf("the hint is %q", hintOf(err))
					}
				}
				if c := check(t, s, CheckOptions{NoBase: true}); len(c.Findings) > 0 != (file.path(s) == s.ConfigFile() && !exists(path)) {
					t.Errorf("a repair, judged alone, finds %s", told(c.Findings))
				}
				runGit(t, s.Root, "reset", "-q", "--hard", "HEAD~1")
			}
		})
	}
}

func task1(s *Store) string    { return s.task("PROJ-1") }
func session1(s *Store) string { return s.session("ses-1") }
func config(s *Store) string   { return s.ConfigFile() }

func writes(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) { writeFile(t, path, text) }
}

// A base whose config is broken is a record, though nobody can read it.
func TestBrokenConfigIsNoNewRecord(t *testing.T) {
	s := recorded(t)
	removeAll(t, s.task("PROJ-1"))
	writeFile(t, s.ConfigFile(), "states: [\n")
	commitAll(t, s)
	writeFile(t, s.ConfigFile(), "prefix: PROJ\n")
	commitAll(t, s)
	_, err := s.Check(t.Context(), CheckOptions{Base: "HEAD~1"})
	wantMessage(t, err, task.NoBase, ".cairn/config.yaml of --base HEAD~1 cannot be read (line ")
}

// A file whose line ends alone differ is the same one, broken or not.
func TestLineEndsTouchNoBrokenFile(t *testing.T) {
	s := recorded(t)
	writeFile(t, s.task("PROJ-1"), "---\nid: [\n---\n")
	commitAll(t, s)
	writeFile(t, s.task("PROJ-1"), "---\r\nid: [\r\n---\r\n")
	if c := check(t, s, CheckOptions{Base: "HEAD"}); len(c.Findings) != 1 || c.Findings[0].Rule != proof.BadYAML {
		t.Errorf("finds %s", told(c.Findings))
	}
}

// What Git LFS has put a pointer in place of is judged nowhere, be it in the base or in the change.
func TestPointersOfLFS(t *testing.T) {
	s := recorded(t)
	writeFile(t, s.task("PROJ-1"), lfsPointer)
	commitAll(t, s)
	for _, opts := range []CheckOptions{{}, {Staged: true}, {Commit: "HEAD"}, {NoBase: true}} {
		_, err := s.Check(t.Context(), opts)
		wantMessage(t, err, task.InvalidInput, ".cairn/tasks/PROJ-1.md is a pointer of Git LFS")
	}
	handWrite(t, s, "PROJ-1")
	_, err := s.Check(t.Context(), CheckOptions{Base: "HEAD"})
	wantMessage(t, err, task.NoBase, "is a pointer of Git LFS")
	if !strings.Contains(hintOf(err), "git lfs migrate") {
		t.Errorf("the hint is %q", hintOf(err))
	}
}

// Contents that a partial clone has left out are not passed over.
func TestBlobThatIsNotInTheClone(t *testing.T) {
	s := recorded(t)
	id := strings.TrimSpace(gitOutput(t, s.Root, "rev-parse", "HEAD:.cairn/tasks/PROJ-1.md"))
	handWrite(t, s, "PROJ-1", "priority: 1")
	commitAll(t, s)
	if err := os.Remove(filepath.Join(s.Repo.GitDir, "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	_, err := s.Check(t.Context(), CheckOptions{Base: "HEAD~1"})
	wantMessage(t, err, task.NoBase, "1 files that are to be read are not in this clone")
}

// A base of a format that this version cannot know is not read as if it were one that it knows.
func TestBaseOfANewerFormat(t *testing.T) {
	s := recorded(t)
	writeFile(t, s.ConfigFile(), "format: 99\nprefix: PROJ\n")
	commitAll(t, s)
	writeFile(t, s.ConfigFile(), "prefix: PROJ\n")
	_, err := s.Check(t.Context(), CheckOptions{Base: "HEAD"})
	wantMessage(t, err, task.NoBase, "the workspace has format 99")
}
