package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// mergeDriver is the argument by which git has this test binary merge the files of a workspace.
const mergeDriver = "test-merge-driver"

func TestMain(m *testing.M) {
	if len(os.Args) == 7 && os.Args[1] == mergeDriver {
		os.Exit(drive(os.Args[2:]))
	}
	storetest.Main(m, map[string]storetest.Part{"merge": playMerge, "throwaway": playThrowaway})
}

// drive merges as cairn merge-driver does.
func drive(args []string) int {
	var versions [3][]byte
	for i, name := range args[:3] {
		text, err := os.ReadFile(name)
		if err != nil {
			return 2
		}
		versions[i] = text
	}
	size, _ := strconv.Atoi(args[3])
	merged, clean := kind.Merge(filepath.ToSlash(args[4]), versions[0], versions[1], versions[2], kind.DefaultConfig().Flow, format.Markers{Size: size, Ours: "ours", Theirs: "theirs"})
	if err := os.WriteFile(args[1], merged, 0o666); err != nil {
		return 2
	}
	if !clean {
		return 1
	}
	return 0
}

// field is a repository with a workspace, in which tests make work trees.
type field struct {
	t    testing.TB
	s    *store.Store
	repo string // its top
	o    worktree.Options
	w    *worktree.Worktrees
}

// newField makes a repository with a workspace and the tasks PROJ-1 to PROJ-3, all committed.
func newField(t testing.TB) *field { return newFieldIn(t, "") }

// newFieldIn is newField with the workspace in a folder of the repository.
func newFieldIn(t testing.TB, sub string) *field {
	t.Helper()
	repo := storetest.RealPath(t, storetest.Mkdir(t, t.TempDir(), "shop"))
	storetest.InitRepo(t, repo)
	f := &field{t: t, repo: repo, s: storetest.NewAt(t, storetest.Mkdir(t, repo, sub))}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f.o.Driver = self + " " + mergeDriver + " %O %A %B %L %P"
	for _, id := range []record.ID{"PROJ-1", "PROJ-2", "PROJ-3"} {
		storetest.WriteTask(t, f.s, id)
	}
	f.write("app.txt", "one\ntwo\nthree\n")
	f.write(".gitignore", "*.log\n.env*\nnode_modules/\n")
	f.commit()
	f.open()
	return f
}

func (f *field) open() {
	f.t.Helper()
	w, err := worktree.Open(f.s.Layout, f.o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.w = w
}

// git runs git in the repository's folder and returns what it printed.
func (f *field) git(args ...string) string {
	f.t.Helper()
	return strings.TrimSpace(storetest.GitOutput(f.t, f.repo, args...))
}

// in runs git in a work tree.
func (f *field) in(t worktree.Tree, args ...string) string {
	f.t.Helper()
	return strings.TrimSpace(storetest.GitOutput(f.t, t.Path, args...))
}

func (f *field) write(name, text string) { f.t.Helper(); put(f.t, f.repo, name, text) }

func (f *field) commit() {
	f.t.Helper()
	f.git("add", "--all")
	f.git("commit", "-q", "--allow-empty", "-m", "work")
}

// make makes the work tree of a task.
func (f *field) make(id record.ID) worktree.Tree {
	f.t.Helper()
	t, err := f.w.Make(f.t.Context(), id, "", "")
	if err != nil {
		f.t.Fatalf("make %s: %v", id, err)
	}
	return t
}

// work makes the work tree of a task, with a commit that adds a file.
func (f *field) work(id record.ID, file, text string) worktree.Tree {
	f.t.Helper()
	t := f.make(id)
	put(f.t, t.Path, file, text)
	f.commitIn(t)
	return t
}

func (f *field) commitIn(t worktree.Tree) string {
	f.t.Helper()
	commit, err := f.w.Commit(f.t.Context(), t, "work on "+string(t.Task))
	if err != nil || commit == "" {
		f.t.Fatalf("commit: %q, %v", commit, err)
	}
	return commit
}

// put writes a file, and makes its folder.
func put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	storetest.WriteFile(t, path, text)
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	return storetest.ReadFile(t, filepath.Join(dir, filepath.FromSlash(name)))
}

// A work tree lies beside the repository, on a branch of its own that follows nothing; making it again returns it.
func TestMake(t *testing.T) {
	f := newField(t)
	tree := f.make("PROJ-1")
	if around := filepath.Join(filepath.Dir(f.repo), ".shop-worktrees"); !strings.HasPrefix(tree.Path, around+string(filepath.Separator)+"shop-") || filepath.Base(tree.Path) != "PROJ-1" {
		t.Errorf("it lies in %s", tree.Path)
	}
	if branch := f.in(tree, "branch", "--show-current"); branch != "cairn/PROJ-1" || tree.Branch != branch || tree.Base != "main" || tree.BaseCommit != f.git("rev-parse", "main") {
		t.Errorf("branch %s, tree %+v", branch, tree)
	}
	if _, err := storetest.TryGit(tree.Path, "rev-parse", "@{upstream}"); err == nil {
		t.Error("the branch follows another")
	}
	if tree.Root != tree.Path || f.git("status", "--porcelain") != "" {
		t.Errorf("root %s, status %q", tree.Root, f.git("status", "--porcelain"))
	}
	again := f.make("PROJ-1")
	found, ok, err := f.w.Find("PROJ-1")
	if again != tree || found != tree || !ok || err != nil {
		t.Errorf("again %+v, found %+v, %v, %v", again, found, ok, err)
	}
	if _, ok, err := f.w.Find("PROJ-2"); ok || err != nil {
		t.Errorf("found PROJ-2: %v, %v", ok, err)
	}
	storetest.WantCode(t, f.w.Verify(t.Context(), tree), "")
	if _, err := layout.At(tree.Root); err != nil {
		t.Error(err)
	}
}

