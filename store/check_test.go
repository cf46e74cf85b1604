package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// recorded makes a workspace in a repository, with one task, and commits it.
func recorded(t *testing.T, args ...string) *Store {
	t.Helper()
	return recordedIn(t, "", args...)
}

// recordedIn is recorded for a workspace in a folder of the repository.
func recordedIn(t *testing.T, folder string, args ...string) *Store {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, append([]string{"init", "-q", "-b", "main"}, args...)...)
	runGit(t, dir, "config", "user.name", "Test User")
	runGit(t, dir, "config", "user.email", "test@example.com")
	s := newStoreAt(t, mkdir(t, dir, folder))
	handWrite(t, s, "PROJ-1")
	commitAll(t, s)
	return s
}

func check(t *testing.T, s *Store, opts CheckOptions) Checked {
	t.Helper()
	c, err := s.Check(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// told is a finding a line, whole.
func told(findings []proof.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d: %s: %s: %s (%s)\n", f.Path, f.Line, f.Severity, f.Rule, f.Message, f.Fix)
	}
	return b.String()
}

// Whatever is committed, and whatever is wrong with it, is the same in the working tree, in the index and in the commit.
func TestCheckReadsTheSameEverywhere(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(t *testing.T, s *Store)
		rule   proof.RuleID // "" if nothing is found
	}{
		{"nothing", func(*testing.T, *Store) {}, ""},
		{"a task that waits for one that does not exist", func(t *testing.T, s *Store) { handWrite(t, s, "PROJ-2", "deps: [PROJ-9]") }, proof.DanglingDep},
		{"a task that is no document", func(t *testing.T, s *Store) { writeFile(t, s.task("PROJ-2"), "---\nid: [\n---\n") }, proof.BadYAML},
		{"a task that is empty", func(t *testing.T, s *Store) { writeFile(t, s.task("PROJ-2"), "") }, proof.BadYAML},
		{"a task that is a link", func(t *testing.T, s *Store) { link(t, "PROJ-1.md", s.task("PROJ-2")) }, proof.BadYAML},
		{"a folder where a task should be", func(t *testing.T, s *Store) {
			writeFile(t, filepath.Join(s.task("PROJ-2"), "a"), "")
			writeFile(t, filepath.Join(s.task("PROJ-2"), "b", "PROJ-3.md"), "")
		}, proof.BadYAML},
		{"a task that is too large", func(t *testing.T, s *Store) {
			writeFile(t, s.task("PROJ-2"), taskText("PROJ-2")+strings.Repeat("long ", frontmatter.MaxFile/5))
		}, proof.BadYAML},
		{"a task of a megabyte", func(t *testing.T, s *Store) {
			writeFile(t, s.task("PROJ-2"), taskText("PROJ-2")+strings.Repeat("long ", 200_000))
		}, ""},
		{"a file name that needs care", func(t *testing.T, s *Store) {
			writeFile(t, filepath.Join(s.TasksDir(), "größe [1]*.md"), taskText("PROJ-2"))
		}, proof.IDMismatch},
		{"a conflict that was committed", func(t *testing.T, s *Store) { handWrite(t, s, "PROJ-2", "<<<<<<< ours") }, proof.ConflictMarkers},
		{"a session that is none", func(t *testing.T, s *Store) { writeFile(t, s.session("ses-1"), "id: [\n") }, proof.BadYAML},
		{"a proposal that is none", func(t *testing.T, s *Store) {
			writeFile(t, filepath.Join(s.PlansDir(), "plan-1.yaml"), "x: [")
		}, proof.BadYAML},
		{"a folder where a proposal should be", func(t *testing.T, s *Store) {
			writeFile(t, filepath.Join(s.PlansDir(), "plan-1.yaml", "a"), "")
		}, proof.BadYAML},
		{"a config that is wrong", func(t *testing.T, s *Store) { writeFile(t, s.ConfigFile(), "states: []\n") }, proof.BadField},
		{"a config that is gone", func(t *testing.T, s *Store) { remove(t, s.ConfigFile()) }, proof.BadYAML},
		{"a log of checks, against the ignored lines", func(t *testing.T, s *Store) {
			writeFile(t, filepath.Join(s.RunsDir(), "PROJ-1-1.log"), "ok\n")
			runGit(t, s.Root, "add", "-f", s.RunsDir())
		}, proof.IgnoredCommitted},
		{"files that are no part of the record", func(t *testing.T, s *Store) {
			writeFile(t, filepath.Join(s.TasksDir(), ".hidden.md"), "")
			writeFile(t, filepath.Join(s.TasksDir(), "README"), "")
			writeFile(t, filepath.Join(s.TasksDir(), "old", "PROJ-7.md"), "")
			writeFile(t, filepath.Join(s.Root, Folder, "plans", "plan-1.yaml.orig"), "x: [")
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t)
			row.change(t, s)
			commitAll(t, s)
			tree := check(t, s, CheckOptions{Base: "HEAD~1"})
			index := check(t, s, CheckOptions{Base: "HEAD~1", Staged: true})
			commit := check(t, s, CheckOptions{Base: "HEAD~1", Commit: "HEAD"})
			want := told(tree.Findings)
			if got := told(index.Findings); got != want {
				t.Errorf("in the index:\n%sand in the working tree:\n%s", got, want)
			}
			if got := told(commit.Findings); got != want {
				t.Errorf("in the commit:\n%sand in the working tree:\n%s", got, want)
			}
			switch {
			case row.rule == "" && want != "":
				t.Errorf("finds %s", want)
			case row.rule != "" && !strings.Contains(want, string(row.rule)):
				t.Errorf("does not find %s: %q", row.rule, want)
			}
		})
	}
}

