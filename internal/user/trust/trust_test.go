package trust_test

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A clone is trusted where, and as long as, this user said so.
func TestTrust(t *testing.T) {
	for _, kind := range []struct {
		name string
		root func(t *testing.T) string
	}{
		{"outside git", func(t *testing.T) string { return t.TempDir() }},
		{"in a repository", func(t *testing.T) string { return storetest.NewRepo(t) }},
		{"in a folder of a repository", func(t *testing.T) string { return storetest.Mkdir(t, storetest.NewRepo(t), "web") }},
		{"where the git folder lies elsewhere", separateRepo},
	} {
		t.Run(kind.name, func(t *testing.T) {
			s := storetest.NewAt(t, kind.root(t))
			wantTrusted(t, s, false)
			giveTrust(t, s)
			wantTrusted(t, storetest.Open(t, s.Root), true)
			giveTrust(t, s)
			wantRevoked(t, s.Root, 1)
			wantTrusted(t, storetest.Open(t, s.Root), false)
			wantRevoked(t, s.Root, 0)
			storetest.WantClean(t, s)
		})
	}
}

func TestTrustHoldsForThisCloneOnly(t *testing.T) {
	for _, c := range []struct {
		name string
		want bool
		make func(t *testing.T) string // makes clones, trusts one, and returns the workspace that is asked about
	}{
		{"a linked worktree shares it", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			return storetest.LinkWorktree(t, repo)
		}},
		{"a linked worktree that git moved shares it still", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			linked, moved := storetest.LinkWorktree(t, repo), filepath.Join(t.TempDir(), "moved")
			storetest.Git(t, repo, "worktree", "move", linked, moved)
			return moved
		}},
		{"one that was moved by hand does not", false, func(t *testing.T) string {
			linked := storetest.LinkWorktree(t, trustedRepo(t))
			return storetest.MoveAway(t, linked)
		}},
		{"until git knows of it", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			moved := storetest.MoveAway(t, storetest.LinkWorktree(t, repo))
			storetest.Git(t, repo, "worktree", "repair", moved)
			return moved
		}},
		{"another workspace of the repository does not", false, func(t *testing.T) string {
			return storetest.Mkdir(t, trustedRepo(t), "web")
		}},
		{"a submodule does not share what was said of the repository around it", false, func(t *testing.T) string {
			return storetest.AddSubmodule(t, trustedRepo(t))
		}},
		{"nor that repository what was said of the submodule", false, func(t *testing.T) string {
			repo := storetest.NewRepo(t)
			giveTrust(t, storetest.NewAt(t, storetest.AddSubmodule(t, repo)))
			return repo
		}},
		{"a submodule is trusted by itself", true, func(t *testing.T) string {
			sub := storetest.AddSubmodule(t, storetest.NewRepo(t))
			giveTrust(t, storetest.NewAt(t, sub))
			return sub
		}},
		{"a new clone at the old path does not", false, func(t *testing.T) string {
			repo := trustedRepo(t)
			storetest.RemoveAll(t, repo)
			storetest.Git(t, filepath.Dir(repo), "clone", "-q", storetest.NewRepo(t), repo)
			return repo
		}},
		{"a clone that was moved does not", false, func(t *testing.T) string {
			return storetest.MoveAway(t, trustedRepo(t))
		}},
		{"once moved back it is what it was", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			storetest.Rename(t, storetest.MoveAway(t, repo), repo)
			return repo
		}},
		{"a copy with all that git keeps does not", false, func(t *testing.T) string {
			return copyOf(t, trustedRepo(t))
		}},
		{"a copy outside git, with the live state in it, does not", false, func(t *testing.T) string {
			return copyOf(t, trustedFolder(t))
		}},
		{"a copy in the place of the original does, as a backup that was restored", true, func(t *testing.T) string {
			folder := trustedFolder(t)
			backup := copyOf(t, folder)
			storetest.RemoveAll(t, folder)
			storetest.Rename(t, backup, folder)
			return folder
		}},
		{"files that bring the id of those that lay there before do not", false, func(t *testing.T) string {
			archive := t.TempDir()
			id := trust.CloneID(storetest.NewAt(t, archive).Live)
			storetest.WriteFile(t, id, "KNOWN\n")
			first := copyOf(t, archive)
			giveTrust(t, storetest.Open(t, first))
			storetest.RemoveAll(t, first)
			storetest.Rename(t, copyOf(t, archive), first)
			return first
		}},
		{"a .git file that names the git folder of a trusted clone does not", false, func(t *testing.T) string {
			dir := t.TempDir()
			storetest.WriteFile(t, filepath.Join(dir, ".git"), "gitdir: "+filepath.Join(trustedRepo(t), ".git")+"\n")
			return dir
		}},
		{"nor a link in place of .git", false, func(t *testing.T) string {
			repo, dir := trustedRepo(t), t.TempDir()
			if err := os.Symlink(filepath.Join(repo, ".git"), filepath.Join(dir, ".git")); err != nil {
				t.Skip(err)
			}
			return dir
		}},
	} {
		t.Run(c.name, func(t *testing.T) { wantTrusted(t, storetest.NewAt(t, c.make(t)), c.want) })
	}
}

