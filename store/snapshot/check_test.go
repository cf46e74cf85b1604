package snapshot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// recorded makes a workspace in a repository, with one task, and commits it.
func recorded(t *testing.T, args ...string) *store.Store {
	t.Helper()
	return recordedIn(t, "", args...)
}

// recordedIn is recorded for a workspace in a folder of the repository.
func recordedIn(t *testing.T, folder string, args ...string) *store.Store {
	t.Helper()
	dir := t.TempDir()
	storetest.Git(t, dir, append([]string{"init", "-q", "-b", "main"}, args...)...)
	storetest.Git(t, dir, "config", "user.name", "Test User")
	storetest.Git(t, dir, "config", "user.email", "test@example.com")
	s := storetest.NewAt(t, storetest.Mkdir(t, dir, folder))
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.CommitAll(t, s)
	return s
}

func check(t *testing.T, s *store.Store, opts snapshot.CheckOptions) snapshot.Checked {
	t.Helper()
	c, err := snapshot.Check(t.Context(), s.Layout, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// report is a finding a line, whole.
func report(findings []proof.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d: %s: %s: %s (%s)\n", f.Path, f.Line, f.Severity, f.Rule, f.Message, f.Fix)
	}
	return b.String()
}

// Whatever is committed, and whatever is wrong with it, is the same in the working tree, in the index and in the
// commit.
func TestSlowCheckReadsTheSameEverywhere(t *testing.T) {
	slowtest.Skip(t)
	for _, row := range []struct {
		name   string
		change func(t *testing.T, s *store.Store)
		rule   proof.RuleID // "" if nothing is found
	}{
		{"nothing", func(*testing.T, *store.Store) {}, ""},
		{"a task that waits for one that does not exist", func(t *testing.T, s *store.Store) { storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-9]") }, proof.DanglingDep.ID},
		{"a task that is no document", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), "---\nid: [\n---\n")
		}, proof.BadYAML.ID},
		{"a task that is empty", func(t *testing.T, s *store.Store) { storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), "") }, proof.BadYAML.ID},
		{"a task that is a link", func(t *testing.T, s *store.Store) { storetest.Link(t, "PROJ-1.md", storetest.TaskFile(s, "PROJ-2")) }, proof.BadYAML.ID},
		{"a folder where a task should be", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(storetest.TaskFile(s, "PROJ-2"), "a"), "")
			storetest.WriteFile(t, filepath.Join(storetest.TaskFile(s, "PROJ-2"), "b", "PROJ-3.md"), "")
		}, proof.BadYAML.ID},
		{"a task that is too large", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), storetest.TaskText("PROJ-2")+strings.Repeat("long ", format.MaxFile/5))
		}, proof.BadYAML.ID},
		{"a task of a megabyte", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), storetest.TaskText("PROJ-2")+strings.Repeat("long ", 200_000))
		}, ""},
		{"a file name that needs care", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), "größe [1]*.md"), storetest.TaskText("PROJ-2"))
		}, proof.IDMismatch.ID},
		{"a conflict that was committed", func(t *testing.T, s *store.Store) { storetest.WriteTask(t, s, "PROJ-2", "<<<<<<< ours") }, proof.ConflictMarkers.ID},
		{"a session that is none", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, storetest.SessionFile(s, "ses-1"), "id: [\n")
		}, proof.BadYAML.ID},
		{"a proposal that is none", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Root, layout.Folder, "plans", "plan-1.yaml"), "x: [")
		}, proof.BadYAML.ID},
		{"a folder where a proposal should be", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Root, layout.Folder, "plans", "plan-1.yaml", "a"), "")
		}, proof.BadYAML.ID},
		{"a config that is wrong", func(t *testing.T, s *store.Store) { storetest.WriteFile(t, s.ConfigFile(), "states: []\n") }, proof.BadField.ID},
		{"a config that is gone", func(t *testing.T, s *store.Store) { storetest.Remove(t, s.ConfigFile()) }, proof.BadYAML.ID},
		{"a log of checks, against the ignored lines", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.RunsDir(), "PROJ-1-1.log"), "ok\n")
			storetest.Git(t, s.Root, "add", "-f", s.RunsDir())
		}, proof.IgnoredCommitted.ID},
		{"files that are no part of the record", func(t *testing.T, s *store.Store) {
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), ".hidden.md"), "")
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), "README"), "")
			storetest.WriteFile(t, filepath.Join(s.Dir("tasks"), "old", "PROJ-7.md"), "")
			storetest.WriteFile(t, filepath.Join(s.Root, layout.Folder, "plans", "plan-1.yaml.orig"), "x: [")
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t)
			row.change(t, s)
			storetest.CommitAll(t, s)
			tree := check(t, s, snapshot.CheckOptions{Base: "HEAD~1"})
			index := check(t, s, snapshot.CheckOptions{Base: "HEAD~1", Staged: true})
			commit := check(t, s, snapshot.CheckOptions{Base: "HEAD~1", Commit: "HEAD"})
			want := report(tree.Findings)
			if got := report(index.Findings); got != want {
				t.Errorf("in the index:\n%sand in the working tree:\n%s", got, want)
			}
			if got := report(commit.Findings); got != want {
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

// A check judges what its options name, and says so.
func TestCheckJudgesWhatItsOptionsName(t *testing.T) {
	s := recorded(t)
	storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-8]")
	storetest.Git(t, s.Root, "add", "-A")
	storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-9]")
	head := strings.TrimSpace(storetest.GitOutput(t, s.Root, "rev-parse", "HEAD"))
	for _, row := range []struct {
		opts snapshot.CheckOptions
		what string
		base string
		says string // part of the one finding; "" if there is none
	}{
		{snapshot.CheckOptions{}, snapshot.WorkingTree, "", "PROJ-9"},
		{snapshot.CheckOptions{Staged: true}, snapshot.Index, head, "PROJ-8"},
		{snapshot.CheckOptions{Staged: true, NoBase: true}, snapshot.Index, "", "PROJ-8"},
		{snapshot.CheckOptions{Commit: "main", NoBase: true}, snapshot.Commit, "", ""},
	} {
		c := check(t, s, row.opts)
		if c.Judged != row.what || c.Head != head || c.Base != row.base || (c.Note == "") != (c.Base != "") {
			t.Errorf("%+v judges %q of %s beside %q (%s)", row.opts, c.Judged, c.Head, c.Base, c.Note)
		}
		if got := report(c.Findings); !strings.Contains(got, row.says) || (got == "") != (row.says == "") {
			t.Errorf("%+v finds %q", row.opts, got)
		}
	}
}

