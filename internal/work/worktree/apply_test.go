package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// patchOf is the patch between two contents of a file, as an agent may write it: without the ids of objects.
const replaceTwo = "--- a/app.txt\n+++ b/app.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"

func added(path, mode, line string) string {
	return "diff --git a/" + path + " b/" + path + "\nnew file mode " + mode + "\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+" + line + "\n"
}

// A patch changes the work tree and stages that; it fits also where the branch has gone on elsewhere in the file.
func TestSlowApply(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.make("PROJ-1")
	put(t, tree.Path, "mine.txt", "uncommitted\n")
	storetest.WantCode(t, f.w.Apply(t.Context(), tree, []byte(replaceTwo+added("new/b.txt", "100644", "b"))), "")
	if read(t, tree.Path, "app.txt") != "one\n2\nthree\n" || read(t, tree.Path, "new/b.txt") != "b\n" || read(t, tree.Path, "mine.txt") != "uncommitted\n" {
		t.Error("it was not applied")
	}
	if status := f.in(tree, "status", "--porcelain"); status != "M  app.txt\nA  new/b.txt\n?? mine.txt" {
		t.Errorf("status %q", status)
	}
	diff, err := storetest.TryGit(tree.Path, "diff", "--cached", "--full-index", "HEAD", "--", "app.txt")
	if err != nil {
		t.Fatal(err)
	}
	other := f.make("PROJ-2")
	put(t, other.Path, "app.txt", "zero\nnull\none\ntwo\nthree\n")
	f.commitIn(other)
	storetest.WantCode(t, f.w.Apply(t.Context(), other, []byte(diff)), "")
	if got := read(t, other.Path, "app.txt"); got != "zero\nnull\none\n2\nthree\n" {
		t.Errorf("three ways: %q", got)
	}
}

// A patch that does not fit, or that touches what no patch may, leaves the work tree as it was.
func TestSlowApplyRefused(t *testing.T) {
	slowtest.Skip(t)
	outside := t.TempDir()
	for name, tt := range map[string]struct {
		patch string
		code  record.Code
	}{
		"does not fit":      {strings.Replace(replaceTwo, "-two", "-deux", 1), record.Conflict},
		"a part fits":       {added("ok.txt", "100644", "x") + strings.Replace(replaceTwo, "-two", "-deux", 1), record.Conflict},
		"a missing file":    {strings.ReplaceAll(replaceTwo, "app.txt", "none.txt"), record.Conflict},
		"there already":     {added("app.txt", "100644", "x"), record.Conflict},
		"no patch":          {"I changed the second line.\n", record.InvalidInput},
		"nothing":           {"", record.InvalidInput},
		"cut off":           {replaceTwo[:len(replaceTwo)-8], record.InvalidInput},
		"out of the tree":   {added("../out.txt", "100644", "x"), record.InvalidInput},
		"far out":           {added("a/../../out.txt", "100644", "x"), record.InvalidInput},
		"into .git":         {added(".git/hooks/post-checkout", "100755", "x"), record.InvalidInput},
		"into .GIT":         {added("sub/.GIT/config", "100644", "x"), record.InvalidInput},
		"into .cairn":       {added(".cairn/tasks/PROJ-7.md", "100644", "x"), record.InvalidInput},
		"into .Cairn":       {added("web/.Cairn/config.yaml", "100644", "x"), record.InvalidInput},
		"a record":          {"--- a/.cairn/tasks/PROJ-1.md\n+++ b/.cairn/tasks/PROJ-1.md\n@@ -2,3 +2,3 @@\n id: PROJ-1\n-title: Task PROJ-1\n+title: Mine\n status: backlog\n", record.InvalidInput},
		"a link":            {strings.Replace(added("link", "120000", "/etc"), "+/etc\n", "+/etc\n\\ No newline at end of file\n", 1), record.InvalidInput},
		"behind a link":     {added("out/x.txt", "100644", "x"), record.InvalidInput},
		"behind a loose":    {added("loose/x.txt", "100644", "x"), record.Conflict},
		"over a file":       {added("untracked.txt", "100644", "x"), record.Conflict},
		"over a change":     {strings.ReplaceAll(replaceTwo, "app.txt", "dirty.txt"), record.Conflict},
		"a submodule":       {"diff --git a/sub b/sub\nnew file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 1234567890123456789012345678901234567890\n", record.InvalidInput},
		"becomes a link":    {"diff --git a/app.txt b/app.txt\nold mode 100644\nnew mode 120000\n", record.Conflict},
		"a rename into git": {"diff --git a/app.txt b/.git/app.txt\nsimilarity index 100%\nrename from app.txt\nrename to .git/app.txt\n", record.InvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			storetest.Link(t, outside, filepath.Join(f.repo, "out"))
			f.write("dirty.txt", "one\ntwo\nthree\n")
			f.commit()
			tree := f.make("PROJ-1")
			storetest.Link(t, outside, filepath.Join(tree.Path, "loose"))
			put(t, tree.Path, "untracked.txt", "mine\n")
			put(t, tree.Path, "dirty.txt", "one\nmine\nthree\n")
			status := f.in(tree, "status", "--porcelain")
			err := f.w.Apply(t.Context(), tree, []byte(tt.patch))
			storetest.WantCode(t, err, tt.code)
			if now := f.in(tree, "status", "--porcelain"); err == nil || now != status || read(t, tree.Path, "untracked.txt") != "mine\n" || read(t, tree.Path, "dirty.txt") != "one\nmine\nthree\n" {
				t.Errorf("%v: the status was %q, and is %q", err, status, now)
			}
			if left := storetest.NamesIn(t, outside); len(left) > 0 {
				t.Errorf("outside is %v", left)
			}
			for _, name := range storetest.NamesIn(t, f.s.Live.Worktrees()) {
				if strings.HasPrefix(name, ".apply-") {
					t.Errorf("left: %s", name)
				}
			}
		})
	}
}

