package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// unchanged fails the test unless the base, its checkout and the branch are as before; and nothing is left of a merge.
func (f *field) unchanged(t *testing.T, do func()) {
	t.Helper()
	state := func() string { return f.git("for-each-ref") + "\n" + f.git("status", "--porcelain", "--ignored") }
	was, files := state(), storetest.Files(t, f.repo)
	do()
	if now := state(); now != was {
		t.Errorf("was\n%s\nis\n%s", was, now)
	}
	for _, path := range storetest.Changed(files, storetest.Files(t, f.repo)) {
		if !strings.HasPrefix(path, ".git/") && !strings.Contains(path, "/.git/") {
			t.Errorf("%s changed", path)
		}
	}
	f.nothingLeft(t)
}

// nothingLeft fails the test if a throw-away work tree is left.
func (f *field) nothingLeft(t *testing.T) {
	t.Helper()
	if list := f.git("worktree", "list"); strings.Contains(list, ".merge-") {
		t.Errorf("left: %s", list)
	}
	for _, name := range storetest.NamesIn(t, f.s.Live.Worktrees()) {
		if strings.HasPrefix(name, ".merge-") {
			t.Errorf("left: %s", name)
		}
	}
}

// Each strategy brings the work to the checkout that holds the base, with what the gate wrote under .cairn and nothing
// else of it.
func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		strategy string
		parents  int
		commits  string // between the old base and the new one
	}{{"", 2, "4"}, {worktree.BySquash, 1, "1"}, {worktree.ByRebase, 1, "4"}} {
		t.Run("by "+tt.strategy, func(t *testing.T) {
			f := newField(t)
			tree := f.work("PROJ-1", "a.txt", "a\n")
			put(t, tree.Path, "b.txt", "b\n")
			f.commitIn(tree)
			f.write("main.txt", "moved on\n")
			f.commit()
			put(t, tree.Root, ".cairn/tasks/PROJ-1.md", storetest.TaskText("PROJ-1", "labels: [noted]\n"))
			base := f.git("rev-parse", "main")
			var dir string
			commit, err := f.w.Merge(t.Context(), tree, worktree.Merge{Strategy: tt.strategy, Message: "Bring it home", Gate: func(_ context.Context, at string) error {
				dir = at
				if read(t, at, "a.txt")+read(t, at, "b.txt")+read(t, at, "main.txt") != "a\nb\nmoved on\n" {
					t.Error("it is not merged in the work tree of the gate")
				}
				storetest.WriteTask(t, storetest.Open(t, at), "PROJ-1", "labels: [closed]\n")
				put(t, at, "app.txt", "spoiled by a check\n")
				put(t, at, "left.txt", "made by a check\n")
				storetest.Git(t, at, "add", "--all")
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if head := f.git("rev-parse", "HEAD"); head != commit || f.git("rev-parse", "main") != commit || f.git("status", "--porcelain") != "" {
				t.Errorf("commit %s, head %s, status %q", commit, head, f.git("status", "--porcelain"))
			}
			if got := len(strings.Fields(f.git("rev-list", "--parents", "--max-count=1", commit))) - 1; got != tt.parents {
				t.Errorf("%d parents", got)
			}
			if got := f.git("rev-list", "--count", base+".."+commit); got != tt.commits {
				t.Errorf("%s commits, want %s", got, tt.commits)
			}
			if _, err := storetest.TryGit(f.repo, "merge-base", "--is-ancestor", base, commit); err != nil {
				t.Error("the base did not move forwards")
			}
			if got := labels(f, "PROJ-1"); got != "closed" {
				t.Errorf("the record says %q", got)
			}
			if read(t, f.repo, "app.txt") != "one\ntwo\nthree\n" || f.git("ls-files", "left.txt") != "" {
				t.Error("what a check left was committed")
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("the throw-away work tree is left")
			}
			f.nothingLeft(t)
			if tt.strategy != worktree.ByRebase && f.git("log", "-1", "--format=%s") != "Bring it home" {
				t.Error("the message is another")
			}
		})
	}
}

// A base that is checked out nowhere moves all the same, and what is checked out stays.
func TestSlowMergeIntoABaseNobodyHolds(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.git("branch", "release")
	tree, err := f.w.Make(t.Context(), "PROJ-1", "release", "")
	storetest.WantCode(t, err, "")
	put(t, tree.Path, "a.txt", "a\n")
	f.commitIn(tree)
	head := f.git("rev-parse", "HEAD")
	commit, err := f.w.Merge(t.Context(), tree, worktree.Merge{})
	if err != nil || f.git("rev-parse", "release") != commit || f.git("rev-parse", "HEAD") != head || f.git("status", "--porcelain") != "" {
		t.Errorf("%s, %v", commit, err)
	}
}

// Work that is in the base already needs no commit, but what the gate writes gets one.
func TestSlowMergeOfNothing(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.make("PROJ-1")
	head := f.git("rev-parse", "main")
	for _, strategy := range []string{worktree.ByMerge, worktree.BySquash, worktree.ByRebase} {
		if commit, err := f.w.Merge(t.Context(), tree, worktree.Merge{Strategy: strategy}); err != nil || commit != head || f.git("rev-parse", "main") != head {
			t.Errorf("%s: %s, %v", strategy, commit, err)
		}
	}
	commit, err := f.w.Merge(t.Context(), tree, worktree.Merge{Gate: func(_ context.Context, dir string) error {
		storetest.WriteTask(t, storetest.Open(t, dir), "PROJ-1", "labels: [closed]\n")
		return nil
	}})
	if err != nil || commit == head || labels(f, "PROJ-1") != "closed" {
		t.Errorf("%s, %v", commit, err)
	}
}

// Whatever refuses a merge leaves the base, its checkout and the branch as they were.
func TestSlowMergeRefused(t *testing.T) {
	slowtest.Skip(t)
	broken := errors.New("checks failed")
	for name, tt := range map[string]struct {
		prepare func(f *field, tree worktree.Tree)
		merge   worktree.Merge
		code    record.Code
		part    string
	}{
		"gate":           {nil, worktree.Merge{Gate: func(context.Context, string) error { return broken }}, "", "checks failed"},
		"no strategy":    {nil, worktree.Merge{Strategy: "octopus"}, record.InvalidInput, "octopus"},
		"no base":        {nil, worktree.Merge{Base: "nowhere"}, record.InvalidInput, "nowhere"},
		"itself":         {nil, worktree.Merge{Base: "cairn/PROJ-1"}, record.InvalidInput, "itself"},
		"conflict":       {conflicting, worktree.Merge{}, record.MergeConflict, "app.txt"},
		"squash":         {conflicting, worktree.Merge{Strategy: worktree.BySquash}, record.MergeConflict, "app.txt"},
		"rebase":         {conflicting, worktree.Merge{Strategy: worktree.ByRebase}, record.MergeConflict, "app.txt"},
		"dirty":          {func(f *field, _ worktree.Tree) { f.write("app.txt", "mine\n") }, worktree.Merge{}, record.BaseDirty, "app.txt"},
		"staged":         {func(f *field, _ worktree.Tree) { f.write("other.txt", "x"); f.git("add", "other.txt") }, worktree.Merge{}, record.BaseDirty, "other.txt"},
		"untracked":      {func(f *field, _ worktree.Tree) { f.write("a.txt", "mine\n") }, worktree.Merge{}, record.BaseDirty, "a.txt"},
		"ignored":        {func(f *field, _ worktree.Tree) { f.write(".git/info/exclude", "a.txt\n"); f.write("a.txt", "mine\n") }, worktree.Merge{}, record.BaseDirty, "a.txt"},
		"record":         {func(f *field, _ worktree.Tree) { storetest.WriteTask(f.t, f.s, "PROJ-1", "labels: [mine]\n") }, worktree.Merge{}, record.BaseDirty, "PROJ-1"},
		"rebase on":      {rebasing, worktree.Merge{}, record.BaseDirty, "rebase"},
		"not committed":  {func(f *field, tree worktree.Tree) { put(f.t, tree.Path, "more.txt", "x") }, worktree.Merge{}, record.Conflict, "more.txt"},
		"nobody commits": {func(f *field, _ worktree.Tree) { f.git("config", "--unset", "user.email") }, worktree.Merge{}, record.Git, "who commits"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			tree := f.work("PROJ-1", "a.txt", "a\n")
			storetest.WriteTask(t, storetest.Open(t, tree.Root), "PROJ-1", "labels: [theirs]\n")
			f.commitIn(tree)
			if tt.prepare != nil {
				tt.prepare(f, tree)
			}
			f.unchanged(t, func() {
				_, err := f.w.Merge(t.Context(), tree, tt.merge)
				if err == nil || record.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.part) {
					t.Errorf("got error %v, want one with code %q that says %q", err, tt.code, tt.part)
				}
			})
		})
	}
}

