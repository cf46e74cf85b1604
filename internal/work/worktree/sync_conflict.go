package worktree

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Conflict is a record that a sync could not merge. Of its versions it has the ids in git, "" for one that is not
// there.
type Conflict struct {
	Path    string `json:"path"` // from the workspace root
	With    string `json:"with"` // the branch whose version is Theirs, such as origin/main
	Base    string `json:"base"`
	Ours    string `json:"ours"`
	Theirs  string `json:"theirs"`
	Settled []byte `json:"settled,omitempty"` // what somebody made of them, which the next sync merges them to
	Gone    bool   `json:"gone,omitempty"`    // or that it is deleted
}

// IsSettled reports whether somebody has settled it.
func (c Conflict) IsSettled() bool { return c.Gone || len(c.Settled) > 0 }

const conflictExt = ".conflict"

// conflictFile is the file of the live state that has a conflict, one for each path.
func (c *clone) conflictFile(path string) string {
	return filepath.Join(c.layout.Live.Worktrees(), layout.Name(path)+conflictExt)
}

// Conflicts lists the records that the last sync could not merge, by their paths.
func (w *Worktrees) Conflicts() (all []Conflict, err error) {
	entries, err := os.ReadDir(w.layout.Live.Worktrees())
	if err != nil && !problem.Missing(err) {
		return nil, w.layout.Live.Failed(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), conflictExt) || atomicfile.IsTemp(e.Name()) {
			continue
		}
		data, err := disk.ReadRegular(filepath.Join(w.layout.Live.Worktrees(), e.Name()), maxRecord)
		var one Conflict
		if err == nil && decode(data, &one) && w.conflictFile(one.Path) == filepath.Join(w.layout.Live.Worktrees(), e.Name()) {
			all = append(all, one)
		}
	}
	sorted.By(all, func(a, b Conflict) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// Settle notes what somebody made of a conflict. The next sync merges the record to that, if both sides are as they
// were.
func (w *Worktrees) Settle(c Conflict) error {
	data, err := json.Marshal(c)
	if err == nil {
		err = w.layout.MakeWorktrees()
	}
	if err == nil {
		err = atomicfile.Write(w.conflictFile(c.Path), append(data, '\n'), 0o644)
	}
	return w.layout.Live.Failed(err)
}

// Stage stages what a file of the workspace holds, so that a merge which is under way takes it as settled.
func (w *Worktrees) Stage(ctx context.Context, path string) error {
	_, err := git.Writing{}.Run(ctx, w.repo.Top, "add", "--", w.layout.InRepo(path))
	return err
}

// settled is the conflict that was noted of a path, if somebody has settled it between these versions.
func (y *syncing) settled(u git.Unmerged, path string) (Conflict, bool) {
	data, err := disk.ReadRegular(y.conflictFile(path), maxRecord)
	var one Conflict
	ok := err == nil && decode(data, &one) && one.Path == path && one.Ours == u.Ours && one.Theirs == u.Theirs
	return one, ok && one.IsSettled()
}

// InAnotherFolder reports whether a side that lacks an unmerged file has it in another folder: the record was put to rest there,
// or brought back, and not deleted.
func InAnotherFolder(ctx context.Context, repo *git.Repo, u git.Unmerged) (bool, error) {
	if u.Ours != "" && u.Theirs != "" {
		return false, nil
	}
	files, err := repo.Index("").Named(ctx, path.Base(u.Path))
	return slices.ContainsFunc(files, func(f git.File) bool { return f.Path != u.Path }), err
}

// forgetConflicts removes what was noted of conflicts, once all is merged.
func (y *syncing) forgetConflicts() error {
	all, err := (&Worktrees{clone: y.clone}).Conflicts()
	for _, one := range all {
		if err == nil {
			err = y.layout.Live.Failed(disk.RemoveFile(y.conflictFile(one.Path)))
		}
	}
	return err
}

// settle gives the conflicts of a merge in a throw-away work tree what somebody has made of them. It notes the
// others, and returns MERGE_CONFLICT for them; for a merge that failed otherwise, its error.
func (y *syncing) settle(ctx context.Context, there *git.Repo, failed error) error {
	all, err := there.Index("").Unmerged(ctx)
	if err != nil || len(all) == 0 || git.Exited(failed) == 0 {
		return failed
	}
	var records []record.Ref
	var others []string
	for _, u := range all {
		name, of, ok := y.named(u.Path)
		chosen, settled := y.settled(u, name)
		moved := false
		if ok {
			if moved, err = InAnotherFolder(ctx, there, u); err != nil {
				return err
			}
		}
		switch {
		case !ok || moved:
			others = append(others, u.Path)
		case !settled:
			records = append(records, of)
			err = (&Worktrees{clone: y.clone}).Settle(Conflict{Path: name, With: y.at.name(), Base: u.Base, Ours: u.Ours, Theirs: u.Theirs})
		case chosen.Gone:
			_, err = git.Writing{}.Run(ctx, there.Top, "rm", "--quiet", "--force", "--", u.Path)
		default:
			file := filepath.Join(there.Top, filepath.FromSlash(u.Path))
			dir := filepath.Dir(file) // a file that is deleted here is not there
			if err = disk.Do(disk.Mkdir, dir, func() error { return os.MkdirAll(dir, 0o755) }); err == nil {
				err = atomicfile.WriteVolatile(file, chosen.Settled)
			}
			if err == nil {
				_, err = git.Writing{}.Run(ctx, there.Top, "add", "--", u.Path)
			}
		}
		if err != nil {
			return err
		}
	}
	return y.unsettled(records, others)
}

// named is the path of a record from the workspace root, by its path from the top.
func (y *syncing) named(at string) (string, record.Ref, bool) {
	of, ok := y.recordAt(at)
	return strings.TrimPrefix(at, y.layout.InRepo("")), of, ok
}

// unsettled is MERGE_CONFLICT for records and other files; nil if there are none.
func (y *syncing) unsettled(records []record.Ref, others []string) error {
	var ids []string
	for _, of := range records {
		ids = append(ids, of.ID)
	}
	switch {
	case len(others) > 0:
		return record.Errorf(record.MergeConflict,
			"%s and %s conflict, and nothing was merged: %s",
			y.Branch, y.at.name(), someOf(slices.Concat(others, ids))).
			WithHint("git merge %s, settle them, and commit; then %s", y.at.name(), record.CallTo("sync"))
	case len(ids) > 0:
		return record.Errorf(record.MergeConflict,
			"%s and %s say different things, and nothing was merged: %s", y.Branch, y.at.name(), someOf(ids)).
			WithHint("%s settles it; then %s", record.CallTo("resolve", "", ids[0]), record.CallTo("sync"))
	default:
		return nil
	}
}
