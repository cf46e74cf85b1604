package proof

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// FileDiff is how files differ between two states of a change.
type FileDiff struct {
	Changes []guard.Change
	Below   string      // the folder of the workspace from the top of the repository, "" or with a slash at its end
	Was     guard.Files // reads those of the earlier state
	Now     guard.Files // reads those of the later one
}

// guarded judges whether the checks of a task that the change closes stand on files that the change altered, without
// anything that accounts for it: that they passed with the files of the base too, that a person looked at them as they
// are, or that whoever planned the task said that they change.
func (r pairRules) guarded() {
	t := r.now.Task
	closed := r.closing()
	if closed < 0 || t.Repo != "" || !slices.ContainsFunc(t.Checks, func(c task.Check) bool { return !c.Manual() }) {
		return
	}
	all, known := r.change.FilesSince(t.ID, nil, t.Provenance[closed])
	if !known || len(all.Changes) == 0 {
		return
	}
	g := guardRules{r, all, closed, task.Guarded{Changed: map[string][]task.GuardFile{}, Mover: t.Provenance[closed].Who}}
	for i, c := range t.Checks {
		if !c.Manual() {
			g.judgeCheck(i, c)
		}
	}
}

// closing is the last entry of the change that closed the task as done; -1 if there is none.
func (r pairRules) closing() int {
	for n, e := range slices.Backward(r.now.Task.Provenance) {
		if r.fresh[n] && r.flow.Closes(e) {
			return n
		}
	}
	return -1
}

// guardRules judge the checks of one task that the change closes.
type guardRules struct {
	pairRules
	all    FileDiff // of the whole change
	closed int      // the entry
	state  task.Guarded
}

// judgeCheck reports the files on which a check stands that nothing accounts for.
func (r guardRules) judgeCheck(i int, c task.Check) {
	t := r.now.Task
	then := t
	then.Provenance = t.Provenance[:r.closed+1]
	ev, _ := then.Evidence(i)
	for _, one := range changedGuards(r.guards(c), r.all) {
		r.state.Changed[c.Key(t.ID)] = append(r.state.Changed[c.Key(t.ID)], one)
	}
	if r.was != nil {
		t = t.WithSaid(r.was.Task)
	}
	owed := r.state.Owed(t, i)
	if len(owed) > 0 && ev.Held == record.HeldBase {
		owed = r.sinceHeld(t, i, c, ev)
	}
	if len(owed) == 0 {
		r.saidInPassing(c, t, r.state.Changed[c.Key(t.ID)])
		return
	}
	within, before := r.byTask(c, owed)
	closer := t.Provenance[r.closed].Who
	if len(within) > 0 {
		r.report(GuardsChanged, &r.now.File, Path{"provenance", r.closed}, "was closed on the check %q, which stands on what this change altered: %s", c.Desc, pathsOf(within)).
			fix("look at how they changed; a person who has says so with cairn attest %s --guards, else put them back and run the check: cairn run-checks %s", t.ID, t.ID).
			warnIf(closer.Human())
	}
	if before = r.unaccounted(before); len(before) > 0 {
		r.report(GuardsChanged, &r.now.File, Path{"provenance", r.closed}, "was closed on the check %q, which stands on what this change altered before work on the task began: %s", c.Desc, pathsOf(before)).
			fix("look at how they changed; a person who has says so with cairn attest %s --guards", t.ID).
			warnIf(true)
	}
}

// saidInPassing reports files that may change because an agent said so in this very change: it may be the one that works,
// under another name.
func (r guardRules) saidInPassing(c task.Check, t task.Task, files []task.GuardFile) {
	n := t.MayChangeSaid()
	if n < 0 || !r.fresh[n] || t.Provenance[n].Who.Human() || t.Provenance[r.closed].Who.Human() {
		return
	}
	ev, _ := t.Evidence(slices.IndexFunc(t.Checks, func(one task.Check) bool { return one.Key(t.ID) == c.Key(t.ID) }))
	without := t
	without.MayChange = nil
	files = slices.DeleteFunc(slices.Clone(files), func(f task.GuardFile) bool { return without.Accounts(f, t.Provenance[r.closed].Who) })
	if len(files) == 0 || ev.Held == record.HeldBase {
		return
	}
	r.report(GuardsChanged, &r.now.File, Path{"provenance", n}, "says that files change on which the check %q stands, and no person did: %s", c.Desc, pathsOf(files)).
		fix("look at how they changed; a person who has says so with cairn attest %s --guards", t.ID).
		warnIf(true)
}