// A branch is put on the newest base, with the record that was not committed; a conflict changes nothing.
func TestSlowRebase(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.work("PROJ-1", "a.txt", "a\n")
	storetest.WriteTask(t, storetest.Open(t, tree.Root), "PROJ-1", "labels: [noted]")
	f.write("main.txt", "x\n")
	f.commit()
	storetest.WantCode(t, f.w.Rebase(t.Context(), tree, ""), "")
	head := f.git("rev-parse", "main")
	if read(t, tree.Path, "main.txt") != "x\n" || read(t, tree.Path, "a.txt") != "a\n" || f.in(tree, "merge-base", "HEAD", "main") != head || f.in(tree, "status", "--porcelain") != "" {
		t.Errorf("status %q", f.in(tree, "status", "--porcelain"))
	}
	tree, _, err := f.w.Find("PROJ-1")
	if err != nil || tree.BaseCommit != head || f.w.Verify(t.Context(), tree) != nil {
		t.Errorf("begins at %s, %v", tree.BaseCommit, err)
	}
	conflicting(f, tree)
	f.unchanged(t, func() {
		was := f.in(tree, "rev-parse", "HEAD")
		storetest.WantMessage(t, f.w.Rebase(t.Context(), tree, ""), record.RebaseConflict, "app.txt")
		if f.in(tree, "rev-parse", "HEAD") != was || f.in(tree, "status", "--porcelain") != "" || f.in(tree, "branch", "--show-current") != tree.Branch {
			t.Error("it changed the work tree of the task")
		}
	})
	put(t, tree.Path, "more.txt", "x")
	storetest.WantMessage(t, f.w.Rebase(t.Context(), tree, ""), record.Conflict, "more.txt")
	storetest.WantCode(t, f.w.Rebase(t.Context(), tree, "nowhere"), record.InvalidInput)
	f.o.Busy = func(record.ID) string { return "a job works on it" }
	f.open()
	storetest.WantCode(t, f.w.Rebase(t.Context(), tree, ""), record.Busy)
}

