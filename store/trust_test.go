package store

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

// A clone is trusted where, and as long as, this user said so.
func TestTrust(t *testing.T) {
	for _, kind := range []struct {
		name string
		root func(t *testing.T) string
	}{
		{"outside git", func(t *testing.T) string { return t.TempDir() }},
		{"in a repository", func(t *testing.T) string { return newRepo(t) }},
		{"in a folder of a repository", func(t *testing.T) string { return mkdir(t, newRepo(t), "web") }},
		{"where the git folder lies elsewhere", separateRepo},
	} {
		t.Run(kind.name, func(t *testing.T) {
			s := newStoreAt(t, kind.root(t))
			wantTrusted(t, s, false)
			trust(t, s)
			wantTrusted(t, reopen(t, s.Root), true)
			trust(t, s)
			wantRevoked(t, s.Root, 1)
			wantTrusted(t, reopen(t, s.Root), false)
			wantRevoked(t, s.Root, 0)
			verifyClean(t, s)
		})
	}
}

func TestTrustHoldsForThisCloneOnly(t *testing.T) {
	for _, c := range []struct {
		name string
		want bool
		tell func(t *testing.T) string // makes clones, trusts one, and returns the workspace that is asked about
	}{
		{"a linked worktree shares it", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			return linkWorktree(t, repo)
		}},
		{"a linked worktree that git moved shares it still", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			linked, moved := linkWorktree(t, repo), filepath.Join(t.TempDir(), "moved")
			runGit(t, repo, "worktree", "move", linked, moved)
			return moved
		}},
		{"one that was moved by hand does not", false, func(t *testing.T) string {
			linked := linkWorktree(t, trustedRepo(t))
			return moveAway(t, linked)
		}},
		{"until git was told", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			moved := moveAway(t, linkWorktree(t, repo))
			runGit(t, repo, "worktree", "repair", moved)
			return moved
		}},
		{"another workspace of the repository does not", false, func(t *testing.T) string {
			return mkdir(t, trustedRepo(t), "web")
		}},
		{"a submodule does not share what was said of the repository around it", false, func(t *testing.T) string {
			return addSubmodule(t, trustedRepo(t))
		}},
		{"nor that repository what was said of the submodule", false, func(t *testing.T) string {
			repo := newRepo(t)
			trust(t, newStoreAt(t, addSubmodule(t, repo)))
			return repo
		}},
		{"a submodule is trusted by itself", true, func(t *testing.T) string {
			sub := addSubmodule(t, newRepo(t))
			trust(t, newStoreAt(t, sub))
			return sub
		}},
		{"a new clone at the old path does not", false, func(t *testing.T) string {
			repo := trustedRepo(t)
			removeAll(t, repo)
			runGit(t, filepath.Dir(repo), "clone", "-q", newRepo(t), repo)
			return repo
		}},
		{"a clone that was moved does not", false, func(t *testing.T) string {
			return moveAway(t, trustedRepo(t))
		}},
		{"once moved back it is what it was", true, func(t *testing.T) string {
			repo := trustedRepo(t)
			rename(t, moveAway(t, repo), repo)
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
			removeAll(t, folder)
			rename(t, backup, folder)
			return folder
		}},
		{"files that bring the id of those that lay there before do not", false, func(t *testing.T) string {
			archive := t.TempDir()
			id := cloneID(newStoreAt(t, archive).Layout.Live)
			writeFile(t, id, "KNOWN\n")
			first := copyOf(t, archive)
			trust(t, reopen(t, first))
			removeAll(t, first)
			rename(t, copyOf(t, archive), first)
			return first
		}},
		{"a .git file that names the git folder of a trusted clone does not", false, func(t *testing.T) string {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, ".git"), "gitdir: "+filepath.Join(trustedRepo(t), ".git")+"\n")
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
		t.Run(c.name, func(t *testing.T) { wantTrusted(t, newStoreAt(t, c.tell(t)), c.want) })
	}
}

