// Package witness says what a clone knows of the records on the branch of a task, whatever the branch itself says of
// them: which entries cairn wrote here, and which verdicts the branch has lost. Whoever works on the branch can write
// any name and any result into its files. What they cannot write is what cairn did elsewhere.
//
// What it goes by is the journals of the clone, which have a line for every entry that cairn wrote here, and commits
// that the work on the branch did not make. Whoever writes into the live state of the clone, or moves the refs of
// others, can deceive it.
package witness

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// Branch is the branch of a task, and what vouches for its records.
type Branch struct {
	At       *store.Store // the workspace whose files are judged: a work tree with the branch checked out
	Task     record.ID
	Changed  []string                // paths that differ from the base, from the top of the repository
	Own      func(record.Entry) bool // whether an entry is of those who work on the branch
	Before   []string                // commits that vouch for every record: the work on the branch made none of them
	Since    []string                // commits that vouch for all but verdicts on the task itself: they came while the work went on
	Disowned map[string]bool         // hashes of entries that an earlier job was refused for: only the first commit of Before vouches for these
}

// Foreign is an entry under another's name that nothing vouches for.
type Foreign struct {
	Path  string // of the record, from the workspace root
	Entry record.Entry
}

func (f Foreign) String() string {
	return "the entry " + string(f.Entry.Did) + " of " + string(f.Entry.Who) + " (" + f.Entry.ShortHash() + ") in " + f.Path
}

// Foreign lists the entries of the changed records that are neither of those who work on the branch, nor written by
// cairn in this clone, nor in a commit that vouches for them. An entry that stands there more often than anything knows
// of it is one of them.
func (b Branch) Foreign(ctx context.Context) ([]Foreign, error) {
	found := b.unknown()
	if len(found) == 0 {
		return nil, nil
	}
	// A write that is under way has its entry in the file before it is in the journal.
	if err := b.At.Settle(ctx); err != nil {
		return nil, err
	}
	if found = b.unknown(); len(found) == 0 {
		return nil, nil
	}
	var left []Foreign
	for i, of := range [][]string{b.Before[:min(1, len(b.Before))], b.Before, b.Since} {
		known, err := b.in(ctx, of, found)
		if err != nil {
			return nil, err
		}
		var still []claim
		for _, c := range found {
			hash := c.entry.Hash()
			vouched := known[c.ref][hash] >= c.times && (i == 0 || !b.Disowned[hash])
			if i == 2 && c.ref == b.Task.Ref() && c.entry.Did != record.Noted {
				vouched = false
			}
			if !vouched {
				still = append(still, c)
			}
		}
		found = still
	}
	for _, c := range found {
		left = append(left, Foreign{c.path, c.entry})
	}
	return left, nil
}

// claim is an entry that is not known yet, for the nth time in its record.
type claim struct {
	ref   record.Ref
	path  string
	entry record.Entry
	times int
}

// unknown lists the entries of the changed records that are neither the branch's own nor in a journal.
func (b Branch) unknown() (out []claim) {
	for _, name := range b.Changed {
		name, inside := strings.CutPrefix(name, b.At.InRepo(""))
		k, id, ok := kind.At(name)
		if !inside || !ok {
			continue
		}
		src, err := layout.ReadFile(b.At.Abs(name))
		if err != nil {
			continue // a record that is gone says nothing
		}
		v, err := k.Parse(src)
		if err != nil {
			continue // cairn check says so
		}
		log := k.Header(v).Log
		if ses, of := v.(session.Session); of && len(log) == 0 {
			log = record.Log{{Who: ses.Actor, Did: record.Began, At: ses.StartedAt, Session: ses.ID}}
		}
		known := map[string]int{}
		for _, w := range b.At.Journal(k.Ref(id)) {
			known[w.Entry.Hash()]++
		}
		times := map[string]int{}
		for _, e := range log {
			hash := e.Hash()
			times[hash]++
			if times[hash] > known[hash] && !b.Own(e) {
				out = append(out, claim{k.Ref(id), name, e, times[hash]})
			}
		}
	}
	return out
}