// A push carries the branch, again after a rebase, and never over what somebody else pushed.
func TestSlowPush(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.work("PROJ-1", "a.txt", "a\n")
	storetest.WantMessage(t, f.w.Push(t.Context(), tree, ""), record.InvalidInput, "origin")
	origin := f.push(tree)
	at := func() string { return storetest.CommitOf(t, origin, "refs/heads/"+tree.Branch) }
	if at() != f.in(tree, "rev-parse", "HEAD") {
		t.Error("it was not pushed")
	}
	f.write("main.txt", "x\n")
	f.commit()
	storetest.WantCode(t, f.w.Rebase(t.Context(), tree, ""), "")
	storetest.WantCode(t, f.w.Push(t.Context(), tree, "origin"), "")
	if at() != f.in(tree, "rev-parse", "HEAD") {
		t.Error("it was not pushed after the rebase")
	}
	clone := storetest.Mkdir(t, t.TempDir(), "clone")
	storetest.Git(t, clone, "clone", "-q", "-b", tree.Branch, origin, ".")
	storetest.Identify(t, clone)
	put(t, clone, "theirs.txt", "x")
	storetest.Git(t, clone, "add", "theirs.txt")
	storetest.Git(t, clone, "commit", "-q", "-m", "theirs")
	storetest.Git(t, clone, "push", "-q")
	theirs := at()
	put(t, tree.Path, "b.txt", "b")
	f.commitIn(tree)
	storetest.WantCode(t, f.w.Push(t.Context(), tree, ""), record.Conflict)
	if at() != theirs {
		t.Error("what somebody pushed was replaced")
	}
}

// A remote that asks for a password is an error at once, and the user's hook can refuse a push.
func TestSlowPushAsksNothing(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.work("PROJ-1", "a.txt", "a\n")
	f.push(tree)
	trap := filepath.Join(t.TempDir(), "trap")
	put(t, filepath.Dir(trap), "trap", "#!/bin/sh\necho asked >"+trap+".sprung\n")
	hook := filepath.Join(f.repo, ".git", "hooks", "pre-push")
	put(t, filepath.Dir(hook), "pre-push", "#!/bin/sh\ntty -s </dev/tty && exit 0\necho not today >&2\nexit 1\n")
	for _, file := range []string{trap, hook} {
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_ASKPASS", trap)
	t.Setenv("SSH_ASKPASS", trap)
	put(t, tree.Path, "b.txt", "b")
	f.commitIn(tree)
	storetest.WantMessage(t, f.w.Push(t.Context(), tree, ""), record.Git, "not today")
	if _, err := os.Stat(trap + ".sprung"); err == nil {
		t.Error("something asked for a password")
	}
}

// Git repeats the address of a remote that gives no answer. Its credentials stay out of the error, which others read.
func TestSlowPushSaysNoCredentials(t *testing.T) {
	slowtest.Skip(t)
	for _, url := range []string{"git://ada:s3cret@127.0.0.1:1/x.git", "https://127.0.0.1:1/x.git?access_token=s3cret"} {
		f := newField(t)
		tree := f.work("PROJ-1", "a.txt", "a\n")
		storetest.Git(t, f.repo, "remote", "add", "far", url)
		err := f.w.Push(t.Context(), tree, "far")
		storetest.WantMessage(t, err, record.Git, "was not pushed to far: ")
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("of %s it says %v", url, err)
		}
	}
}

