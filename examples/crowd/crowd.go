package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn"
)

const (
	tasks   = 60
	agents  = 10
	modules = 24
	lines   = 40 // of each file
	rework  = 2  // ticks to do a task once more after a conflict
)

// edit is what the work on a task changes: a block of a module's file, and of some tasks a line of a file that every
// module has a part in and that no scope names.
type edit struct {
	module, from, length int
	shared               bool
	ticks                int
}

// edits are the same in each run.
func edits() (all []edit) {
	r := rand.New(rand.NewPCG(7, 7))
	for range tasks {
		all = append(all, edit{r.IntN(modules), r.IntN(lines / 2), 4 + r.IntN(lines/2-4), r.IntN(20) == 0, 2 + r.IntN(4)})
	}
	return all
}

func (e edit) file() string { return fmt.Sprintf("mod%02d/code.txt", e.module) }

// apply changes the files of a work tree.
func (e edit) apply(dir, id string) error {
	change := func(file string, from, length int) error {
		path := filepath.Join(dir, filepath.FromSlash(file))
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all := strings.Split(string(src), "\n")
		for i := from; i < from+length; i++ {
			all[i] = fmt.Sprintf("line %d by %s", i, id)
		}
		return os.WriteFile(path, []byte(strings.Join(all, "\n")), 0o644) //nolint:gosec // for everybody, as git has it
	}
	if e.shared {
		if err := change("shared.txt", 0, 1); err != nil {
			return err
		}
	}
	return change(e.file(), e.from, e.length)
}

// result is what a run came to.
type result struct{ merges, conflicts, ticks int }

func (r result) throughput() float64 { return 100 * float64(tasks) / float64(r.ticks) }

// crowd is a repository with its tasks, and agents that work in it.
type crowd struct {
	dir    string
	lead   *cairn.Workspace
	agents []*agent
	edits  map[string]edit // by task
	result
}

// agent is at work on a task until a tick, in a work tree of its own.
type agent struct {
	*cairn.Workspace
	tree  string
	task  string // "" for none
	until int
}

func newCrowd(ctx context.Context, dir, setting string) (*crowd, error) {
	c := &crowd{dir: filepath.Join(dir, setting), edits: map[string]edit{}}
	if err := os.MkdirAll(c.dir, 0o755); err != nil { //nolint:gosec // for everybody, as git has it
		return nil, err
	}
	for _, command := range []string{"init -q -b main", "config user.name Crowd", "config user.email crowd@example.org", "config commit.gpgsign false"} {
		if err := git(ctx, c.dir, strings.Fields(command)...); err != nil {
			return nil, err
		}
	}
	for i := range modules + 1 {
		file := edit{module: i}.file()
		if i == modules {
			file = "shared.txt"
		}
		path := filepath.Join(c.dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // for everybody, as git has it
			return nil, err
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("as it was\n", lines)), 0o644); err != nil { //nolint:gosec // likewise
			return nil, err
		}
	}
	return c, c.plan(ctx, setting)
}

// plan makes the tasks and the agents.
func (c *crowd) plan(ctx context.Context, setting string) error {
	if err := cairn.Init(c.dir, "CROWD"); err != nil {
		return err
	}
	open := func(who string) (*cairn.Workspace, error) {
		return cairn.Open(c.dir, cairn.As(who), cairn.Under(c.dir+"-state"), cairn.With(cairn.Maintainer))
	}
	var err error
	if c.lead, err = open("human:Ada"); err != nil {
		return err
	}
	if err := c.lead.Call(ctx, "settings_set", cairn.Args{"key": "collide", "value": setting}, nil); err != nil {
		return err
	}
	for i, e := range edits() {
		var made cairn.Task
		in := cairn.Args{"title": fmt.Sprintf("Work %d on module %d", i, e.module), "priority": i % 5, "scope": []string{filepath.ToSlash(filepath.Dir(e.file()))}}
		if err := c.lead.Call(ctx, "create", in, &made); err != nil {
			return err
		}
		c.edits[string(made.ID)] = e
	}
	if err := commit(ctx, c.dir, "Begin"); err != nil {
		return err
	}
	for i := range agents {
		w, err := open(fmt.Sprintf("agent:%d", i))
		if err != nil {
			return err
		}
		a := &agent{Workspace: w, tree: fmt.Sprintf("%s-tree-%d", c.dir, i)}
		if err := git(ctx, c.dir, "worktree", "add", "-q", "--detach", a.tree); err != nil {
			return err
		}
		c.agents = append(c.agents, a)
	}
	return nil
}

// work goes on until all tasks are merged.
func (c *crowd) work(ctx context.Context) (result, error) {
	for done := 0; done < tasks; c.ticks++ {
		if c.ticks > 100*tasks {
			return c.result, fmt.Errorf("%d tasks are left, and nobody takes them", tasks-done)
		}
		for _, a := range c.agents {
			if a.task != "" && c.ticks >= a.until {
				merged, err := c.land(ctx, a)
				if err != nil {
					return c.result, err
				}
				if merged {
					done++
				}
			}
			if a.task == "" {
				if err := c.take(ctx, a); err != nil {
					return c.result, err
				}
			}
		}
	}
	return c.result, nil
}

// take has an agent claim the next task, and do it on a branch that begins at main.
func (c *crowd) take(ctx context.Context, a *agent) error {
	var next struct{ Task *cairn.Task }
	if err := a.Call(ctx, "next", cairn.Args{}, &next); err != nil || next.Task == nil {
		return err
	}
	a.task = string(next.Task.ID)
	a.until = c.ticks + c.edits[a.task].ticks
	return c.edit(ctx, a)
}

func (c *crowd) edit(ctx context.Context, a *agent) error {
	if err := git(ctx, a.tree, "checkout", "-q", "-B", "cairn/"+a.task, "main"); err != nil {
		return err
	}
	if err := c.edits[a.task].apply(a.tree, a.task); err != nil {
		return err
	}
	return commit(ctx, a.tree, "Do "+a.task)
}

// land merges what an agent did and closes the task. After a conflict the agent does it once more.
func (c *crowd) land(ctx context.Context, a *agent) (merged bool, err error) {
	c.merges++
	if git(ctx, c.dir, "merge", "-q", "--no-edit", "cairn/"+a.task) != nil {
		c.conflicts++
		a.until = c.ticks + rework
		if err := git(ctx, c.dir, "merge", "--abort"); err != nil {
			return false, err
		}
		return false, c.edit(ctx, a)
	}
	err = a.Call(ctx, "transition", cairn.Args{"id": a.task, "to": "done"}, nil)
	a.task = ""
	return true, err
}

func commit(ctx context.Context, dir, message string) error {
	if err := git(ctx, dir, "add", "--all"); err != nil {
		return err
	}
	return git(ctx, dir, "commit", "-q", "-m", message)
}

func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the words are this program's
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