// What a check looks at is what it was told to look at, and it says so.
func TestCheckJudgesWhatItIsTold(t *testing.T) {
	s := recorded(t)
	handWrite(t, s, "PROJ-2", "deps: [PROJ-8]")
	runGit(t, s.Root, "add", "-A")
	handWrite(t, s, "PROJ-2", "deps: [PROJ-9]")
	head := strings.TrimSpace(gitOutput(t, s.Root, "rev-parse", "HEAD"))
	for _, row := range []struct {
		opts CheckOptions
		what string
		base string
		says string // part of the one finding; "" if there is none
	}{
		{CheckOptions{}, WorkingTree, "", "PROJ-9"},
		{CheckOptions{Staged: true}, Index, head, "PROJ-8"},
		{CheckOptions{Staged: true, NoBase: true}, Index, "", "PROJ-8"},
		{CheckOptions{Commit: "main", NoBase: true}, Commit, "", ""},
	} {
		c := check(t, s, row.opts)
		if c.Judged != row.what || c.Head != head || c.Base != row.base || (c.Note == "") != (c.Base != "") {
			t.Errorf("%+v judges %q of %s beside %q (%s)", row.opts, c.Judged, c.Head, c.Base, c.Note)
		}
		if got := told(c.Findings); !strings.Contains(got, row.says) || (got == "") != (row.says == "") {
			t.Errorf("%+v finds %q", row.opts, got)
		}
	}
}

// A hook that commits a part names its index.
func TestCheckOfAnotherIndex(t *testing.T) {
	s := recorded(t)
	handWrite(t, s, "PROJ-2", "deps: [PROJ-9]")
	other := filepath.Join(t.TempDir(), "index")
	runGit(t, s.Root, "add", "-A")
	if err := os.Rename(filepath.Join(s.Repo.GitDir, "index"), other); err != nil {
		t.Fatal(err)
	}
	runGit(t, s.Root, "read-tree", "HEAD")
	variables := map[string]string{"GIT_INDEX_FILE": other}
	opts := CheckOptions{Staged: true, Getenv: func(name string) string { return variables[name] }}
	if got := check(t, s, opts).Findings; len(got) != 1 {
		t.Errorf("in the index of the hook: %s", told(got))
	}
	if got := check(t, s, CheckOptions{Staged: true}).Findings; len(got) != 0 {
		t.Errorf("in the repository's own: %s", told(got))
	}
}

