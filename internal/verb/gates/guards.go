package gates

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// guarding finds the files on which the commands of a task stand, and which of them its work has changed.
type guarding struct {
	files store.Files
	base  string     // the commit where the work began
	at    string     // the commit with which that is compared; "" for the files as they are now
	was   store.Tree // its files
	now   store.Tree
	below string // the workspace's folder from the top of the repository, "" or with a slash at its end

	task    record.ID
	checks  []task.Check            // with the guards that count
	config  []string                // what the config said that all checks stand on
	of      map[string]guard.Guards // by the key of a check
	changed map[string][]change     // the same
	added   map[string][]change     // the same; new tests, which do not count and are left out of the other run
}

// change is a changed file, and the guard that it counts for.
type change struct {
	guard.Change
	by guard.Guard
}

// Guarded says how the files on which the commands of a task stand differ from where its work began. It says nothing
// where that is not known: outside git, before the first commit, and in a clone that is not trusted.
func Guarded(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) (task.Guarded, error) {
	files, err := FilesOf(s, t)
	if err != nil {
		return task.Guarded{}, err
	}
	g, err := guardsOf(ctx, s, t, files, treeOf(ctx, files))
	if err != nil || g == nil {
		return task.Guarded{Mover: w.Actor()}, err
	}
	return g.state(w.Actor()), nil
}

// state is what the rules ask of it.
func (g *guarding) state(mover record.Actor) task.Guarded {
	if g == nil {
		return task.Guarded{Mover: mover}
	}
	out := task.Guarded{Base: g.base, Changed: map[string][]task.GuardFile{}, Mover: mover}
	for key, all := range g.changed {
		out.Changed[key] = record.Each(all, func(c change) task.GuardFile { return task.GuardFileOf(c.Path, c.Now) })
	}
	return out
}

// guardsOf reads the files of a task; nil where nothing is known, and where no check is a command.
func guardsOf(ctx context.Context, s *store.Store, t task.Task, files store.Files, now store.Tree) (*guarding, error) {
	repo := files.Layout.Repo
	if repo == nil || now == nil || !slices.ContainsFunc(t.Checks, func(c task.Check) bool { return !c.Manual() }) {
		return nil, nil
	}
	base, err := beganAt(ctx, s, t, files)
	if err != nil || base == "" {
		return nil, err
	}
	g := &guarding{files: files, base: base, now: now}
	return g, g.compare(ctx, s, t)
}

// compare finds the changed files of each command.
func (g *guarding) compare(ctx context.Context, s *store.Store, t task.Task) (err error) {
	g.of, g.changed, g.added = map[string]guard.Guards{}, map[string][]change{}, map[string][]change{}
	if g.was, err = g.files.Layout.Repo.Objects().Tree(ctx, g.base); err != nil {
		return err
	}
	if g.files.Repo == "" {
		g.below = s.InRepo("")
	}
	if err := g.declared(ctx, s, t); err != nil {
		return err
	}
	return g.differ(ctx, g.now)
}

// declared reads what the config and the task said where the work began, so that work cannot narrow it.
func (g *guarding) declared(ctx context.Context, s *store.Store, t task.Task) error {
	g.task, g.config, g.checks = t.ID, s.Config.Guards, t.Checks
	if g.files.Repo != "" {
		return nil
	}
	text, err := g.old(ctx, s.InRepo(s.Rel(s.ConfigFile())))
	if err != nil {
		return err
	}
	if was, err := kind.ParseConfig([]byte(text)); err == nil && text != "" {
		g.config = was.Guards
	}
	if text, err = g.old(ctx, s.InRepo(kind.Tasks.File(t.ID))); err != nil {
		return err
	}
	if was, err := kind.Tasks.Parse([]byte(text)); err == nil {
		g.checks = record.Each(t.Checks, func(c task.Check) task.Check { return t.Guarding(c, was) })
	}
	return nil
}

