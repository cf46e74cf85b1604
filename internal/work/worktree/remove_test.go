package worktree_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// looksAtProcesses skips a test on systems that do not show in which folders processes work, where nothing is ever
// removed.
func looksAtProcesses(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		t.Skip("nothing is removed here")
	}
}

// merged makes the work tree of PROJ-1 with a commit that is in main.
func (f *field) merged() worktree.Tree {
	f.t.Helper()
	tree := f.work("PROJ-1", "a.txt", "a\n")
	if _, err := f.w.Merge(f.t.Context(), tree, worktree.Merge{}); err != nil {
		f.t.Fatal(err)
	}
	return tree
}

// wantReasons fails the test unless these are the reasons why the work tree of PROJ-1 stays.
func (f *field) wantReasons(t *testing.T, want ...worktree.Why) worktree.Standing {
	t.Helper()
	s, ok, err := f.w.Look(t.Context(), "PROJ-1")
	var got []worktree.Why
	for _, r := range s.Reasons {
		got = append(got, r.Why)
	}
	if !ok || err != nil || !slices.Equal(got, want) {
		t.Errorf("reasons %v (%+v), %v, %v, want %v", got, s.Reasons, ok, err, want)
	}
	return s
}

// What is merged and clean is removed with its branch; nothing else is.
func TestRemove(t *testing.T) {
	looksAtProcesses(t)
	f := newField(t)
	tree := f.merged()
	other := f.work("PROJ-2", "b.txt", "b\n")
	f.wantReasons(t)
	storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), "")
	if _, err := os.Stat(tree.Path); err == nil || strings.Contains(f.git("worktree", "list"), tree.Path) || f.git("branch", "--list", tree.Branch) != "" {
		t.Error("something of it is left")
	}
	if _, ok, err := f.w.Find("PROJ-1"); ok || err != nil {
		t.Errorf("it is recorded: %v", err)
	}
	storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), record.NotFound)
	if all, err := f.w.List(t.Context()); err != nil || len(all) != 1 || all[0].Task != "PROJ-2" || all[0].Path != other.Path {
		t.Errorf("listed %+v, %v", all, err)
	}
	again := f.make("PROJ-1")
	storetest.WantCode(t, f.w.Verify(t.Context(), again), "")
}

// loss is a way in which removing a work tree could lose somebody's work.
type loss struct {
	name    string
	happens func(f *field, tree worktree.Tree)
	why     []worktree.Why
	force   bool // a person may say that it is to be deleted all the same
}