// A folder that names a git folder which is not its own borrows nothing of the clone that it belongs to: neither its
// trust nor its live state. Where git's own files say that it is somebody else's it is refused.
func TestSlowGitFoldersOfOthers(t *testing.T) {
	slowtest.Skip(t)
	gitFile := func(t *testing.T, names string) string {
		dir := t.TempDir()
		storetest.WriteFile(t, filepath.Join(dir, ".git"), "gitdir: "+names+"\n")
		return dir
	}
	gitFolder := func(t *testing.T, dir, common, worktree string) {
		storetest.WriteFile(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
		storetest.WriteFile(t, filepath.Join(dir, "commondir"), common+"\n")
		storetest.WriteFile(t, filepath.Join(dir, "gitdir"), filepath.Join(worktree, ".git")+"\n")
	}
	for _, c := range []struct {
		name    string
		refused bool
		make    func(t *testing.T, victim string) string
	}{
		{"a .git file that names the folder of a clone", false, func(t *testing.T, victim string) string {
			return gitFile(t, filepath.Join(victim, ".git"))
		}},
		{"the same by a relative path", false, func(t *testing.T, victim string) string {
			dir := gitFile(t, "")
			rel, err := filepath.Rel(storetest.RealPath(t, dir), storetest.RealPath(t, filepath.Join(victim, ".git")))
			if err != nil {
				t.Fatal(err)
			}
			storetest.WriteFile(t, filepath.Join(dir, ".git"), "gitdir: "+rel+"\n")
			return dir
		}},
		{"a link to the folder of a clone", false, func(t *testing.T, victim string) string {
			dir := t.TempDir()
			if err := os.Symlink(filepath.Join(victim, ".git"), filepath.Join(dir, ".git")); err != nil {
				t.Skip(err)
			}
			return dir
		}},
		{"a .git file that names the folder of a submodule", false, func(t *testing.T, victim string) string {
			giveTrust(t, storetest.NewAt(t, storetest.AddSubmodule(t, victim)))
			return gitFile(t, filepath.Join(victim, ".git", "modules", "sub"))
		}},
		{"a .git file that names the folder of a linked worktree", true, func(t *testing.T, victim string) string {
			storetest.LinkWorktree(t, victim)
			return gitFile(t, filepath.Join(victim, ".git", "worktrees", "linked"))
		}},
		{"a copy of a linked worktree", true, func(t *testing.T, victim string) string {
			return copyOf(t, storetest.LinkWorktree(t, victim))
		}},
		{"a commondir in the .git folder that names a clone", true, func(t *testing.T, victim string) string {
			dir := t.TempDir()
			gitFolder(t, filepath.Join(dir, ".git"), filepath.Join(victim, ".git"), dir)
			return dir
		}},
		{"a commondir in a folder that a .git file names", true, func(t *testing.T, victim string) string {
			dir := gitFile(t, "meta/worktrees/x")
			gitFolder(t, filepath.Join(dir, "meta", "worktrees", "x"), filepath.Join(victim, ".git"), dir)
			return dir
		}},
		{"a commondir that leads there through a link", true, func(t *testing.T, victim string) string {
			dir := gitFile(t, "meta/worktrees/x")
			gitFolder(t, filepath.Join(dir, "meta", "worktrees", "x"), "../../common", dir)
			if err := os.Symlink(filepath.Join(victim, ".git"), filepath.Join(dir, "meta", "common")); err != nil {
				t.Skip(err)
			}
			return dir
		}},
		{"a commondir that names the git folder of a linked worktree", true, func(t *testing.T, victim string) string {
			storetest.LinkWorktree(t, victim)
			dir := t.TempDir()
			gitFolder(t, filepath.Join(dir, ".git"), filepath.Join(victim, ".git", "worktrees", "linked"), dir)
			return dir
		}},
		{"a commondir in the worktrees of a folder below a clone's", true, func(t *testing.T, victim string) string {
			dir := gitFile(t, filepath.Join(victim, "vendor", "worktrees", "x"))
			gitFolder(t, filepath.Join(victim, "vendor", "worktrees", "x"), filepath.Join(victim, ".git"), dir)
			return dir
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			victim := trustedRepo(t)
			before := storetest.Open(t, victim)
			dir := c.make(t, victim)
			l, err := layout.At(dir)
			if c.refused {
				if record.CodeOf(err) != record.Git {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !before.Trusted() || l.Live == before.Live {
				t.Errorf("shares the live state %s", l.Live)
			}
			for _, common := range []string{l.Repo.CommonDir, before.Repo.CommonDir} { // nor that of anybody in there
				for _, rel := range []string{".", "sub"} {
					if string(l.Live) == filepath.Join(common, "cairn", layout.Name(rel)) {
						t.Errorf("shares the live state %s", l.Live)
					}
				}
			}
			wantTrusted(t, storetest.NewAt(t, dir), false)
		})
	}
}

// A consent counts only if nobody but the user can have written it. What is damaged is no consent, and says so or is
// repaired when it is given again.
func TestTrustThatCannotBeBelieved(t *testing.T) {
	const others = "others than this user may write to"
	for _, c := range []struct {
		name    string
		damage  func(t *testing.T, file string)
		refusal string // of giving it again; "" if that repairs it
	}{
		{"of another path", func(t *testing.T, file string) { storetest.WriteFile(t, file, `{"path": "/elsewhere"}`) }, ""},
		{"empty", func(t *testing.T, file string) { storetest.WriteFile(t, file, "") }, ""},
		{"no JSON", func(t *testing.T, file string) { storetest.WriteFile(t, file, "yes") }, ""},
		{"a folder", func(t *testing.T, file string) {
			storetest.Mkdir(t, filepath.Dir(file), filepath.Base(storetest.MoveAway(t, file)))
		}, ""},
		{"a link to a consent", func(t *testing.T, file string) {
			if err := os.Symlink(storetest.MoveAway(t, file), file); err != nil {
				t.Skip(err)
			}
		}, ""},
		{"not to be read", func(t *testing.T, file string) { chmod(t, file, 0o200); rootReads(t) }, ""},
		{"that the group may write to", func(t *testing.T, file string) { chmod(t, file, 0o664) }, ""},
		{"in a folder that the group may write to", func(t *testing.T, file string) { chmod(t, filepath.Dir(file), 0o770) }, others},
		{"in a folder that everybody may write to", func(t *testing.T, file string) { chmod(t, filepath.Dir(file), 0o777) }, others},
	} {
		t.Run(c.name, func(t *testing.T) {
			stateDir := t.TempDir()
			s, err := store.Open(storetest.NewAt(t, t.TempDir()).Root, stateDir)
			storetest.WantCode(t, err, "")
			giveTrust(t, s)
			name, err := trust.NameOf(s.Live)
			storetest.WantCode(t, err, "")
			c.damage(t, filepath.Join(stateDir, "trust", name))
			wantTrusted(t, s, false)
			if c.refusal == "" {
				giveTrust(t, s)
				wantTrusted(t, s, true)
				return
			}
			storetest.WantMessage(t, s.SetTrust("human:lee", storetest.Noon), record.IO, c.refusal)
			_, err = trust.Consents(stateDir)
			storetest.WantMessage(t, err, record.IO, c.refusal)
		})
	}
}

// A state folder that is no full path would lie in the repository, for anybody to fill.
func TestTrustNeedsAFolderOfTheUsersOwn(t *testing.T) {
	for name, stateDir := range map[string]string{"none": "", "a relative one": "state"} {
		t.Run(name, func(t *testing.T) {
			s, err := store.Open(storetest.NewAt(t, t.TempDir()).Root, stateDir)
			storetest.WantCode(t, err, "")
			wantTrusted(t, s, false)
			storetest.WantMessage(t, s.SetTrust("human:lee", storetest.Noon), record.IO, "no folder to keep consent in")
			_, err = trust.Consents(stateDir)
			storetest.WantCode(t, err, record.IO)
		})
	}
}

// Another user of the machine has given no consent.
func TestTrustIsOneUsers(t *testing.T) {
	s := storetest.NewAt(t, trustedFolder(t))
	other, err := store.Open(s.Root, t.TempDir())
	storetest.WantCode(t, err, "")
	wantTrusted(t, other, false)
}

// The list says of each consent what has become of the clone, and each can be taken back, the clone gone or not.
func TestConsents(t *testing.T) {
	state := t.TempDir()
	repos := map[trust.ConsentState]string{}
	for _, what := range []trust.ConsentState{trust.Standing, trust.Gone, trust.Replaced} {
		repos[what] = storetest.NewRepo(t)
		storetest.NewAt(t, repos[what])
		s, err := store.Open(repos[what], state)
		storetest.WantCode(t, err, "")
		giveTrust(t, s)
	}
	storetest.RemoveAll(t, repos[trust.Gone])
	storetest.RemoveAll(t, repos[trust.Replaced])
	storetest.Git(t, filepath.Dir(repos[trust.Replaced]), "init", "-q", repos[trust.Replaced])
	storetest.WriteFile(t, trust.CloneID(storetest.NewAt(t, repos[trust.Replaced]).Live), "ANOTHER\n")
	storetest.WriteFile(t, filepath.Join(state, "trust", "stray.json"), "{}")

	all, err := trust.Consents(state)
	storetest.WantCode(t, err, "")
	if len(all) != len(repos) {
		t.Errorf("got %d, want %d", len(all), len(repos))
	}
	for _, c := range all {
		if c.Actor != "human:lee" || !c.At.Equal(storetest.Noon) || c.Workspace != repos[c.State] {
			t.Errorf("lists %+v", c)
		}
	}
	for what, repo := range repos {
		t.Run(string(what), func(t *testing.T) {
			revoked, err := trust.Revoke(state, repo)
			if err != nil || len(revoked) != 1 || revoked[0].State != what {
				t.Errorf("takes back %+v, %v", revoked, err)
			}
		})
	}
	if left, err := trust.Consents(state); err != nil || len(left) != 0 {
		t.Errorf("left are %+v, %v", left, err)
	}
}

// A path that is gone is never taken for the workspace above it.
func TestRevokeOfAPathBelowAWorkspace(t *testing.T) {
	s := storetest.NewAt(t, trustedFolder(t))
	wantRevoked(t, filepath.Join(s.Root, "gone"), 0)
	wantTrusted(t, s, true)
	wantRevoked(t, storetest.Mkdir(t, s.Root, "src"), 1)
	wantTrusted(t, s, false)
}

// Trust lies outside the repository: giving it changes nothing that could be committed.
func TestTrustIsNotInTheRepository(t *testing.T) {
	repo := storetest.NewRepo(t)
	s := storetest.NewAt(t, repo)
	before := storetest.Files(t, filepath.Join(repo, layout.Folder))
	giveTrust(t, s)
	if after := storetest.Files(t, filepath.Join(repo, layout.Folder)); !maps.Equal(before, after) {
		t.Errorf("changed %v", storetest.Changed(before, after))
	}
}

// giveTrust lets the commands of a workspace run.
func giveTrust(t *testing.T, s *store.Store) {
	t.Helper()
	storetest.WantCode(t, s.SetTrust(record.Actor("human:lee"), storetest.Noon), "")
}

func wantTrusted(t *testing.T, s *store.Store, want bool) {
	t.Helper()
	if got := s.Trusted(); got != want {
		t.Errorf("%s is trusted: %v, want %v", s.Root, got, want)
	}
}

func wantRevoked(t *testing.T, path string, want int) {
	t.Helper()
	revoked, err := trust.Revoke(storetest.StateDir(), path)
	if err != nil || len(revoked) != want {
		t.Errorf("revoked %d (%v), want %d", len(revoked), err, want)
	}
}

func trustedRepo(t *testing.T) string {
	t.Helper()
	repo := storetest.NewRepo(t)
	giveTrust(t, storetest.NewAt(t, repo))
	return repo
}

// trustedFolder is a workspace outside git.
func trustedFolder(t *testing.T) string {
	t.Helper()
	dir := storetest.Mkdir(t, t.TempDir(), "folder")
	giveTrust(t, storetest.NewAt(t, dir))
	return dir
}

// separateRepo is a work tree whose git folder lies somewhere else and does not know it.
func separateRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "git"))
	return dir
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions here")
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// rootReads skips a test that permissions do not hold up.
func rootReads(t *testing.T) {
	t.Helper()
	if storetest.AsRoot() {
		t.Skip("root may read everything")
	}
}

// The commands of a consent are only ever added to: by several processes at once, and behind a line that a kill has cut.
// A file that others may write to holds none.
func TestCommandsOfAConsent(t *testing.T) {
	stateDir := t.TempDir()
	s, err := store.Open(storetest.NewAt(t, t.TempDir()).Root, stateDir)
	storetest.WantCode(t, err, "")
	given := func() trust.Given { return trust.Of(s.Layout, stateDir) }
	storetest.WantCode(t, given().Add("early"), "")
	giveTrust(t, s)
	name, err := trust.NameOf(s.Live)
	storetest.WantCode(t, err, "")
	file := filepath.Join(stateDir, "trust", strings.TrimSuffix(name, ".json")+".commands")

	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			if err := given().Add(strconv.Itoa(i), "all"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	storetest.Append(t, file, "cut")
	storetest.WantCode(t, given().Add("last", "last"), "")
	known := given().Commands()
	for _, want := range []string{"0", "19", "all", "last"} {
		if !known[want] {
			t.Errorf("%q is not known: %v", want, known)
		}
	}
	if len(known) != 23 || known["early"] || known[""] {
		t.Errorf("got %v", known)
	}
	before, err := os.Stat(file)
	storetest.WantCode(t, err, "")
	storetest.WantCode(t, given().Add("0", "last"), "")
	if after, err := os.Stat(file); err != nil || after.Size() != before.Size() {
		t.Errorf("what is known is written again: %v, %v", after, err)
	}

	if runtime.GOOS != "windows" {
		chmod(t, file, 0o666)
		storetest.WantCode(t, given().Add("more"), record.IO)
		if known := given().Commands(); len(known) > 0 {
			t.Errorf("others may write to it, and it holds %v", known)
		}
	}
}
