package store_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// Consent is to a command by what it would run: another line, folder or repository is another command.
func TestConsentIsByContent(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteFile(t, s.ConfigFile(), "prefix: PROJ\nrepos:\n  - {name: site, path: ../site}\n")
	s = storetest.Open(t, s.Root)
	given := task.Check{Desc: "tests", Cmd: "make test", Cwd: "web", Timeout: 5}
	storetest.WantCode(t, s.SetTrust("human:lee", storetest.Noon), "")
	wantUnapproved(t, s, true, given)
	storetest.WantCode(t, s.Approve(s.CommandsOf("PROJ-1", given)), "")
	wantUnapproved(t, s, false, given)

	with := func(change func(*task.Check)) task.Check { c := given; change(&c); return c }
	wantUnapproved(t, s, false, with(func(c *task.Check) { c.Desc, c.Timeout, c.Cwd = "all of them", 60, "./web/" }))
	for _, other := range []task.Check{
		with(func(c *task.Check) { c.Cmd = "make test " }),
		with(func(c *task.Check) { c.Cwd = "" }),
		with(func(c *task.Check) { c.Repo = "site" }),
	} {
		wantUnapproved(t, s, true, other)
	}

	there := with(func(c *task.Check) { c.Repo = "site" })
	storetest.WantCode(t, s.Approve(s.CommandsOf("PROJ-1", there)), "")
	wantUnapproved(t, s, false, there)
	storetest.WriteFile(t, s.ConfigFile(), "prefix: PROJ\nrepos:\n  - {name: site, path: ../elsewhere}\n")
	wantUnapproved(t, storetest.Open(t, s.Root), true, there)
}

