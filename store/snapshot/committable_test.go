package snapshot_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Attributes by which git keeps something else than what lies in the working tree are no way to show one record to the
// check and another to everybody else, wherever they are set.
func TestConvertedFilesAreNotJudged(t *testing.T) {
	for _, row := range []struct {
		name, file, text string
		says             string // "" if it is judged
	}{
		{"a filter", ".gitattributes", ".cairn/** filter=upper\n", "filter=upper"},
		{"Git LFS", ".gitattributes", "*.md filter=lfs diff=lfs merge=lfs -text\n", "filter=lfs"},
		{"a filter by another name", ".gitattributes", "[attr]quiet filter=upper\n.cairn/tasks/* quiet\n", "filter=upper"},
		{"ident", ".gitattributes", "*.md ident\n", "attribute ident"},
		{"ident for the config", ".gitattributes", "config.yaml ident\n", "attribute ident"},
		{"another encoding of the keys", ".gitattributes", ".cairn/allowed_signers working-tree-encoding=UTF-7\n", "working-tree-encoding=UTF-7"},
		{"another encoding", ".gitattributes", ".cairn/** working-tree-encoding=UTF-7\n", "working-tree-encoding=UTF-7"},
		{"a file in the folder itself", ".cairn/.gitattributes", "*.md ident\n", "attribute ident"},
		{"a file among the tasks", ".cairn/tasks/.gitattributes", "* filter=x\n", "filter=x"},
		{"a file of the clone alone", ".git/info/attributes", "* filter=x\n", "filter=x"},
		{"line ends", ".gitattributes", "* text eol=crlf\n", ""},
		{"the encoding that git keeps", ".gitattributes", "* working-tree-encoding=UTF-8\n", ""},
		{"the record taken out again", ".gitattributes", "* filter=lfs ident\n.cairn/** -filter -ident\n", ""},
		{"other files", ".gitattributes", "*.png filter=lfs\nsrc/** ident\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t)
			storetest.WriteFile(t, storetest.SessionFile(s, "ses-1"), "id: ses-1\nactor: agent:a\nstatus: active\n")
			storetest.WriteFile(t, s.SignersFile(), "# nobody yet\n")
			storetest.WriteFile(t, filepath.Join(s.Root, filepath.FromSlash(row.file)), row.text)
			storetest.CommitAll(t, s)
			for _, opts := range []snapshot.CheckOptions{{Base: "HEAD"}, {Base: "HEAD", Staged: true}, {NoBase: true}} {
				c, err := snapshot.Check(t.Context(), s.Layout, opts)
				if row.says == "" {
					if err != nil || len(c.Findings) > 0 {
						t.Errorf("%v, and finds %s", err, report(c.Findings))
					}
					continue
				}
				storetest.WantMessage(t, err, record.InvalidInput, "git changes .cairn/")
				storetest.WantMessage(t, err, record.InvalidInput, row.says)
				if hint := problem.Hint(err); !strings.Contains(hint, ".cairn/** -filter -ident -working-tree-encoding") {
					t.Errorf("the hint is %q", hint)
				}
			}
		})
	}
}

// A filter that runs shows the check a task that nobody else has. It is not started to find that out.
func TestFilterIsFoundAndNotRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a shell script")
	}
	s := recorded(t)
	ran := filepath.Join(t.TempDir(), "ran")
	storetest.Git(t, s.Root, "config", "filter.done.clean", "sed 's/status: backlog/status: done/'")
	storetest.Git(t, s.Root, "config", "filter.done.smudge", "touch "+ran+"; sed 's/status: done/status: backlog/'")
	storetest.WriteFile(t, filepath.Join(s.Root, ".gitattributes"), ".cairn/** filter=done\n")
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.CommitAll(t, s)
	if text := storetest.GitOutput(t, s.Root, "show", "HEAD:.cairn/tasks/PROJ-2.md"); !strings.Contains(text, "status: done") {
		t.Fatalf("the filter does nothing: %s", text)
	}
	storetest.Git(t, s.Root, "config", "filter.done.clean", "touch "+ran+"; cat")
	_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "HEAD~1"})
	storetest.WantMessage(t, err, record.InvalidInput, "filter=done")
	if layout.Exists(ran) {
		t.Error("the filter ran")
	}
}

