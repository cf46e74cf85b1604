package gates

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// hold runs those commands of a run that passed, on files which the work has changed and for which nothing accounts,
// once more: with the new code, and with these files as they were. What passes there too is held against the base.
func (g *guarding) hold(
	ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, run *task.Run, report *verb.RunReport, logged func(check.Header, check.Outcome),
) error {
	if g == nil {
		return nil
	}
	var again []int // of the report
	state := g.state(w.Actor())
	for n, cr := range report.Checks {
		owed := state.Owed(t, cr.Check)
		if cr.Result != record.Pass || len(owed) == 0 {
			continue
		}
		again = append(again, n)
		report.Checks[n].Guards = record.Each(owed[:min(len(owed), changedShown)], func(f task.GuardFile) string { return f.Path })
		report.Checks[n].Held, run.Results[n].Held = record.HeldNot, record.HeldNot
	}
	if len(again) == 0 {
		return nil
	}
	run.Base = g.base
	h := heldRun{guarding: g, w: w, s: s, t: t}
	return h.in(ctx, record.Each(again, func(n int) int { return report.Checks[n].Check }), func(nth int, h check.Header, o check.Outcome) {
		n := again[nth]
		logged(h, o)
		if o.Passed {
			report.Checks[n].Held, run.Results[n].Held = record.HeldBase, record.HeldBase
		} else {
			report.Checks[n].Output = verb.Tail(o.Output, tailShown)
		}
	})
}

// heldRun is a run of checks with their files as they were where the work began.
type heldRun struct {
	*guarding
	w *verb.Workspace
	s *store.Store
	t task.Task
}

// in runs checks, by their indices, with the files on which they stand as they were, and calls ended with how each ended.
// Where the files cannot be put back it calls nothing.
func (h heldRun) in(ctx context.Context, todo []int, ended func(nth int, h check.Header, o check.Outcome)) error {
	var put []change
	for _, i := range todo {
		put = append(put, h.takenBack(i)...)
	}
	err := h.inTree(ctx, "", todo, put, func(root string) error {
		for n, i := range todo {
			c, started := h.t.Checks[i], h.w.Now()
			got, err := h.once(ctx, root, i, fmt.Sprintf("check %d of %d, with its files as they were: %s", n+1, len(todo), c.Desc))
			if err != nil {
				return err
			}
			ended(n, check.Header{
				Task: string(h.t.ID), Check: c.Desc, Cmd: c.Cmd, Dir: c.Folder(), Commit: h.base,
				Guards: len(h.changed[h.key(i)]), Started: started,
			}, got)
		}
		return nil
	})
	if record.CodeOf(err) == record.InvalidInput {
		return nil
	}
	return err
}

// inTree makes a throw-away work tree for some checks, of a commit or of the files as they are (""), puts files there as
// they were, and calls use with the folder in which commands run. It returns INVALID_INPUT if one cannot be put there.
func (h heldRun) inTree(ctx context.Context, commit string, todo []int, put []change, use func(root string) error) error {
	throwaway := verb.OwnWork().Throwaway
	if throwaway == nil {
		return nil
	}
	what := verb.Throwaway{For: "held", Commit: commit, Links: h.links(todo)}
	if commit != "" {
		what.For = "verify"
	}
	return throwaway(ctx, h.s, h.files, what, func(top, root string) error {
		err := h.putAllBack(ctx, top, put)
		if err == nil {
			err = h.setUp(ctx, root)
		}
		if err == nil {
			err = h.putAllBack(ctx, top, put) // the set-up may have written into them
		}
		if err != nil {
			return err
		}
		return use(root)
	})
}

// once runs a check in a folder, and says meanwhile what it is.
func (h heldRun) once(ctx context.Context, root string, i int, what string) (check.Outcome, error) {
	c, limit := h.t.Checks[i], h.s.Config.Limit(h.t.Checks[i])
	reported := reportWhile(h.w.Progress, 0, 1, what, limit)
	defer reported()
	box, err := BoxOf(h.w, h.s, h.files.Layout, root)
	if err != nil {
		return check.Outcome{}, err
	}
	return check.Attempt(ctx, check.Spec{Cmd: c.Cmd, Root: root, Cwd: c.Cwd, Timeout: limit, Box: box})
}

// takenBack are the changes that a run with the files as they were has not: new tests, and what counts.
func (h heldRun) takenBack(i int) []change {
	return slices.Concat(h.added[h.key(i)], h.changed[h.key(i)])
}

func (h heldRun) key(i int) string { return h.t.Checks[i].Key(h.t.ID) }

