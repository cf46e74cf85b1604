package store

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Leftover is a file that is sound in itself and should not be there: a killed writer left it behind, or it is live state
// that means nothing any more.
type Leftover struct {
	problem.Problem
	Swept bool // Sweep removes it, and nothing is lost with it

	clean func() error // removes it; nil if finishing the killed write does
}

// Leftovers lists the leftovers of the workspace and its clone. It holds the write lock, so that it finds nothing of a
// writer at work, and returns BUSY or SANDBOXED if it cannot take it.
func (s *Store) Leftovers(ctx context.Context) (all []Leftover, err error) {
	err = s.locked(ctx, func() error {
		all, err = leftoverFinder{s.Clone}.all(ctx)
		return err
	})
	return all, err
}

// Sweep removes the leftovers: it finishes or drops the write of a killed writer, as the next write would, and removes
// live state that counts as absent. Then it drops the states that no worktree needs any more. If there are no leftovers
// it does nothing. It returns BUSY or SANDBOXED if it cannot take the write lock.
func (s *Store) Sweep(ctx context.Context) error {
	found := leftoverFinder{s.Clone}
	clean := false
	err := s.locked(ctx, func() error {
		all, err := found.all(ctx)
		if clean = err == nil && len(all) == 0; clean {
			return nil
		}
		err = s.clean(found.notFiles()) // they stand in the way of the rest
		if err == nil {
			err = errors.Join((redoLog{s.Clone}).recover(), sweep(s.Layout))
		}
		if err == nil {
			all, err = found.all(ctx)
		}
		return cmp.Or(err, s.clean(all))
	})
	if err != nil || clean {
		return err
	}
	_, _ = s.DropCaughtUp(ctx) // where git fails they stay, and cost a small file each
	return ctx.Err()
}

func (s *Store) clean(left []Leftover) error {
	for _, l := range left {
		if l.clean == nil {
			continue
		}
		if err := s.Live.Failed(l.clean()); err != nil {
			return err
		}
	}
	return nil
}

// leftoverFinder finds leftovers, by their kind.
type leftoverFinder struct{ live.Clone }

// notFiles is what is no file in the live state, where cairn makes only files. Folders are among them; clean removes
// empty ones.
func (f leftoverFinder) notFiles() (left []Leftover) {
	folders := f.Live.Folders()
	// internal/work and the servers know what is in these
	known := slices.Concat(folders, []string{f.Live.Jobs(), f.Live.Worktrees(), f.Live.Pairs(), f.Live.Servers()})
	for _, dir := range folders {
		entries, _ := os.ReadDir(dir) // the functions below return the error
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if !e.Type().IsRegular() && (!slices.Contains(known, path) || !e.IsDir()) {
				left = append(left, f.spent(path, "is no file"))
			}
		}
	}
	return left
}

