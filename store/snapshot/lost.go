package snapshot

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
)

// Lost are the entries that commits of the history have of some records, and that their files lack, by their time.
// There are none of a file that has others in front of what a commit has, since somebody has written entries anew
// there, and of a record that is not there.
func Lost(ctx context.Context, l layout.Layout, of map[record.Ref]bool) (map[record.Ref][]record.Entry, error) {
	head, err := headOf(ctx, l)
	if err != nil || head == "" || len(of) == 0 {
		return nil, err
	}
	found := lostFinder{}
	err = versions(ctx, l, head, of, found.add)
	return found.all(l), err
}

// recentCommits is how many commits LostLately looks at.
const recentCommits = 300

// LostLately is Lost for all records, and for the newest commits. Records whose ids people choose are left out: an id
// may be taken again.
func LostLately(ctx context.Context, l layout.Layout) (map[record.Ref][]record.Entry, error) {
	head, err := headOf(ctx, l)
	if err != nil || head == "" {
		return nil, err
	}
	out, err := git.Run(ctx, l.Repo.Top, "rev-list", "--max-count=1", "--skip="+strconv.Itoa(recentCommits), head)
	if err != nil {
		return nil, err
	}
	here, found := map[string]string{}, lostFinder{}
	skip := func(path, id string) bool {
		now, known := here[path]
		if !known {
			if src, err := layout.ReadFile(l.Abs(path)); err == nil {
				now = git.ContentID(src, id)
			}
			here[path] = now
		}
		return now == id
	}
	if err := versionsSince(ctx, l, strings.TrimSpace(string(out)), head, nil, skip, found.add); err != nil {
		return nil, err
	}
	for of := range found {
		if k, ok := kind.For(of); !ok || k.Life.Named {
			delete(found, of)
		}
	}
	return found.all(l), nil
}

func headOf(ctx context.Context, l layout.Layout) (string, error) {
	if l.Repo == nil {
		return "", nil
	}
	return l.Repo.Commit(ctx, "HEAD")
}

// lostFinder has the entries of the versions of records, each once.
type lostFinder map[record.Ref]record.Log

func (f lostFinder) add(v version) {
	have := f[v.of].Hashes()
	for _, e := range v.log {
		if hash := e.Hash(); !have[hash] {
			have[hash], f[v.of] = true, append(f[v.of], e)
		}
	}
}

// all are the entries that the files of the records lack.
func (f lostFinder) all(l layout.Layout) map[record.Ref][]record.Entry {
	all := map[record.Ref][]record.Entry{}
	for of := range f {
		k, ok := kind.For(of)
		if !ok {
			continue
		}
		src, err := layout.ReadFile(l.Abs(place.Of(l, k, of.ID)))
		if err != nil {
			continue // it was deleted, or is broken, which is a finding of its own
		}
		doc, err := format.Parse(src, k.Form)
		if err != nil {
			continue
		}
		log, err := kind.Entries(doc)
		if lost := f.lost(of, log); err == nil && len(lost) > 0 {
			all[of] = lost
		}
	}
	return all
}

// lost are the entries of a record that a log lacks.
func (f lostFinder) lost(of record.Ref, log record.Log) (lost []record.Entry) {
	known, have := f[of].Hashes(), log.Hashes()
	anew := slices.IndexFunc(log, func(e record.Entry) bool { return !known[e.Hash()] })
	if anew >= 0 && slices.ContainsFunc(log[anew:], func(e record.Entry) bool { return known[e.Hash()] }) {
		return nil
	}
	for _, e := range f[of] {
		if !have[e.Hash()] {
			lost = append(lost, e)
		}
	}
	sorted.By(lost, func(a, b record.Entry) int { return a.At.Compare(b.At) })
	return lost
}
