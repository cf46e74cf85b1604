package worktree_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// playMerge merges the work tree of a task once it gets a line.
func playMerge(s *store.Store, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w, err := worktree.Open(s.Layout, worktree.Options{Driver: self + " " + mergeDriver + " %O %A %B %L %P"})
	if err != nil {
		return err
	}
	tree, ok, err := w.Find(record.ID(args[0]))
	if err != nil || !ok {
		return fmt.Errorf("no work tree: %w", err)
	}
	fmt.Println("ready")
	storetest.WaitForLine()
	_, err = w.Merge(context.Background(), tree, worktree.Merge{Strategy: args[1]})
	return err
}

// Merges that are killed at any moment leave a base that only moves forwards; each is made by the next call, and
// nothing is left of the killed ones.
func TestSlowKilledMerges(t *testing.T) {
	slowtest.Skip(t)
	const kills = 12
	f := newField(t)
	ids := make([]record.ID, kills)
	for i := range ids {
		ids[i] = record.ID(fmt.Sprintf("PROJ-%d", 200+i))
		storetest.WriteTask(t, f.s, ids[i])
	}
	f.commit()
	for _, id := range ids {
		f.work(id, string(id)+".txt", "x\n")
	}
	before := f.git("rev-parse", "main")
	for i, id := range ids {
		strategy := []string{worktree.ByMerge, worktree.BySquash, worktree.ByRebase}[i%3]
		p := storetest.Start(t, f.s, "merge", string(id), strategy)
		if _, ok := p.Answer(); !ok {
			t.Fatal("it does not begin")
		}
		p.Send(t, "go")
		<-time.After(rand.N(400 * time.Millisecond)) // any moment will do
		_ = p.Cmd.Process.Kill()
		_ = p.Cmd.Wait()
		tree, ok, err := f.w.Find(id)
		if err != nil || !ok {
			t.Fatal(err)
		}
		if _, err := f.w.Merge(t.Context(), tree, worktree.Merge{Strategy: strategy}); err != nil {
			t.Fatalf("after kill %d: %v", i, err)
		}
		if _, err := storetest.TryGit(f.repo, "merge-base", "--is-ancestor", before, "main"); err != nil {
			t.Error("the base was set back")
		}
		before = f.git("rev-parse", "main")
		if f.git("ls-files", string(id)+".txt") == "" {
			t.Errorf("the work of %s is lost", id)
		}
	}
	if status := f.git("status", "--porcelain"); status != "" {
		t.Errorf("status %q", status)
	}
	deadline := time.Now().Add(slowtest.Patience)
	for strings.Contains(f.git("worktree", "list"), ".merge-") && time.Now().Before(deadline) { // a git that outlived its caller may have worked in one
		if _, err := f.w.Merge(t.Context(), f.make("PROJ-1"), worktree.Merge{}); err != nil {
			t.Fatal(err)
		}
	}
	f.nothingLeft(t)
}