func conflicting(f *field, tree worktree.Tree) {
	put(f.t, tree.Path, "app.txt", "one\ntheirs\nthree\n")
	f.commitIn(tree)
	f.write("app.txt", "one\nours\nthree\n")
	f.commit()
}

// rebasing leaves main in the middle of a rebase.
func rebasing(f *field, _ worktree.Tree) {
	f.git("branch", "side", "HEAD")
	f.write("app.txt", "ours\n")
	f.commit()
	f.git("switch", "-q", "side")
	f.write("app.txt", "theirs\n")
	f.commit()
	f.git("switch", "-q", "main")
	if _, err := storetest.TryGit(f.repo, "rebase", "side"); err == nil {
		f.t.Fatal("the rebase does not stop")
	}
}

// Files of a record that lie in the checkout as they were when the work began are no obstacle: the commits hold what
// they say.
func TestSlowMergeOverATaskThatWasNotCommitted(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	storetest.WriteTask(t, f.s, "PROJ-9")
	storetest.WriteTask(t, f.s, "PROJ-2", "labels: [changed]\n")
	for _, id := range []record.ID{"PROJ-9", "PROJ-2"} {
		tree := f.work(id, string(id)+".txt", "a\n")
		storetest.WriteTask(t, storetest.Open(t, tree.Root), id, "labels: [done]\n")
		if _, err := f.w.Merge(t.Context(), tree, worktree.Merge{}); err != nil {
			t.Fatal(err)
		}
		if got := labels(f, id); got != "done" {
			t.Errorf("%s says %q", id, got)
		}
	}
	if status := f.git("status", "--porcelain"); status != "" {
		t.Errorf("status %q", status)
	}
}