// differ finds the files of each command that a tree has otherwise. It may be called with more than one.
func (g *guarding) differ(ctx context.Context, now store.Tree) error {
	paths := g.was.Changed(now)
	if len(paths) == 0 {
		return nil
	}
	done := map[string]bool{}
	for _, c := range g.checks {
		key := c.Key(g.task)
		if c.Manual() || done[key] {
			continue
		}
		done[key] = true
		guards := g.guards(ctx, c, key)
		for _, at := range paths {
			one := guard.Change{Path: at, Was: g.was[at], Now: now[at]}
			by, ok := guards.Matching(one)
			if !ok {
				continue
			}
			if same, err := g.same(ctx, one, by); err != nil {
				return err
			} else if !same {
				g.put(key, change{one, by})
			}
		}
	}
	return nil
}

// put notes a change of a file, in the place of an earlier one.
func (g *guarding) put(key string, c change) {
	to := g.changed
	if !c.by.Counts(c.Change) {
		to = g.added
	}
	to[key] = append(slices.DeleteFunc(to[key], func(earlier change) bool { return earlier.Path == c.Path }), c)
}

// ran compares what a run left in the files with where the work began too, since it may have written into them.
func (g *guarding) ran(ctx context.Context, after store.Tree) error {
	if g == nil || after == nil || Fingerprint(after) == Fingerprint(g.now) {
		return nil
	}
	return g.differ(ctx, after)
}

// guards are the globs of a check.
func (g *guarding) guards(ctx context.Context, c task.Check, key string) guard.Guards {
	if known, ok := g.of[key]; ok {
		return known
	}
	g.of[key] = guard.Of(c, g.config, g.below, g.reader(ctx))
	return g.of[key]
}

const mostGuard = 64 << 20 // bytes of a file that is put back

// reader reads files as they were where the work began.
func (g *guarding) reader(ctx context.Context) guard.Files {
	known := map[string]*string{}
	return func(path string) (string, bool) {
		if g.was[path] == "" {
			return "", false
		}
		if known[path] == nil {
			text, _ := g.old(ctx, path)
			known[path] = &text
		}
		return *known[path], true
	}
}

// old is the content of a file where the work began.
func (g *guarding) old(ctx context.Context, path string) (content string, err error) {
	return g.inCommit(ctx, g.base, path)
}

// text is the content of a file as it is now, or in the commit that is looked at.
func (g *guarding) text(ctx context.Context, path string) (content string, err error) {
	if g.at != "" {
		return g.inCommit(ctx, g.at, path)
	}
	src, err := g.files.Layout.Repo.Content(path, mostGuard)
	return string(src), err
}

// inCommit is the content of a file in a commit. It returns INVALID_INPUT for one that is too large.
func (g *guarding) inCommit(ctx context.Context, commit, path string) (content string, err error) {
	large := false
	err = g.files.Layout.Repo.Objects().Blobs(ctx, []string{commit + ":" + path}, mostGuard, func(_ int, b git.Blob) {
		content, large = string(b.Content), b.Size > mostGuard
	})
	if err == nil && large {
		err = record.Errorf(record.InvalidInput, "%s is too large to be put back", path)
	}
	return content, err
}

// same reports whether a changed file is the same as far as its guard goes.
func (g *guarding) same(ctx context.Context, c guard.Change, by guard.Guard) (bool, error) {
	if by.Whole() {
		return false, nil
	}
	was, now := "", ""
	if c.Was != "" {
		var err error
		if was, err = g.old(ctx, c.Path); err != nil {
			return false, err
		}
	}
	if c.Now != "" {
		content, err := g.text(ctx, c.Path)
		if err != nil {
			return false, nil // a link, or gone by now: it is not what it was
		}
		now = content
	}
	return by.Same(was, now), nil
}