var losses = []loss{
	{"uncommitted", func(f *field, tree worktree.Tree) { put(f.t, tree.Path, "app.txt", "changed\n") }, []worktree.Why{worktree.Uncommitted}, true},
	{"staged", func(f *field, tree worktree.Tree) { put(f.t, tree.Path, "new.txt", "x"); f.in(tree, "add", "new.txt") }, []worktree.Why{worktree.Uncommitted}, true},
	{"deleted", func(f *field, tree worktree.Tree) { storetest.Remove(f.t, filepath.Join(tree.Path, "app.txt")) }, []worktree.Why{worktree.Uncommitted}, true},
	{"untracked", func(f *field, tree worktree.Tree) { put(f.t, tree.Path, "deep/new.txt", "x") }, []worktree.Why{worktree.Untracked}, true},
	{"a record", func(f *field, tree worktree.Tree) { storetest.WriteTask(f.t, storetest.Open(f.t, tree.Root), "PROJ-7") }, []worktree.Why{worktree.Untracked}, true},
	{"ignored", func(f *field, tree worktree.Tree) { put(f.t, tree.Path, ".env.local", "SECRET=1\n") }, []worktree.Why{worktree.Ignored}, true},
	{"an ignored folder", func(f *field, tree worktree.Tree) { put(f.t, tree.Path, "node_modules/x/y.js", "patched\n") }, []worktree.Why{worktree.Ignored}, true},
	{"hidden from git", func(f *field, tree worktree.Tree) {
		f.in(tree, "update-index", "--assume-unchanged", "app.txt")
		put(f.t, tree.Path, "app.txt", "changed\n")
	}, []worktree.Why{worktree.Uncommitted}, true},
	{"a config that hides changes", func(f *field, tree worktree.Tree) {
		f.git("config", "status.showUntrackedFiles", "no")
		put(f.t, tree.Path, "new.txt", "x")
	}, []worktree.Why{worktree.Untracked}, true},
	{"stashed", func(f *field, tree worktree.Tree) {
		put(f.t, tree.Path, "app.txt", "changed\n")
		f.in(tree, "stash", "-q")
	}, []worktree.Why{worktree.Stashed}, true},
	{"a nested clone", func(f *field, tree worktree.Tree) {
		inner := storetest.Mkdir(f.t, tree.Path, "clone")
		storetest.InitRepo(f.t, inner)
		storetest.Git(f.t, inner, "commit", "-q", "--allow-empty", "-m", "only here")
	}, []worktree.Why{worktree.Untracked}, true},
	{"unmerged", func(f *field, tree worktree.Tree) { put(f.t, tree.Path, "more.txt", "x"); f.commitIn(tree) }, []worktree.Why{worktree.Unmerged}, false},
	{"an unmerged record", func(f *field, tree worktree.Tree) {
		storetest.WriteTask(f.t, storetest.Open(f.t, tree.Root), "PROJ-7")
		f.commitIn(tree)
	}, []worktree.Why{worktree.Unmerged}, false},
	{"squashed and taken back", func(f *field, tree worktree.Tree) {
		put(f.t, tree.Path, "more.txt", "x")
		f.commitIn(tree)
		if _, err := f.w.Merge(f.t.Context(), tree, worktree.Merge{Strategy: worktree.BySquash}); err != nil {
			f.t.Fatal(err)
		}
		f.git("revert", "--no-edit", "HEAD")
	}, []worktree.Why{worktree.Unmerged}, false},
	{"the base is deleted", func(f *field, _ worktree.Tree) {
		f.git("switch", "-q", "-c", "other")
		f.git("branch", "-q", "-D", "main")
	}, []worktree.Why{worktree.Uncertain}, false},
	{"the base was set back", func(f *field, _ worktree.Tree) { f.git("reset", "-q", "--hard", "HEAD~1") }, []worktree.Why{worktree.Unmerged}, false},
	{"detached", func(f *field, tree worktree.Tree) { f.in(tree, "switch", "-q", "--detach") }, []worktree.Why{worktree.Switched}, false},
	{"switched", func(f *field, tree worktree.Tree) { f.in(tree, "switch", "-q", "-c", "mine") }, []worktree.Why{worktree.Switched}, false},
	{"moved", func(f *field, tree worktree.Tree) { f.git("worktree", "move", tree.Path, tree.Path+"-mine") }, []worktree.Why{worktree.Moved}, false},
	{"replaced", func(f *field, tree worktree.Tree) {
		storetest.Rename(f.t, tree.Path, tree.Path+"-mine")
		f.git("worktree", "repair", tree.Path+"-mine")
		f.git("worktree", "add", "-q", "-b", "mine", tree.Path)
	}, []worktree.Why{worktree.Moved}, false},
	{"a folder in its place", func(f *field, tree worktree.Tree) {
		storetest.RemoveAll(f.t, tree.Path)
		put(f.t, tree.Path, "mine.txt", "x")
	}, []worktree.Why{worktree.Uncertain}, false},
	{"a link in its place", func(f *field, tree worktree.Tree) {
		storetest.Rename(f.t, tree.Path, tree.Path+"-mine")
		storetest.Link(f.t, tree.Path+"-mine", tree.Path)
	}, []worktree.Why{worktree.Moved}, false},
	{"locked", func(f *field, tree worktree.Tree) { f.git("worktree", "lock", "--reason", "on a stick", tree.Path) }, []worktree.Why{worktree.Locked}, false},
	{"a git command", func(f *field, _ worktree.Tree) {
		put(f.t, f.repo, ".git/worktrees/PROJ-1/index.lock", "")
	}, []worktree.Why{worktree.Locked}, false},
	{"a merge under way", func(f *field, _ worktree.Tree) {
		put(f.t, f.repo, ".git/worktrees/PROJ-1/MERGE_HEAD", f.git("rev-parse", "HEAD")+"\n")
	}, []worktree.Why{worktree.UnderWay}, false},
	{"an index that cannot be read", func(f *field, _ worktree.Tree) {
		put(f.t, f.repo, ".git/worktrees/PROJ-1/index", "broken")
	}, []worktree.Why{worktree.Uncertain}, false},
	{"a branch that is gone", func(f *field, _ worktree.Tree) {
		f.git("update-ref", "-d", "refs/heads/cairn/PROJ-1")
	}, nil, false},
	{"a job", func(f *field, _ worktree.Tree) {
		f.o.Busy = func(id record.ID) string { return "job of " + string(id) }
		f.open()
	}, []worktree.Why{worktree.Busy}, false},
}

