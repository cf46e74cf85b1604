package gates

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// guarding finds the files on which the commands of a task stand, and which of them its work has changed.
type guarding struct {
	files    store.Files
	base     string     // the commit where the work began
	at       string     // the commit with which that is compared; "" for the files as they are now
	was      store.Tree // its files
	now      store.Tree
	read     store.Tree  // now, as git has it: with files that are not on disk, since git was told not to look at them
	contents *git.Reader // while files are compared
	since    time.Time   // when the work began; zero where that does not matter
	below    string      // the workspace's folder from the top of the repository, "" or with a slash at its end
	own      []string    // the files whose changes count; nil for all

	task    record.ID
	checks  []task.Check            // with the guards that count
	config  guard.Config            // what the config said where the work began
	of      map[string]guard.Guards // by the key of a check
	changed map[string][]change     // the same
	red     map[string]bool         // the same; it was seen to fail without the work
	wants   string                  // the config's red where the work began
	added   map[string][]change     // the same; new tests, which do not count and are left out of the other run
}

// change is a changed file, and the guard that it counts for.
type change struct {
	guard.Change
	by guard.Guard
}

// state is what the rules ask of it.
func (g *guarding) state(mover record.Actor) task.Guarded {
	if g == nil {
		return task.Guarded{Mover: mover}
	}
	out := task.Guarded{Base: g.base, Changed: map[string][]task.GuardFile{}, Mover: mover, Red: g.red, Wants: g.wants}
	for key, all := range g.changed {
		out.Changed[key] = record.Each(all, func(c change) task.GuardFile { return task.GuardFileOf(c.Path, c.Now) })
	}
	return out
}

// guardsOf reads the files of a task; nil where nothing is known, and where no check is a command. Only changes of its own
// files count, unless that is nil.
func guardsOf(ctx context.Context, s *store.Store, t task.Task, files store.Files, now store.Tree, absent, own []string) (*guarding, error) {
	repo := files.Layout.Repo
	if repo == nil || now == nil || !slices.ContainsFunc(t.Checks, func(c task.Check) bool { return !c.Manual() }) {
		return nil, nil
	}
	base, err := beganAt(ctx, s, t, files)
	if err != nil || base == "" {
		return nil, err
	}
	g := &guarding{files: files, base: base, now: withoutAbsent(now, absent), read: now, own: own, red: map[string]bool{}}
	if n := s.Config.Flow.Began(t); n >= 0 {
		g.since = t.Provenance[n].At
	}
	if err := g.compare(ctx, s, t); err != nil {
		return nil, err
	}
	seen := s.Seen()
	for i, c := range t.Checks {
		g.red[c.Key(t.ID)] = seen.Of(s.Config.Flow.FailedSince(t, i)).Red || t.FailedOn(i, Fingerprint(g.was))
	}
	return g, nil
}

// compare finds the changed files of each command.
func (g *guarding) compare(ctx context.Context, s *store.Store, t task.Task) (err error) {
	g.of, g.changed, g.added = map[string]guard.Guards{}, map[string][]change{}, map[string][]change{}
	if g.files.Repo == "" {
		g.below = s.InRepo("")
	}
	objects := g.files.Layout.Repo.Objects()
	g.contents = objects.Reader(ctx) // one git for all that is read here
	defer func() { g.contents.Close(); g.contents = nil }()
	var declared error
	var reading sync.WaitGroup
	reading.Go(func() { declared = g.declared(s, t) }) // while git lists the files
	g.was, err = objects.Tree(ctx, g.base)
	reading.Wait()
	if err = cmp.Or(err, declared); err != nil {
		return err
	}
	return g.differ(ctx, g.now)
}

// declared reads what the config and the task said where the work began, so that work cannot narrow it.
func (g *guarding) declared(s *store.Store, t task.Task) error {
	g.task, g.wants, g.checks = t.ID, s.Config.Flow.WantsRed, t.Checks
	g.config = guard.Config{Guards: s.Config.Guards, SetUp: s.Config.WorktreeSetup}
	if g.files.Repo != "" {
		return nil
	}
	config, err := g.contents.Blob(g.base+":"+s.InRepo(s.Rel(s.ConfigFile())), format.MaxFile)
	if err != nil {
		return err
	}
	if was, err := kind.ParseConfig(config.Content); err == nil && len(config.Content) > 0 {
		g.config, g.wants = guard.Config{Guards: was.Guards, SetUp: was.WorktreeSetup}, was.Flow.WantsRed
	}
	file, err := g.contents.Blob(g.base+":"+s.InRepo(kind.Tasks.File(t.ID)), format.MaxFile)
	if err != nil {
		return err
	}
	if was, err := kind.Tasks.Parse(file.Content); err == nil {
		g.checks = record.Each(t.Checks, func(c task.Check) task.Check { return t.Guarding(c, was) })
	}
	return nil
}

// differ finds the files of each command that a tree has otherwise. It may be called with more than one.
func (g *guarding) differ(ctx context.Context, now store.Tree) error {
	paths, hidden := g.was.Changed(now), g.hidden(now)
	if g.own != nil {
		paths = slices.DeleteFunc(paths, func(path string) bool { return !slices.Contains(g.own, path) })
	}
	if len(paths)+len(hidden) == 0 {
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
		for _, one := range slices.Concat(record.Each(paths, func(at string) guard.Change {
			return guard.Change{Path: at, Was: g.was[at], Now: now[at]}
		}), hidden) {
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
	if g == nil || after == nil || Fingerprint(after) == Fingerprint(g.read) {
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
	return g.in(ctx, g.base, path)
}

// text is the content of a file as it is now, or in the commit that is looked at.
func (g *guarding) text(ctx context.Context, path string) (content string, err error) {
	return g.in(ctx, g.at, path)
}

// in is the content of a file in a commit, or as it is now (""). It returns INVALID_INPUT for one that is too large.
func (g *guarding) in(ctx context.Context, commit, path string) (content string, err error) {
	if commit == "" {
		src, err := g.files.Layout.Repo.Content(path, mostGuard)
		return string(src), err
	}
	if strings.Contains(path, "\n") { // git is asked line by line
		return "", record.Errorf(record.InvalidInput, "%q cannot be put back", path)
	}
	large := false
	if g.contents != nil {
		b, err := g.contents.Blob(commit+":"+path, mostGuard)
		if err == nil && b.Size > mostGuard {
			err = record.Errorf(record.InvalidInput, "%s is too large to be put back", path)
		}
		return string(b.Content), err
	}
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
	if by.Whole() || strings.Contains(c.Path, "\n") {
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
	return by.Same(c.Path, was, now), nil
}