// Two tasks whose records both changed on both sides merge without a conflict, though the clone has no merge driver.
func TestSlowRecordsMergeKeyByKey(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.make("PROJ-1")
	add := func(s interface{ Abs(string) string }, line string) {
		t.Helper()
		storetest.WriteTask(t, s, "PROJ-1", line)
	}
	add(storetest.Open(t, tree.Root), "priority: 1\n")
	add(f.s, "labels: [urgent]\n")
	f.commit()
	if f.git("config", "--default", "none", "--get", "merge.cairn.driver") != "none" {
		t.Fatal("the clone has the driver")
	}
	if _, err := f.w.Merge(t.Context(), tree, worktree.Merge{}); err != nil {
		t.Fatal(err)
	}
	got := storetest.Get(t, f.s, "PROJ-1")
	if got.Priority != 1 || len(got.Labels) != 1 {
		t.Errorf("merged %+v", got)
	}
}

// A base that moves while the gate is asked is merged into once more, and asked about again; if it moves again that is
// BASE_MOVED.
func TestSlowMergeWhenTheBaseMoves(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.work("PROJ-1", "a.txt", "a\n")
	moves := 1
	asked := 0
	gate := func(_ context.Context, dir string) error {
		if asked++; asked <= moves {
			f.write(fmt.Sprintf("by-hand-%d.txt", asked), "x\n")
			f.commit()
		} else if read(t, dir, "by-hand-1.txt") != "x\n" {
			t.Error("what came meanwhile was not merged")
		}
		return nil
	}
	commit, err := f.w.Merge(t.Context(), tree, worktree.Merge{Gate: gate})
	if err != nil || asked != 2 || f.git("rev-parse", "main") != commit {
		t.Errorf("%s, %v, asked %d times", commit, err, asked)
	}
	tree = f.work("PROJ-2", "b.txt", "b\n")
	moves, asked = 5, 2
	f.git("branch", "-f", "side", "HEAD")
	_, err = f.w.Merge(t.Context(), tree, worktree.Merge{Gate: gate})
	storetest.WantCode(t, err, record.BaseMoved)
	if asked != 4 || f.git("ls-files", "b.txt") != "" {
		t.Errorf("asked %d times", asked)
	}
	f.nothingLeft(t)
}

