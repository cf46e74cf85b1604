package snapshot

import (
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// heldSince is the function of proof.Change.HeldSince.
func (h *history) heldSince(id record.ID, e record.Entry, fingerprint string) (has, known bool) {
	if !h.listed() || h.unhashed {
		return false, false
	}
	if h.fingerprint != nil {
		now, err := h.fingerprint(h.ctx)
		if h.fail(err); err != nil || now == fingerprint {
			return err == nil, err == nil
		}
	}
	first := h.firstWith(id, e)
	if first == "" {
		return false, h.err == nil
	}
	later, err := h.Repo.History().Descendants(h.ctx, first, h.head)
	h.fail(err)
	for _, c := range append([]string{first}, later...) {
		if h.err != nil || h.fingerprintOf(c) == fingerprint {
			return h.err == nil, h.err == nil
		}
	}
	return false, h.err == nil
}

// fingerprintOf is the fingerprint of a commit.
func (h *history) fingerprintOf(commit string) string {
	if f, known := h.prints[commit]; known {
		return f
	}
	f, err := h.Repo.Objects().Fingerprint(h.ctx, commit)
	h.fail(err)
	h.prints[commit] = f
	return f
}

// merged is the function of proof.Change.Merged.
func (h *history) merged(id record.ID, e record.Entry) (m proof.Merge, known bool) {
	if h.err != nil {
		return m, false
	}
	commit, brought := e.Said().Merged, h.firstWith(id, e)
	if brought == "" || h.err != nil {
		return m, false
	}
	here, err := h.Repo.History().Contains(h.ctx, brought, commit)
	if h.fail(err); err != nil || !here {
		return m, false
	}
	m.Files = h.fingerprintOf(commit)
	parents, err := h.Repo.History().Parents(h.ctx, brought)
	h.fail(err)
	if h.err == nil && len(parents) == 2 && parents[1] == commit {
		m.Joined, m.Changed = true, h.unexplained(brought, parents[0], parents[1])
		return m, h.err == nil
	}
	m.Joined = h.mergedBefore(commit, brought)
	return m, h.err == nil
}

// mergedBefore reports whether the base has a commit, or a merge of the change before another commit brought it.
func (h *history) mergedBefore(commit, before string) bool {
	there, err := h.Repo.History().Contains(h.ctx, h.since, commit)
	if h.fail(err); err != nil || there {
		return there
	}
	merges, err := h.Repo.History().Merges(h.ctx, h.since, before, mostCommits)
	h.fail(err)
	return slices.ContainsFunc(merges, func(m []string) bool { return len(m) > 2 && slices.Contains(m[2:], commit) })
}

// unexplained lists the paths that a merge of two commits has otherwise than git merges them: what only one side
// changed is not as that side has it. Of a path that both changed, and where a side took files away, which may be
// renames, nothing is known.
func (h *history) unexplained(merge, ours, theirs string) []string {
	bases, err := h.Repo.History().MergeBases(h.ctx, ours, theirs)
	if h.fail(err); err != nil || len(bases) != 1 {
		return nil
	}
	var trees [4]git.Tree
	for i, commit := range []string{merge, ours, theirs, bases[0]} {
		trees[i], err = h.Repo.Objects().Tree(h.ctx, commit)
		if h.fail(err); err != nil {
			return nil
		}
	}
	got, o, t, base := trees[0], trees[1], trees[2], trees[3]
	for path := range base {
		if o[path] == "" || t[path] == "" {
			return nil
		}
	}
	either := map[string]bool{}
	for _, path := range append(got.Changed(o), got.Changed(t)...) {
		either[path] = true
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(either)), func(path string) bool {
		switch base[path] {
		case o[path]:
			return got[path] == t[path]
		case t[path]:
			return got[path] == o[path]
		}
		return true
	})
}