// Consent to a command counts while the clone is trusted. When trust is taken back and given again none of it is left.
func TestConsentEndsWithTrust(t *testing.T) {
	stateDir, c := t.TempDir(), task.Check{Cmd: "make"}
	s, err := store.Open(storetest.New(t).Root, stateDir)
	storetest.WantCode(t, err, "")
	storetest.WantCode(t, s.Approve(s.CommandsOf("PROJ-1", c)), "")
	wantUnapproved(t, s, true, c)
	storetest.WantCode(t, s.SetTrust("human:lee", storetest.Noon), "")
	wantUnapproved(t, s, true, c)
	storetest.WantCode(t, s.Approve(s.CommandsOf("PROJ-1", c)), "")
	wantUnapproved(t, s, false, c)
	revoked, err := trust.Revoke(stateDir, s.Root)
	if err != nil || len(revoked) != 1 {
		t.Fatalf("revoked %v, %v", revoked, err)
	}
	if left, err := filepath.Glob(filepath.Join(stateDir, "trust", "*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	wantUnapproved(t, s, true, c)
	storetest.WantCode(t, s.SetTrust("human:lee", storetest.Noon), "")
	wantUnapproved(t, s, true, c)
}

// Each work tree that git registered shares the consent of its clone.
func TestConsentIsTheClones(t *testing.T) {
	repo := storetest.NewRepo(t)
	s, c := storetest.NewAt(t, repo), task.Check{Cmd: "make"}
	storetest.WantCode(t, s.SetTrust("human:lee", storetest.Noon), "")
	there := storetest.NewAt(t, storetest.LinkWorktree(t, repo))
	storetest.WantCode(t, there.Approve(there.CommandsOf("PROJ-1", c)), "")
	wantUnapproved(t, s, false, c)
}

// What the writer of a task declares is written by them; what it had before, and what comes from the config or a
// template, is not. A command to which the user consented moves with its task.
func TestWritten(t *testing.T) {
	s := storetest.New(t)
	storetest.WantCode(t, s.SetTrust("human:lee", storetest.Noon), "")
	check := func(cmd string) task.Check { return task.Check{Desc: cmd, Cmd: cmd} }
	storetest.WantCode(t, s.Approve(s.CommandsOf("PROJ-1", check("known"))), "")
	had := task.Task{ID: "PROJ-1", Checks: []task.Check{check("known"), check("theirs")}}
	want := func(name string, before, after task.Task, declared []task.Check, cmds ...string) {
		t.Helper()
		got := s.Written(t.Context(), before, after, declared)
		if len(got) != len(cmds) {
			t.Errorf("%s: got %v, want %v", name, got, cmds)
		}
		for i, c := range got {
			if i < len(cmds) && c.Cmd != cmds[i] {
				t.Errorf("%s: got %v, want %v", name, got, cmds)
			}
		}
	}
	made := task.Task{ID: "PROJ-2", Checks: []task.Check{check("own"), check("default"), {Desc: "manual"}}}
	want("a new task", task.Task{}, made, []task.Check{check("own"), {Desc: "manual"}}, "own")
	more := had
	more.Checks = append(more.Checks[:2:2], check("own"))
	want("checks that are declared again", had, more, more.Checks, "own")
	want("another repository", had, had.InRepo("site"), nil, "known")
	made.Repo = "site"
	want("a new task of another repository", task.Task{}, made, []task.Check{check("own")}, "own")
	if got := s.Written(t.Context(), task.Task{}, made, made.Checks); got[0].Repo != "site" {
		t.Errorf("a new task of another repository has written %+v", got[0])
	}
}

func wantUnapproved(t *testing.T, s *store.Store, want bool, c task.Check) {
	t.Helper()
	if got := len(s.Unapproved(t.Context(), s.CommandsOf("PROJ-1", c, c))); (got == 1) != want || got > 1 {
		t.Errorf("of %+v %d may not run, want it: %v", c, got, want)
	}
}

// The commands run that stand in the files of the branch which the user names, in the config too, as it was fetched last.
// One that ran goes on to run. Those of another branch do not, be it one of the clone's own of the same name.
func TestTrustFrom(t *testing.T) {
	repo := storetest.NewRepo(t)
	s, check := storetest.NewAt(t, repo), func(cmd string) task.Check { return task.Check{Cmd: cmd} }
	commit := func(ref string) {
		t.Helper()
		storetest.Git(t, repo, "add", "--all")
		storetest.Git(t, repo, "commit", "-q", "-m", ref)
		storetest.Git(t, repo, "update-ref", ref, "HEAD")
	}
	storetest.WriteFile(t, s.ConfigFile(),
		"prefix: PROJ\ndefault_checks:\n  - {desc: lint, cmd: make lint}\nworktree_setup: make deps\n")
	storetest.WriteTask(t, s, "PROJ-1", "checks:", "  - {desc: tests, cmd: make test}")
	storetest.WriteFile(t, s.Abs(".cairn/tasks/PROJ-2.md"), "no task")
	commit("refs/remotes/origin/main")
	storetest.Git(t, repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	storetest.WriteTask(t, s, "PROJ-3", "checks:", "  - {desc: tests, cmd: make evil}")
	commit("refs/remotes/origin/evil")
	storetest.Git(t, repo, "branch", "origin/main")
	storetest.Git(t, repo, "tag", "origin/main")

	storetest.WantCode(t, s.SetTrust("human:lee", storetest.Noon), "")
	all := []task.Check{check("make lint"), check("make deps"), check("make test"), check("make evil")}
	for _, c := range all {
		wantUnapproved(t, s, true, c)
	}
	for _, name := range []string{"main", "refs/remotes/origin/main", "origin/gone", "", "-x"} {
		_, err := s.RemoteBranch(t.Context(), name)
		storetest.WantCode(t, err, record.InvalidInput)
	}
	for _, name := range []string{"origin", "origin/HEAD", "origin/main"} {
		if branch, err := s.RemoteBranch(t.Context(), name); err != nil || branch != "origin/main" {
			t.Errorf("%s is %s, %v", name, branch, err)
		}
	}
	storetest.WantCode(t, s.TrustFrom("origin/main"), "")
	if got := s.TrustedFrom(); got != "origin/main" {
		t.Errorf("got %q", got)
	}
	for i, c := range all {
		wantUnapproved(t, s, i == 3, c)
	}
	storetest.Git(t, repo, "update-ref", "-d", "refs/remotes/origin/main")
	for i, c := range all {
		wantUnapproved(t, s, i == 3, c)
	}
	storetest.WantCode(t, s.TrustFrom(""), "")
	if got := s.TrustedFrom(); got != "" {
		t.Errorf("got %q", got)
	}
}

// What asks whether a command may run reads what the user consented to: here 1,000 commands.
func BenchmarkUnapproved(b *testing.B) {
	s := storetest.New(b)
	storetest.WantCode(b, s.SetTrust("human:lee", storetest.Noon), "")
	var checks []task.Check
	for i := range 1000 {
		checks = append(checks, task.Check{Cmd: "make test-" + strconv.Itoa(i)})
	}
	storetest.WantCode(b, s.Approve(s.CommandsOf("PROJ-1", checks...)), "")
	one := s.CommandsOf("PROJ-1", checks[500])
	for b.Loop() {
		if left := s.Unapproved(b.Context(), one); len(left) > 0 {
			b.Fatal(left)
		}
	}
}