// A folder that names a git folder which is not its own borrows nothing of the clone that it belongs to: neither its trust nor
// its live state. Where git's own files say that it is somebody else's it is refused.
func TestGitFoldersOfOthers(t *testing.T) {
	gitFile := func(t *testing.T, names string) string {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, ".git"), "gitdir: "+names+"\n")
		return dir
	}
	gitFolder := func(t *testing.T, dir, common, worktree string) {
		writeFile(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
		writeFile(t, filepath.Join(dir, "commondir"), common+"\n")
		writeFile(t, filepath.Join(dir, "gitdir"), filepath.Join(worktree, ".git")+"\n")
	}
	for _, c := range []struct {
		name    string
		refused bool
		tell    func(t *testing.T, victim string) string
	}{
		{"a .git file that names the folder of a clone", false, func(t *testing.T, victim string) string {
			return gitFile(t, filepath.Join(victim, ".git"))
		}},
		{"the same by a relative path", false, func(t *testing.T, victim string) string {
			dir := gitFile(t, "")
			rel, err := filepath.Rel(realPath(t, dir), realPath(t, filepath.Join(victim, ".git")))
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, ".git"), "gitdir: "+rel+"\n")
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
			trust(t, newStoreAt(t, addSubmodule(t, victim)))
			return gitFile(t, filepath.Join(victim, ".git", "modules", "sub"))
		}},
		{"a .git file that names the folder of a linked worktree", true, func(t *testing.T, victim string) string {
			linkWorktree(t, victim)
			return gitFile(t, filepath.Join(victim, ".git", "worktrees", "linked"))
		}},
		{"a copy of a linked worktree", true, func(t *testing.T, victim string) string {
			return copyOf(t, linkWorktree(t, victim))
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
			linkWorktree(t, victim)
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
			before := reopen(t, victim)
			dir := c.tell(t, victim)
			layout, err := LayoutAt(dir)
			if c.refused {
				if task.CodeOf(err) != task.Git {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !before.Trusted() || layout.Live == before.Layout.Live {
				t.Errorf("shares the live state %s", layout.Live)
			}
			for _, common := range []string{layout.Repo.CommonDir, before.Repo.CommonDir} { // nor that of anybody in there
				for _, rel := range []string{".", "sub"} {
					if layout.Live == filepath.Join(common, "cairn", nameOf(rel)) {
						t.Errorf("shares the live state %s", layout.Live)
					}
				}
			}
			wantTrusted(t, newStoreAt(t, dir), false)
		})
	}
}

