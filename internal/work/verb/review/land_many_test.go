package review_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
)

// crowd is thirty approved branches: eight pairs change the same line, of three pairs one renames a part that the other
// uses, and eight are free.
type crowd struct {
	home
	check  args
	runs   func() int
	other  map[string]string // by the title of each of a pair, that of the other
	ids    map[string]record.ID
	before string
}

const (
	pairsInConflict = 8
	pairsThatBreak  = 3
	freeOnes        = 8
)

// newCrowd makes them in an order of its own; names says whether the output of the check names the file that is wrong.
func newCrowd(t *testing.T, names bool) *crowd {
	t.Helper()
	h, check, runs := parts(t)
	c := &crowd{home: h, check: check, runs: runs, other: map[string]string{}, ids: map[string]record.ID{}}
	if !names {
		src, err := os.ReadFile(filepath.Join(h.Dir, "check.sh"))
		if err == nil {
			err = os.WriteFile(filepath.Join(h.Dir, "check.sh"), []byte(strings.ReplaceAll(string(src), "$f: there is no part $n", "it fails")), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	work := map[string]func(dir string){}
	file := func(name, text string) func(dir string) {
		return func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range pairsInConflict {
		name := fmt.Sprint("line", i)
		h.write(h.Dir, name, "begin\n")
		one, other := "red "+name, "blue "+name
		work[one], work[other] = file(name, "red\n"), file(name, "blue\n")
		c.other[one], c.other[other] = other, one
	}
	for i := range pairsThatBreak {
		old := fmt.Sprint("old", i)
		h.write(h.Dir, "parts/"+old, strings.Repeat(old+"\n", 5))
		h.write(h.Dir, "uses/of"+old, old+"\n")
		one, other := "rename "+old, "use "+old
		work[one], work[other] = h.rename(old, fmt.Sprint("new", i), "of"+old), file("uses/more"+old, old+"\n")
		c.other[one], c.other[other] = other, one
	}
	for i := range freeOnes {
		work[fmt.Sprint("free ", i)] = file(fmt.Sprint("parts/free", i), "x\n")
	}
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "begin")
	verbtest.ApproveAll(t, h.Workspace)
	titles := make([]string, 0, len(work))
	for title := range work {
		titles = append(titles, title)
	}
	order := rand.New(rand.NewPCG(7, 7))
	slices.Sort(titles)
	order.Shuffle(len(titles), func(i, j int) { titles[i], titles[j] = titles[j], titles[i] })
	for _, title := range titles {
		c.ids[title] = h.create(args{"title": title, "body": "It is about: " + title + ".", "checks": []args{check}})
	}
	c.before = h.git(h.Dir, "rev-parse", "HEAD")
	for _, title := range titles {
		h.workBy(c.ids[title], work[title])
		h.approve(c.ids[title])
	}
	runs()
	return c
}

// mend settles what was sent back, as its agent would: what both sides wanted holds.
func (c *crowd) mend(title string) {
	c.Helper()
	id := c.ids[title]
	tree, _, err := c.trees().Find(id)
	if err != nil {
		c.Fatal(err)
	}
	agent := c.as("agent:fake-1").in(tree.Root)
	ses, err := verbtest.Call[verb.Session](c.T, agent.Workspace, "begin", args{"id": id, "expected_actor": "agent:fake-1", "idempotency_key": "again " + string(id)})
	if err != nil {
		c.Fatal(err)
	}
	commit := func(message string) {
		if _, err := c.trees().Commit(c.Context(), tree, message); err != nil {
			c.Fatal(err)
		}
	}
	commit("the record")
	kind, what, _ := strings.Cut(title, " ")
	rebase := exec.CommandContext(c.Context(), "git", "-C", tree.Path, "rebase", "--quiet", "main")
	conflicted := rebase.Run() != nil
	switch {
	case conflicted:
		if err := os.WriteFile(filepath.Join(tree.Path, what), []byte("red\nblue\n"), 0o644); err != nil {
			c.Fatal(err)
		}
		c.git(tree.Path, "add", "--all")
		c.git(tree.Path, "-c", "core.editor=true", "rebase", "--continue")
	case kind == "use":
		c.renamed(tree.Path, "uses/more"+what, strings.Replace(what, "old", "new", 1))
		commit("mend " + title)
	case kind == "rename":
		c.renamed(tree.Path, "uses/more"+what, strings.Replace(what, "old", "new", 1))
		commit("mend " + title)
	}
	if _, err := verbtest.Call[verb.Task](c.T, agent.Workspace, "run_checks", args{"id": id}); err != nil {
		c.Fatal(err)
	}
	if _, err := verbtest.Call[any](c.T, agent.Workspace, "finish", args{"session": ses.ID, "summary": "mended"}); err != nil {
		c.Fatal(err)
	}
	c.approve(id)
}

func (c *crowd) renamed(dir, name, text string) {
	c.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text+"\n"), 0o644); err != nil {
		c.Fatal(err)
	}
}

// wantGreen fails the test unless the check passes at each commit that the base has got.
func (c *crowd) wantGreen() {
	c.Helper()
	there := filepath.Join(c.TempDir(), "green")
	c.git(c.Dir, "worktree", "add", "--quiet", "--detach", there, c.before)
	for _, commit := range strings.Fields(c.git(c.Dir, "rev-list", "--first-parent", c.before+"..main")) {
		c.git(there, "checkout", "--quiet", commit)
		cmd := exec.CommandContext(c.Context(), "sh", "check.sh")
		cmd.Dir = there
		if out, err := cmd.CombinedOutput(); err != nil {
			c.Errorf("main is red at %s: %s", commit, out)
		}
	}
	c.git(c.Dir, "worktree", "remove", "--force", there)
}

// landAll lands all of a crowd, mends what is sent back, and returns how often the check was run by landing.
func (c *crowd) landAll(in args) (runs int) {
	c.Helper()
	back := map[string]int{}
	for round := range 3 {
		out := c.land(in)
		ran := c.runs()
		runs += ran
		landed := 0
		for _, one := range out.Items {
			switch one.Became {
			case review.Landed:
				landed++
			case review.SentBack:
				back[one.Title]++
				if len(one.With) != 1 || one.With[0].Title != c.other[one.Title] {
					c.Errorf("%s went back with %+v", one.Title, one.With)
				}
				if reason := c.reason(c.ids[one.Title]); !strings.Contains(reason, "It is about: "+c.other[one.Title]) {
					c.Errorf("the reason of %s does not say what the other wanted: %s", one.Title, reason)
				}
			default:
				c.Errorf("%+v", one)
			}
		}
		c.Logf("round %d: %d landed, %d went back, the check ran %d times", round+1, landed, len(out.Items)-landed, ran)
		if landed == len(out.Items) {
			break
		}
		for _, one := range out.Items {
			if one.Became == review.SentBack {
				c.mend(one.Title)
			}
		}
		c.runs() // those of the agents
	}
	if len(back) != pairsInConflict+pairsThatBreak {
		c.Errorf("%d went back: %v", len(back), back)
	}
	for title, times := range back {
		if times != 1 || back[c.other[title]] > 0 {
			c.Errorf("%s went back %d times, and %s %d times", title, times, c.other[title], back[c.other[title]])
		}
	}
	for title, id := range c.ids {
		if c.here(id).Status != "done" {
			c.Errorf("%s is %s", title, c.here(id).Status)
		}
	}
	c.wantGreen()
	c.proves(c.before)
	return runs
}

// Of thirty branches eight conflict, and three break only when merged. Each of these goes back once, with the right other
// one; the base is green at every commit; and the check runs at most half as often as one by one.
func TestSlowThirtyBranchesLand(t *testing.T) {
	slowtest.Skip(t)
	alone := newCrowd(t, true).landAll(args{"one_by_one": true})
	together := newCrowd(t, true).landAll(args{})
	t.Logf("one by one the check ran %d times, together %d times", alone, together)
	if together*2 > alone {
		t.Errorf("the check ran %d times, and one by one %d times", together, alone)
	}
}

// The same where the output of the check names nothing, so that groups are halved.
func TestSlowThirtyBranchesLandByHalves(t *testing.T) {
	slowtest.Skip(t)
	alone := newCrowd(t, false).landAll(args{"one_by_one": true})
	together := newCrowd(t, false).landAll(args{})
	t.Logf("one by one the check ran %d times, together %d times", alone, together)
	if together*2 > alone {
		t.Errorf("the check ran %d times, and one by one %d times", together, alone)
	}
}