// in counts the entries of the records of claims, as the commit that has each most often has them.
func (b Branch) in(ctx context.Context, commits []string, claims []claim) (map[record.Ref]map[string]int, error) {
	known := map[record.Ref]map[string]int{}
	var refs []record.Ref
	for _, c := range claims {
		if known[c.ref] == nil {
			known[c.ref], refs = map[string]int{}, append(refs, c.ref)
		}
	}
	if len(refs) == 0 || len(commits) == 0 {
		return known, nil
	}
	err := place.InCommits(ctx, b.At.Layout, commits, refs, func(of record.Ref, src []byte) {
		k, _ := kind.Named(of.Kind)
		v, err := k.Parse(src)
		if err != nil {
			return
		}
		times := map[string]int{}
		for _, e := range k.Header(v).Log {
			hash := e.Hash()
			times[hash]++
			known[of][hash] = max(known[of][hash], times[hash])
		}
	})
	return known, err
}

// Others lists commits that the work on a branch did not make: the tip of its base, where it left that, and those of
// remote-tracking branches.
func Others(ctx context.Context, s *store.Store, base, from string) ([]string, error) {
	tip, err := s.Repo.Commit(ctx, "refs/heads/"+base)
	if err != nil {
		return nil, err
	}
	fetched, err := s.Repo.Refs().Fetched(ctx)
	return append(verb.NonEmpty(tip, from), fetched...), err
}

// Disowned are the entries that jobs of a task were refused for.
func Disowned(all []job.Job, id record.ID) map[string]bool {
	out := map[string]bool{}
	for _, one := range all {
		if one.Spec.Task == id {
			maps.Copy(out, record.SetOf(one.Status.Disowned))
		}
	}
	return out
}

// ChangedIn lists the files of the record in a work tree that its branch, or its files, have otherwise than the base.
func ChangedIn(ctx context.Context, s *store.Store, stat worktree.Stat) ([]string, error) {
	changes, err := s.Repo.Changes(ctx, git.Looks{})
	out := slices.Clone(stat.Records)
	for _, c := range changes {
		if s.Repo.SetsAside(c.Path) {
			out = append(out, path.Clean(c.Path))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// Lost returns the newest verdict on a task that was given in this clone on its branch, says that something is missing,
// and is not what its record says any more: the entry is gone, or stands before an older one. False if there is none.
// Verdicts on an earlier work tree of the task do not count.
func Lost(s *store.Store, t task.Task, tree worktree.Tree) (record.Entry, bool) {
	var lines []session.Written
	for _, w := range s.Journal(t.ID.Ref()) {
		if !w.At.Before(tree.Since) {
			lines = append(lines, w)
		}
	}
	at, newest := map[string]int{}, map[string]int{} // by the hash of an entry; by what a verdict is on
	for i, w := range lines {
		at[w.Entry.Hash()] = i
		for _, on := range verdicts(t, w.Entry) {
			newest[on] = i
		}
	}
	last := -1
	for on, i := range newest {
		here := tree.Repo != "" || lines[i].On.Branch == tree.Branch // the record of work elsewhere is on no branch of its own
		if e := lines[i].Entry; here && denies(e) && !stands(t, on, e, i, at) {
			last = max(last, i)
		}
	}
	if last < 0 {
		return record.Entry{}, false
	}
	return lines[last].Entry, true
}

// stands reports whether a verdict, the ith line of the journal, is in the record of a task, with no older one on the
// same thing behind it.
func stands(t task.Task, on string, e record.Entry, i int, at map[string]int) bool {
	n := t.Provenance.LastIndex(func(have record.Entry) bool { return have.Equal(e) })
	return n >= 0 && !slices.ContainsFunc(t.Provenance[n+1:], func(later record.Entry) bool {
		j, known := at[later.Hash()]
		return known && j < i && slices.Contains(verdicts(t, later), on)
	})
}

// verdicts lists what an entry judges: manual checks by their keys, and "" for the work as a whole.
func verdicts(t task.Task, e record.Entry) (on []string) {
	whole := e.Did == record.Approved || e.Rejection()
	if e.Did == record.Attested {
		for _, r := range e.Results {
			on = append(on, r.Check)
			whole = whole || slices.ContainsFunc(t.Checks, func(c task.Check) bool { return c.Reviewer() != "" && c.Key(t.ID) == r.Check })
		}
	}
	if whole {
		on = append(on, "")
	}
	return on
}

// denies reports whether a verdict says that something is missing.
func denies(e record.Entry) bool {
	return e.Rejection() || slices.ContainsFunc(e.Results, func(r record.CheckResult) bool { return r.Result != record.Pass })
}