// beganAt is the commit where the work on a task began: that of its first session since it was last opened, else the
// newest that is not later than the entry that began it. Where the branch has since taken in more of the branch that it
// goes to, it is the newest commit of that. "" is none.
func beganAt(ctx context.Context, s *store.Store, t task.Task, files store.Files) (string, error) {
	repo := files.Layout.Repo
	head := files.Head(ctx).Commit
	if head == "" {
		return "", nil
	}
	began, err := firstCommit(ctx, s, t, files, head)
	if err != nil {
		return "", err
	}
	into := ""
	if goes := verb.OwnWork().GoesInto; goes != nil {
		into = goes(s, t)
	}
	return repo.History().WorkFrom(ctx, head, began, into)
}

// firstCommit is the commit at which the first attempt at a task began since it was last open: as its session has it, or
// the claim of this clone, or else the newest one that is not later than the entry which began it.
func firstCommit(ctx context.Context, s *store.Store, t task.Task, files store.Files, head string) (string, error) {
	n := s.Config.Flow.Began(t)
	if n < 0 {
		return head, nil
	}
	first := t.Provenance[n]
	switch known := knownStart(s, t, first); {
	case files.Repo != "" || known == "":
	case known == head:
		return head, nil
	default:
		if at, err := files.Layout.Repo.Commit(ctx, known); err != nil || at != "" {
			return at, err
		}
	}
	at, err := files.Layout.Repo.History().At(ctx, head, first.At)
	return cmp.Or(at, head), err
}

// knownStart is the commit at which work on a task began with an entry, as the session or the claim of this clone has
// it; "" if neither is known. It is one of the workspace's own repository.
func knownStart(s *store.Store, t task.Task, began record.Entry) string {
	if began.Session != "" {
		if ses, err := kind.Sessions.Get(s, began.Session); err == nil && cmp.Or(ses.Base, ses.Head) != "" {
			return cmp.Or(ses.Base, ses.Head)
		}
	}
	state := s.State(t.ID.Ref())
	if state == nil || state.Lease == nil || !state.Lease.Since.Truncate(time.Second).Equal(began.At) {
		return ""
	}
	return state.Lease.Head
}

// Stands is on what a command of a task stands.
type Stands struct {
	Check   int            `json:"check"` // index
	Desc    string         `json:"desc"`
	Guards  []guard.Guard  `json:"guards"`
	Changed []GuardChanged `json:"changed"`
}

// GuardChanged is a file on which a check stands, and which the work has changed.
type GuardChanged struct {
	Path string `json:"path"`
	How  string `json:"how"`  // changed, added or deleted
	Why  string `json:"why"`  // it is guarded
	Owed bool   `json:"owed"` // nothing accounts for the change: no person looked at it, and no plan allows it
	Glob string `json:"glob"`
	Part string `json:"part,omitempty"` // what counts of it; "" for all
}

// StandsOn says on which files the commands of a task stand, and which of them its work has changed since a commit; ""
// where that is not known.
func StandsOn(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) (base string, all []Stands, err error) {
	files, err := FilesOf(s, t)
	if err != nil {
		return "", nil, err
	}
	g, err := guardsOf(ctx, s, t, files, treeOf(ctx, files))
	if err != nil || g == nil {
		return "", nil, err
	}
	state := g.state(w.Actor())
	for i, c := range g.checks {
		if c.Manual() {
			continue
		}
		key := c.Key(t.ID)
		one := Stands{Check: i, Desc: c.Desc, Guards: verb.NoNil(g.guards(ctx, c, key).All), Changed: []GuardChanged{}}
		owed := record.SetOf(record.Each(state.Owed(t, i), func(f task.GuardFile) string { return f.Path }))
		for _, c := range g.changed[key] {
			one.Changed = append(one.Changed, GuardChanged{Path: c.Path, How: c.how(), Why: c.by.Why, Glob: c.by.Glob, Part: c.by.Part, Owed: owed[c.Path]})
		}
		all = append(all, one)
	}
	return g.base, all, nil
}

// how says in a word what became of a file.
func (c change) how() string {
	switch {
	case c.Was == "":
		return "added"
	case c.Now == "":
		return "deleted"
	}
	return "changed"
}

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
		report.Checks[n].Held = verb.NotHeld
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

	consented bool // see verb.Throwaway
}