// Files that git was told not to look at are committed as they are staged, and not as they lie there.
func TestSlowHiddenFilesAreNotJudged(t *testing.T) {
	slowtest.Skip(t)
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		t.Run(flag, func(t *testing.T) {
			s := recorded(t)
			storetest.WriteTask(t, s, "PROJ-1", "deps: [PROJ-9]")
			storetest.CommitAll(t, s)
			storetest.Git(t, s.Root, "update-index", flag, ".cairn/tasks/PROJ-1.md")
			if c := check(t, s, snapshot.CheckOptions{Base: "HEAD"}); len(c.Findings) != 1 {
				t.Errorf("as it was staged it finds %s", report(c.Findings))
			}
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), strings.ReplaceAll(storetest.TaskText("PROJ-1", "deps: [PROJ-9]"), "\n", "\r\n"))
			if c := check(t, s, snapshot.CheckOptions{Base: "HEAD"}); len(c.Findings) != 1 {
				t.Errorf("with other line ends it finds %s", report(c.Findings))
			}
			storetest.WriteTask(t, s, "PROJ-1")
			_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "HEAD"})
			storetest.WantMessage(t, err, record.InvalidInput, "git was told not to look at .cairn/tasks/PROJ-1.md")
			if hint := problem.Hint(err); !strings.Contains(hint, "git update-index --no-assume-unchanged --no-skip-worktree .cairn/tasks/PROJ-1.md") {
				t.Errorf("the hint is %q", hint)
			}
		})
	}
}

// What git ignores is judged where it lies, and that no commit will hold it is said.
func TestIgnoredFilesAreReported(t *testing.T) {
	s := recorded(t)
	storetest.WriteFile(t, filepath.Join(s.Root, ".gitignore"), "PROJ-2.md\nses-*.yaml\n")
	storetest.CommitAll(t, s)
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.WriteFile(t, storetest.SessionFile(s, "ses-1"), "id: ses-1\nactor: agent:a\nstatus: active\n")
	c := check(t, s, snapshot.CheckOptions{Base: "HEAD"})
	if !strings.Contains(c.Note, "git ignores .cairn/tasks/PROJ-2.md, so no commit will hold it") {
		t.Errorf("the note is %q", c.Note)
	}
	storetest.Remove(t, storetest.TaskFile(s, "PROJ-2"))
	storetest.WriteTask(t, s, "PROJ-3")
	if c := check(t, s, snapshot.CheckOptions{Base: "HEAD"}); strings.Contains(c.Note, "ignores") {
		t.Errorf("of a task that is new, and of a session that is kept out, the note is %q", c.Note)
	}
}

// A record in a repository of its own, or one that git looks for elsewhere, is not what the repository around it would
// commit.
func TestWorkTreeThatIsNotOurs(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(t *testing.T, s *store.Store)
		says string
	}{
		{"the record is a repository", func(t *testing.T, s *store.Store) {
			storetest.Git(t, filepath.Join(s.Root, layout.Folder), "init", "-q")
		}, "is a repository of its own"},
		{"the tasks are a repository", func(t *testing.T, s *store.Store) { storetest.Git(t, s.Dir("tasks"), "init", "-q") }, "is a repository of its own"},
		{"the tasks name a repository", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), ".git"), "gitdir: ../../.git\n")
		}, "is a repository of its own"},
		{"core.worktree names the folder above", func(t *testing.T, s *store.Store) { storetest.Git(t, s.Root, "config", "core.worktree", "../..") }, "for the work tree, and not"},
		{"core.worktree names another folder", func(t *testing.T, s *store.Store) { storetest.Git(t, s.Root, "config", "core.worktree", t.TempDir()) }, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := recorded(t)
			row.make(t, s)
			_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{})
			if row.says == "" {
				if err == nil {
					t.Error("it is judged")
				}
				return
			}
			storetest.WantMessage(t, err, record.InvalidInput, row.says)
		})
	}
}

