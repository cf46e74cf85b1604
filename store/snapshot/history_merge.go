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
	if h.err != nil || h.unhashed {
		return false, false
	}
	if h.fingerprint != nil && h.uncommitted() == fingerprint {
		return h.err == nil, h.err == nil
	}
	first := h.firstWith(id.Ref(), e)
	if first < 0 {
		return false, h.err == nil
	}
	later := h.descendants(h.all[first].ID)
	later[first] = true
	for i, c := range h.all {
		if later[i] && h.fingerprintOf(c.ID) == fingerprint {
			return h.err == nil, h.err == nil
		}
	}
	return false, h.err == nil
}

// ancestry is the parents of every commit that is reachable from the judged one.
func (h *history) ancestry() map[string][]string {
	if h.ways == nil && h.err == nil {
		var err error
		h.ways, err = h.Repo.History().Parents(h.ctx, h.head)
		h.fail(err)
	}
	return h.ways
}

// reach is the commits that are reachable from one, which is one of them.
func (h *history) reach(commit string) map[string]bool {
	ways, out := h.ancestry(), map[string]bool{}
	todo := []string{commit}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, here := ways[at]; here && !out[at] {
			out[at] = true
			todo = append(todo, ways[at]...)
		}
	}
	return out
}

// merged is the function of proof.Change.Merged.
func (h *history) merged(id record.ID, e record.Entry) (m proof.Merge, known bool) {
	commit, brought := e.Said().Merged, h.firstWith(id.Ref(), e)
	if brought < 0 || h.err != nil || !h.reach(h.all[brought].ID)[commit] {
		return m, false
	}
	m.Files = h.fingerprintOf(commit)
	if parents := h.all[brought].Parents; len(parents) == 2 && parents[1] == commit {
		m.Joined, m.Changed = true, h.unexplained(h.all[brought].ID, parents[0], parents[1])
		return m, h.err == nil
	}
	m.Joined = h.mergedBefore(commit, h.all[brought].ID)
	return m, h.err == nil
}

// mergedBefore reports whether the base has a commit, or a merge of the change before another commit brought it.
func (h *history) mergedBefore(commit, before string) bool {
	if h.reach(h.since)[commit] {
		return true
	}
	earlier := h.reach(before)
	return slices.ContainsFunc(h.all, func(c git.Step) bool {
		return earlier[c.ID] && len(c.Parents) > 1 && slices.Contains(c.Parents[1:], commit)
	})
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