// in runs checks, by their indices, in a throw-away work tree, and calls ended with how each ended. Where the files
// cannot be put back it calls nothing.
func (h heldRun) in(ctx context.Context, todo []int, ended func(nth int, h check.Header, o check.Outcome)) error {
	throwaway := verb.OwnWork().Throwaway
	if throwaway == nil {
		return nil
	}
	return throwaway(ctx, h.s, h.files, verb.Throwaway{For: "held", Links: h.links(todo), Consented: h.consented}, func(top, root string) error {
		for _, i := range todo {
			for _, c := range h.takenBack(i) {
				if err := h.putBack(ctx, top, c); record.CodeOf(err) == record.InvalidInput {
					return nil
				} else if err != nil {
					return err
				}
			}
		}
		if err := h.setUp(ctx, root); err != nil {
			return err
		}
		for n, i := range todo {
			c, limit, started := h.t.Checks[i], h.s.Config.Limit(h.t.Checks[i]), h.w.Now()
			reported := reportWhile(h.w.Progress, n, len(todo), fmt.Sprintf("check %d of %d, with its files as they were: %s", n+1, len(todo), c.Desc), limit)
			got, err := check.Attempt(ctx, check.Spec{Cmd: c.Cmd, Root: root, Cwd: c.Cwd, Timeout: limit})
			reported()
			if err != nil {
				return err
			}
			ended(n, check.Header{
				Task: string(h.t.ID), Check: c.Desc, Cmd: c.Cmd, Dir: c.Folder(), Commit: h.base, Guards: len(h.changed[h.key(i)]), Started: started,
			}, got)
		}
		return nil
	})
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
	return verb.OwnWork().PutFile(top, c.Path, mode, c.by.Old(was, now))
}

// setUp runs the set-up command of work trees, if the user has consented to it.
func (h heldRun) setUp(ctx context.Context, root string) error {
	config := h.s.Config
	if config.WorktreeSetup == "" || h.files.Repo != "" || len(h.s.Unapproved(ctx, h.s.SetUpCommand())) > 0 {
		return nil
	}
	_, err := check.Attempt(ctx, check.Spec{Cmd: config.WorktreeSetup, Root: root, Timeout: cmp.Or(config.SetupTimeout, noLimit)})
	return err
}

// SeeGuards records that a person looked at the changed files on which the checks of a task stand, as they are now.
func SeeGuards(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, text string) (verb.Task, error) {
	t, err := w.ReadForWrite(s, id)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	guarded, err := Guarded(ctx, w, s, t)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	return w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		return task.SeeGuards(wc.Task, guarded, w.Stamp(text))
	})
}

// NotHeld is a check that passes, and not with the files on which it stands as a commit has them.
type NotHeld struct {
	Check   int // index
	Files   []string
	Outcome check.Outcome
}

// HoldsSince runs the commands of a task with the files on which they stand as a commit has them, where they have changed
// since and the record does not account for it by more than its own word that they were held. It returns those that do
// not pass. Whoever calls has asked whether the commands may run.
func HoldsSince(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, base string) (out []NotHeld, err error) {
	files, err := FilesOf(s, t)
	if err != nil || files.Layout.Repo == nil || t.Repo != "" {
		return nil, err
	}
	g := &guarding{files: files, base: base}
	if g.now, err = files.WorkTree(ctx); err != nil {
		return nil, err
	}
	if err := g.compare(ctx, s, t); err != nil {
		return nil, err
	}
	state := g.state(t.Provenance.Last().Who)
	var todo []int
	for i, c := range t.Checks {
		if !c.Manual() && len(state.Owed(t, i)) > 0 {
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		return nil, nil
	}
	h := heldRun{guarding: g, w: w, s: s, t: t, consented: true}
	err = h.in(ctx, todo, func(nth int, _ check.Header, o check.Outcome) {
		if !o.Passed {
			paths := record.Each(state.Owed(t, todo[nth]), func(f task.GuardFile) string { return f.Path })
			out = append(out, NotHeld{todo[nth], paths, o})
		}
	})
	return out, err
}