// all lists all leftovers: redo logs, temporary files, and live state that cannot be read or is about records that do
// not exist.
func (f leftoverFinder) all(ctx context.Context) ([]Leftover, error) {
	left := f.notFiles()
	if layout.IsFile(f.Live.Redo()) {
		left = append(left, f.unfinished(f.Live.Redo(), "a writer was killed, and nobody has written since"))
	}
	for _, dir := range writtenTo(f.Layout) {
		names, err := atomicfile.Temps(dir)
		if err != nil {
			return nil, problem.IO(err)
		}
		for _, name := range names {
			left = append(left, f.unfinished(filepath.Join(dir, name), "is the temporary file of a writer that was killed"))
		}
	}
	for _, of := range []struct {
		dir, ext string
		wrong    func(name, path string) []Leftover
	}{
		{f.Live.Claims(), ".json", func(name, path string) []Leftover { return f.wrongState(ctx, name, path) }},
		{f.Live.Heartbeats(), ".json", f.wrongBeat},
		{f.Live.Journals(), layout.JournalExt, f.wrongJournal},
		{f.Live.Keys(), ".json", func(call, path string) []Leftover { return f.unreadable(path, f.Key(call) != nil) }},
		{f.Live.Kept(), ".json", func(_, path string) []Leftover { return f.unreadable(path, live.Read(path, session.ParseKept) != nil) }},
		{f.Live.Inboxes(), ".json", func(_, path string) []Leftover { return f.unreadable(path, f.IsInbox(path)) }},
	} {
		err := layout.EachName(of.dir, of.ext, func(name string) {
			if path := filepath.Join(of.dir, name+of.ext); layout.IsFile(path) {
				left = append(left, of.wrong(name, path)...)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return left, nil
}

// unreadable is a file that counts as absent, unless it can be read.
func (f leftoverFinder) unreadable(path string, read bool) []Leftover {
	if read {
		return nil
	}
	return []Leftover{f.spent(path, "cannot be read")}
}

// wrongJournal is a journal that is about nothing, or has lines that cannot be read.
func (f leftoverFinder) wrongJournal(name, path string) []Leftover {
	of := layout.RefOf(name)
	if _, ok := kind.For(of); !ok {
		return []Leftover{f.spent(path, "is the journal of nothing")}
	}
	_, bad, err := f.JournalLines(of)
	if bad == 0 {
		return f.unreadable(path, err == nil)
	}
	l := f.unfinished(path, "has %s that cannot be read", record.Count(bad, "line"))
	l.clean = func() error { return f.RewriteJournal(of) }
	return []Leftover{l}
}

// wrongState is a state that cannot be read, is empty, or is of a record that does not exist.
func (f leftoverFinder) wrongState(ctx context.Context, name, path string) []Leftover {
	of := layout.RefOf(name)
	// A worktree that made progress on a record may still have it: it does, or it has another branch checked out now.
	mayHave := func(p session.Progress) bool {
		there, err := f.InWorktree(p.Worktree)
		k, ok := kind.Named(of.Kind)
		return err != nil || !ok || place.There(there.Layout, k, of.ID) || there.Head(ctx).Branch != p.Branch
	}
	switch state := f.State(of); {
	case state == nil:
		return f.unreadable(path, false)
	case state.Empty():
		return []Leftover{f.spent(path, "says nothing")}
	case slices.ContainsFunc(state.Progress, func(p session.Progress) bool { return !mayHave(p) }):
		return []Leftover{f.leftover(path, "%s does not exist", of)}
	}
	return nil
}

// wrongBeat is a heartbeat that cannot be read, or, outside git, that of a session that does not exist and holds no
// record. In git a session may exist on another branch.
func (f leftoverFinder) wrongBeat(ses, path string) []Leftover {
	if f.Heartbeat(ses) == nil || f.Repo != nil || layout.Exists(f.Abs(kind.Sessions.File(ses))) {
		return f.unreadable(path, f.Heartbeat(ses) != nil)
	}
	states, _ := f.States() // that its folder cannot be listed was said before
	if slices.ContainsFunc(states, func(s session.State) bool { return s.Lease != nil && s.Lease.Session == ses }) {
		return nil
	}
	return []Leftover{f.spent(path, "session %s does not exist", ses)}
}

// leftover is a leftover with a message.
func (f leftoverFinder) leftover(path, format string, args ...any) Leftover {
	return Leftover{Problem: problem.Of(f.Rel(path), record.Errorf(record.BadFile, format, args...))}
}

// spent is a leftover that counts as absent, so that its file can be removed.
func (f leftoverFinder) spent(path, format string, args ...any) Leftover {
	l := f.unfinished(path, format, args...)
	l.clean = func() error { return disk.RemoveFile(path) }
	return l
}

// unfinished is a leftover that the next write finishes or removes.
func (f leftoverFinder) unfinished(path, format string, args ...any) Leftover {
	l := f.leftover(path, format, args...)
	l.Swept = true
	return l
}