// A hook that commits a part names its index.
func TestCheckOfAnotherIndex(t *testing.T) {
	s := recorded(t)
	storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-9]")
	other := filepath.Join(t.TempDir(), "index")
	storetest.Git(t, s.Root, "add", "-A")
	if err := os.Rename(filepath.Join(s.Repo.GitDir, "index"), other); err != nil {
		t.Fatal(err)
	}
	storetest.Git(t, s.Root, "read-tree", "HEAD")
	variables := map[string]string{"GIT_INDEX_FILE": other}
	opts := snapshot.CheckOptions{Staged: true, Getenv: func(name string) string { return variables[name] }}
	if got := check(t, s, opts).Findings; len(got) != 1 {
		t.Errorf("in the index of the hook: %s", report(got))
	}
	if got := check(t, s, snapshot.CheckOptions{Staged: true}).Findings; len(got) != 0 {
		t.Errorf("in the repository's own: %s", report(got))
	}
}

// A file that is staged in several versions belongs to a merge that was not finished.
func TestCheckOfAnUnfinishedMerge(t *testing.T) {
	s := recorded(t)
	storetest.Git(t, s.Root, "switch", "-q", "-c", "other")
	storetest.WriteTask(t, s, "PROJ-1", "priority: 1")
	storetest.CommitAll(t, s)
	storetest.Git(t, s.Root, "switch", "-q", "main")
	storetest.WriteTask(t, s, "PROJ-1", "priority: 4")
	storetest.CommitAll(t, s)
	if out, err := storetest.TryGit(s.Root, "merge", "other"); err == nil {
		t.Fatalf("there is no conflict: %s", out)
	}
	for _, opts := range []snapshot.CheckOptions{{}, {Staged: true}} {
		got := check(t, s, opts).Findings
		if len(got) != 1 || got[0].Rule != proof.ConflictMarkers.ID {
			t.Errorf("%+v finds %s", opts, report(got))
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	outside := storetest.NewAt(t, t.TempDir())
	inside := recorded(t)
	linked := recorded(t)
	storetest.Remove(t, storetest.TaskFile(linked, "PROJ-1"))
	storetest.Remove(t, linked.Dir("tasks"))
	storetest.Link(t, t.TempDir(), linked.Dir("tasks"))
	storetest.CommitAll(t, linked)
	resting := recorded(t)
	storetest.Link(t, t.TempDir(), resting.Dir("closed"))
	for _, row := range []struct {
		name string
		s    *store.Store
		opts snapshot.CheckOptions
		says string
	}{
		{"a base and none", inside, snapshot.CheckOptions{Base: "main", NoBase: true}, "no base"},
		{"the index and a commit", inside, snapshot.CheckOptions{Staged: true, Commit: "HEAD"}, "not both"},
		{"a commit that does not exist", inside, snapshot.CheckOptions{Commit: "nowhere"}, "no commit"},
		{"a commit that is an option", inside, snapshot.CheckOptions{Commit: "--all"}, "no commit"},
		{"a base outside git", outside, snapshot.CheckOptions{Base: "main"}, "not in a git repository"},
		{"the index outside git", outside, snapshot.CheckOptions{Staged: true}, "not in a git repository"},
		{"tasks at rest behind a link", resting, snapshot.CheckOptions{}, "is a link"},
		{"tasks behind a link", linked, snapshot.CheckOptions{}, "is a link"},
		{"staged tasks behind a link", linked, snapshot.CheckOptions{Staged: true}, "is a link"},
		{"committed tasks behind a link", linked, snapshot.CheckOptions{Commit: "HEAD"}, "is a link"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := snapshot.Check(t.Context(), row.s.Layout, row.opts)
			storetest.WantMessage(t, err, record.InvalidInput, row.says)
		})
	}
}

// Repositories that libraries do not open, and such as have only a part of the files at hand, are checked as any other.
func TestSlowCheckInEveryKindOfRepository(t *testing.T) {
	slowtest.Skip(t)
	for _, row := range []struct {
		name string
		make func(t *testing.T) *store.Store
	}{
		{"with objects named by SHA-256", func(t *testing.T) *store.Store { return recorded(t, "--object-format=sha256") }},
		{"with a table of refs", func(t *testing.T) *store.Store {
			if out, err := storetest.TryGit(t.TempDir(), "init", "--ref-format=reftable"); err != nil {
				t.Skipf("this git has none: %s", out)
			}
			return recorded(t, "--ref-format=reftable")
		}},
		{"with the workspace in a folder", func(t *testing.T) *store.Store { return recordedIn(t, "web [1]") }},
		{"with a sparse checkout that leaves the record out", func(t *testing.T) *store.Store {
			s := recorded(t)
			storetest.Git(t, s.Root, "sparse-checkout", "set", "--no-cone", "/src", "/.cairn/config.yaml")
			return s
		}},
		{"with other line ends in the working tree", func(t *testing.T) *store.Store {
			s := recorded(t)
			storetest.Git(t, s.Root, "config", "core.autocrlf", "true")
			storetest.Remove(t, storetest.TaskFile(s, "PROJ-1"))
			storetest.Git(t, s.Root, "checkout", "-q", ".")
			return s
		}},
		{"with objects that are another clone's", func(t *testing.T) *store.Store {
			origin := recorded(t)
			dir := t.TempDir()
			storetest.Git(t, dir, "clone", "-q", "--shared", origin.Root, "clone")
			return storetest.Open(t, filepath.Join(dir, "clone"))
		}},
		{"with settings that have git look at files in another way", func(t *testing.T) *store.Store {
			s := recorded(t)
			for key, value := range map[string]string{
				"core.ignoreCase": "true", "core.fileMode": "false", "core.checkStat": "minimal", "core.trustctime": "false", "core.quotePath": "true",
				"core.preloadIndex": "true", "core.untrackedCache": "true", "diff.relative": "true", "diff.renames": "copies", "status.showUntrackedFiles": "no",
				"core.splitIndex": "true",
			} {
				storetest.Git(t, s.Root, "config", key, value)
			}
			return s
		}},
		{"with a linked worktree", func(t *testing.T) *store.Store { return storetest.Open(t, storetest.LinkWorktree(t, recorded(t).Root)) }},
		{"with a partial clone", func(t *testing.T) *store.Store {
			origin := recorded(t)
			storetest.Git(t, origin.Root, "config", "uploadpack.allowFilter", "true")
			dir := t.TempDir()
			storetest.Git(t, dir, "clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(origin.Root), "clone")
			return storetest.Open(t, filepath.Join(dir, "clone"))
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := row.make(t)
			storetest.Git(t, s.Worktree, "config", "user.name", "Test User")
			storetest.Git(t, s.Worktree, "config", "user.email", "test@example.com")
			for _, opts := range []snapshot.CheckOptions{{Base: "HEAD"}, {Base: "HEAD", Staged: true}, {Base: "HEAD", Commit: "HEAD"}} {
				if c := check(t, s, opts); len(c.Findings) > 0 || c.Base == "" || len(c.Tree.Tasks) != 1 {
					t.Errorf("%+v finds %s in %d tasks", opts, report(c.Findings), len(c.Tree.Tasks))
				}
			}
			storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), storetest.TaskText("PROJ-2", "deps: [PROJ-9]"))
			storetest.Git(t, s.Worktree, "add", "-A", "--sparse")
			storetest.Git(t, s.Worktree, "commit", "-q", "-m", "a change")
			for _, opts := range []snapshot.CheckOptions{{Base: "HEAD~1"}, {Base: "HEAD~1", Staged: true}, {Base: "HEAD~1", Commit: "HEAD"}} {
				if c := check(t, s, opts); len(c.Findings) != 1 || c.Findings[0].Rule != proof.DanglingDep.ID {
					t.Errorf("%+v finds %s", opts, report(c.Findings))
				}
			}
		})
	}
}

