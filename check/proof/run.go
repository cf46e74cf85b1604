package proof

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Command is a command that checks of closed tasks run. Checks with the same command in the same folder share one.
type Command struct {
	Cmd, Folder string
	Checks      []Declared
}

// Declared is a check, and where it is declared.
type Declared struct {
	Task  record.ID
	Index int
	Check task.Check
}

// Done lists the closed tasks but the abandoned ones, so those whose checks should pass. A change, which may be nil,
// cannot shorten the list by its own config.
func (t Tree) Done(change *Change) []record.ID {
	if !t.Config.Sound() {
		return nil
	}
	flow := t.Config.Flow
	if change != nil {
		flow = change.flow()
	}
	var out []record.ID
	for _, f := range t.Tasks {
		if f.Sound() && flow.ClaimsDone(f.Task.Status) {
			out = append(out, f.ID())
		}
	}
	return out
}

// Commands lists the commands of some tasks, in the order of the tree.
func (t Tree) Commands(of []record.ID) []Command {
	type key struct{ cmd, folder string }
	index := map[key]int{}
	wanted := record.SetOf(of)
	var out []Command
	for _, f := range t.Tasks {
		if !f.Sound() || !wanted[f.ID()] {
			continue
		}
		for i, c := range f.Task.Checks {
			if c.Manual() || c.Repo != "" { // the files of another repository are not in the tree
				continue
			}
			k := key{c.Cmd, c.Folder()}
			n, known := index[k]
			if !known {
				n, index[k] = len(out), len(out)
				out = append(out, Command{Cmd: k.cmd, Folder: k.folder})
			}
			out[n].Checks = append(out[n].Checks, Declared{f.ID(), i, c})
		}
	}
	return out
}

// Lacking returns the finding about a task that a change closes at a lower level than its base requires.
func (t Tree) Lacking(change *Change, id record.ID, has, needs task.Level) []Finding {
	j := newJudge(t, change)
	j.report(EvidenceLevel, &j.byName[id].File, Path{"status"}, "its close is %d/%d %s, and the base requires %s", has, task.LevelSigned, has, needs)
	return j.findings()
}

// UnreadNeed returns the finding about a filter of require in the config that cannot be read.
func (t Tree) UnreadNeed(i int, why error) []Finding {
	j := newJudge(t, nil)
	j.report(BadField, &t.Config.File, Path{"require"}, "the filter for=%q cannot be read, so this is required of all tasks: %s",
		record.Clip(t.Config.Require[i].For, 100), record.MessageOf(why)).fix("correct the filter: cairn help filters lists its keys; here those count that the file of a task says")
	return j.findings()
}

// Failed returns the findings about a command that failed, one for each check that runs it. summary says how it ended.
// A change, which may be nil, cannot lower their severity below that of its base.
func (t Tree) Failed(change *Change, c Command, summary string) []Finding {
	j := newJudge(t, change)
	for _, d := range c.Checks {
		j.report(CheckFailed, &j.byName[d.Task].File, Path{"checks", d.Index, "cmd"},
			"the check %q fails in this tree: %s", d.Check.Desc, summary).
			fix("repair what it tests, or move the task back: cairn transition %s %s", d.Task, t.Config.Flow.Initial)
	}
	return j.findings()
}
