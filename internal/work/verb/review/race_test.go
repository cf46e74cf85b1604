package review_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// Twenty merges into one base at once, of which no more than fifteen can pass: each adds a part, and the check of each
// allows fifteen. Each is tested as merged: so fifteen come home, at no commit the base has a sixteenth, and the
// branches of the others are as they were.
func TestSlowMergesRaceOnOneBase(t *testing.T) {
	slowtest.Skip(t)
	const many, room = 20, 15
	h := newHome(t)
	h.write(h.Dir, "parts/none", "")
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "parts")
	ids, tips := make([]record.ID, many), map[record.ID]string{}
	for i := range ids {
		ids[i] = h.create(args{"title": fmt.Sprint("Part ", i), "checks": []args{
			{"desc": "room", "cmd": fmt.Sprintf("test $(ls parts | wc -l) -le %d", room+1)},
		}})
		h.work(ids[i], map[string]string{"parts/" + strconv.Itoa(i): "part\n"})
	}
	for _, id := range ids { // the merge finds nothing to commit
		if _, err := h.apply(id, "rebase", nil); err != nil {
			t.Fatal(err)
		}
		tips[id] = h.git(h.Dir, "rev-parse", "cairn/"+string(id))
	}
	before := h.git(h.Dir, "rev-parse", "HEAD")

	merged, refused := map[record.ID]string{}, 0
	var mu sync.Mutex
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() {
			out, err := h.apply(id, "merge", args{"strategy": []string{"merge", "squash", "rebase"}[i%3]})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				merged[id] = out.MergedCommit
			case record.CodeOf(err) == record.ChecksFailed:
				refused++
			default:
				t.Errorf("%s: %v", id, err)
			}
		})
	}
	group.Wait()

	if len(merged) != room || refused != many-room {
		t.Fatalf("%d were merged and %d refused", len(merged), refused)
	}
	commits := strings.Fields(h.git(h.Dir, "rev-list", "--first-parent", before+"..main"))
	on := map[string]bool{}
	for _, commit := range commits {
		on[commit] = true
		if parts := len(strings.Fields(h.git(h.Dir, "ls-tree", "--name-only", commit+":parts"))); parts > room+1 {
			t.Errorf("at %s the base has %d parts", commit, parts)
		}
	}
	for i, id := range ids {
		home, has := merged[id]
		there := h.git(h.Dir, "ls-tree", "--name-only", "main:parts", strconv.Itoa(i)) != ""
		if has != there || has && !on[home] {
			t.Errorf("%s merged as %q, and the base has it: %v", id, home, there)
		}
		if now := h.git(h.Dir, "rev-parse", "cairn/"+string(id)); now != tips[id] {
			t.Errorf("the branch of %s moved", id)
		}
		if want := map[bool]record.Status{true: "done", false: "backlog"}[has]; h.here(id).Status != want {
			t.Errorf("%s is %s in the main checkout", id, h.here(id).Status)
		}
	}
	if status := h.git(h.Dir, "status", "--porcelain"); status != "" {
		t.Errorf("the checkout is not clean:\n%s", status)
	}
	if lists := h.git(h.Dir, "worktree", "list"); strings.Contains(lists, ".merge-") {
		t.Errorf("a work tree was left:\n%s", lists)
	}
	h.proves(before)
}