// Each way to lose work keeps a work tree where it is, with its reason; force skips only what is in no commit.
func TestSlowNothingIsLost(t *testing.T) {
	slowtest.Skip(t)
	looksAtProcesses(t)
	for _, tt := range losses {
		t.Run(tt.name, func(t *testing.T) {
			f := newField(t)
			tree := f.merged()
			f.wantReasons(t)
			tt.happens(f, tree)
			if len(tt.why) > 0 {
				f.wantReasons(t, tt.why...)
			}
			around := filepath.Dir(tree.Path)
			content := func() map[string]string {
				if info, err := os.Lstat(tree.Path); err == nil && info.Mode()&os.ModeSymlink != 0 {
					return storetest.Files(t, tree.Path+"-mine")
				}
				return storetest.Files(t, around)
			}
			before, branches := content(), f.git("for-each-ref")
			err := f.w.Remove(t.Context(), "PROJ-1", false)
			if err == nil {
				t.Fatal("it was removed")
			}
			if tt.force {
				storetest.WantMessage(t, err, record.Conflict, "stays")
			} else if err := f.w.Remove(t.Context(), "PROJ-1", true); err == nil {
				t.Fatal("it was removed with force")
			}
			if changed := storetest.Changed(before, content()); len(changed) > 0 || f.git("for-each-ref") != branches {
				t.Errorf("changed: %v", changed)
			}
			if !tt.force {
				return
			}
			storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", true), "")
			if _, err := os.Stat(tree.Path); err == nil {
				t.Error("force did not remove it")
			}
		})
	}
}

// Commits count as safe if the base has them, or what they changed, or a remote has them.
func TestSlowWhatIsSafe(t *testing.T) {
	slowtest.Skip(t)
	looksAtProcesses(t)
	for name, bring := range map[string]func(f *field, tree worktree.Tree){
		"merged":   func(f *field, tree worktree.Tree) { f.merge(tree, worktree.ByMerge) },
		"squashed": func(f *field, tree worktree.Tree) { f.merge(tree, worktree.BySquash) },
		"rebased": func(f *field, tree worktree.Tree) {
			f.write("other.txt", "x")
			f.commit()
			f.merge(tree, worktree.ByRebase)
		},
		"squashed, and the base went on in the same file": func(f *field, tree worktree.Tree) {
			f.merge(tree, worktree.BySquash)
			f.write("app.txt", "one\n2\nthree\nfour\nfive\nsix\n")
			f.commit()
		},
		"squashed, and the record went on": func(f *field, tree worktree.Tree) {
			f.merge(tree, worktree.BySquash)
			storetest.WriteTask(f.t, f.s, "PROJ-1", "labels: [mine]", "priority: 1")
			f.commit()
		},
		"pushed": func(f *field, tree worktree.Tree) { f.push(tree) },
		"pushed by hand": func(f *field, tree worktree.Tree) {
			f.remote()
			f.in(tree, "push", "-q", "origin", "HEAD:refs/heads/elsewhere")
			f.git("fetch", "-q")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			tree := f.make("PROJ-1")
			put(t, tree.Path, "app.txt", "one\n2\nthree\n")
			storetest.WriteTask(t, storetest.Open(t, tree.Root), "PROJ-1", "labels: [mine]")
			f.commitIn(tree)
			f.wantReasons(t, worktree.Unmerged)
			tip := f.in(tree, "rev-parse", "HEAD")
			bring(f, tree)
			f.wantReasons(t)
			storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), "")
			if strings.HasPrefix(name, "pushed") && f.git("rev-parse", tree.Branch) != tip {
				t.Error("the branch is gone, and its work is not in the base")
			}
		})
	}
}

