package snapshot

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Changed is a record that a commit has otherwise than its parent.
type Changed struct {
	Ref      record.Ref
	Path     string // from the workspace root: of its file before, or of the new one
	Was, Now []byte // what its file said; nil for none
}

// largestRecord is the most bytes of the file of a record that are read.
const largestRecord = 16 << 20

// ChangedBy lists the records that a commit changed, sorted by id, of several kinds by the kind. A record whose file was
// moved is one. It returns INVALID_INPUT for a merge, which has no single parent, and for a commit that is not in the
// history of the one that is checked out.
func ChangedBy(ctx context.Context, l layout.Layout, commit string) ([]Changed, error) {
	pair, err := treesOf(ctx, l.Repo, commit)
	if err != nil {
		return nil, err
	}
	found := map[record.Ref]*Changed{}
	var ids []string
	var sides []func([]byte)
	err = l.Repo.History().Differences(ctx, []git.Pair{pair}, []string{l.InRepo(layout.Folder)}, func(_ int, c git.FileChange) {
		name := strings.TrimPrefix(c.Path, l.InRepo(""))
		k, id, ok := kind.At(name)
		if !ok {
			return
		}
		one := found[k.Ref(id)]
		if one == nil {
			one = &Changed{Ref: k.Ref(id), Path: name}
			found[k.Ref(id)] = one
		}
		if c.Was.Regular() {
			one.Path = name
			ids, sides = append(ids, c.Was.ID), append(sides, func(src []byte) { one.Was = src })
		}
		if c.Now.Regular() {
			ids, sides = append(ids, c.Now.ID), append(sides, func(src []byte) { one.Now = src })
		}
	})
	if err == nil {
		err = l.Repo.Objects().Blobs(ctx, ids, largestRecord, func(i int, b git.Blob) { sides[i](b.Content) })
	}
	all := []Changed{}
	for _, one := range found {
		all = append(all, *one)
	}
	sorted.By(all, func(a, b Changed) int { return strings.Compare(a.Ref.Kind+" "+a.Ref.ID, b.Ref.Kind+" "+b.Ref.ID) })
	return all, err
}

// treesOf are the trees of the only parent of a commit, which is in the history of the one that is checked out, and of
// the commit itself. The first commit has no parent.
func treesOf(ctx context.Context, repo *git.Repo, commit string) (pair git.Pair, err error) {
	head, err := repo.Head(ctx)
	if err != nil {
		return pair, err
	}
	switch has, err := repo.History().Contains(ctx, head.Commit, commit); {
	case err != nil:
		return pair, err
	case !has:
		return pair, record.Errorf(record.InvalidInput, "%.12s is not in the history of what is checked out", commit).
			WithHint("git log shows what is")
	}
	step, err := repo.History().Step(ctx, commit)
	if err != nil {
		return pair, err
	}
	cut, err := repo.History().CutAt([]git.Step{step})
	switch {
	case err != nil:
		return pair, err
	case cut != "":
		return pair, record.Errorf(record.InvalidInput, "this clone is shallow, and lacks the parent of %.12s", commit).
			WithHint("git fetch --unshallow")
	case len(step.Parents) > 1:
		return pair, record.Errorf(record.InvalidInput, "%.12s is a merge, and says nothing of its own", commit).
			WithHint("git log %.12s^1..%.12s shows the commits that it brought: revert those, the newest first", commit, commit)
	}
	pair.Now = step.Tree
	if len(step.Parents) == 1 {
		parent, err := repo.History().Step(ctx, step.Parents[0])
		if err != nil {
			return pair, err
		}
		pair.Was = parent.Tree
	}
	return pair, nil
}