// Where git has a submodule, or a file, in place of a folder of the record, nothing is judged and nothing compared.
func TestSlowFoldersThatAreNone(t *testing.T) {
	slowtest.Skip(t)
	for _, row := range []struct {
		name, path string
		put        func(t *testing.T, s *store.Store, path string)
		says       string
	}{
		{"a submodule for the tasks", ".cairn/tasks", func(t *testing.T, s *store.Store, path string) {
			storetest.Git(t, s.Root, "update-index", "--add", "--cacheinfo", "160000,"+storetest.CommitOf(t, s.Root, "HEAD")+","+path)
		}, ".cairn/tasks is a submodule"},
		{"a submodule for what rests", ".cairn/closed", func(t *testing.T, s *store.Store, path string) {
			storetest.Git(t, s.Root, "update-index", "--add", "--cacheinfo", "160000,"+storetest.CommitOf(t, s.Root, "HEAD")+","+path)
		}, ".cairn/closed is a submodule"},
		{"a link for a month", ".cairn/closed/2026-06", func(t *testing.T, s *store.Store, path string) {
			id := strings.TrimSpace(storetest.GitOutput(t, s.Root, "rev-parse", "HEAD:.cairn/config.yaml"))
			storetest.Git(t, s.Root, "update-index", "--add", "--cacheinfo", "120000,"+id+","+path)
		}, ".cairn/closed/2026-06 is a link"},
		{"a submodule for the record", ".cairn", func(t *testing.T, s *store.Store, path string) {
			storetest.Git(t, s.Root, "update-index", "--add", "--cacheinfo", "160000,"+storetest.CommitOf(t, s.Root, "HEAD")+","+path)
		}, ".cairn is a submodule"},
		{"a file for the sessions", ".cairn/sessions", func(t *testing.T, s *store.Store, path string) {
			id := strings.TrimSpace(storetest.GitOutput(t, s.Root, "rev-parse", "HEAD:.cairn/config.yaml"))
			storetest.Git(t, s.Root, "update-index", "--add", "--cacheinfo", "100644,"+id+","+path)
		}, ".cairn/sessions is a file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := recorded(t)
			storetest.Git(t, s.Root, "rm", "-rq", "--cached", "--ignore-unmatch", row.path)
			row.put(t, s, row.path)
			for _, opts := range []snapshot.CheckOptions{{Staged: true}, {}} {
				_, err := snapshot.Check(t.Context(), s.Layout, opts)
				storetest.WantMessage(t, err, record.InvalidInput, row.says)
			}
			storetest.Git(t, s.Root, "commit", "-q", "-m", "work")
			storetest.Git(t, s.Root, "rm", "-rq", "--cached", row.path)
			storetest.Git(t, s.Root, "add", "-A")
			_, err := snapshot.Check(t.Context(), s.Layout, snapshot.CheckOptions{Base: "HEAD"})
			storetest.WantMessage(t, err, record.NoBase, row.says)
		})
	}
}

// Where the system has no links git writes a file that holds where the link leads, and commits it as the link. What
// such a file says is no task, though it reads as one.
func TestFileThatStandsForALink(t *testing.T) {
	s := recorded(t)
	storetest.WriteTask(t, s, "PROJ-2")
	id := strings.TrimSpace(storetest.GitOutput(t, s.Root, "hash-object", "-w", storetest.TaskFile(s, "PROJ-2")))
	storetest.Git(t, s.Root, "config", "core.symlinks", "false")
	storetest.Git(t, s.Root, "update-index", "--add", "--cacheinfo", "120000,"+id+",.cairn/tasks/PROJ-2.md")
	storetest.Git(t, s.Root, "commit", "-q", "-m", "a link")
	if left := storetest.GitOutput(t, s.Root, "status", "--porcelain"); left != "" {
		t.Fatalf("git would commit %s", left)
	}
	for _, opts := range []snapshot.CheckOptions{{Base: "HEAD~1"}, {Base: "HEAD~1", Staged: true}, {Base: "HEAD~1", Commit: "HEAD"}} {
		if c := check(t, s, opts); len(c.Findings) != 1 || c.Findings[0].Rule != proof.BadYAML.ID {
			t.Errorf("%+v finds %s", opts, report(c.Findings))
		}
	}
}