// What a killed merge left is removed by the next one into that base, and nothing else is.
func TestSlowMergeSweepsWhatAKillLeft(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	tree := f.work("PROJ-1", "a.txt", "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	var left string
	_, err := f.w.Merge(ctx, tree, worktree.Merge{Gate: func(_ context.Context, dir string) error {
		left = filepath.Dir(dir) + "/.merge-000000000000"
		storetest.Git(t, f.repo, "worktree", "add", "-q", "--detach", left, "main")
		cancel()
		return ctx.Err()
	}})
	if err == nil {
		t.Fatal("it was merged")
	}
	f.nothingLeftBut(t, left)
	rec := strings.ReplaceAll(`{"path": "PATH", "for": "FOR", "made_at": "2026-01-01T00:00:00Z"}`, "PATH", left)
	storetest.WriteFile(t, filepath.Join(f.s.Live.Worktrees(), ".merge-000000000000.json"), strings.ReplaceAll(rec, "FOR", "base-of another"))
	merge := func(id record.ID) {
		t.Helper()
		if _, err := f.w.Merge(t.Context(), f.work(id, string(id), "x\n"), worktree.Merge{}); err != nil {
			t.Fatal(err)
		}
	}
	merge("PROJ-2")
	if _, err := os.Stat(left); err != nil {
		t.Error("it took away what was made for another base")
	}
	storetest.WriteFile(t, filepath.Join(f.s.Live.Worktrees(), ".merge-000000000000.json"), strings.ReplaceAll(rec, "FOR", worktree.BaseLock("main")))
	merge("PROJ-3")
	f.nothingLeft(t)
	if _, err := os.Stat(left); err == nil {
		t.Error("it is left")
	}
}

func (f *field) nothingLeftBut(t *testing.T, path string) {
	t.Helper()
	for line := range strings.Lines(f.git("worktree", "list")) {
		if strings.Contains(line, ".merge-") && !strings.HasPrefix(line, path) {
			t.Errorf("left: %s", line)
		}
	}
}

// Twenty merges race on one base. Each is tested as it is merged, all land, and the base never holds what was not
// tested.
func TestSlowTwentyMergesRace(t *testing.T) {
	slowtest.Skip(t)
	const racers = 20
	f := newField(t)
	trees := make([]worktree.Tree, racers)
	for i := range trees {
		id := record.ID(fmt.Sprintf("PROJ-%d", 100+i))
		storetest.WriteTask(t, f.s, id)
	}
	f.commit()
	for i := range trees {
		trees[i] = f.work(record.ID(fmt.Sprintf("PROJ-%d", 100+i)), fmt.Sprintf("f%d.txt", i), "x\n")
	}
	begin := f.git("rev-parse", "main")
	var tested sync.Map
	var racing sync.WaitGroup
	for i, tree := range trees {
		racing.Go(func() {
			w, err := worktree.Open(f.s.Layout, f.o)
			if err != nil {
				t.Error(err)
				return
			}
			strategy := []string{worktree.ByMerge, worktree.BySquash, worktree.ByRebase}[i%3]
			_, err = w.Merge(t.Context(), tree, worktree.Merge{Strategy: strategy, Gate: func(_ context.Context, dir string) error {
				out, err := storetest.TryGit(dir, "write-tree")
				tested.Store(strings.TrimSpace(out), true)
				return err
			}})
			if err != nil {
				t.Errorf("%s: %v", tree.Task, err)
			}
		})
	}
	racing.Wait()
	for i := range trees {
		if f.git("ls-files", fmt.Sprintf("f%d.txt", i)) == "" {
			t.Errorf("the work of %s is lost", trees[i].Task)
		}
	}
	steps := strings.Fields(f.git("rev-list", "--first-parent", "--reverse", begin+"..main"))
	if len(steps) != racers {
		t.Errorf("%d steps", len(steps))
	}
	for _, step := range steps {
		if _, ok := tested.Load(f.git("rev-parse", step+"^{tree}")); !ok {
			t.Errorf("%s was not tested", step)
		}
	}
	if status := f.git("status", "--porcelain"); status != "" {
		t.Errorf("status %q", status)
	}
	f.nothingLeft(t)
}

// labels are those of a task in the checkout, by which tests tell versions of its record apart.
func labels(f *field, id record.ID) string {
	f.t.Helper()
	return strings.Join(storetest.Get(f.t, f.s, id).Labels, " ")
}