func (f *field) merge(tree worktree.Tree, strategy string) {
	f.t.Helper()
	if _, err := f.w.Merge(f.t.Context(), tree, worktree.Merge{Strategy: strategy}); err != nil {
		f.t.Fatal(err)
	}
}

// remote gives the repository a remote origin, in a folder.
func (f *field) remote() string {
	f.t.Helper()
	dir := storetest.Mkdir(f.t, f.t.TempDir(), "origin.git")
	storetest.Git(f.t, dir, "init", "-q", "--bare")
	f.git("remote", "add", "origin", dir)
	return dir
}

func (f *field) push(tree worktree.Tree) string {
	f.t.Helper()
	dir := f.remote()
	storetest.WantCode(f.t, f.w.Push(f.t.Context(), tree, ""), "")
	return dir
}

// A process that works in a work tree keeps it, also with force, and a folder deep in it counts.
func TestSlowALiveProcessKeepsIt(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("processes do not show where they work")
	}
	f := newField(t)
	tree := f.merged()
	deep := storetest.Mkdir(t, tree.Path, "deep")
	cmd := exec.Command("cat")
	cmd.Dir = deep
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	f.wantReasons(t, worktree.Live)
	for _, force := range []bool{false, true} {
		storetest.WantMessage(t, f.w.Remove(t.Context(), "PROJ-1", force), record.Busy, "cat")
	}
	_, _ = in.Close(), cmd.Wait()
	storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), "")
}

// What begins between the look and the removal is found by the second look, and the work tree is put back.
func TestSlowASecondLookBeforeRemoval(t *testing.T) {
	slowtest.Skip(t)
	looksAtProcesses(t)
	f := newField(t)
	tree := f.merged()
	looks := 0
	f.o.Busy = func(record.ID) string {
		if looks++; looks == 2 {
			put(t, filepath.Join(filepath.Dir(tree.Path), ".removed-PROJ-1"), "late.txt", "x")
		}
		return ""
	}
	f.open()
	storetest.WantMessage(t, f.w.Remove(t.Context(), "PROJ-1", false), record.Conflict, "late.txt")
	if read(t, tree.Path, "late.txt") != "x" {
		t.Error("it was lost")
	}
	storetest.WantCode(t, f.w.Verify(t.Context(), tree), "")
	f.wantReasons(t, worktree.Untracked)
}

// A folder that is gone costs nothing but the record, and that only if git has forgotten it too, or with force; the
// branch stays.
func TestAFolderThatIsGone(t *testing.T) {
	looksAtProcesses(t)
	f := newField(t)
	tree := f.work("PROJ-1", "a.txt", "a\n")
	storetest.RemoveAll(t, tree.Path)
	if s := f.wantReasons(t, worktree.Gone); !s.Has(worktree.Gone) {
		t.Error("it is not gone")
	}
	storetest.WantMessage(t, f.w.Remove(t.Context(), "PROJ-1", false), record.Conflict, "gone")
	storetest.WantCode(t, f.w.Verify(t.Context(), tree), record.Conflict)
	f.git("worktree", "prune")
	storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), "")
	if f.git("branch", "--list", tree.Branch) == "" {
		t.Error("the branch went too")
	}
	tree = f.make("PROJ-1")
	if read(t, tree.Path, "a.txt") != "a\n" {
		t.Error("the branch was not taken up again")
	}
	storetest.RemoveAll(t, tree.Path)
	storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", true), "")
	if f.git("branch", "--list", tree.Branch) == "" || !strings.Contains(f.git("worktree", "list"), tree.Path) {
		t.Error("more than the record was removed")
	}
}

