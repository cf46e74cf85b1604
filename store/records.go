package store

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// A record outlives the claim, because some file may lack what it says. What is here finds out when none does any more, and
// when nobody can catch up: both look through every worktree and then ask git, which takes too long for a write. They are
// for whoever tidies up, and hold the lock only to drop what they found.

// Stranded is a state that the clone brought a task to and that nothing in it has any more: no worktree, no branch, neither
// its own nor a remote one, and no stash. Some worktree is behind it all the same, and can never catch up: the branch was
// deleted unmerged, say, or the work thrown away before it was committed.
type Stranded struct {
	Task task.ID
	session.Reach
}

// StrandedRecords lists what worktrees of the clone wait for in vain. Nothing is lost by dropping such a state, unless the
// work is brought back from git's reflog; but that the work was given up is for a person to say. It writes nothing.
func (s *Store) StrandedRecords(ctx context.Context) ([]Stranded, error) {
	records, err := s.records()
	if err != nil {
		return nil, err
	}
	seen := sightings{map[string]bool{}, map[string]bool{}}
	look := map[string]func([]byte){}
	for _, r := range records {
		look[s.task(r.Task)] = func(src []byte) { seen.add(src, r.Reaches) }
	}
	if err := s.lookInWorktrees(ctx, look); err != nil {
		return nil, err
	}
	missed := seen.stranded(records)
	if len(missed) == 0 || s.Repo == nil {
		return missed, nil
	}
	tips, err := s.Repo.Reachable(ctx)
	if err != nil {
		return nil, err
	}
	wanted := map[string]func([]byte){}
	for _, m := range missed {
		wanted[s.task(m.Task)] = look[s.task(m.Task)]
	}
	err = s.lookInCommits(ctx, tips, wanted)
	return seen.stranded(records), err
}

// sightings are the entries, by their hash, that some file has, and those that some file is behind.
type sightings struct{ had, missed map[string]bool }

// add looks at one text of a task. One that cannot be read may have every entry.
func (seen sightings) add(src []byte, reaches []session.Reach) {
	t, err := taskIn(src)
	for _, reach := range reaches {
		switch {
		case err != nil || t.Provenance.Has(reach.Entry):
			seen.had[reach.Entry] = true
		case t.Status != reach.Status:
			seen.missed[reach.Entry] = true
		}
	}
}

// stranded are the states that are missed, and that nothing has.
func (seen sightings) stranded(records []session.Record) []Stranded {
	var out []Stranded
	for _, r := range records {
		for _, reach := range r.Reaches {
			if seen.missed[reach.Entry] && !seen.had[reach.Entry] {
				out = append(out, Stranded{r.Task, reach})
			}
		}
	}
	return out
}

// DropRecord forgets a state that the clone brought a task to, by the entry that did: nobody is behind it any more, and the
// task is free where it was only that. It returns NOT_FOUND if the record does not have it, since files that caught up or a
// takeover got there first.
func (s *Store) DropRecord(ctx context.Context, id task.ID, entry string) error {
	return s.Update(ctx, func(*Tx) error {
		r := s.record(id)
		if r == nil || !slices.ContainsFunc(r.Reaches, func(reach session.Reach) bool { return reach.Entry == entry }) {
			return task.Errorf(task.NotFound, "nothing is recorded of that").WithHint("look again: it may have been settled meanwhile")
		}
		r.Reaches = slices.DeleteFunc(r.Reaches, func(reach session.Reach) bool { return reach.Entry == entry })
		return s.putRecord(*r)
	})
}