// links are the ignored folders that the runners of some checks need: at the top, and in the folders of the checks.
func (h heldRun) links(todo []int) (out []string) {
	for _, i := range todo {
		for _, folder := range h.of[h.key(i)].Links {
			out = append(out, folder, path.Join(h.below, h.t.Checks[i].Folder(), folder))
		}
	}
	return record.Unique(out)
}

func (g *guarding) putAllBack(ctx context.Context, top string, put []change) error {
	for _, c := range put {
		if err := g.putBack(ctx, top, c); err != nil {
			return err
		}
	}
	return nil
}

// putBack gives a file of a throw-away work tree what it held where the work began, as far as its guard goes.
func (g *guarding) putBack(ctx context.Context, top string, c change) error {
	if c.Was == "" {
		return verb.OwnWork().PutFile(top, c.Path, "", "")
	}
	was, err := g.old(ctx, c.Path)
	if err != nil {
		return err
	}
	now := ""
	if c.Now != "" && !c.by.Whole() {
		content, err := g.text(ctx, c.Path)
		if err != nil {
			return record.Errorf(record.InvalidInput, "%s is no file any more of which a part can be put back", c.Path)
		}
		now = content
	}
	mode, _, _ := strings.Cut(c.Was, " ")
	return verb.OwnWork().PutFile(top, c.Path, mode, c.by.Old(c.Path, was, now))
}

// setUp runs the set-up command of work trees, as it was where the work began, if the user has consented to it.
func (h heldRun) setUp(ctx context.Context, root string) error {
	command := task.Check{Cmd: h.config.SetUp}
	if command.Cmd == "" || h.files.Repo != "" || len(h.s.Unapproved(ctx, h.s.CommandsOf(layout.ConfigName, command))) > 0 {
		return nil
	}
	_, err := check.Attempt(ctx, check.Spec{Cmd: command.Cmd, Root: root, Timeout: cmp.Or(h.s.Config.SetupTimeout, noLimit)})
	return err
}

// NotHeld is a check that passes, and not with the files on which it stands as a commit has them.
type NotHeld struct {
	Check   int // index
	Files   []string
	Outcome check.Outcome
}

// HoldsSince runs the commands of a task with the files on which they stand as a commit has them, where they have changed
// since and the record does not account for it by more than its own word that they were held. It returns those that do
// not pass, and those that cannot be run so; and those that are known to hold: they passed so now, or nothing that they stand
// on has changed. Whoever calls has asked whether the commands may run.
func HoldsSince(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, base string) (out []NotHeld, held []int, err error) {
	g, err := since(ctx, s, t, base)
	if err != nil || g == nil {
		return nil, nil, err
	}
	state := g.state(t.Provenance.Last().Who)
	var todo []int
	for i, c := range t.Checks {
		switch {
		case c.Manual():
		case len(state.Owed(t, i)) > 0:
			todo = append(todo, i)
		case len(state.Changed[c.Key(t.ID)]) == 0:
			held = append(held, i)
		}
	}
	if len(todo) == 0 {
		return nil, held, nil
	}
	h := heldRun{guarding: g, w: w, s: s, t: t}
	ended := make([]check.Outcome, len(todo))
	for n := range ended {
		ended[n].Exit = -1 // not started
	}
	err = h.in(ctx, todo, func(nth int, _ check.Header, o check.Outcome) { ended[nth] = o })
	for n, o := range ended {
		if o.Passed {
			held = append(held, todo[n])
		} else {
			paths := record.Each(state.Owed(t, todo[n]), func(f task.GuardFile) string { return f.Path })
			out = append(out, NotHeld{todo[n], paths, o})
		}
	}
	return out, held, err
}

// since compares the guarded files of a task as they are with those of a commit; nil where they are in no commit of this
// repository.
func since(ctx context.Context, s *store.Store, t task.Task, base string) (*guarding, error) {
	files, err := FilesOf(s, t)
	if err != nil || files.Layout.Repo == nil || t.Repo != "" {
		return nil, err
	}
	g := &guarding{files: files, base: base}
	if g.now, err = files.WorkTree(ctx); err != nil {
		return nil, err
	}
	return g, g.compare(ctx, s, t)
}

// RedSince returns which commands of a task, by their indices, fail on the files of a commit with their guarded files as
// they are: they were seen to fail without the work. Whoever calls has asked whether they may run.
func RedSince(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, base string, todo []int) (red []int, err error) {
	if len(todo) == 0 {
		return nil, nil
	}
	g, err := since(ctx, s, t, base)
	if err != nil || g == nil {
		return nil, err
	}
	h := heldRun{guarding: g, w: w, s: s, t: t}
	for _, i := range todo {
		verdict, err := h.without(ctx, i)
		if err != nil {
			return nil, err
		}
		if verdict == string(record.Fail) {
			red = append(red, i)
		}
	}
	return red, nil
}
