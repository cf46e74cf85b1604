package live

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
)

// Overwritten returns the entries, oldest first, that were written to a record in this worktree and are lost: an editor
// saved over them, or git replaced the file while they were written (session.Overwritten). Entries that a branch, a
// stash or another worktree of the clone has are not lost, and those that were written on a deleted branch went with
// it. file is the header of the record by its file. It returns GIT if git is needed and refuses.
func (d Clone) Overwritten(ctx context.Context, file record.Header) ([]record.Entry, error) {
	k, ok := kind.Named(file.Ref.Kind)
	if !ok {
		return nil, nil
	}
	s := search{Clone: d, of: file.Ref, journal: d.Journal(file.Ref), at: map[string]*revision{}}
	if have := file.Log.Hashes(); !slices.ContainsFunc(s.journal, func(w session.Written) bool {
		return w.On.Worktree == d.Worktree && !have[w.Entry.Hash()]
	}) {
		return nil, nil // the file has everything, so it does not matter what is checked out
	}
	head, path := d.Head(ctx), d.Abs(place.Of(d.Layout, k, file.Ref.ID))
	now := session.Sighting{Worktree: d.Worktree, Branch: head.Branch, Head: head.Commit, Rev: file.Rev, Modified: layout.Modified(path)}
	lost, byChance := session.Overwritten(file.Log, now, s.journal, func(seen session.Sighting) (record.Log, bool) { return s.checkedOut(ctx, seen) })
	if len(lost)+len(byChance) == 0 || s.err != nil || d.Repo == nil {
		return lost, s.err
	}
	lost, err := s.nowhereElse(ctx, lost, git.Refs.Reachable)
	if err != nil || len(byChance) == 0 {
		return lost, err
	}
	// What was ever in a commit, git removed on somebody's request.
	byChance, err = s.nowhereElse(ctx, byChance, git.Refs.Remembered)
	lost = append(lost, byChance...)
	sorted.By(lost, func(a, b record.Entry) int { return a.At.Compare(b.At) })
	return lost, err
}

// search looks for the entries of one record in the worktrees and commits of the clone.
type search struct {
	Clone
	of      record.Ref
	journal []session.Written
	at      map[string]*revision // the record by commit; nil if the commit does not have it
	err     error                // the first
}

// revision is the provenance of a record in a commit, and the revisions that its file can have when it is checked out:
// git may convert line ends.
type revision struct {
	log  record.Log
	revs [2]record.Rev
}

// nowhereElse leaves out the entries that a worktree or one of the commits has, and those that were written on a
// deleted branch.
func (s *search) nowhereElse(
	ctx context.Context, lost []record.Entry, commits func(git.Refs, context.Context) ([]string, error),
) ([]record.Entry, error) {
	if len(lost) == 0 {
		return nil, nil
	}
	elsewhere := map[string]bool{}
	for _, w := range s.journal {
		if w.On.Branch != "" && !s.Repo.Refs().HasBranch(ctx, w.On.Branch) {
			elsewhere[w.Entry.Hash()] = true
		}
	}
	collect := readers{s.of: func(_ session.Place, file record.Header, _ error) { maps.Copy(elsewhere, file.Log.Hashes()) }}
	err := s.everywhere(ctx, commits, func() readers { return collect }, collect)
	return slices.DeleteFunc(lost, func(e record.Entry) bool { return elsewhere[e.Hash()] }), err
}

// checkedOut returns the provenance in the commit of a sighting, if the file was unchanged from that commit.
func (s *search) checkedOut(ctx context.Context, seen session.Sighting) (record.Log, bool) {
	if seen.Head == "" || seen.Rev == "" || s.Repo == nil {
		return nil, false
	}
	r, known := s.at[seen.Head]
	if !known && s.err == nil {
		s.err = place.InCommits(ctx, s.Layout, []string{seen.Head}, []record.Ref{s.of}, func(_ record.Ref, src []byte) {
			crlf := bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
			file, _ := headerIn(s.of, src)
			r = &revision{file.Log, [2]record.Rev{kind.Rev(src), kind.Rev(crlf)}}
		})
		s.at[seen.Head] = r
	}
	if r == nil || !slices.Contains(r.revs[:], seen.Rev) {
		return nil, false
	}
	return r.log, true
}
