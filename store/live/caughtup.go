package live

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// A state outlives the claim, because the file of another worktree or branch may lack its progress. CaughtUp finds the
// states of which no file lacks anything any more, and Stranded the progress that no file can ever catch up with. Both
// read the record in every worktree and then in git, which takes too long for a write. They are for cleaning up.

// Stranded is progress that nothing in the clone has any more: no worktree, no local or remote-tracking branch, and no
// stash. A worktree without it can never catch up. It comes about when a branch is deleted unmerged, or work is
// discarded before it is committed.
type Stranded struct {
	Ref record.Ref
	session.Progress
}

// Stranded lists the progress that worktrees lack and can never get. Dropping it loses nothing, unless the work is
// brought back from git's reflog; but whether the work was given up is for a person to say.
func (d Clone) Stranded(ctx context.Context) ([]Stranded, error) {
	states, err := d.States()
	if err != nil {
		return nil, err
	}
	// hashes of entries that some file has, or had taken away, and that some file lacks
	had, missed := map[string]bool{}, map[string]bool{}
	stranded := func() (out []Stranded) {
		for _, s := range states {
			for _, p := range s.Progress {
				if missed[p.Entry] && !had[p.Entry] {
					out = append(out, Stranded{s.Ref, p})
				}
			}
		}
		return out
	}
	read := readers{}
	for _, s := range states {
		read[s.Ref] = func(at session.Place, file record.Header, err error) { // one that cannot be read may have every entry
			for _, p := range s.Progress {
				switch {
				case err != nil || file.Log.Has(p.Entry):
					had[p.Entry] = true
				case at.Wrote(p): // it was taken away there, so nobody waits for it
					had[p.Entry] = true
				case file.Status != p.Status:
					missed[p.Entry] = true
				}
			}
		}
	}
	err = d.everywhere(ctx, git.Refs.Reachable, func() readers {
		wanted := readers{}
		for _, m := range stranded() {
			wanted[m.Ref] = read[m.Ref]
		}
		return wanted
	}, read)
	return stranded(), err
}

// CaughtUp lists the states that are not needed any more: nobody holds the record, every worktree and every branch that
// has the record has all of its progress, and none has a session as active that ended elsewhere.
func (d Clone) CaughtUp(ctx context.Context) ([]session.State, error) {
	states, err := d.States()
	if err != nil {
		return nil, err
	}
	states = slices.DeleteFunc(states, func(s session.State) bool { return s.Lease != nil })
	needed := map[record.Ref]bool{}
	toRead := func() readers {
		open := readers{}
		for _, s := range states {
			if needed[s.Ref] {
				continue
			}
			open[s.Ref] = func(at session.Place, file record.Header, err error) { // one that cannot be read may lack some of the progress
				lacks := func(p session.Progress) bool { return !file.Log.Has(p.Entry) && !at.Wrote(p) }
				needed[s.Ref] = needed[s.Ref] || err != nil || slices.ContainsFunc(s.Progress, lacks)
			}
			for _, id := range s.Ended {
				open[kind.Sessions.Ref(id)] = func(_ session.Place, ses record.Header, err error) { // likewise, it may be active
					needed[s.Ref] = needed[s.Ref] || err != nil || ses.Status == record.Status(session.Active)
				}
			}
		}
		return open
	}
	if err := d.everywhere(ctx, git.Refs.Branches, toRead, toRead()); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(states, func(s session.State) bool { return needed[s.Ref] }), nil
}

// readers are functions that get each version of a record, or why it cannot be read, and where it lies: nowhere, of one
// in a commit.
type readers map[record.Ref]func(session.Place, record.Header, error)

// inWorktrees calls each function with its record in every worktree of the clone. In a worktree that cannot be read
// there may be any record; one that is gone has none.
func (d Clone) inWorktrees(ctx context.Context, read readers) error {
	tops, err := d.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, top := range tops {
		there, err := d.InWorktree(top)
		at := session.Place{Worktree: top}
		if err == nil {
			at.Branch = there.Head(ctx).Branch
		}
		for of, fn := range read {
			var src []byte
			err := err
			if k, ok := kind.Named(of.Kind); ok && err == nil {
				err = place.Try(there.Layout, k, of.ID, func(path string) (err error) { src, err = layout.ReadFile(path); return err })
			}
			if !problem.Missing(err) {
				file, err := headerIn(of, src)
				fn(at, file, err)
			}
		}
	}
	return ctx.Err()
}

// headerIn reads the header of a version of a record.
func headerIn(of record.Ref, src []byte) (record.Header, error) {
	k, _ := kind.Named(of.Kind)
	v, err := k.Parse(src)
	if err != nil {
		return record.Header{}, err
	}
	return k.Header(v), nil
}

// Worktrees lists the worktrees of the clone, this one first. Some may be gone.
func (d Clone) Worktrees(ctx context.Context) ([]string, error) {
	tops := []string{d.Worktree}
	if d.Repo == nil {
		return tops, nil
	}
	listed, err := d.Repo.Worktrees(ctx)
	for _, top := range listed {
		if top := filepath.FromSlash(top); top != d.Worktree {
			tops = append(tops, top)
		}
	}
	return tops, err
}

// everywhere calls each function with its record in every worktree of the clone, and then those of left with theirs in
// each of the commits that a function lists.
func (d Clone) everywhere(
	ctx context.Context, commits func(git.Refs, context.Context) ([]string, error), left func() readers, read readers,
) error {
	if err := d.inWorktrees(ctx, read); err != nil || d.Repo == nil {
		return err
	}
	if read = left(); len(read) == 0 {
		return nil
	}
	tips, err := commits(d.Repo.Refs(), ctx)
	if err != nil {
		return err
	}
	wanted := slices.Collect(maps.Keys(read))
	return place.InCommits(ctx, d.Layout, tips, wanted, func(of record.Ref, src []byte) {
		file, err := headerIn(of, src)
		read[of](session.Place{}, file, err)
	})
}
