package fleet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// Whatever two clones write, commit, merge, pull, reset and check out, in whatever order, both tell what the files say:
// which state a task is in, who has it, and of no work elsewhere that is here. Live state yields to what git brought,
// and who lost something by that is told so. FLEET and KEEP are as with TestFleets.
func TestFilesWin(t *testing.T) { told(t, 100, 101, 15) }

// TestSlowFilesWin has twice as many worlds as there are fleets.
func TestSlowFilesWin(t *testing.T) {
	slowtest.Skip(t)
	told(t, 101, 101+2*fleets(t), 60)
}

func told(t *testing.T, from, to uint64, steps int) {
	t.Helper()
	only := os.Getenv("FLEET")
	for seed := from; seed < to; seed++ {
		if only != "" && only != fmt.Sprint(seed) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			w.clones = w.clones[:2]
			for _, c := range w.clones {
				c.skew = 0
				c.must("switch", "-q", "-C", "main", "origin/main")
				c.must("branch", "-q", "side")
			}
			for range steps {
				c := pick(w, w.clones...)
				c.step()
				c.tells(pick(w, c.names("tasks")[:3]...))
			}
			for _, c := range w.clones {
				for _, id := range c.names("tasks") {
					c.tells(id)
				}
			}
			if only != "" {
				t.Log(w.story.String())
			}
		})
	}
}

// step is one thing that a person or an agent does, by cairn or by git.
func (c *clone) step() {
	c.now = c.now.Add(pick(c.world, 0, time.Second, 7*time.Second, 40*time.Second)) // so that no claim expires
	if !c.one(3) {
		c.takes(pick(c.world, c.person, c.agent), pick(c.world, c.names("tasks")[:3]...))
		return
	}
	switch c.random.IntN(9) {
	case 0, 1:
		c.commit()
	case 2, 3:
		c.commit()
		c.must("fetch", "-q")
		if c.merge("--no-ff", "-m", "take main in", "origin/main") {
			c.may("push", "-q", "origin", "HEAD:main")
		}
	case 4:
		c.commit()
		c.must("fetch", "-q")
		c.must("merge", "-q", "-s", "ours", "--allow-unrelated-histories", "-m", "keep ours", "origin/main")
	case 5:
		c.may("reset", "-q", "--hard", pick(c.world, "HEAD", "HEAD", "HEAD~1", "origin/main"))
	case 6:
		c.must("checkout", "-q", pick(c.world, "HEAD", "origin/main"), "--", ".cairn")
	case 7:
		c.commit()
		c.must("switch", "-q", pick(c.world, "main", "side"))
	case 8:
		c.commit()
		if !c.merge("-m", "both", pick(c.world, "main", "side")) {
			c.must("reset", "-q", "--hard")
		}
	}
}

// takes does something with a task that changes who has it, or what state it is in.
func (c *clone) takes(who, id string) {
	do := func(args ...string) { c.act(who, args...) }
	switch c.random.IntN(9) {
	case 0, 1, 2:
		do("start", id)
	case 3:
		do("claim", id)
	case 4:
		do("release", id)
	case 5:
		do("transition", id, pick(c.world, "done", "canceled", "in_review", "backlog"), "--reason", "so it is")
	case 6:
		do("note", id, "on it")
	case 7:
		do("reopen", id, "--reason", "it broke")
	case 8:
		c.act(c.person, "update", id, "--assignee", pick(c.world, "agent:a", "agent:b", "human:shah", "unassigned"))
	}
}

// said is what a clone says of a task.
type said struct {
	Status, Assignee string
	Claim            *struct {
		Actor, Branch string
		Lapsed        bool
	}
	Elsewhere *struct{ Status, Branch, Clone string }
	Lost      *struct{ Why string }
}

// tells compares what a clone says of a task with its file, and with that on the branch that it names.
func (c *clone) tells(id string) {
	c.t.Helper()
	out, err := c.cairn(c.person, "", "show", id, "--json")
	if err != nil {
		c.t.Fatalf("FLEET=%s: show: %v\n%s", filepath.Base(c.t.Name()), err, c.story.String())
	}
	var says said
	if err := json.Unmarshal([]byte(out), &says); err != nil {
		c.t.Fatal(err)
	}
	file, here := c.read(filepath.Join(".cairn", "tasks", id+".md")), c.must("branch", "--show-current")
	status, assignee := valueIn(file, "status"), valueIn(file, "assignee")
	closed := status == "done" || status == "canceled"
	switch e, claim := says.Elsewhere, says.Claim; {
	case says.Status != status || says.Assignee != assignee:
		c.wrong(id, out, "the file says %s, %s", status, assignee)
	case e != nil && (e.Branch == here || c.onBranch(e.Branch, id) == file):
		c.wrong(id, out, "elsewhere is here, on %s", here)
	case closed && claim != nil:
		c.wrong(id, out, "a closed task is held")
	case e != nil, closed, claim != nil && claim.Lapsed:
	case claim == nil && assignee != "":
		c.wrong(id, out, "the file says that %s has it", assignee)
	case claim == nil || claim.Actor == assignee:
	case claim.Branch == "" && c.anywhere(id, claim.Actor):
	case claim.Branch == here || claim.Branch == "" || valueIn(c.onBranch(claim.Branch, id), "assignee") != claim.Actor:
		c.wrong(id, out, "nothing says that %s has it", claim.Actor)
	}
	if says.Lost != nil {
		c.examined(id)
	}
}

// examined looks that doctor finds what was lost.
func (c *clone) examined(id string) {
	c.t.Helper()
	if out, err := c.cairn(c.person, "", "doctor"); err == nil {
		c.wrong(id, out, "doctor knows of no claim that was lost")
	}
}

func (c *clone) wrong(id, out, format string, args ...any) {
	c.t.Helper()
	c.keep()
	state, _ := filepath.Glob(filepath.Join(c.dir, ".git", "cairn", "*", "claims", id+".json"))
	for _, path := range state {
		src, _ := os.ReadFile(path)
		out += string(src)
	}
	c.t.Fatalf("FLEET=%s: clone %s says of %s what its file does not: %s\n%s\n%s", filepath.Base(c.t.Name()), c.name, id,
		fmt.Sprintf(format, args...), out, c.story.String())
}

// anywhere reports whether a branch says that somebody was given a task.
func (c *clone) anywhere(id, actor string) bool {
	return valueIn(c.onBranch("main", id), "assignee") == actor || valueIn(c.onBranch("side", id), "assignee") == actor
}

// onBranch is the file of a task on a branch, as it was committed there.
func (c *clone) onBranch(branch, id string) string {
	out, err := c.git("show", branch+":.cairn/tasks/"+id+".md")
	if err != nil {
		return ""
	}
	return out
}

// valueIn is the value of a key in the file of a task; "" if it has none.
func valueIn(file, key string) string {
	found := regexp.MustCompile(`(?m)^` + key + `: '?([^'\n]*)'?$`).FindStringSubmatch(file)
	if found == nil {
		return ""
	}
	return found[1]
}
