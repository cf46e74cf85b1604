package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// An editor takes no lock: it reads a file, and later saves over what was written meanwhile. So that this is noticed, live
// state keeps a journal of each task, one line of JSON (session.Written) for every entry that this clone wrote. A line is
// appended once the entry is in the file, and is not flushed.

const (
	journalMax  = 256 << 10 // bytes; a journal that grows beyond it is cut down
	journalKept = 128 << 10 // bytes that stay when it is
)

// remember appends the entry that a write announced to the task's journal. The task is as the file holds it now; on is the
// file as the entry was written on it, as far as anybody knows. The caller holds the write lock.
func (s *Store) remember(t task.Task, reach session.Reach, on writtenOn) error {
	w := session.Written{On: session.Sighting{Worktree: reach.Worktree, Branch: reach.Branch, Head: reach.Head, Rev: on.rev, Modified: on.modified}}
	w.At, w.Beside = on.at, on.beside
	for _, e := range slices.Backward(t.Provenance) {
		if e.Hash() == reach.Entry {
			w.Entry = e
			break
		}
	}
	line, err := json.Marshal(w)
	if err != nil {
		return err
	}
	path := s.journal(t.ID)
	size, err := appendLine(path, line)
	if err == nil && size > journalMax {
		err = s.cutJournal(t, reach.Worktree)
	}
	return s.liveError(err)
}

// writtenOn is what is remembered of the file that an entry was written on, and of the moment.
type writtenOn struct {
	rev      task.Rev // "" if nobody knows any more
	modified time.Time
	at       time.Time
	beside   bool // git was at work
}

// forget removes the journal of a task that is deleted.
func (s *Store) forget(id task.ID) error { return s.liveError(disk.RemoveFile(s.journal(id))) }

// appendLine adds a line to a file and returns how large the file is then. The line break comes first, so that a line which
// a power cut left unfinished spoils no other.
func appendLine(path string, line []byte) (size int64, err error) {
	info, err := os.Lstat(path)
	if err != nil && !isMissing(err) {
		return 0, err
	}
	if err == nil && info.Size() > 0 {
		size, line = info.Size(), append([]byte{'\n'}, line...)
	}
	return size + int64(len(line)), disk.Append(path, line)
}

// readJournal returns what this clone has written of a task, oldest first. Lines that cannot be read count as absent.
func (s *Store) readJournal(id task.ID) []session.Written {
	out, _, _ := s.journalLines(id)
	return out
}

// journalLines reads a journal, and counts the lines that cannot be read, but for those that a kill tore.
func (s *Store) journalLines(id task.ID) (out []session.Written, bad int, err error) {
	src, err := disk.ReadRegular(s.journal(id), maxLive)
	if err != nil {
		return nil, 0, err
	}
	for line := range bytes.Lines(src) {
		w, err := session.ParseWritten(line)
		switch {
		case err == nil:
			out = append(out, w)
		case len(bytes.TrimSpace(line)) > 0 && !torn(line):
			bad++
		}
	}
	return out, bad, nil
}

// torn reports whether a line is the beginning of some JSON and no more.
func torn(line []byte) bool {
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(bytes.TrimRight(line, "\r\n"))).Decode(&v), io.ErrUnexpectedEOF)
}

// cutJournal takes out of a journal what is least likely to be asked for: what the file of this worktree lacks stays before
// what it has, and the newer before the older.
func (s *Store) cutJournal(t task.Task, worktree string) error {
	all := s.readJournal(t.ID)
	lines, err := journalText(all)
	if err != nil {
		return err
	}
	keep := make([]bool, len(all))
	room := journalKept
	choose := func(wanted func(session.Written) bool) {
		for i := len(all) - 1; i >= 0; i-- {
			if size := len(lines[i]) + 1; !keep[i] && wanted(all[i]) && size <= room {
				keep[i], room = true, room-size
			}
		}
	}
	have := t.Provenance.Hashes()
	choose(func(w session.Written) bool { return w.On.Worktree == worktree && !have[w.Entry.Hash()] })
	choose(func(session.Written) bool { return true })
	var kept [][]byte
	for i, line := range lines {
		if keep[i] {
			kept = append(kept, line)
		}
	}
	return atomicfile.WriteVolatile(s.journal(t.ID), bytes.Join(kept, []byte{'\n'}))
}

// rewriteJournal takes out of a journal what cannot be read.
func (s *Store) rewriteJournal(id task.ID) error {
	lines, err := journalText(s.readJournal(id))
	if err != nil {
		return err
	}
	return atomicfile.WriteVolatile(s.journal(id), bytes.Join(lines, []byte{'\n'}))
}