// The user's hooks run for the commit of an agent's work, without a terminal, an editor or a signature; one that
// refuses is quoted.
func TestSlowCommitRunsHooks(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.make("PROJ-1")
	for name, text := range map[string]string{
		"pre-commit": "#!/bin/sh\ntest -e refuse && { echo too long >&2; exit 1; }\ngit add formatted.txt\n",
		"commit-msg": "#!/bin/sh\necho 'Reviewed: yes' >>\"$1\"\n",
	} {
		put(t, filepath.Join(f.repo, ".git", "hooks"), name, text)
		if err := os.Chmod(filepath.Join(f.repo, ".git", "hooks", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.git("config", "commit.gpgSign", "true")
	f.git("config", "core.editor", "false")
	f.git("config", "gpg.program", "false")
	put(t, tree.Path, "formatted.txt", "x")
	f.commitIn(tree)
	if message := f.in(tree, "log", "-1", "--format=%B"); !strings.Contains(message, "Reviewed: yes") || !strings.HasPrefix(message, "work on PROJ-1") {
		t.Errorf("the message is %q", message)
	}
	put(t, tree.Path, "refuse", "x")
	_, err := f.w.Commit(t.Context(), tree, "more")
	storetest.WantMessage(t, err, record.Git, "too long")
	if status := f.in(tree, "status", "--porcelain"); status != "A  refuse" {
		t.Errorf("status %q", status)
	}
	if _, err := f.w.Merge(t.Context(), tree, worktree.Merge{}); record.CodeOf(err) != record.Conflict {
		t.Errorf("merged: %v", err)
	}
}

// Without a name and an address to commit with nothing is made, and the hint says how to set them.
func TestNobodyCommits(t *testing.T) {
	f := newField(t)
	f.git("config", "--unset", "user.email")
	_, err := f.w.Make(t.Context(), "PROJ-1", "", "")
	storetest.WantMessage(t, err, record.Git, "who commits here")
	t.Setenv("GIT_AUTHOR_EMAIL", "lee@example.com")
	t.Setenv("GIT_COMMITTER_EMAIL", "lee@example.com")
	f.make("PROJ-1")
}

// Work trees lie outside the repository, and no link leads there.
func TestSlowPlaces(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	target := storetest.RealPath(t, t.TempDir())
	link := filepath.Join(storetest.RealPath(t, t.TempDir()), "link")
	storetest.Link(t, target, link)
	for setting, code := range map[string]record.Code{
		"trees": record.InvalidInput, ".": record.InvalidInput, ".git/trees": record.InvalidInput, f.repo: record.InvalidInput,
		link: record.InvalidInput, filepath.Join(link, "deep"): record.InvalidInput, "../elsewhere": "", filepath.Join(target, "deep", "er"): "",
	} {
		f.o.Setting = setting
		f.open()
		tree, err := f.w.Make(t.Context(), "PROJ-1", "", "")
		storetest.WantCode(t, err, code)
		if err == nil {
			want := setting
			if !filepath.IsAbs(setting) {
				want = filepath.Join(f.repo, setting)
			}
			if filepath.Dir(filepath.Dir(tree.Path)) != want {
				t.Errorf("%s: it lies in %s", setting, tree.Path)
			}
			storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), "")
		}
	}
	dir := filepath.Join(filepath.Dir(f.repo), ".shop-worktrees")
	storetest.Link(t, target, dir)
	f.o.Setting = ""
	f.open()
	_, err := f.w.Make(t.Context(), "PROJ-1", "", "")
	storetest.WantCode(t, err, record.InvalidInput)
}

// A branch of the task that is there already is taken up, unless it is checked out elsewhere; bases and commits must
// exist.
func TestMakeOnWhatIsThere(t *testing.T) {
	f := newField(t)
	f.git("branch", "cairn/PROJ-1")
	f.write("main.txt", "x")
	f.commit()
	if tree := f.make("PROJ-1"); f.in(tree, "rev-parse", "HEAD") != f.git("rev-parse", "main") {
		t.Error("a branch that was behind was not moved forward")
	}
	f.git("worktree", "add", "-q", "-b", "cairn/PROJ-2", filepath.Join(t.TempDir(), "mine"))
	_, err := f.w.Make(t.Context(), "PROJ-2", "", "")
	storetest.WantMessage(t, err, record.Conflict, "checked out")
	for _, tt := range [][2]string{{"nowhere", ""}, {"", "nowhere"}, {"--all", ""}, {"", "--all"}, {"origin/main", ""}} {
		_, err := f.w.Make(t.Context(), "PROJ-3", tt[0], tt[1])
		storetest.WantCode(t, err, record.InvalidInput)
	}
	f.git("switch", "-q", "--detach")
	_, err = f.w.Make(t.Context(), "PROJ-3", "", "")
	storetest.WantCode(t, err, record.InvalidInput)
	if _, err := f.w.Make(t.Context(), "../PROJ-3", "main", ""); err == nil {
		t.Error("a path passes as an id")
	}
}

// What a kill left of a work tree that was being made is taken away, and it is made again.
func TestSlowMakingThatWasKilled(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.make("PROJ-1")
	file := filepath.Join(f.s.Live.Worktrees(), "PROJ-1.json")
	storetest.WriteFile(t, file, strings.Replace(storetest.ReadFile(t, file), `"ready": true`, `"ready": false`, 1))
	storetest.Remove(t, filepath.Join(tree.Path, "app.txt"))
	put(t, f.repo, ".git/worktrees/PROJ-1/locked", "initializing")
	if _, ok, err := f.w.Find("PROJ-1"); ok || err != nil {
		t.Errorf("found: %v", err)
	}
	again := f.make("PROJ-1")
	if read(t, again.Path, "app.txt") == "" {
		t.Error("it was not made anew")
	}
	storetest.WantCode(t, f.w.Verify(t.Context(), again), "")
}