// guards are the files on which a check stands, by the config and the task of the base.
func (r guardRules) guards(c task.Check) guard.Guards {
	if r.was != nil {
		c = r.now.Task.Guarding(c, r.was.Task)
	}
	return guard.Of(c, guard.Config{Guards: r.change.Base.Config.Guards, SetUp: r.change.Base.Config.Setup}, r.all.Below, r.all.Was)
}

// changedGuards are the changes that count for some guards.
func changedGuards(guards guard.Guards, d FileDiff) (out []task.GuardFile) {
	for _, c := range d.Changes {
		by, ok := guards.Matching(c)
		if !ok || !by.Counts(c) {
			continue
		}
		if !by.Whole() {
			was, _ := d.Was(c.Path)
			now, _ := d.Now(c.Path)
			if by.Same(c.Path, was, now) {
				continue
			}
		}
		out = append(out, task.GuardFileOf(c.Path, c.Now))
	}
	return out
}

// sinceHeld lists what a check stands on and that changed before the commit with whose files it was held, where that is
// one of the change.
func (r guardRules) sinceHeld(t task.Task, i int, c task.Check, ev task.Evidence) []task.GuardFile {
	d, inside := r.change.FilesUpTo(t.ID, t.Provenance[r.closed], t.Provenance[ev.Entry].Said().Base)
	if !inside {
		return nil
	}
	changed := record.SetOf(record.Each(changedGuards(r.guards(c), d), func(f task.GuardFile) string { return f.Path }))
	return slices.DeleteFunc(r.state.Owed(t, i), func(f task.GuardFile) bool { return !changed[f.Path] })
}

// byTask divides files into those that changed while the task was worked on, and those that had changed before.
func (r guardRules) byTask(c task.Check, files []task.GuardFile) (within, before []task.GuardFile) {
	began := r.began()
	if began < 0 {
		return files, nil
	}
	t := r.now.Task
	d, known := r.change.FilesSince(t.ID, &t.Provenance[began], t.Provenance[r.closed])
	if !known {
		return files, nil
	}
	inside := record.SetOf(record.Each(changedGuards(r.guards(c), d), func(f task.GuardFile) string { return f.Path }))
	for _, f := range files {
		if inside[f.Path] {
			within = append(within, f)
		} else {
			before = append(before, f)
		}
	}
	return within, before
}

// began is the entry of the change with which the work began that the change closed; -1 where the base has it.
func (r guardRules) began() int {
	then := r.now.Task
	then.Provenance = then.Provenance[:r.closed+1]
	if n := r.flow.Began(then); n >= 0 && r.fresh[n] {
		return n
	}
	return -1
}

// unaccounted leaves out files for which another task that the change closes accounts.
func (r guardRules) unaccounted(files []task.GuardFile) []task.GuardFile {
	for _, p := range r.change.pairs {
		other := pairRules{r.judge, p}
		if p.now.ID() == r.now.ID() || other.closing() < 0 {
			continue
		}
		t := p.now.Task
		files = slices.DeleteFunc(files, func(f task.GuardFile) bool {
			return t.Accounts(f, t.Provenance[other.closing()].Who) || guardRules{pairRules: other, all: r.all}.held(f)
		})
	}
	return files
}

// held reports whether a check that stands on a file passed with the files of the base too.
func (r guardRules) held(f task.GuardFile) bool {
	t := r.now.Task
	for i, c := range t.Checks {
		ev, _ := t.Evidence(i)
		if !c.Manual() && ev.Held == record.HeldBase && slices.Contains(changedGuards(r.guards(c), r.all), f) {
			return true
		}
	}
	return false
}

func pathsOf(files []task.GuardFile) string {
	const most = 5
	paths := record.Unique(record.Each(files, func(f task.GuardFile) string { return f.Path }))
	return strings.Join(paths[:min(most, len(paths))], ", ") + record.AndMore(max(0, len(paths)-most))
}
