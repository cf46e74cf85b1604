package proof

import (
	"github.com/cairn-tasks/cairn/task"
)

// Command is what one or more checks of closed tasks run: equal commands in equal folders are one.
type Command struct {
	Cmd, Folder string
	Checks      []Declared
}

// Declared is a check where it is declared.
type Declared struct {
	Task  task.ID
	Index int
	Check task.Check
}

// Done lists the tasks that are closed and claim that they work. With a change, what it makes of the states does not count
// for it yet; change may be nil.
func (t Tree) Done(change *Change) []task.ID {
	if !t.Config.Sound() {
		return nil
	}
	flow := t.Config.Flow
	if change != nil {
		flow = change.flow()
	}
	var out []task.ID
	for _, f := range t.Tasks {
		if f.Sound() && stands(flow, f.Task.Status) {
			out = append(out, f.Name)
		}
	}
	return out
}

// Commands lists the commands of some tasks, in the order of the tree.
func (t Tree) Commands(of []task.ID) []Command {
	type place struct{ cmd, folder string }
	at := map[place]int{}
	wanted := make(map[task.ID]bool, len(of))
	for _, id := range of {
		wanted[id] = true
	}
	var out []Command
	for _, f := range t.Tasks {
		if !f.Sound() || !wanted[f.Name] {
			continue
		}
		for i, c := range f.Task.Checks {
			if c.Manual() {
				continue
			}
			key := place{c.Cmd, c.Folder()}
			n, known := at[key]
			if !known {
				n, at[key] = len(out), len(out)
				out = append(out, Command{Cmd: key.cmd, Folder: key.folder})
			}
			out[n].Checks = append(out[n].Checks, Declared{f.Name, i, c})
		}
	}
	return out
}

// Failed is what there is to say of a command that failed: a finding of each check that it is, at its line. Summary says how
// it ended. A change cannot make less of it than its base does; it may be nil.
func (t Tree) Failed(change *Change, c Command, summary string) []Finding {
	j := newJudge(t, change)
	for _, d := range c.Checks {
		j.reportTask(CheckFailed, j.byName[d.Task], Path{"checks", d.Index, "cmd"},
			"the check %q fails in this tree: %s", d.Check.Desc, summary).
			fix("mend what it tests; or cairn transition %s %s", d.Task, t.Config.Flow.Initial)
	}
	return j.findings()
}