// A record that cairn did not write removes nothing.
func TestSlowARecordThatLies(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.merged()
	file := filepath.Join(f.s.Live.Worktrees(), "PROJ-1.json")
	honest := storetest.ReadFile(t, file)
	mine := storetest.Mkdir(t, t.TempDir(), "PROJ-1")
	put(t, mine, "mine.txt", "x")
	for name, lie := range map[string]string{
		"another folder":    strings.ReplaceAll(honest, tree.Path, mine),
		"another branch":    strings.ReplaceAll(honest, tree.Branch, "main"),
		"another git":       strings.ReplaceAll(honest, "worktrees/PROJ-1", "worktrees/../.."),
		"a relative path":   strings.ReplaceAll(honest, tree.Path, "../PROJ-1"),
		"an unknown key":    strings.Replace(honest, "{", `{"more": 1,`, 1),
		"a decided removal": strings.Replace(strings.Replace(honest, "{", `{"removing": "`+mine+`", "doomed": true,`, 1), `"ready": true`, `"ready": true`, 1),
		"nothing":           "",
	} {
		storetest.WriteFile(t, file, lie)
		for _, force := range []bool{false, true} {
			if err := f.w.Remove(t.Context(), "PROJ-1", force); err == nil {
				t.Errorf("%s: it is believed", name)
			}
		}
		if all, err := f.w.List(t.Context()); err != nil || len(all) != 1 || len(all[0].Reasons) == 0 {
			t.Errorf("%s: listed %+v, %v", name, all, err)
		}
	}
	if read(t, mine, "mine.txt") != "x" || read(t, tree.Path, "a.txt") != "a\n" {
		t.Error("something was removed")
	}
}

// A removal that was killed is brought to its end if it was decided, and else undone.
func TestSlowARemovalThatWasKilled(t *testing.T) {
	slowtest.Skip(t)
	looksAtProcesses(t)
	for _, decided := range []bool{false, true} {
		f := newField(t)
		tree := f.merged()
		aside := filepath.Join(filepath.Dir(tree.Path), ".removed-PROJ-1")
		file := filepath.Join(f.s.Live.Worktrees(), "PROJ-1.json")
		more := `{"removing": "` + aside + `",`
		if decided {
			more += ` "doomed": true,`
		}
		storetest.WriteFile(t, file, strings.Replace(storetest.ReadFile(t, file), "{", more, 1))
		storetest.Rename(t, tree.Path, aside)
		if decided {
			storetest.Remove(t, filepath.Join(aside, ".git"))
		}
		if _, ok, err := f.w.Find("PROJ-1"); ok || err != nil {
			t.Errorf("found: %v", err)
		}
		again := f.make("PROJ-1")
		if _, err := os.Stat(aside); err == nil {
			t.Error("what was moved aside is left")
		}
		storetest.WantCode(t, f.w.Verify(t.Context(), again), "")
		storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), "")
	}
}