// Where the workspace is a folder of the repository, it is that folder of the work tree.
func TestMakeInAMonorepo(t *testing.T) {
	f := newFieldIn(t, "services/shop")
	tree := f.make("PROJ-1")
	if want := filepath.Join(tree.Path, "services", "shop"); tree.Root != want {
		t.Errorf("root %s, want %s", tree.Root, want)
	}
	if there := storetest.Open(t, tree.Root); there.Live != f.s.Live {
		t.Errorf("it has live state in %s", there.Live)
	}
}

// A task that is not committed, and a workspace that is not, are committed in the work tree first; nothing else is
// brought along.
func TestMakeBringsTheTask(t *testing.T) {
	f := newField(t)
	storetest.WriteTask(t, f.s, "PROJ-9")
	storetest.WriteTask(t, f.s, "PROJ-8")
	f.write("scratch.txt", "mine\n")
	tree := f.make("PROJ-9")
	if got := f.in(tree, "diff", "--name-only", "main", "HEAD"); got != ".cairn/tasks/PROJ-9.md" {
		t.Errorf("brought %q", got)
	}
	if status := f.in(tree, "status", "--porcelain"); status != "" {
		t.Errorf("left %q", status)
	}
	storetest.WriteTask(t, f.s, "PROJ-2", "labels: [changed]\n")
	if tree = f.make("PROJ-2"); read(t, tree.Root, ".cairn/tasks/PROJ-2.md") != read(t, f.repo, ".cairn/tasks/PROJ-2.md") {
		t.Error("a change that is not committed was left behind")
	}
	_, err := f.w.Make(t.Context(), "PROJ-7", "", "")
	storetest.WantCode(t, err, record.NotFound)
	if _, ok, _ := f.w.Find("PROJ-7"); ok || f.git("branch", "--list", "cairn/PROJ-7") != "" {
		t.Error("a task that does not exist has a work tree")
	}
}

// A workspace of which nothing is committed comes along with its config.
func TestMakeBringsTheConfig(t *testing.T) {
	repo := storetest.RealPath(t, storetest.NewRepo(t))
	s := storetest.NewAt(t, repo)
	storetest.WriteTask(t, s, "PROJ-1")
	w, err := worktree.Open(s.Layout, worktree.Options{Setting: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := w.Make(t.Context(), "PROJ-1", "", "")
	storetest.WantCode(t, err, "")
	storetest.WantTasks(t, storetest.Open(t, tree.Root), "PROJ-1")
	if out, _ := storetest.TryGit(tree.Path, "status", "--porcelain"); out != "" {
		t.Errorf("status %s", out)
	}
}

// Commit takes all that is uncommitted, Diff and Changed tell code and records apart.
func TestCommitAndDiff(t *testing.T) {
	f := newField(t)
	tree := f.make("PROJ-1")
	if commit, err := f.w.Commit(t.Context(), tree, "nothing"); commit != "" || err != nil {
		t.Errorf("nothing was committed as %q, %v", commit, err)
	}
	put(t, tree.Path, "app.txt", "one\n2\nthree\n")
	put(t, tree.Path, "new/file.txt", "new\n")
	put(t, tree.Path, "noise.log", "ignored\n")
	storetest.WriteTask(t, storetest.Open(t, tree.Root), "PROJ-1", "labels: [changed]\n")
	storetest.WriteTask(t, storetest.Open(t, tree.Root), "PROJ-4")
	inner := storetest.Mkdir(t, tree.Path, "clone")
	storetest.InitRepo(t, inner)
	storetest.Git(t, inner, "commit", "-q", "--allow-empty", "-m", "begin")
	commit := f.commitIn(tree)
	if f.in(tree, "rev-parse", "HEAD") != commit || f.in(tree, "status", "--porcelain") != "?? clone/" {
		t.Errorf("head %s, status %q", f.in(tree, "rev-parse", "HEAD"), f.in(tree, "status", "--porcelain"))
	}
	stat, err := f.w.Stat(t.Context(), tree)
	if err != nil || !slices.Equal(stat.Records, []string{".cairn/tasks/PROJ-1.md", ".cairn/tasks/PROJ-4.md"}) || len(stat.Files) != 2 || stat.Files[0].Path != "app.txt" ||
		stat.Files[1].Path != "new/file.txt" || stat.Added != 2 || stat.Deleted != 1 || stat.Commits != 1 {
		t.Errorf("stat %+v, %v", stat, err)
	}
	diff, err := f.w.Diff(t.Context(), tree)
	if err != nil || !strings.Contains(string(diff), "+2\n") || !strings.Contains(string(diff), "b/new/file.txt") || strings.Contains(string(diff), ".cairn") {
		t.Errorf("diff %v:\n%s", err, diff)
	}
}