// Where git's own files say whose a git folder is, its worktrees share live state.
func TestWorktreesShareLiveState(t *testing.T) {
	repo := newRepo(t)
	live := func(dir string) string {
		t.Helper()
		layout, err := LayoutAt(dir)
		if err != nil {
			t.Fatal(err)
		}
		return layout.Live
	}
	linked := linkWorktree(t, repo)
	if live(linked) != live(repo) {
		t.Error("a linked worktree does not share it")
	}
	moved := moveAway(t, linked)
	if live(moved) != live(repo) {
		t.Error("one that was moved by hand does not share it")
	}
	rename(t, moved, linked)
	rel, err := filepath.Rel(realPath(t, linked), realPath(t, filepath.Join(repo, ".git", "worktrees", "linked")))
	if err != nil {
		t.Fatal(err)
	}
	back, err := filepath.Rel(realPath(t, filepath.Join(repo, ".git", "worktrees", "linked")), filepath.Join(realPath(t, linked), ".git"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(linked, ".git"), "gitdir: "+filepath.ToSlash(rel)+"\n") // as newer versions of git can write them
	writeFile(t, filepath.Join(repo, ".git", "worktrees", "linked", "gitdir"), filepath.ToSlash(back)+"\n")
	if layout, err := LayoutAt(linked); err != nil || layout.Live != live(repo) || !layout.Repo.Registered() {
		t.Errorf("one with relative paths does not share it (%v)", err)
	}
	sub := addSubmodule(t, repo)
	if live(sub) == live(repo) {
		t.Error("a submodule shares that of the repository around it")
	}
	runGit(t, sub, "worktree", "add", "-q", "--detach", filepath.Join(repo, "other"))
	if live(filepath.Join(repo, "other")) != live(sub) {
		t.Error("a submodule does not share its own with its worktrees")
	}
}

// A consent counts only if nobody but the user can have written it. What is damaged is no consent, and says so or is mended
// when it is given again.
func TestTrustThatCannotBeBelieved(t *testing.T) {
	const others = "others than this user may write to"
	for _, c := range []struct {
		name    string
		damage  func(t *testing.T, file string)
		refusal string // of giving it again; "" if that mends it
	}{
		{"of another path", func(t *testing.T, file string) { writeFile(t, file, `{"path": "/elsewhere"}`) }, ""},
		{"empty", func(t *testing.T, file string) { writeFile(t, file, "") }, ""},
		{"no JSON", func(t *testing.T, file string) { writeFile(t, file, "yes") }, ""},
		{"a folder", func(t *testing.T, file string) { mkdir(t, filepath.Dir(file), filepath.Base(moveAway(t, file))) }, ""},
		{"a link to a consent", func(t *testing.T, file string) {
			if err := os.Symlink(moveAway(t, file), file); err != nil {
				t.Skip(err)
			}
		}, ""},
		{"not to be read", func(t *testing.T, file string) { chmod(t, file, 0o200); rootReads(t) }, ""},
		{"that the group may write to", func(t *testing.T, file string) { chmod(t, file, 0o664) }, ""},
		{"in a folder that the group may write to", func(t *testing.T, file string) { chmod(t, filepath.Dir(file), 0o770) }, others},
		{"in a folder that everybody may write to", func(t *testing.T, file string) { chmod(t, filepath.Dir(file), 0o777) }, others},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(newStoreAt(t, t.TempDir()).Root, t.TempDir())
			wantCode(t, err, "")
			trust(t, s)
			name, err := trustName(s.Layout.Live)
			wantCode(t, err, "")
			c.damage(t, filepath.Join(s.stateDir, "trust", name))
			wantTrusted(t, s, false)
			if c.refusal == "" {
				trust(t, s)
				wantTrusted(t, s, true)
				return
			}
			wantMessage(t, s.SetTrust("human:lee", noon), task.IO, c.refusal)
			_, err = Consents(s.stateDir)
			wantMessage(t, err, task.IO, c.refusal)
		})
	}
}

// A state folder that is no full path would lie in the repository, for anybody to fill.
func TestTrustNeedsAFolderOfTheUsersOwn(t *testing.T) {
	for name, stateDir := range map[string]string{"none": "", "a relative one": "state"} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(newStoreAt(t, t.TempDir()).Root, stateDir)
			wantCode(t, err, "")
			wantTrusted(t, s, false)
			wantMessage(t, s.SetTrust("human:lee", noon), task.IO, "no folder to keep consent in")
			_, err = Consents(stateDir)
			wantCode(t, err, task.IO)
		})
	}
}

// Another user of the machine has given no consent.
func TestTrustIsOneUsers(t *testing.T) {
	s := newStoreAt(t, trustedFolder(t))
	other, err := Open(s.Root, t.TempDir())
	wantCode(t, err, "")
	wantTrusted(t, other, false)
}

// The list says of each consent what has become of the clone, and each can be taken back, the clone gone or not.
func TestConsents(t *testing.T) {
	state := t.TempDir()
	repos := map[ConsentState]string{}
	for _, what := range []ConsentState{Standing, Gone, Replaced} {
		repos[what] = newRepo(t)
		newStoreAt(t, repos[what])
		s, err := Open(repos[what], state)
		wantCode(t, err, "")
		trust(t, s)
	}
	removeAll(t, repos[Gone])
	removeAll(t, repos[Replaced])
	runGit(t, filepath.Dir(repos[Replaced]), "init", "-q", repos[Replaced])
	writeFile(t, cloneID(newStoreAt(t, repos[Replaced]).Layout.Live), "ANOTHER\n")
	writeFile(t, filepath.Join(state, "trust", "stray.json"), "{}")

	all, err := Consents(state)
	wantCode(t, err, "")
	if len(all) != len(repos) {
		t.Errorf("there are %d, and should be %d", len(all), len(repos))
	}
	for _, c := range all {
		if c.Actor != "human:lee" || !c.At.Equal(noon) || c.Workspace != repos[c.State] {
			t.Errorf("lists %+v", c)
		}
	}
	for what, repo := range repos {
		t.Run(string(what), func(t *testing.T) {
			revoked, err := Revoke(state, repo)
			if err != nil || len(revoked) != 1 || revoked[0].State != what {
				t.Errorf("takes back %+v, %v", revoked, err)
			}
		})
	}
	if left, err := Consents(state); err != nil || len(left) != 0 {
		t.Errorf("left are %+v, %v", left, err)
	}
}