// A submodule keeps a work tree for its uncommitted files, and for commits that are nowhere else.
func TestSlowASubmoduleKeepsIt(t *testing.T) {
	slowtest.Skip(t)
	looksAtProcesses(t)
	f := newField(t)
	storetest.AddSubmodule(t, f.repo)
	f.commit()
	tree := f.merged()
	f.wantReasons(t)
	f.in(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	f.wantReasons(t)
	sub := filepath.Join(tree.Path, "sub")
	put(t, sub, "lib.txt", "x")
	f.wantReasons(t, worktree.Uncommitted)
	storetest.Identify(t, sub)
	storetest.Git(t, sub, "add", "lib.txt")
	storetest.Git(t, sub, "commit", "-q", "-m", "only here")
	f.wantReasons(t, worktree.Uncommitted, worktree.Submodule)
	storetest.Git(t, sub, "branch", "kept")
	storetest.Git(t, sub, "checkout", "-q", "HEAD~1")
	f.wantReasons(t, worktree.Submodule)
	if err := f.w.Remove(t.Context(), "PROJ-1", true); err == nil {
		t.Error("it was removed")
	}
	storetest.Git(t, sub, "branch", "-q", "-D", "kept")
	storetest.WantCode(t, f.w.Remove(t.Context(), "PROJ-1", false), "")
}

// Where git fails, nothing is removed.
func TestSlowGitFails(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.merged()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.w.Remove(ctx, "PROJ-1", true); err == nil {
		t.Error("it was removed after the caller had gone")
	}
	t.Setenv("PATH", t.TempDir())
	if err := f.w.Remove(t.Context(), "PROJ-1", true); err == nil {
		t.Error("it was removed without git")
	}
	if read(t, tree.Path, "a.txt") != "a\n" {
		t.Error("something was removed")
	}
}

// What .worktreeinclude names is copied if git ignores it: never over a file, never through a link; an unchanged copy
// keeps no work tree.
func TestInclude(t *testing.T) {
	looksAtProcesses(t)
	f := newField(t)
	f.write(".worktreeinclude", "# what builds need\n.env*\n!.env.prod\nnode_modules/\napp.txt\nuntracked.txt\n")
	f.commit()
	f.write(".env", "A=1\n")
	f.write(".env.prod", "SECRET=1\n")
	f.write("noise.log", "x\n")
	f.write("untracked.txt", "mine\n")
	f.write("node_modules/lib/index.js", "lib\n")
	storetest.Link(t, filepath.Join(t.TempDir(), "secret"), filepath.Join(f.repo, ".env.link"))
	storetest.Link(t, t.TempDir(), filepath.Join(f.repo, "node_modules", "out"))
	if err := os.Chmod(filepath.Join(f.repo, ".env"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := f.make("PROJ-1")
	var got []string
	for _, name := range []string{".env", ".env.prod", "noise.log", "untracked.txt", "node_modules/lib/index.js", ".env.link", "node_modules/out"} {
		if _, err := os.Lstat(filepath.Join(tree.Path, filepath.FromSlash(name))); err == nil {
			got = append(got, name)
		}
	}
	if want := []string{".env", "node_modules/lib/index.js"}; !slices.Equal(got, want) {
		t.Errorf("copied %v, want %v", got, want)
	}
	if info, err := os.Stat(filepath.Join(tree.Path, ".env")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	f.wantReasons(t)
	put(t, tree.Path, ".env", "A=2 and more\n")
	f.wantReasons(t, worktree.Ignored)
	put(t, tree.Path, "node_modules/lib/index.js", "patched\n")
	f.wantReasons(t, worktree.Ignored)
	if read(t, f.repo, ".env") != "A=1\n" {
		t.Error("the copy shares its content with the file")
	}
}

// A .worktreeinclude that names too much is refused, and nothing is left of the work tree.
func TestIncludeIsBounded(t *testing.T) {
	f := newField(t)
	f.write(".worktreeinclude", "*.log\n")
	f.commit()
	big, err := os.Create(filepath.Join(f.repo, "big.log"))
	if err == nil {
		err = big.Truncate(3 << 30)
	}
	if err != nil {
		t.Skip(err)
	}
	_ = big.Close()
	_, err = f.w.Make(t.Context(), "PROJ-1", "", "")
	storetest.WantMessage(t, err, record.InvalidInput, ".worktreeinclude")
	if _, ok, err := f.w.Find("PROJ-1"); ok || err != nil || strings.Contains(f.git("worktree", "list"), "PROJ-1") || f.git("branch", "--list", "cairn/*") != "" {
		t.Errorf("something is left (%v): %s", err, f.git("worktree", "list"))
	}
}
