package store

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// remerge is the file of a record as it would be had the merge that lost entries of it been made key by key, with what
// was written since. Where the sides of that merge do not go together it has what the merge took. It is nil if no merge
// lost the entries, and if what was written since does not go together with that.
//
// The entries of an update do not say what it changed: only so labels, titles and texts of the other side come back.
func remerge(
	ctx context.Context, l layout.Layout, k *kind.Kind, path string, src []byte, lost []record.Entry, config kind.Config,
) []byte {
	out, err := git.Run(ctx, l.Repo.Top,
		"rev-list", "--full-history", "--min-parents=2", "--max-parents=2", "--max-count=100", "HEAD", "--", l.InRepo(path))
	if err != nil {
		return nil
	}
	for merge := range strings.FieldsSeq(string(out)) {
		bases, err := l.Repo.History().MergeBases(ctx, merge+"^1", merge+"^2")
		if err != nil || len(bases) == 0 {
			continue
		}
		var file [4][]byte // of the base, of both sides, of the merge
		commits := []string{bases[0], merge + "^1", merge + "^2", merge}
		for i := range commits {
			commits[i] += ":" + l.InRepo(path)
		}
		err = l.Repo.Objects().Blobs(ctx, commits, format.MaxFile, func(i int, b git.Blob) { file[i] = b.Content })
		if err != nil || file[1] == nil || file[2] == nil || file[3] == nil {
			continue
		}
		sides := [2][]byte{file[1], file[2]}
		if gone := k.Lost(file[3], sides); !among(lost, gone) {
			continue
		}
		choices := k.Choose(path, file[0], sides[0], sides[1], config.Flow)
		theirs := make([]bool, len(choices.Differences))
		for i := range theirs {
			theirs[i] = string(file[3]) == string(sides[1])
		}
		whole, clean := kind.Merge(path, file[3], src, choices.With(theirs), config.Flow, format.Markers{})
		if !clean {
			return nil
		}
		return whole
	}
	return nil
}

// among reports whether a list has the first of some entries.
func among(list, some []record.Entry) bool {
	return len(some) > 0 && record.Log(list).Hashes()[some[0].Hash()]
}
