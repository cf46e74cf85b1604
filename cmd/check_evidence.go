package cmd

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/statements"
	"github.com/cairn-tasks/cairn/task"
)

// levels reports the tasks that the change closes with less evidence than its base requires. What counts is what others
// signed and what this very run saw. With --witness it is about to sign that: a change cannot have been witnessed before it
// was checked. What this clone saw at a close counts for nothing: whoever closed the task chose the files and the variables.
func (p *checkCommand) levels(ctx context.Context, l layout.Layout, found snapshot.Checked, r *report.Report) error {
	if err := p.unreadNeeds(l, found, r); err != nil {
		return err
	}
	if len(found.Closed) == 0 || !slices.ContainsFunc(found.Changes, func(c *proof.Change) bool { return len(c.Base.Config.Require) > 0 }) {
		return nil
	}
	s, err := store.Open(l.Root, p.stateDir())
	if err != nil {
		return err
	}
	shelf := statements.Of(s, p.call.Now)
	shelf.Base = found.Base
	stated, err := shelf.Read(ctx, "")
	if err == nil {
		stated, err = shelf.OnFiles(ctx, stated, found.Head)
	}
	if err != nil {
		return err
	}
	nobody := &verb.Workspace{Now: p.call.Now}
	for _, id := range found.Closed {
		t, err := kind.Tasks.Get(s, id)
		if err != nil {
			continue // the report says why it cannot be read
		}
		about := t.Closing()
		seen := p.witness.seen(s.Config.Flow, t)
		for _, fact := range statements.Facts(stated, []task.Task{t}, s.Config.Flow, func(string) task.Seen { return seen }) {
			if fact.About == about {
				seen = seen.And(fact.Seen)
			}
		}
		r.Findings = append(r.Findings, found.Lacking(id, task.LevelOf(about != "", seen), func(needs []task.Need) task.Level {
			return tasks.NeedOf(nobody, s, t, needs)
		})...)
	}
	proof.Sort(r.Findings)
	return nil
}

// unreadNeeds reports what the config requires of tasks by a filter that cannot be read, and so of all tasks.
func (p *checkCommand) unreadNeeds(l layout.Layout, found snapshot.Checked, r *report.Report) error {
	needs := found.Tree.Config.Require
	if !found.Tree.Config.Sound() || len(needs) == 0 {
		return nil
	}
	s, err := store.Open(l.Root, p.stateDir())
	if err != nil {
		return err
	}
	for i, why := range tasks.UnreadNeeds(&verb.Workspace{Now: p.call.Now}, s, needs) {
		r.Findings = append(r.Findings, found.Tree.UnreadNeed(i, why)...)
	}
	proof.Sort(r.Findings)
	return nil
}

// seen is what the run saw of a close.
func (w *witness) seen(flow task.Flow, t task.Task) task.Seen {
	if !w.passed(t) {
		return task.Seen{}
	}
	return flow.Together(t, func(i int) task.Seen {
		return task.Seen{Held: w.held[t.ID][i], Red: w.red[t.ID][i]}
	}).And(task.Seen{Witnessed: w.counts})
}

// redByBase runs commands of a task that the change closes on the base, with the tests of the change: those of which its
// close says that they fail without the work, and all where the base requires that level. It returns findings about
// those of which the close says so and that pass.
func (p *checkCommand) redByBase(ctx context.Context, w *verb.Workspace, s *store.Store, found snapshot.Checked, t task.Task) (out []proof.Finding, err error) {
	var claimed, todo []int
	closed := t.Moved()
	wanted := slices.ContainsFunc(found.Changes, func(c *proof.Change) bool {
		return tasks.NeedOf(w, s, t, c.Base.Config.Require) >= task.LevelRed
	})
	for i, c := range t.Checks {
		claims := closed >= 0 && slices.Contains(t.Provenance[closed].Said().Red, c.Key(t.ID))
		if claims {
			claimed = append(claimed, i)
		}
		if !c.Manual() && (claims || wanted) {
			todo = append(todo, i)
		}
	}
	red, err := gates.RedSince(ctx, w, s, t, found.Base, todo)
	if err != nil {
		return nil, err
	}
	p.witness.red[t.ID] = record.SetOf(red)
	for _, i := range claimed {
		if !slices.Contains(red, i) {
			c := t.Checks[i]
			command := proof.Command{Cmd: c.Cmd, Folder: c.Folder(), Checks: []proof.Declared{{Task: t.ID, Index: i, Check: c}}}
			out = append(out, found.Failed(command, (check.Outcome{Passed: true}).Summary()+" without the work too, and its close says that it fails there")...)
		}
	}
	return out, nil
}
