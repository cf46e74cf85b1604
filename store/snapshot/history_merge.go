package snapshot

import (
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// HeldSince is proof.History.HeldSince.
func (h *history) HeldSince(id record.ID, e record.Entry, fingerprint string) (has, known bool) {
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

// ancestry is every commit that is reachable from the judged one.
func (h *history) ancestry() map[string]git.Step {
	if h.ancestors == nil && h.err == nil {
		var err error
		h.ancestors, err = h.Repo.History().Ancestry(h.ctx, h.head)
		h.fail(err)
	}
	return h.ancestors
}

// reach is the commits that are reachable from one, which is one of them.
func (h *history) reach(commit string) map[string]bool {
	ancestors, out := h.ancestry(), map[string]bool{}
	todo := []string{commit}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, here := ancestors[at]; here && !out[at] {
			out[at] = true
			todo = append(todo, ancestors[at].Parents...)
		}
	}
	return out
}

// Merged is proof.History.Merged.
func (h *history) Merged(id record.ID, e record.Entry) (m proof.Merge, known bool) {
	commit, brought := e.Said().Merged, h.firstWith(id.Ref(), e)
	if brought < 0 || h.err != nil || !h.reach(h.all[brought].ID)[commit] {
		return m, false
	}
	m.Files = h.fingerprintOf(commit)
	if join := h.joinOf(commit, h.all[brought].ID); join >= 0 {
		m.Joined, m.Changed = true, h.unexplained(join, commit)
	} else {
		m.Joined = h.reach(h.since)[commit]
	}
	return m, h.err == nil
}

// joinOf finds the first merge of the change that brought a commit to another one, which may be that merge; -1 if there
// is none.
func (h *history) joinOf(commit, to string) int {
	reached := h.reach(to)
	return slices.IndexFunc(h.all, func(c git.Step) bool {
		return reached[c.ID] && len(c.Parents) > 1 && slices.Contains(c.Parents[1:], commit)
	})
}