// journalText is what stands in a journal for each of the entries.
func journalText(all []session.Written) ([][]byte, error) {
	var lines [][]byte
	for _, w := range all {
		line, err := json.Marshal(w)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// Journalled lists the tasks that this clone has a journal of.
func (s *Store) Journalled() ([]task.ID, error) {
	var ids []task.ID
	err := eachName(filepath.Join(s.Layout.Live, "journal"), journalExt, func(name string) {
		if id, err := task.ParseID(name); err == nil {
			ids = append(ids, id)
		}
	})
	return ids, err
}

// Overwritten returns the entries, oldest first, that were written to a task here and that somebody has saved over since, or
// that git replaced while they were being written; session.Overwritten decides. One that a branch, a stash or another worktree of the clone has is safe there, and one that was
// written on a branch which is gone went with it. The task is as its file says. It returns GIT if it would have to ask git and
// cannot.
func (s *Store) Overwritten(ctx context.Context, t task.Task) ([]task.Entry, error) {
	head := s.Head(ctx)
	now := session.Sighting{Worktree: s.Worktree, Branch: head.Branch, Head: head.Commit, Rev: t.Rev, Modified: modified(s.task(t.ID))}
	history := &committed{s: s, id: t.ID, at: map[string]*revision{}}
	lost, byChance := session.Overwritten(t.Provenance, now, s.readJournal(t.ID), func(seen session.Sighting) (task.Log, bool) {
		return history.checkedOut(ctx, seen)
	})
	if len(lost)+len(byChance) == 0 || history.err != nil || s.Repo == nil {
		return lost, history.err
	}
	lost, err := s.nowhereElse(ctx, t.ID, lost, s.Repo.Reachable)
	if err != nil || len(byChance) == 0 {
		return lost, err
	}
	// What ever was in a commit was seen by git, and taken away by the will of whoever asked for it.
	byChance, err = s.nowhereElse(ctx, t.ID, byChance, s.Repo.Remembered)
	lost = append(lost, byChance...)
	slices.SortStableFunc(lost, func(a, b task.Entry) int { return a.At.Compare(b.At) })
	return lost, err
}

// modified is when a file was last changed; zero if it is not there.
func modified(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}

// nowhereElse leaves out the entries that the clone has somewhere, in a worktree or in one of the commits, or has given up with
// their branch.
func (s *Store) nowhereElse(ctx context.Context, id task.ID, lost []task.Entry, commits func(context.Context) ([]string, error)) ([]task.Entry, error) {
	if len(lost) == 0 {
		return nil, nil
	}
	elsewhere := map[string]bool{}
	for _, w := range s.readJournal(id) {
		if w.On.Branch != "" && !s.Repo.HasBranch(ctx, w.On.Branch) {
			elsewhere[w.Entry.Hash()] = true
		}
	}
	look := map[string]func([]byte){s.task(id): func(src []byte) {
		if t, err := taskIn(src); err == nil {
			maps.Copy(elsewhere, t.Provenance.Hashes())
		}
	}}
	if err := s.lookInWorktrees(ctx, look); err != nil {
		return nil, err
	}
	tips, err := commits(ctx)
	if err == nil {
		err = s.lookInCommits(ctx, tips, look)
	}
	return slices.DeleteFunc(lost, func(e task.Entry) bool { return elsewhere[e.Hash()] }), err
}

// committed reads a task as commits have it, each commit once.
type committed struct {
	s   *Store
	id  task.ID
	at  map[string]*revision // nil where a commit has no such file
	err error                // the first
}

// revision is a task's provenance as a commit has it, and as what revisions its file may be checked out: git may turn the line breaks.
type revision struct {
	log  task.Log
	revs [2]task.Rev
}

// checkedOut returns the provenance as the commit of a sighting has it, if the file was just that.
func (c *committed) checkedOut(ctx context.Context, seen session.Sighting) (task.Log, bool) {
	if seen.Head == "" || seen.Rev == "" || c.s.Repo == nil {
		return nil, false
	}
	r, known := c.at[seen.Head]
	if !known && c.err == nil {
		r, c.err = c.read(ctx, seen.Head)
		c.at[seen.Head] = r
	}
	if r == nil || !slices.Contains(r.revs[:], seen.Rev) {
		return nil, false
	}
	return r.log, true
}

func (c *committed) read(ctx context.Context, commit string) (*revision, error) {
	var r *revision
	name := slashRel(c.s.Worktree, c.s.task(c.id))
	err := c.s.Repo.Files(ctx, []string{commit}, []string{name}, func(_ string, src []byte) {
		turned := bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
		r = &revision{revs: [2]task.Rev{revOf(src), revOf(turned)}}
		t, _ := taskIn(src) // one that cannot be read has no entries
		r.log = t.Provenance
	})
	return r, err
}