// Without git, or with one that refuses, the files are judged alone, and that is said. Who names a base is not content
// with it.
func TestCheckWithoutGit(t *testing.T) {
	s := recorded(t)
	storetest.WriteTask(t, s, "PROJ-2", "deps: [PROJ-9]")
	t.Setenv("PATH", t.TempDir())
	c := check(t, s, snapshot.CheckOptions{})
	if len(c.Findings) != 1 || !strings.Contains(c.Note, "there is no git") {
		t.Errorf("finds %s, and says %q", report(c.Findings), c.Note)
	}
	ci := func(name string) string { return map[string]string{"GITHUB_BASE_REF": "main"}[name] }
	for _, opts := range []snapshot.CheckOptions{{Base: "HEAD"}, {Staged: true}, {Commit: "HEAD"}, {Getenv: ci}} {
		_, err := snapshot.Check(t.Context(), s.Layout, opts)
		storetest.WantCode(t, err, record.Git)
	}
}

func TestCheckNamesWhatWasClosed(t *testing.T) {
	s := recorded(t)
	storetest.WriteTask(t, s, "PROJ-2")
	storetest.CommitAll(t, s)
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-2"), strings.Replace(storetest.TaskText("PROJ-2"), "backlog", "done", 1))
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-3"), strings.Replace(storetest.TaskText("PROJ-3"), "backlog", "canceled", 1))
	if got := check(t, s, snapshot.CheckOptions{Base: "HEAD"}).Closed; !slices.Equal(got, []record.ID{"PROJ-2"}) {
		t.Errorf("closed are %q", got)
	}
}