// DropCaughtUp drops the records that say nothing new to anybody, and returns their number: nobody holds the task, every
// worktree and every branch of the clone whose tip has the task has all that the record knows, and none has a session as
// active that ended elsewhere. Without git, or where it refuses, nothing is dropped.
func (s *Store) DropCaughtUp(ctx context.Context) (int, error) {
	records, err := s.records()
	if err != nil {
		return 0, err
	}
	records = slices.DeleteFunc(records, func(r session.Record) bool { return r.Lease != nil || r.Intent != nil })
	needed := map[task.ID]bool{}
	look := func() map[string]func([]byte) {
		open := map[string]func([]byte){}
		for _, r := range records {
			if needed[r.Task] {
				continue
			}
			open[s.task(r.Task)] = func(src []byte) { needed[r.Task] = needed[r.Task] || lacks(src, r.Reaches) }
			for _, ses := range r.Ended {
				open[s.session(ses)] = func(src []byte) { needed[r.Task] = needed[r.Task] || goesOn(src) }
			}
		}
		return open
	}
	if err := s.lookInWorktrees(ctx, look()); err != nil {
		return 0, err
	}
	if s.Repo != nil {
		tips, err := s.Repo.Branches(ctx)
		if err != nil {
			return 0, err
		}
		if err := s.lookInCommits(ctx, tips, look()); err != nil {
			return 0, err
		}
	}
	return s.drop(ctx, slices.DeleteFunc(records, func(r session.Record) bool { return needed[r.Task] }))
}

// drop takes records away, but for those that were written since they were read.
func (s *Store) drop(ctx context.Context, records []session.Record) (dropped int, err error) {
	if len(records) == 0 {
		return 0, nil
	}
	err = s.Update(ctx, func(*Tx) error {
		for _, r := range records {
			if now := s.record(r.Task); now == nil || !reflect.DeepEqual(*now, r) {
				continue
			}
			if err := s.putRecord(session.Record{Task: r.Task}); err != nil {
				return err
			}
			dropped++
		}
		return nil
	})
	return dropped, err
}

// lacks reports whether the text of a task lacks one of the states. One that cannot be read may.
func lacks(src []byte, reaches []session.Reach) bool {
	t, err := taskIn(src)
	return err != nil || slices.ContainsFunc(reaches, func(r session.Reach) bool { return !t.Provenance.Has(r.Entry) })
}

// goesOn reports whether the text of a session says that it is active. One that cannot be read may.
func goesOn(src []byte) bool {
	doc, err := frontmatter.Parse(src, frontmatter.YAML)
	if err != nil {
		return true
	}
	ses, err := readSession(doc)
	return err != nil || ses.Status == session.Active
}

func taskIn(src []byte) (task.Task, error) {
	doc, err := frontmatter.Parse(src, frontmatter.Markdown)
	if err != nil {
		return task.Task{}, err
	}
	return readTask(doc)
}

// records reads every record of the clone, by id.
func (s *Store) records() ([]session.Record, error) {
	var out []session.Record
	err := eachName(filepath.Join(s.Layout.Live, "claims"), ".json", func(name string) {
		if r := s.record(task.ID(name)); r != nil && r.Task == task.ID(name) {
			out = append(out, *r)
		}
	})
	return out, err
}

// lookInWorktrees calls each function with the file of its path, named as in this worktree, as every worktree of the clone
// has it. One that cannot be read is empty; a worktree that is gone has none.
func (s *Store) lookInWorktrees(ctx context.Context, look map[string]func([]byte)) error {
	tops, err := s.worktrees(ctx)
	if err != nil {
		return err
	}
	for _, top := range tops {
		there, err := s.inWorktree(top)
		if err != nil {
			continue
		}
		for path, fn := range look {
			src, err := readRegular(filepath.Join(there.Root, filepath.FromSlash(s.rel(path))))
			if !isMissing(err) {
				fn(src)
			}
		}
	}
	return ctx.Err()
}

// worktrees lists the worktrees of the clone. Some may be gone.
func (s *Store) worktrees(ctx context.Context) ([]string, error) {
	tops := []string{s.Worktree}
	if s.Repo == nil {
		return tops, nil
	}
	listed, err := s.Repo.Worktrees(ctx)
	for _, top := range listed {
		if top := filepath.FromSlash(top); top != s.Worktree {
			tops = append(tops, top)
		}
	}
	return tops, err
}

// lookInCommits calls each function with the file of its path as each of the commits has it.
func (s *Store) lookInCommits(ctx context.Context, commits []string, look map[string]func([]byte)) error {
	byName := map[string]func([]byte){}
	var names []string
	for path, fn := range look {
		name := slashRel(s.Repo.Top, path)
		names, byName[name] = append(names, name), fn
	}
	return s.Repo.Files(ctx, commits, names, func(name string, src []byte) { byName[name](src) })
}