// A file that is staged in several versions belongs to a merge that was not finished.
func TestCheckOfAnUnfinishedMerge(t *testing.T) {
	s := recorded(t)
	runGit(t, s.Root, "switch", "-q", "-c", "other")
	handWrite(t, s, "PROJ-1", "priority: 1")
	commitAll(t, s)
	runGit(t, s.Root, "switch", "-q", "main")
	handWrite(t, s, "PROJ-1", "priority: 4")
	commitAll(t, s)
	if out, err := gitFails(s.Root, "merge", "other"); err == nil {
		t.Fatalf("there is no conflict: %s", out)
	}
	for _, opts := range []CheckOptions{{}, {Staged: true}} {
		got := check(t, s, opts).Findings
		if len(got) != 1 || got[0].Rule != proof.ConflictMarkers {
			t.Errorf("%+v finds %s", opts, told(got))
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	outside := newStoreAt(t, t.TempDir())
	inside := recorded(t)
	linked := recorded(t)
	remove(t, linked.task("PROJ-1"))
	remove(t, linked.TasksDir())
	link(t, t.TempDir(), linked.TasksDir())
	commitAll(t, linked)
	for _, row := range []struct {
		name string
		s    *Store
		opts CheckOptions
		says string
	}{
		{"a base and none", inside, CheckOptions{Base: "main", NoBase: true}, "no base"},
		{"the index and a commit", inside, CheckOptions{Staged: true, Commit: "HEAD"}, "not both"},
		{"a commit that does not exist", inside, CheckOptions{Commit: "nowhere"}, "no commit"},
		{"a commit that is an option", inside, CheckOptions{Commit: "--all"}, "no commit"},
		{"a base outside git", outside, CheckOptions{Base: "main"}, "not in a git repository"},
		{"the index outside git", outside, CheckOptions{Staged: true}, "not in a git repository"},
		{"tasks behind a link", linked, CheckOptions{}, "is a link"},
		{"staged tasks behind a link", linked, CheckOptions{Staged: true}, "is a link"},
		{"committed tasks behind a link", linked, CheckOptions{Commit: "HEAD"}, "is a link"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := row.s.Check(t.Context(), row.opts)
			wantMessage(t, err, task.InvalidInput, row.says)
		})
	}
}

// Repositories that libraries do not open, and such as have only a part of the files at hand, are checked as any other.
func TestCheckInEveryKindOfRepository(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(t *testing.T) *Store
	}{
		{"with objects named by SHA-256", func(t *testing.T) *Store { return recorded(t, "--object-format=sha256") }},
		{"with a table of refs", func(t *testing.T) *Store {
			if out, err := gitFails(t.TempDir(), "init", "--ref-format=reftable"); err != nil {
				t.Skipf("this git has none: %s", out)
			}
			return recorded(t, "--ref-format=reftable")
		}},
		{"with the workspace in a folder", func(t *testing.T) *Store { return recordedIn(t, "web [1]") }},
		{"with a sparse checkout that leaves the record out", func(t *testing.T) *Store {
			s := recorded(t)
			runGit(t, s.Root, "sparse-checkout", "set", "--no-cone", "/src", "/.cairn/config.yaml")
			return s
		}},
		{"with other line ends in the working tree", func(t *testing.T) *Store {
			s := recorded(t)
			runGit(t, s.Root, "config", "core.autocrlf", "true")
			remove(t, s.task("PROJ-1"))
			runGit(t, s.Root, "checkout", "-q", ".")
			return s
		}},
		{"with objects that are another clone's", func(t *testing.T) *Store {
			origin := recorded(t)
			dir := t.TempDir()
			runGit(t, dir, "clone", "-q", "--shared", origin.Root, "clone")
			return reopen(t, filepath.Join(dir, "clone"))
		}},
		{"with settings that have git look at files in another way", func(t *testing.T) *Store {
			s := recorded(t)
			for key, value := range map[string]string{
				"core.ignoreCase": "true", "core.fileMode": "false", "core.checkStat": "minimal", "core.trustctime": "false", "core.quotePath": "true",
				"core.preloadIndex": "true", "core.untrackedCache": "true", "diff.relative": "true", "diff.renames": "copies", "status.showUntrackedFiles": "no",
				"core.splitIndex": "true",
			} {
				runGit(t, s.Root, "config", key, value)
			}
			return s
		}},
		{"with a linked worktree", func(t *testing.T) *Store { return reopen(t, linkWorktree(t, recorded(t).Root)) }},
		{"with a partial clone", func(t *testing.T) *Store {
			origin := recorded(t)
			runGit(t, origin.Root, "config", "uploadpack.allowFilter", "true")
			dir := t.TempDir()
			runGit(t, dir, "clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(origin.Root), "clone")
			return reopen(t, filepath.Join(dir, "clone"))
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := row.make(t)
			runGit(t, s.Worktree, "config", "user.name", "Test User")
			runGit(t, s.Worktree, "config", "user.email", "test@example.com")
			for _, opts := range []CheckOptions{{Base: "HEAD"}, {Base: "HEAD", Staged: true}, {Base: "HEAD", Commit: "HEAD"}} {
				if c := check(t, s, opts); len(c.Findings) > 0 || c.Base == "" || len(c.Tree.Tasks) != 1 {
					t.Errorf("%+v finds %s in %d tasks", opts, told(c.Findings), len(c.Tree.Tasks))
				}
			}
			writeFile(t, s.task("PROJ-2"), taskText("PROJ-2", "deps: [PROJ-9]"))
			runGit(t, s.Worktree, "add", "-A", "--sparse")
			runGit(t, s.Worktree, "commit", "-q", "-m", "a change")
			for _, opts := range []CheckOptions{{Base: "HEAD~1"}, {Base: "HEAD~1", Staged: true}, {Base: "HEAD~1", Commit: "HEAD"}} {
				if c := check(t, s, opts); len(c.Findings) != 1 || c.Findings[0].Rule != proof.DanglingDep {
					t.Errorf("%+v finds %s", opts, told(c.Findings))
				}
			}
		})
	}
}

// Without git, or with one that refuses, the files are judged alone, and that is said. Who names a base is not content with it.
func TestCheckWithoutGit(t *testing.T) {
	s := recorded(t)
	handWrite(t, s, "PROJ-2", "deps: [PROJ-9]")
	t.Setenv("PATH", t.TempDir())
	c := check(t, s, CheckOptions{})
	if len(c.Findings) != 1 || !strings.Contains(c.Note, "there is no git") {
		t.Errorf("finds %s, and says %q", told(c.Findings), c.Note)
	}
	ci := func(name string) string { return map[string]string{"GITHUB_BASE_REF": "main"}[name] }
	for _, opts := range []CheckOptions{{Base: "HEAD"}, {Staged: true}, {Commit: "HEAD"}, {Getenv: ci}} {
		_, err := s.Check(t.Context(), opts)
		wantCode(t, err, task.Git)
	}
}

func TestCheckNamesWhatWasClosed(t *testing.T) {
	s := recorded(t)
	handWrite(t, s, "PROJ-2")
	commitAll(t, s)
	writeFile(t, s.task("PROJ-2"), strings.Replace(taskText("PROJ-2"), "backlog", "done", 1))
	writeFile(t, s.task("PROJ-3"), strings.Replace(taskText("PROJ-3"), "backlog", "canceled", 1))
	if got := check(t, s, CheckOptions{Base: "HEAD"}).Closed; !slices.Equal(got, []task.ID{"PROJ-2"}) {
		t.Errorf("closed are %q", got)
	}
}