// A path that is gone is never taken for the workspace above it.
func TestRevokeOfAPathBelowAWorkspace(t *testing.T) {
	s := newStoreAt(t, trustedFolder(t))
	wantRevoked(t, filepath.Join(s.Root, "gone"), 0)
	wantTrusted(t, s, true)
	wantRevoked(t, mkdir(t, s.Root, "src"), 1)
	wantTrusted(t, s, false)
}

// Trust lies outside the repository: giving it changes nothing that could be committed.
func TestTrustIsNotInTheRepository(t *testing.T) {
	repo := newRepo(t)
	s := newStoreAt(t, repo)
	before := snapshot(t, filepath.Join(repo, Folder))
	trust(t, s)
	if after := snapshot(t, filepath.Join(repo, Folder)); !maps.Equal(before, after) {
		t.Errorf("changed %v", changed(before, after))
	}
}

// Whoever trusts a workspace is shown every command in it, those of the config too.
func TestCommands(t *testing.T) {
	s := newStore(t)
	harmless, err := s.Harmless(t.Context())
	wantCode(t, err, "")
	if !harmless {
		t.Error("an empty workspace is not harmless")
	}
	writeFile(t, s.ConfigFile(), "prefix: PROJ\ndefault_checks:\n  - {desc: lint, cmd: make lint}\n")
	handWrite(t, s, "PROJ-1", "checks:", "  - {desc: tests, cmd: make test}", "  - {desc: read, type: manual}")
	s = reopen(t, s.Root)
	got, err := s.Commands(t.Context())
	wantCode(t, err, "")
	if want := []Command{{"config.yaml", "make lint"}, {"PROJ-1", "make test"}}; !slices.Equal(got, want) {
		t.Errorf("lists %v, and should list %v", got, want)
	}
	if harmless, err = s.Harmless(t.Context()); err != nil || harmless {
		t.Errorf("a workspace with commands is harmless: %v (%v)", harmless, err)
	}
}

func trust(t *testing.T, s *Store) {
	t.Helper()
	wantCode(t, s.SetTrust(task.Actor("human:lee"), noon), "")
}

func wantTrusted(t *testing.T, s *Store, want bool) {
	t.Helper()
	if got := s.Trusted(); got != want {
		t.Errorf("%s is trusted: %v, and should be %v", s.Root, got, want)
	}
}

func wantRevoked(t *testing.T, path string, want int) {
	t.Helper()
	revoked, err := Revoke(filepath.Join(os.Getenv("HOME"), "state"), path)
	if err != nil || len(revoked) != want {
		t.Errorf("takes back %d, %v, and should take back %d", len(revoked), err, want)
	}
}

func trustedRepo(t *testing.T) string {
	t.Helper()
	repo := newRepo(t)
	trust(t, newStoreAt(t, repo))
	return repo
}

// trustedFolder is a workspace outside git.
func trustedFolder(t *testing.T) string {
	t.Helper()
	dir := mkdir(t, t.TempDir(), "folder")
	trust(t, newStoreAt(t, dir))
	return dir
}

// separateRepo is a work tree whose git folder lies somewhere else and does not know it.
func separateRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "git"))
	return dir
}

func addSubmodule(t *testing.T, repo string) string {
	t.Helper()
	runGit(t, repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", newRepo(t), "sub")
	return filepath.Join(repo, "sub")
}

// moveAway moves a file or folder out of the way, and returns where it is.
func moveAway(t *testing.T, path string) string {
	t.Helper()
	moved := filepath.Join(t.TempDir(), filepath.Base(path))
	rename(t, path, moved)
	return moved
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func removeAll(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
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
	if asRoot() {
		t.Skip("root may read everything")
	}
}