// A file that some systems take for one of the record, and others do not, is found, since each would judge another
// record.
func TestFilesTakenForOthers(t *testing.T) {
	for _, name := range []string{
		"tasks/PROJ-1.MD", "tasks/PROJ-1.md ", "tasks/PROJ-1.md.", "tasks/PROJ-1.md. .", "Tasks/PROJ-1.md", "tasks/PROJ-1.md::$DATA",
		"tasks/PROJ-\u200b1.Md", "tasks /PROJ-1.md", "Config.yaml", "config.YAML", "sessions/ses-1.Yaml",
		"Closed/2026-06/PROJ-1.md", "closed/2026-06/PROJ-1.MD", "closed/2026-06./PROJ-1.md", "CONFIG.yaml.",
	} {
		if rec, ok := snapshot.TakenFor(layout.Folder + "/" + name); !ok || rec == layout.Folder+"/"+name {
			t.Errorf("%q is taken for %q", name, rec)
		}
	}
	for _, name := range []string{
		"tasks/PROJ-1.md", "tasks/README", "tasks/.hidden.md", "tasks/old/PROJ-1.md", "tasks/notes.txt", "closed/2026-06/PROJ-1.md", "closed/2026-13/PROJ-1.md", "Closed/PROJ-1.md", "config.yaml", "config.yml",
		"sessions/ses-1.yaml", "runs/PROJ-1.md", ".gitignore", "plans/plan-1.yaml",
	} {
		if rec, ok := snapshot.TakenFor(layout.Folder + "/" + name); ok {
			t.Errorf("%q is taken for %q", name, rec)
		}
	}
	s := recorded(t)
	storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), "PROJ-2.MD"), storetest.TaskText("PROJ-2"))
	if entries, err := os.ReadDir(s.Dir("tasks")); err != nil || len(entries) != 2 {
		t.Fatalf("there are %v, %v", entries, err)
	}
	storetest.CommitAll(t, s)
	for _, opts := range []snapshot.CheckOptions{{Base: "HEAD~1"}, {Base: "HEAD~1", Staged: true}, {Base: "HEAD~1", Commit: "HEAD"}, {NoBase: true}} {
		c := check(t, s, opts)
		if len(c.Findings) != 1 || c.Findings[0].Rule != proof.BadYAML.ID || c.Findings[0].Path != ".cairn/tasks/PROJ-2.MD" ||
			!strings.Contains(c.Findings[0].Message, "is taken for .cairn/tasks/PROJ-2.md") {
			t.Errorf("%+v finds %s", opts, report(c.Findings))
		}
	}
}

// A name that is no text is found, and is written into no report as it is.
func TestNameThatIsNoText(t *testing.T) {
	s := recorded(t)
	id := strings.TrimSpace(storetest.GitOutput(t, s.Root, "rev-parse", "HEAD:.cairn/tasks/PROJ-1.md"))
	storetest.Git(t, s.Root, "update-index", "--add", "--cacheinfo", "100644,"+id+",.cairn/tasks/\xff\xfe.md")
	for _, opts := range []snapshot.CheckOptions{{Staged: true}} {
		if c := check(t, s, opts); len(c.Findings) != 1 || c.Findings[0].Rule != proof.IDMismatch.ID {
			t.Errorf("finds %s", report(c.Findings))
		}
	}
}
